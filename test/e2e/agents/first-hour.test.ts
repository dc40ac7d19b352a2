/**
 * A person without a key who has one agent program: each program of the table, by both protocols, with a stand-in on the path. It leads a
 * goal of two tasks with two teammates, or the program that cannot work is named with its remedy.
 */
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { ROOT } from "../../../scripts/fresh.ts";
import { PRESETS, type Preset } from "../../../src/adapters/agents/presets.ts";
import { sampled } from "../../fixtures/fuzz.ts";
import { takeAway } from "../../fixtures/take-away.ts";
import { Project } from "../cli-program.ts";

const FIXTURES = resolve(import.meta.dirname, "../../fixtures");
const LIMIT = "You've hit your session limit · resets 3am";
const NEVER = Number.MAX_SAFE_INTEGER;

const task = (subject: string) => ({
  call: "create_task",
  input: { subject, description: `Write ${subject}` },
});
const work = [
  [
    { call: "list_tasks", input: {} },
    { call: "complete_task", input: { result: "done" } },
  ],
];
const SCRIPT = {
  members: {
    lead: [[task("a.txt"), task("b.txt"), { say: "Planned." }], [{ say: "Both are written." }]],
    alice: work,
    bob: work,
  },
};

/** It ends at once and says nothing; it says that its limit is reached. */
const IN_WORK = [
  { script: { members: { lead: [] }, prompts: [[]] }, words: ({ login }: Preset) => login },
  {
    script: { ...SCRIPT, limited: { how: "reply", until: NEVER, words: LIMIT } },
    words: () => "session limit",
  },
];

/** A person's machine with one program in PATH, as npm installs it. */
function machine(
  { name, command, package: owner, adapts, loginFile }: Preset,
  way: "acp" | "headless",
  { script = SCRIPT as object, engine = ">=20", isLoggedIn = true } = {},
) {
  const project = new Project();
  // The sandbox hides the temporary files of others.
  const place = mkdtempSync(join(ROOT, "node_modules/.first-hour-"));
  onTestFinished(async () => {
    await project.end();
    takeAway(place);
  });
  execFileSync("git", ["init", "-q", project.dir]);
  const identity = ["-c", "user.name=Ann", "-c", "user.email=ann@example.org"];
  execFileSync("git", [...identity, "-C", project.dir, "commit", "-q", "--allow-empty", "-m", "First"]);
  // The program may write its own folder, so that it knows what it did before.
  const login = join(project.home, loginFile.folder, loginFile.path);
  const [scriptFile, log] = [join(place, "script.json"), join(dirname(login), "log")];
  mkdirSync(dirname(login), { recursive: true });
  if (isLoggedIn) writeFileSync(login, "{}");
  writeFileSync(scriptFile, JSON.stringify({ isLoggedIn, ...script }));
  const run =
    way === "acp"
      ? `exec "${process.execPath}" "${FIXTURES}/acp-agent.mjs" ${scriptFile} ${log}`
      : `SCRIPT=${scriptFile} LOG=${log} DIALECT=${name} exec "${process.execPath}" "${FIXTURES}/headless-agent.mjs" "$@"`;
  const folder = join(place, "lib/node_modules", owner);
  for (const one of [join(folder, "dist"), join(place, "bin")]) mkdirSync(one, { recursive: true });
  writeFileSync(join(folder, "dist/index.js"), `#!/bin/sh\n${run}\n`);
  chmodSync(join(folder, "dist/index.js"), 0o755);
  writeFileSync(
    join(folder, "package.json"),
    JSON.stringify({ name: owner, version: "1.2.3", engines: { node: engine } }),
  );
  const program = way === "acp" ? command[0] : (adapts as string);
  symlinkSync(join(folder, "dist/index.js"), join(place, "bin", program));
  const PATH = [join(place, "bin"), dirname(process.execPath), "/usr/bin:/bin"].join(":");
  const env = { PATH, OLLAMA_HOST: "127.0.0.1:9", EKIDEN_TRUST: "", EKIDEN_PROVIDER_TIMEOUT_MS: "1000" };
  return { project, run: (...args: string[]) => project.run(["run", ...args], { env }) };
}

const WAYS = PRESETS.flatMap((preset) => [
  { preset, title: preset.title, way: "acp" as const },
  ...(preset.headless ? [{ preset, title: preset.title, way: "headless" as const }] : []),
]);

it.each(sampled(WAYS, 4))(
  "$title by $way leads two teammates to the end of a goal, without a question",
  async ({ preset, way }) => {
    const { project, run } = machine(preset, way);
    const began = Date.now();
    const { code, stdout, stderr } = await run("--teammates", "2", "Write two files");
    expect(code, stdout + stderr).toBe(0);
    expect(stdout + stderr).toContain(preset.title);
    expect((await (await project.store()).board.counts()).completed).toBe(2);
    expect(Date.now() - began).toBeLessThan(90_000);
  },
);

it.each(sampled(WAYS, 4, 2))(
  "$title by $way is named with its remedy where it cannot work",
  async ({ preset, way }) => {
    const ill = [
      [{ isLoggedIn: false }, preset.login],
      ...(way === "acp" ? [[{ engine: ">=99" }, "needs Node >=99"] as const] : []),
      // These two are met in its work, which is the same for all that speak the protocol.
      ...(preset.headless ? IN_WORK.map((how) => [how, how.words(preset)] as const) : []),
    ] as const;
    const runs = ill.map(async ([how, words]) => {
      const { code, stdout, stderr } = await machine(preset, way, how).run(
        "--teammates",
        "2",
        "Write two files",
      );
      return { code, said: stdout + stderr, words };
    });
    for (const { code, said, words } of await Promise.all(runs)) {
      expect(code, said).not.toBe(0);
      expect(said).toContain(preset.title);
      expect(said).toContain(words);
    }
  },
);
