/** Secrets that a command prints reach neither transcript nor journal nor export; `.ekiden` is for its user alone. */
import { chmodSync, lstatSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { Project } from "../e2e/cli-program.ts";

// Put together here, so that no file of ours looks like it holds a key.
const TOKEN = `ghp_${"a1B2c3D4e5".repeat(4)}`;
const KNOWN = "correct-horse-battery";
const env = { DEPLOY_TOKEN: KNOWN, ACME_API_KEY: "sk-canary-0123456789" };

function project(files: Readonly<Record<string, string>>): Project {
  const made = new Project();
  onTestFinished(() => made.end());
  made.write(files);
  return made;
}

function textsBelow(folder: string): string {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => lstatSync(join(folder, name)).isFile())
    .map((name) => readFileSync(join(folder, name), "latin1"))
    .join("\n");
}

it("takes what a command prints out of all records", async () => {
  const one = project({
    ".env": `A=${TOKEN}\nB=${KNOWN}\nC=sk-canary-0123456789\n`,
    "plan.md": "# Print\n\n## One\n\n```sh\ncat .env\n```\n\n## Two\n\n```sh\ncat .env; exit 1\n```\n",
  });
  const { stdout, stderr } = await one.run(["run", "plan.md"], { env });
  const shown = [stdout, stderr];
  for (const args of [
    ["log"],
    ["transcript", "lead"],
    ["transcript", "alice"],
    ["inbox", "lead"],
    ["tasks"],
    ["export", "out"],
  ])
    shown.push(...Object.values(await one.run([...args, "--json"], { env })).map(String));
  const stored = textsBelow(join(one.dir, ".ekiden"));
  const exported = textsBelow(join(one.dir, "out"));
  for (const text of [...shown, stored, exported])
    for (const secret of [TOKEN, KNOWN, "sk-canary"]) expect(text).not.toContain(secret);
  expect(stored).toContain("[secret GitHub token]");
  expect(exported).toContain("[secret DEPLOY_TOKEN]");
});

it("takes what a model or the person says out of all records, and out of the words that are shown as they come", async () => {
  const say = `The key is ${KNOWN}`;
  const steps = [
    {
      ...{ who: "lead", text: say, thinking: say },
      calls: [
        { tool: "create_task", input: { subject: say, description: say } },
        { tool: "write_file", input: { path: "notes.txt", content: say } },
        { tool: "send_message", input: { to: "person", text: say } },
      ],
    },
    { who: "alice", text: say, calls: [{ tool: "complete_task", input: { result: say } }] },
    { text: say, times: "any" },
  ];
  const one = project({
    "script.json": JSON.stringify({ steps }),
    "plan.md": `# Deploy\n\n## ${say}\n\n\`\`\`sh\necho ${KNOWN}\n\`\`\`\n`,
  });
  const model = `scripted:${join(one.dir, "script.json")}`;
  const args = ["--permission-mode", "bypass", "--teammates", "1", "--model", model];
  const shown = Object.values(await one.run(["run", `Deploy with ${KNOWN}`, ...args], { env })).map(String);
  shown.push(...Object.values(await one.run([...args], { env, input: `use ${KNOWN}\n` })).map(String));
  await one.run(["add", say], { env });
  const planned = await one.run(["run", "plan.md", "--team", "plans"], { env });
  expect(planned.code).toBe(0);
  expect((await one.run(["run", "plan.md", "--team", "plans"], { env })).stderr).toContain(
    "nothing left to do",
  );
  for (const command of [
    ["transcript", "lead"],
    ["export", "out"],
  ])
    shown.push(...Object.values(await one.run([...command, "--json"], { env })).map(String));
  const stored = textsBelow(join(one.dir, ".ekiden"));
  const exported = textsBelow(join(one.dir, "out"));
  for (const text of [...shown, stored, exported]) expect(text).not.toContain(KNOWN);
  expect(readFileSync(join(one.dir, "notes.txt"), "utf8")).toBe(say);
  for (const text of [stored, exported]) expect(text).toContain("The key is [secret DEPLOY_TOKEN]");
});

it("shows no secret in an error message", async () => {
  const one = project({});
  const { stderr } = await one.run(["run", `${KNOWN}.md`], { env });
  expect(stderr).toContain("[secret DEPLOY_TOKEN]");
  expect(stderr).not.toContain(KNOWN);
});

it("keeps .ekiden to its user, also where git made it for everybody", async () => {
  const one = project({
    ".ekiden/settings.json": "{}",
    "plan.md": `# Big\n\n## One\n\n\`\`\`sh\nseq 1 100000\n\`\`\`\n`,
  });
  chmodSync(join(one.dir, ".ekiden"), 0o755);
  chmodSync(join(one.dir, ".ekiden/settings.json"), 0o644);
  await one.run(["run", "plan.md"]);
  const folder = join(one.dir, ".ekiden");
  const open = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter(
    (name) => (lstatSync(join(folder, name)).mode & 0o077) !== 0,
  );
  expect([open, lstatSync(folder).mode & 0o777]).toEqual([[], 0o700]);
  expect(readdirSync(join(folder, "output")).length).toBeGreaterThan(0);
});

it.each(["output", "team.db", "settings.json", "memory", "x.tmp"])(
  "refuses the link .ekiden/%s",
  async (name) => {
    const one = project({ "plan.md": "# A\n\n## One\n\n```sh\ntrue\n```\n" });
    const target = project({ "target/file": "{}" });
    mkdirSync(join(one.dir, ".ekiden"));
    const isFolder = name === "output" || name === "memory";
    symlinkSync(join(target.dir, isFolder ? "target" : "target/file"), join(one.dir, ".ekiden", name));
    const { code, stderr } = await one.run(["run", "plan.md"]);
    expect(code).not.toBe(0);
    expect(stderr).toMatch(/is a symbolic link|another person or program made/);
    expect(readFileSync(join(target.dir, "target/file"), "utf8")).toBe("{}");
  },
);

it("keeps long output as it was printed, for its user alone, and shows it without secrets and sequences", async () => {
  const one = project({
    ".env": `\u001b]0;title\u0007${TOKEN}\n`,
    "plan.md":
      "# Big\n\n## One\n\n```sh\nseq 1 20000; cat .env; seq 1 20000\n```\n\n## Two\n\nAfter: One\n\n```sh\ngrep -ah title .ekiden/output/*.txt\n```\n",
  });
  await one.run(["run", "plan.md"]);
  const folder = join(one.dir, ".ekiden/output");
  const [file = ""] = readdirSync(folder).filter(
    (name) => name.endsWith(".txt") && readFileSync(join(folder, name)).includes(TOKEN),
  );
  expect(lstatSync(join(folder, file)).mode & 0o777).toBe(0o600);
  const shown = await Promise.all(
    ["alice", "bob"]
      .flatMap((name) => [
        ["transcript", name],
        ["show", name],
      ])
      .map((args) => one.run(args)),
  );
  const text = shown.map(({ stdout, stderr }) => stdout + stderr).join("\n");
  expect(text).toContain("[secret GitHub token]");
  expect(text).not.toContain(TOKEN);
  for (const control of ["\u001b]", "\u0007"]) expect(text).not.toContain(control);
});
