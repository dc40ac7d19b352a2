/** A board that the person approves before anything of it begins: it is shown, changed, approved, and survives the end of the process. */
import { expect, it } from "vitest";
import type { Step } from "../../../src/adapters/models/scripted.ts";
import { PERSON } from "../../../src/core/ids.ts";
import { answer } from "../../../src/team/actions/answer.ts";
import { editTask } from "../../../src/team/actions/tasks.ts";
import { board } from "../../../src/team/queries/board.ts";
import { programTeam } from "../../fixtures/program-team.ts";

const quietly: Step = { times: "any", text: "Well." };
const plans = (count: number): Step => ({
  calls: Array.from({ length: count }, (_, nth) => ({
    tool: "create_task",
    input: { subject: `Part ${nth + 1}`, description: "Check: `true`" },
  })),
});
const done: Step = { when: "auto-claimed", calls: [{ tool: "complete_task", input: { result: "done" } }] };

it("holds teammates until the person has approved the board, also over a restart", async () => {
  const settings = { worktrees: false } as const;
  const says = { lead: [plans(2), quietly], alice: [done, { text: "One." }, done, quietly] };
  const first = await programTeam({ says, settings, host: { planFirst: true }, keep: true });
  await first.host.start({ goal: "Paint the house" });
  await first.until("board.shown");
  await first.until("teammate.phase", { who: "lead", phase: "idle", reason: "awaiting_answer" });
  // A letter begins nothing either.
  await first.store.mail.send(PERSON, { to: "alice" as never, body: { kind: "note", text: "Begin!" } });
  const { plan } = await board(first.store);
  expect(plan).toBe("as long as 1 task with three, 2 tasks with one");
  const [asked] = await first.store.requests.open({ of: PERSON });
  expect(asked?.ask).toMatchObject({
    question: expect.stringMatching(/2 tasks, and nothing has begun.*\n#1 Part 1\n#2/),
  });
  await editTask(first.store, PERSON, 1 as never, { subject: "Part one" });
  expect(first.requests("alice")).toEqual([]);
  await first.host.close();

  const { folder } = first;
  const second = await programTeam({
    says: { ...says, lead: [quietly] },
    settings,
    folder,
    host: { resume: true },
  });
  await second.host.start({ resume: true });
  await second.until("teammate.phase", { who: "lead", phase: "idle", reason: "awaiting_answer" });
  expect(await second.events("task.claimed")).toEqual([]);
  expect(await second.events("warning.raised")).toMatchObject([
    { text: expect.stringMatching(/^The board is held: .*ekiden plan begin$/) },
  ]);
  expect(await second.events("board.shown")).toHaveLength(1);
  const [again] = await second.store.requests.open({ of: PERSON });
  // Other words are for the lead, which plans again; then the person is asked once more.
  await answer(second.store, String(again?.id), "One task more, please");
  await second.until("board.shown");
  await expect.poll(async () => (await second.events("board.shown")).length).toBe(2);
  expect(await second.events("task.claimed")).toEqual([]);
  const [last] = await second.store.requests.open({ of: PERSON });
  await answer(second.store, String(last?.id), "1");
  expect(await second.host.done).toMatchObject({ completed: 2 });
  expect(await second.events("board.released")).toMatchObject([{ why: "approved" }]);
  expect(second.requests("alice")[0]).toBeDefined();
});

it("asks by itself only where the board is large", async () => {
  for (const [count, shown] of [
    [5, 0],
    [6, 1],
  ] as const) {
    const team = await programTeam({
      says: {
        lead: [plans(count), quietly],
        alice: [...Array.from({ length: 6 }, () => [done, { text: "Ok." }]).flat(), quietly],
      },
      settings: { worktrees: false },
      host: { planFirst: "large" },
    });
    await team.host.start({ goal: "Paint the house" });
    await team.until(shown === 1 ? "board.shown" : "board.released");
    expect(await team.events("board.shown")).toHaveLength(shown);
    const [asked] = await team.store.requests.open({ of: PERSON });
    if (asked) await answer(team.store, String(asked.id), "begin");
    expect(await team.host.done).toMatchObject({ completed: count });
  }
});

it("holds the board of a goal that is typed to a team without work, and not what the person adds", async () => {
  const heard = (words: string, plan: Step) => ({ ...plan, when: words });
  const team = await programTeam({
    says: {
      lead: [{ text: "Good morning." }, heard("Paint", plans(2)), quietly],
      alice: [done, { text: "One." }, done, { text: "Two." }, done, quietly],
    },
    settings: { worktrees: false },
    host: { planFirst: true, interactive: true },
  });
  const { host, store } = team;
  await host.start({ interactive: true });
  // A talk holds nothing.
  await host.tellLead("Hello");
  await team.until("board.released");
  await store.board.add({ subject: "Mine", description: "Check: `true`" }, PERSON);
  await team.until("task.completed");
  await host.tellLead("Paint the house");
  await team.until("board.shown");
  expect((await store.board.counts()).pending).toBe(2);
  const [asked] = await store.requests.open({ of: PERSON });
  await answer(store, String(asked?.id), "1");
  await expect.poll(async () => (await store.board.counts()).completed).toBe(3);
});
