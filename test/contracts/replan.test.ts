/** Edits of a planned board on every database: each is one step, also beside a second editor and for a process that is killed in it. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { asTaskId, LEAD, PERSON } from "../../src/core/ids.ts";
import { inPlan } from "../../src/core/plan/order.ts";
import type { Store } from "../../src/ports/store.ts";
import { editPlanned, moveTask, removePlanned } from "../../src/team/plan/edit.ts";
import { endAll, start } from "../fixtures/children.ts";
import { BACKENDS, facts, stage } from "../fixtures/stage.ts";

const task = (nth: number) => asTaskId(nth);
const ROUNDS = 8;

describe.each(BACKENDS)("a planned board on %s", (backend) => {
  const at = stage(backend);
  afterEach(endAll);
  let mine: Store;
  let theirs: Store;
  beforeEach(async () => {
    mine = await at.open();
    theirs = await at.open();
  });
  const chain = (count: number): Promise<unknown> =>
    mine.board.addAll(
      Array.from({ length: count }, (_, nth) => ({
        subject: `t${nth}`,
        ...(nth > 0 && { blockedBy: [{ nth: Math.min(nth - 1, 1) }] }),
      })),
      LEAD,
    );
  const order = async (): Promise<number[]> => inPlan(await mine.board.tasks()).map(({ id }) => id);

  it("leaves nothing behind a removed task when two editors remove two of a chain at once", async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const first = (await mine.board.tasks()).length + 1;
      await mine.board.addAll(
        [
          { subject: "a" },
          { subject: "b", blockedBy: [{ nth: 0 }] },
          { subject: "c", blockedBy: [{ nth: 1 }] },
          { subject: "d", blockedBy: [{ nth: 1 }] },
        ],
        LEAD,
      );
      await Promise.all([
        removePlanned(mine, PERSON, task(first)),
        removePlanned(theirs, LEAD, task(first + 1)),
      ]);
      for (const id of [first + 2, first + 3])
        expect(await mine.board.task(task(id))).toMatchObject({ blockedBy: [], openBlockers: 0 });
    }
  });

  it("moves a task two places when two editors move it one place at once", async () => {
    await mine.board.addAll(
      ["a", "b", "c", "d", "e", "f", "g", "h"].map((subject) => ({ subject })),
      LEAD,
    );
    for (const at of [5, 3, 1]) {
      await Promise.all([moveTask(mine, PERSON, task(8), -1), moveTask(theirs, LEAD, task(8), -1)]);
      expect((await order()).indexOf(8)).toBe(at);
    }
  });

  it("is as before when the process is killed between two edits of a removal", async () => {
    await chain(4);
    const before = await mine.board.tasks();
    const child = start({ url: at.url, team: at.team, job: "killed removal", me: "carol" });
    expect(await child.next()).toEqual({ dying: true });
    await child.ended();
    expect(await mine.board.tasks()).toEqual(before);
    expect(await facts(mine, { types: ["task.changed"] })).toEqual([]);
  });

  it("takes a removal back with all its edges, and a move with all its priorities", async () => {
    await chain(4);
    const { undo } = await removePlanned(mine, PERSON, task(2));
    expect((await mine.board.tasks()).map(({ blockedBy }) => blockedBy)).toEqual([[], [1], [1], [1]]);
    await undo();
    expect((await mine.board.tasks()).map(({ blockedBy }) => blockedBy)).toEqual([[], [1], [2], [2]]);
    expect(await mine.board.task(task(3))).toMatchObject({ status: "pending", openBlockers: 1 });
    const move = await moveTask(mine, PERSON, task(4), -1);
    expect(await order()).toEqual([1, 2, 4, 3]);
    await move.undo();
    expect(await order()).toEqual([1, 2, 3, 4]);
  });

  it("changes nothing where one of several edits is refused", async () => {
    await chain(3);
    const before = await mine.board.tasks();
    // It is no member, so the words about who does it are refused as a whole.
    await expect(editPlanned(mine, PERSON, task(1), { subject: "new", who: "@nobody" })).rejects.toThrow(
      "no teammate",
    );
    await expect(
      mine.board.replan(
        () => ({
          edits: [
            { id: task(1), change: { priority: 3 } },
            { id: task(9), cancelled: "" },
          ],
        }),
        PERSON,
      ),
    ).rejects.toMatchObject({ code: "not_found" });
    await expect(moveTask(mine, PERSON, task(1), -1)).rejects.toThrow("#1 is the first one.");
    await expect(moveTask(mine, PERSON, task(2), -1)).rejects.toThrow("#2 waits for #1.");
    await expect(removePlanned(mine, PERSON, task(9))).rejects.toMatchObject({ code: "not_found" });
    expect(await mine.board.tasks()).toEqual(before);
  });
});
