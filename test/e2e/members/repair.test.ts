/** A team that nobody watches: its lead repairs a board with a failed task by its own tools, and the run ends well. */

import { expect, it } from "vitest";
import type { ScriptedStep } from "../../../src/adapters/models/scripted.ts";
import { name } from "../../../src/core/ids.ts";
import { exitCodeOf } from "../../../src/faces/kit/exit-code.ts";
import { nextStep } from "../../../src/faces/kit/next-step.ts";
import { call, quiet } from "../../fixtures/loops.ts";
import { programTeam } from "../../fixtures/program-team.ts";

const on = (when: string, step: ScriptedStep): ScriptedStep => ({ when, ...step });
const runbook = {
  goal: "Ship",
  tasks: [{ subject: "Build" }, { subject: "Test", blockedBy: [{ nth: 0 }] }],
};

async function play(lead: readonly ScriptedStep[], alice: readonly ScriptedStep[]) {
  const team = await programTeam({
    says: { lead: [...lead, ...quiet], alice: [...alice, ...quiet] },
    settings: {
      ...{ permissionMode: "bypass", sandbox: "off" },
      teammates: [{ name: name("alice"), role: "" }],
    },
  });
  await team.host.start({ runbook });
  const outcome = await team.host.done;
  return { ...team, outcome, code: exitCodeOf(outcome) };
}

const fails = on('subject="Build"', call("fail_task", { reason: "no compiler" }));
const does = (subject: string): ScriptedStep =>
  on(`subject="${subject}"`, call("complete_task", { result: `${subject} done` }));

it("has a failed task tried again, and says what to do otherwise", async () => {
  const { outcome, code, store } = await play(
    [on("retry_task tries it again", call("retry_task", { id: 1, reason: "use the other compiler" }))],
    [fails, on("use the other compiler", call("complete_task", { result: "built" })), does("Test")],
  );
  expect(outcome).toMatchObject({ reason: "concluded", completed: 2, failed: 0, unfinished: 0 });
  expect(code).toBe(0);
  expect(await store.board.task(1 as never)).toMatchObject({ status: "completed", attempt: 2 });
});

it("puts another task in the place of a failed one", async () => {
  const { outcome, code, store, requests } = await play(
    [on("create_task with replaces", call("create_task", { subject: "Build otherwise", replaces: "#1" }))],
    [fails, does("Build otherwise"), does("Test")],
  );
  expect(outcome).toMatchObject({
    reason: "concluded",
    completed: 2,
    failed: 0,
    cancelled: 0,
    unfinished: 0,
  });
  expect(code).toBe(0);
  expect(await store.board.task(1 as never)).toMatchObject({ status: "cancelled" });
  expect(await store.board.task(2 as never)).toMatchObject({ status: "completed", blockedBy: [3] });
  expect(JSON.stringify(requests("alice").map(({ messages }) => messages))).toContain(
    "It takes the place of #1 Build, which failed: no compiler",
  );
});

it("counts a replaced task again that was tried once more and given up", async () => {
  const { outcome, code } = await play(
    [
      on("create_task with replaces", {
        calls: [
          { tool: "create_task", input: { subject: "Build otherwise", replaces: 1 } },
          { tool: "retry_task", input: { id: 1 } },
          { tool: "cancel_task", input: { id: 1, reason: "not needed" } },
        ],
      }),
    ],
    [fails, does("Build otherwise"), does("Test")],
  );
  expect(outcome).toMatchObject({ reason: "concluded", completed: 2, cancelled: 1, unfinished: 0 });
  expect(code).toBe(1);
});

it("gives a task up, which the exit code tells", async () => {
  const { outcome, code, store } = await play(
    [
      on("cancel_task drops it", {
        calls: [
          { tool: "complete_task", input: { id: 1, result: "x", override: true } },
          { tool: "cancel_task", input: { id: 1, reason: "not needed" } },
          { tool: "update_task", input: { id: 2, remove_blocked_by: [1] } },
        ],
      }),
    ],
    [fails, does("Test")],
  );
  expect(outcome).toMatchObject({ reason: "concluded", completed: 1, cancelled: 1 });
  expect(code).toBe(1);
  const told = JSON.stringify(await store.transcript.current(name("lead")));
  expect(told).toContain("retry_task puts it back on the board");
  expect(told).toContain("#1 is cancelled. #2 cannot begin any more");
  expect(told).not.toMatch(/ekiden (?:retry|cancel|edit|release)/);
});

it("says it also where the only member for a task has failed", async () => {
  const team = await programTeam({
    says: { lead: quiet, dora: [] },
    settings: {
      ...{ permissionMode: "bypass", sandbox: "off" },
      teammates: [{ name: name("dora"), role: "designer" }],
    },
  });
  await team.host.start({ runbook: { goal: "Logo", tasks: [{ subject: "Draw", role: "designer" }] } });
  expect(exitCodeOf(await team.host.done)).toBe(1);
  expect((await team.events("warning.raised")).map((event) => "text" in event && event.text)).toContainEqual(
    expect.stringContaining("nobody can take #1 Draw: it is for the role designer, which no member has"),
  );
});

it("says why nobody can take a task, and what a person can do", async () => {
  const team = await programTeam({
    says: { lead: quiet, alice: quiet },
    settings: {
      ...{ permissionMode: "bypass", sandbox: "off" },
      teammates: [{ name: name("alice"), role: "" }],
    },
  });
  const others = { role: "printer", blockedBy: [{ nth: 0 }] };
  await team.host.start({
    runbook: {
      goal: "Logo",
      tasks: [
        { subject: "Draw", role: "designer" },
        { subject: "Print", ...others },
      ],
    },
  });
  const outcome = await team.host.done;
  expect(exitCodeOf(outcome)).toBe(1);
  // The last line of a run names the remedy, too: resume alone would end as this run did.
  expect(nextStep(outcome, (words) => `ekiden ${words}`)).toMatch(
    /^Nobody can take #1 Draw: it is for the role designer, .*ekiden resume --teammate NAME:designer/,
  );
  expect((await team.events("warning.raised")).map((event) => "text" in event && event.text)).toEqual([
    expect.stringMatching(/nobody can take #1 Draw: it is for the role designer, .*--teammate NAME:designer/),
  ]);
  expect(JSON.stringify(await team.store.transcript.current(name("lead")))).toContain(
    "spawn_teammate adds a teammate",
  );
});
