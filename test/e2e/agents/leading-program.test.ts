/** An agent program as the lead: no key and no provider, a program "claude" that obeys a script and is logged in. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { recruits } from "../../../src/core/board/recruit.ts";
import { type Embedded, embeddedFor } from "../../../src/core/project/runbook.ts";
import { DEFAULT_SETTINGS, type Settings } from "../../../src/core/settings/settings.ts";
import { usualModel } from "../../../src/host/models/usual-models.ts";
import { type ProgramOptions, programTeam } from "../../fixtures/program-team.ts";
import { takeAway } from "../../fixtures/take-away.ts";

const PROGRAM = resolve(import.meta.dirname, "../../fixtures/headless-agent.mjs");
type Steps = readonly (readonly object[])[];
type Script = { readonly members: Readonly<Record<string, Steps>>; readonly isLoggedIn?: boolean };

const adds = (subject: string) => ({
  call: "create_task",
  input: { subject, description: `Write ${subject}` },
});
const done = { call: "complete_task", input: { result: "done" } };
const claims = { call: "list_tasks", input: {} };

function stageOf(script: Script, names: readonly string[] = ["claude"]) {
  const folder = mkdtempSync(join(tmpdir(), "ekiden-leading-"));
  onTestFinished(() => takeAway(folder));
  const log = join(folder, "log");
  writeFileSync(join(folder, "script.json"), JSON.stringify(script));
  // On a busy machine its word may come too late; then the file counts.
  mkdirSync(join(folder, ".claude"));
  if (script.isLoggedIn !== false) writeFileSync(join(folder, ".claude", ".credentials.json"), "{}");
  for (const name of names)
    writeFileSync(
      join(folder, name),
      `#!/bin/sh\nSCRIPT=${folder}/script.json LOG=${log} exec "${process.execPath}" "${PROGRAM}" "$@"\n`,
      { mode: 0o755 },
    );
  const env = { PATH: `${folder}:/usr/bin:/bin`, HOME: folder };
  const heard = (): { who: string; prompt: string; resumed: string | null }[] =>
    (existsSync(log) ? readFileSync(log, "utf8").trim().split("\n") : [])
      .map((line) => JSON.parse(line))
      .filter((line) => "prompt" in line);
  return { env, heard };
}

const teamOf = (
  env: NodeJS.ProcessEnv,
  settings: Partial<Settings> = {},
  more: Partial<ProgramOptions> = {},
) =>
  programTeam({
    says: {},
    settings: { model: undefined, teammates: recruits(2), sandbox: "off", ...settings },
    ...more,
    host: { env, ...more.host },
  });

it("leads without a key: the only program that is ready plans, its teammates work, and it has the last word", async () => {
  const work = [[claims, done]];
  const { env, heard } = stageOf({
    members: {
      lead: [[adds("a.txt"), adds("b.txt"), { say: "Planned." }], [{ say: "Both are written." }]],
      alice: work,
      bob: work,
    },
  });
  const notices: string[] = [];
  const team = await teamOf(env, {}, { host: { env, onNotice: (text) => notices.push(text) } });
  expect(notices.join("\n")).toContain("Claude Code, which is installed here and logged in");
  await team.host.start({ goal: "Write two files" });
  const outcome = await team.host.done;
  expect(outcome).toMatchObject({ reason: "concluded", completed: 2, failed: 0 });
  expect(outcome.text).toContain("Both are written.");
  const [first] = heard();
  expect(first?.who).toBe("lead");
  expect(first?.prompt).toContain("Write two files");
  expect(first?.prompt).toContain("spawn_teammate");
  expect(heard().filter(({ who }) => who === "lead")[1]?.resumed).toBe("session-lead");
});

it("says what to do where the program is not logged in, and which flags choose one of several", async () => {
  const out = stageOf({ members: {}, isLoggedIn: false });
  await expect(teamOf(out.env)).rejects.toThrow(
    /No model is configured[\s\S]*Claude Code is installed, but not ready: No login was found\. Run claude/,
  );
  const { env } = stageOf({ members: {} }, ["claude", "opencode"]);
  const both = { ...env, OPENCODE_CONFIG_CONTENT: "{}" };
  await expect(teamOf(both)).rejects.toThrow(
    /2 agent programs are ready[\s\S]*--lead claude.*--lead opencode/,
  );
});

it("pays for a task that ended before its program said what it costs from the budget of that task", async () => {
  const work = [[claims, done]];
  const tasks = ["a.txt", "b.txt", "c.txt", "d.txt"];
  const { env } = stageOf({
    members: {
      lead: [[...tasks.map(adds), { say: "Planned." }], [{ say: "Written." }]],
      alice: work,
      bob: work,
    },
  });
  // Each run of the program costs half a dollar.
  const team = await teamOf(env, { taskBudgetUsd: 1 });
  await team.host.start({ goal: "Write four files" });
  expect(await team.host.done).toMatchObject({ reason: "concluded", completed: 4 });
});

it("is the model of a runbook with prose; without a program that is ready its blocks are run", async () => {
  const choosing = (env: NodeJS.ProcessEnv, embedded: Embedded) =>
    usualModel({ settings: DEFAULT_SETTINGS, env, folder: "/srv/none", embedded });
  const { env } = stageOf({ members: {} });
  expect((await choosing(env, "last")).spec).toBe("agent:claude");
  expect((await choosing(env, true)).spec).toBe("runbook");
  const out = stageOf({ members: {}, isLoggedIn: false });
  expect((await choosing(out.env, "last")).spec).toBe("runbook");
  await expect(choosing(stageOf({ members: {} }, []).env, false)).rejects.toThrow(
    /Or install an agent program .*ekiden agents/,
  );
  const task = (description: string) => ({ subject: "A", description });
  expect(embeddedFor({ tasks: [task("```sh\ntrue\n```")] })).toBe(true);
  expect(embeddedFor({ tasks: [task("```sh\ntrue\n```"), task("Think.")] })).toBe("last");
});

it("leads by name while the teammates have a model of a provider", async () => {
  const { env, heard } = stageOf({
    members: { lead: [[adds("a.txt")], [{ say: "Done." }]] },
  });
  const team = await teamOf(
    env,
    { model: "scripted", lead: "agent:claude", teammates: recruits(1) },
    { says: { alice: [{ calls: [{ tool: "complete_task", input: { result: "done" } }] }, { text: "-" }] } },
  );
  await team.host.start({ goal: "Write a file" });
  expect(await team.host.done).toMatchObject({ reason: "concluded", completed: 1 });
  expect(new Set(heard().map(({ who }) => who))).toEqual(new Set(["lead"]));
  expect((await team.store.roster.members()).map(({ name, model }) => [name, model])).toEqual([
    ["lead", "agent:claude"],
    ["alice", ""],
  ]);
});

it("ends soon with the reason where the program of the lead says and does nothing", async () => {
  const { env, heard } = stageOf({ members: { lead: [] } });
  const team = await teamOf(env);
  await team.host.start({ goal: "Write a file" });
  const outcome = await team.host.done;
  expect(outcome.reason).toBe("model");
  expect(outcome.error?.message).toMatch(/Claude Code|agent:claude/);
  expect(heard().length).toBeLessThan(5);
});

it("adds nothing twice when it is killed in the middle of its plan and repeats it", async () => {
  const work = [[claims, done]];
  const { env } = stageOf({
    members: {
      lead: [
        [adds("a.txt"), adds("b.txt"), { die: true }],
        [adds("a.txt"), adds("b.txt"), adds("c.txt"), { say: "Planned." }],
        [{ say: "Written." }],
      ],
      alice: work,
      bob: work,
    },
  });
  const team = await teamOf(env);
  await team.host.start({ goal: "Write three files" });
  expect(await team.host.done).toMatchObject({ reason: "concluded", completed: 3 });
  expect((await team.store.board.tasks()).map(({ subject }) => subject)).toEqual(["a.txt", "b.txt", "c.txt"]);
});

it("continues with the program in another process, without its name on the command line", async () => {
  const work = [[claims, done]];
  const { env, heard } = stageOf({
    members: { lead: [[adds("a.txt"), { say: "Planned." }], [{ say: "Written." }]], alice: work, bob: work },
  });
  const first = await teamOf(env, {}, { keep: true });
  await first.host.start({ goal: "Write a file" });
  await first.until("task.added", { task: 1 });
  await first.host.close();
  const again = await teamOf(
    env,
    { teammates: undefined },
    { folder: first.folder, host: { env, resume: true } },
  );
  await again.host.start({ resume: true });
  expect(await again.host.done).toMatchObject({ reason: "concluded", completed: 1 });
  expect(
    heard()
      .filter(({ who }) => who === "lead")
      .at(-1)?.resumed,
  ).toBe("session-lead");
});
