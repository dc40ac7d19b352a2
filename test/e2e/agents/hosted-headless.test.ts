/** A program without the Agent Client Protocol as a teammate: a run for each prompt, by a program that obeys a script. */
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { recruit } from "../../../src/core/board/recruit.ts";
import { PERSON } from "../../../src/core/ids.ts";
import type { Settings } from "../../../src/core/settings/settings.ts";
import { programTeam } from "../../fixtures/program-team.ts";
import { takeAway } from "../../fixtures/take-away.ts";

const PROGRAM = resolve(import.meta.dirname, "../../fixtures/headless-agent.mjs");
const done = { call: "complete_task", input: { result: "done" } };
type Script = {
  readonly runs: readonly (readonly object[])[];
  readonly refusesSessions?: boolean;
  readonly limited?: object;
};

/** A team whose ann is a program "claude" in a PATH without the adapter that speaks the protocol. */
async function teamOf(script: Script, settings: Partial<Settings> = {}) {
  const folder = mkdtempSync(join(tmpdir(), "ekiden-headless-"));
  onTestFinished(() => takeAway(folder));
  const log = join(folder, "log");
  writeFileSync(join(folder, "script.json"), JSON.stringify(script));
  writeFileSync(
    join(folder, "claude"),
    `#!/bin/sh\nSCRIPT=${folder}/script.json LOG=${log} exec "${process.execPath}" "${PROGRAM}" "$@"\n`,
    { mode: 0o755 },
  );
  const team = await programTeam({
    says: { lead: Array.from({ length: 6 }, () => ({ text: "Waiting." })) },
    settings: { teammates: [recruit("ann@claude")], sandbox: "off", ...settings },
    host: { env: { PATH: `${folder}:/usr/bin:/bin`, HOME: folder } },
  });
  const heard = <T>(key: string): T[] =>
    (existsSync(log) ? readFileSync(log, "utf8").trim().split("\n") : [])
      .map((line) => JSON.parse(line) as Record<string, T>)
      .flatMap((line) => (key in line ? [line[key] as T] : []));
  return { team, heard };
}

it("works on tasks, asks by our rules, and reports words, steps, tokens and money", async () => {
  const { team, heard } = await teamOf(
    {
      runs: [
        [
          { say: "I write it." },
          { use: ["Bash", { command: "echo hi" }, "hi"] },
          { use: ["Bash", { command: "rm -rf x" }, "gone"] },
          { use: ["Write", { file_path: "/etc/ekiden-test", content: "no" }, "written"] },
          { use: ["Elsewhere", { url: "x" }, "went"] },
          done,
          { say: "All done." },
        ],
        [done],
      ],
    },
    { allow: ["bash(echo *)"], deny: ["bash(rm *)"] },
  );
  for (const subject of ["One", "Two"]) await team.store.board.add({ subject }, PERSON);
  await team.host.start({ goal: "Do the tasks" });
  await team.until("task.completed", { task: 2 });
  expect(heard("answer")).toEqual(["allow", "deny", "deny", "deny"]);
  expect(heard("resumed")).toEqual([null, "session-1"]);
  const text = JSON.stringify(await team.store.transcript.current("ann" as never));
  for (const word of ["I write it.", "All done.", "echo hi", '"text":"hi"']) expect(text).toContain(word);
  const turns = (await team.events("turn.taken")).filter((event) => "who" in event && event.who === "ann");
  // Money counts at once, tokens with the end of the run, which may be another turn.
  for (const used of [{ inputTokens: 15, cachedTokens: 5, outputTokens: 3 }, { usd: 0.5 }])
    expect(turns).toContainEqual(expect.objectContaining(used));
  // The word that opens the board is on no command line.
  const [argv = []] = heard<string[]>("argv");
  expect(argv.join(" ")).toContain("$" + "{EKIDEN_BOARD}");
  expect(argv.join(" ")).not.toMatch(/[0-9a-f]{48}/);
});

it("continues with its session after a kill -9, and without it where the program has lost it", async () => {
  const runs = [[{ say: "Half." }, { call: "list_tasks", input: {} }, { die: true }], [done]];
  for (const refusesSessions of [false, true]) {
    const { team, heard } = await teamOf({ runs, refusesSessions });
    await team.store.board.add({ subject: "Die" }, PERSON);
    await team.host.start({ goal: "Do the task" });
    await team.until("task.completed", { task: 1 });
    expect(await team.store.board.task(1 as never)).toMatchObject({ status: "completed", attempt: 1 });
    expect(heard("resumed")).toEqual([null, refusesSessions ? null : "session-1"]);
    const again = heard<string>("prompt")[1] ?? "";
    if (refusesSessions) expect(again).toContain("Half.");
    else expect(again).not.toContain("You are");
    await team.host.close();
  }
});

it("waits for the end of a limit that its program has reached, and continues in its session", async () => {
  const until = Date.now() + 6_000;
  const words = `You've hit your session limit · resets ${new Date(until).toISOString()}`;
  const { team, heard } = await teamOf({ runs: [[done]], limited: { until, words } });
  await team.store.board.add({ subject: "Wait" }, PERSON);
  await team.host.start({ goal: "Do the task" });
  const rest = await team.until("teammate.phase", { who: "ann", reason: "at_limit" });
  expect(rest).toMatchObject({ note: expect.stringContaining("session limit") });
  await team.until("task.completed", { task: 1 });
  // The limit, once more in a new session, the small prompt after the reset, and the work.
  expect(heard<string>("prompt").map((text) => /limit should be over/.test(text))).toEqual([
    false,
    false,
    true,
    false,
  ]);
  expect(await team.store.board.task(1 as never)).toMatchObject({ attempt: 1 });
  expect(await team.events("login.window")).toMatchObject([
    { program: "claude", kind: "5h", usedPercent: 100, resetsAt: until },
    { program: "claude", kind: "5h", source: "work" },
  ]);
});
