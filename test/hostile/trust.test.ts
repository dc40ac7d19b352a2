/** The person's word for what a folder brings: how long it holds, what it covers, and how it is taken back. */
import { execFileSync } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { cloned, hook, OWN_KEYS, run, servers, settings, sh, TOUCH } from "../fixtures/cloned.ts";

it("keeps the word until something changes, and then shows what changed", async () => {
  const project = cloned({ ...hook("Stop", "./x.sh first"), "x.sh": "#!/bin/sh\necho x >> RAN\n" });
  expect((await run(project, "trust")).stderr).toMatch(
    /agreed, until it changes:\s+- hook Stop: \.\/x\.sh first/,
  );
  expect((await run(project, "run", "plan.md")).code).toBe(0);
  writeFileSync(join(project.dir, "x.sh"), TOUCH);
  const script = await run(project, "resume");
  expect(script).toMatchObject({ code: 2 });
  expect(script.stderr).toContain("hook Stop: ./x.sh first (a script that it names has changed)");
  project.write(hook("Stop", "./x.sh second"));
  const other = await run(project, "resume");
  expect(other).toMatchObject({ code: 2 });
  expect(other.stderr).toContain("hook Stop: ./x.sh second (changed; it was: hook Stop: ./x.sh first)");
  expect(existsSync(join(project.dir, "CANARY"))).toBe(false);
});

it("asks about the whole folder when one part of it is new, and marks that part", async () => {
  const project = cloned(settings({ allow: ["bash(make)"], budgetUsd: 1, hooks: {} }));
  await run(project, "trust");
  expect((await run(project, "run", "plan.md")).code).toBe(0);
  project.write({ ...servers(sh(TOUCH)) });
  const changed = await run(project, "resume");
  expect(changed).toMatchObject({ code: 2 });
  expect(changed.stderr).toMatch(
    /- MCP server evil: sh -c touch.* \(new\)\n {2}- allow bash\(make\)\n {2}- budgetUsd: 1\nRead it/,
  );
  const checked = (await run(project, "doctor")).stdout.replace(/\s+/g, " ");
  expect(checked).toMatch(/waits: MCP server evil: .*\(new\) waits: allow bash\(make\)/);
  await run(project, "trust");
  expect((await run(project, "trust")).stderr).toContain("nothing in this project waits");
  // Other settings of the person's own, and what it takes away, make no other folder of it.
  const strict = { ...OWN_KEYS, EKIDEN_BUDGET_USD: "0.5", EKIDEN_PERMISSION_MODE: "plan" };
  expect((await project.run(["tasks"], { env: strict })).code).toBe(0);
  rmSync(join(project.dir, ".mcp.json"));
  const less = await run(project, "resume");
  expect(less).toMatchObject({ code: 2 });
  expect(less.stderr).not.toContain("(new)");
  expect(existsSync(join(project.dir, "CANARY"))).toBe(false);
});

it("leaves everything out that a folder brings when one part of it was not agreed to", async () => {
  const project = cloned(hook("SessionStart", "touch HOOKED"));
  await run(project, "trust");
  project.write({ ".ekiden/agents/x.md": "---\nname: x\nmodel: openai-compatible/x\n---\nYou." });
  expect((await run(project, "run", "plan.md")).code).toBe(2);
  expect(existsSync(join(project.dir, "HOOKED"))).toBe(false);
});

it("takes over the word for each item that an earlier version kept, and asks about what it was not given for", async () => {
  const project = cloned(settings({ allow: ["bash(make)"], gate: "true" }));
  await run(project, "trust");
  const folder = join(project.home, ".config/ekiden/trust");
  const [file = ""] = readdirSync(folder).filter((name) => name.endsWith(".json"));
  const { digest, ...record } = JSON.parse(readFileSync(join(folder, file), "utf8"));
  expect(digest).toMatch(/^[0-9a-f]{64}$/);
  writeFileSync(join(folder, file), JSON.stringify(record));
  expect((await run(project, "run", "plan.md")).code).toBe(0);
  project.write(settings({ allow: ["bash(make)", "bash(touch *)"], gate: "true" }));
  const asked = await run(project, "resume");
  expect(asked).toMatchObject({ code: 2 });
  expect(asked.stderr).toMatch(/allow bash\(touch \*\) \(new\)\n {2}- allow bash\(make\)\n/);
});

it("shows what the repository makes git run, and agrees to no more than that", async () => {
  const project = cloned(settings({ allow: ["bash(make)"] }));
  const git = (...args: string[]): void => void execFileSync("git", ["-C", project.dir, ...args]);
  git("init", "-q");
  git("config", "filter.x.clean", "touch CANARY");
  project.write({ ".git/hooks/post-commit": "#!/bin/sh\ntouch CANARY\n" });
  const first = (await run(project, "trust")).stderr;
  expect(first).toMatch(
    /- git: \[filter "x"\] clean = touch CANARY\n {2}- git hook \.git\/hooks\/post-commit\n/,
  );
  git("config", "core.sshCommand", "evil");
  const listed = (await run(project, "trust", "--list")).stdout.replace(/\s+/g, " ");
  expect(listed).toMatch(
    /waiting here git: \[core\] sshCommand = evil \(new\) git: \[filter "x"\] clean = touch CANARY/,
  );
  expect((await run(project, "run", "plan.md")).code).toBe(0); // git alone asks nothing, and does not run
  expect(existsSync(join(project.dir, "CANARY"))).toBe(false);
  expect((await run(project, "trust")).stderr).toContain("sshCommand = evil (new)");
  expect((await run(project, "trust")).stderr).toContain("nothing in this project waits");
});

it("takes the word back, and lists what was agreed to", async () => {
  const project = cloned(settings({ allow: ["bash(make)"] }));
  await run(project, "trust");
  expect((await run(project, "trust", "--list")).stdout).toContain("allow bash(make)");
  await run(project, "trust", "--revoke");
  expect(await run(project, "run", "plan.md")).toMatchObject({ code: 2 });
});

it("does not carry the word over to a copy of the folder", async () => {
  const project = cloned(settings({ allow: ["bash(make)"] }));
  await run(project, "trust");
  const copy = cloned({});
  mkdirSync(join(copy.dir, ".ekiden"));
  copyFileSync(join(project.dir, ".ekiden/settings.json"), join(copy.dir, ".ekiden/settings.json"));
  const { code } = await copy.run(["run", "plan.md"], {
    env: { ...OWN_KEYS, XDG_CONFIG_HOME: join(project.home, ".config") },
  });
  expect(code).toBe(2);
});
