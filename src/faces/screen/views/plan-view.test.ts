/** The editor of a plan, over a real store: keys change the board, and what others change is seen and not overwritten. */
import { expect, it } from "vitest";
import { Scene } from "../../../../test/fixtures/screen-scene.ts";
import { soon } from "../../../../test/fixtures/soon.ts";
import { name, stage } from "../../../../test/fixtures/stage.ts";
import { LEAD, later, PERSON, type TaskId } from "../../../core/ids.ts";
import { boardQuestion } from "../../../core/plan/hold.ts";
import { checkOf } from "../../../core/project/mark.ts";
import { cancelTask, editTask } from "../../../team/actions/tasks.ts";
import type { Place } from "../place.ts";
import type { FullView } from "../tools.ts";
import { openPlan } from "./plan-place.ts";

const { open } = stage("sqlite");
const [ENTER, ESC, UP, DOWN] = ["\r", "\x1b", "\x1b[A", "\x1b[B"];
const CLEARED = ["\x01", "\x0b"]; // to the beginning of the line, and all behind it away
const id = (n: number): TaskId => n as TaskId;

async function editing(edges: readonly (readonly number[])[]) {
  const scene = await Scene.on(open);
  const { store } = scene;
  for (const who of [LEAD, name("alice")]) await scene.join(who);
  for (const [nth, blockedBy] of edges.entries())
    await store.board.add({ subject: `Part ${nth + 1}`, blockedBy: blockedBy.map(id) }, LEAD);
  const asked = boardQuestion(await store.board.tasks(), "", []);
  const ask = { kind: "question", ...asked, task: null, waits: true } as const;
  await store.requests.ask(LEAD, PERSON, ask, later(scene.clock.now(), 1e6));
  let view = null as FullView | null;
  let written: string | ((shown: string) => Promise<string>) = "";
  const screen = {
    ...{ style: scene.style, changed: () => {}, say: () => {} },
    tools: {
      show: (shown: FullView | null): void => {
        view = shown;
      },
      outside: async (text: string) => ({
        text: typeof written === "string" ? written || text : await written(text),
      }),
    },
  };
  await openPlan({ screen, host: { store }, call: { cwd: "/nowhere" } } as unknown as Place);
  const press = (...keys: string[]): void => {
    for (const key of keys) view?.key(key);
  };
  const frame = (): string => view?.lines(100, 30).join("\n") ?? "closed";
  const look = (): string => {
    view?.refresh?.();
    return frame();
  };
  const order = (): number[] => [...frame().matchAll(/^\W+\d+ #(\d+) /gm)].map(([, one]) => Number(one));
  const write = (text: typeof written): void => {
    written = text;
  };
  return { store, press, frame, look, order, write, task: (n: number) => store.board.task(id(n)) };
}

it("edits order, words, edges, check and who, takes it back, and lets the board begin", async () => {
  const { store, press, frame, order, write, task } = await editing([[], [], [1], [3]]);
  expect(frame()).toMatch(/plan · 4 tasks.*nothing has begun · 1\/4/);
  expect(order()).toEqual([1, 3, 2, 4]);
  // #3 waits for #1, which is before it.
  press(DOWN, "K");
  await soon(() => expect(frame()).toContain("#3 waits for #1. Take that edge out first."));
  press("b", ...CLEARED, ..."none", ENTER);
  await soon(() => expect(frame()).toContain("changed blockedBy"));
  await soon(() => expect(order()).toEqual([3, 1, 2, 4]));
  press("J");
  await soon(() => expect(order()).toEqual([1, 3, 2, 4]));
  press("e", ...CLEARED, ..."First of all", ENTER, "c", ..."npm test", ENTER, "w", ..."@alice", ENTER);
  await soon(async () => expect(await task(3)).toMatchObject({ subject: "First of all", assignee: "alice" }));
  expect(checkOf((await task(3))?.description ?? "")).toBe("npm test");
  press("b", ...CLEARED, ..."4", ENTER);
  await soon(() => expect(frame()).toMatch(/#3 → #4 → #3|#4 → #3 → #4/));
  // What was refused is still there.
  await soon(() => expect(frame()).toMatch(/waits for .*enter keeps it[\s\S]* 4/));
  press("x", ENTER);
  await soon(() => expect(frame()).toContain('"4x" is not a task id'));
  await soon(() => expect(frame()).toMatch(/enter keeps it[\s\S]* 4x/));
  press(ESC, "n", ...CLEARED, ..."many", ENTER);
  await soon(() => expect(frame()).toContain('"many" is not a size.'));
  press(ESC);
  write("Do it well.\n\nCheck: `true`");
  press("d");
  await soon(async () => expect((await task(3))?.description).toBe("Do it well.\n\nCheck: `true`"));
  press("a", ..."One more", ENTER);
  await soon(() => expect(order()).toHaveLength(5));
  // The cursor is on it.
  await soon(() => expect(frame()).toMatch(/› +\d+ #5 One more/));
  press("u");
  await soon(async () => expect((await task(5))?.status).toBe("cancelled"));
  press("u");
  await soon(async () => expect(checkOf((await task(3))?.description ?? "")).toBe("npm test"));
  // A task that goes leaves nobody waiting for it.
  press(UP, UP, "x");
  expect(frame()).toContain("x again removes #3");
  press("x");
  await soon(async () => expect((await task(4))?.blockedBy).toEqual([]));
  press("u");
  await soon(async () => expect((await task(4))?.blockedBy).toEqual([3]));
  press("s", "j", "s");
  expect(frame()).toContain("s again lets the team begin");
  press("s");
  await soon(() => expect(frame()).toBe("closed"));
  expect(await store.requests.open({ by: LEAD, kind: "question" })).toEqual([]);
});

it("shows what others change, and overwrites nothing that was not seen", async () => {
  const { store, press, frame, look, task } = await editing([[], []]);
  press("e", ...CLEARED, ..."Mine");
  await editTask(store, PERSON, id(1), { subject: "Theirs" });
  await editTask(store, PERSON, id(2), { subject: "\u001b[2JHostile \u202e words" });
  await soon(() => expect(look()).toContain("Theirs"));
  expect(["\u001b[2J", "\u202e"].filter((sign) => frame().includes(sign))).toEqual([]);
  press(ENTER);
  expect(frame()).toContain("somebody has changed it meanwhile to: Theirs. Enter again overwrites that");
  press(ENTER);
  await soon(async () => expect((await task(1))?.subject).toBe("Mine"));
  press("e", ..." and more");
  await cancelTask(store, PERSON, id(1));
  await soon(() => expect(look()).toContain("plan · 1 task "));
  press(ENTER);
  expect(frame()).toContain("#1 has begun or has ended meanwhile, so it was not changed");
  press(UP, "x", ESC);
  expect(frame()).toBe("closed");
});

it("opens the editor again with both descriptions where somebody changes it meanwhile", async () => {
  const { store, press, task, write } = await editing([[]]);
  const shown: string[] = [];
  write(async (text) => {
    shown.push(text);
    if (shown.length > 1) return "Mine and theirs";
    await editTask(store, PERSON, id(1), { description: "Theirs" });
    return "Mine";
  });
  press("d");
  await soon(async () => expect((await task(1))?.description).toBe("Mine and theirs"));
  expect(shown[1]).toMatch(/^Mine\n\n--- Somebody changed it meanwhile\..*\nTheirs$/);
});
