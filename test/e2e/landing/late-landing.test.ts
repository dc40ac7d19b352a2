/** A process ends between the landing of a task and its completion: the journal has the landing all the same. */
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createShell } from "../../../src/adapters/shell/index.ts";
import type { Seat } from "../../../src/core/board/member.ts";
import { PERSON } from "../../../src/core/ids.ts";
import { removeLanded } from "../../../src/runtime/wraps/worktrees.ts";
import { landing, openTrees, writeWork } from "../../fixtures/landing-trees.ts";
import { repository } from "../../fixtures/repository.ts";
import { BACKENDS, facts, stage } from "../../fixtures/stage.ts";

describe.each(BACKENDS)("a landing without its fact on %s", (backend) => {
  const at = stage(backend);

  it("is found at the next look, once", async () => {
    const { store, seats } = await at.crew(["alice"]);
    const repo = repository({ "a.txt": "a\n" });
    const trees = await openTrees(repo.dir, createShell({ outputDir: join(repo.dir, ".ekiden/output") }), {});
    const task = await store.board.add({ subject: "Task" }, PERSON);
    await store.board.claim((seats as Seat[])[0] as Seat, task.id);
    await writeWork(trees, { ...task, attempt: 1 }, { "b.txt": "b\n" });
    const landed = await trees.land({ ...task, attempt: 1 }, landing.by);
    expect(landed.kind).toBe("landed");
    // The process has ended here, and a person completes the task.
    await store.board.completeFor(task.id, PERSON, "done");
    expect(await facts(store, { types: ["task.landed"] })).toEqual([]);
    await removeLanded(trees, store);
    await removeLanded(trees, store);
    expect(await facts(store, { types: ["task.landed"] })).toEqual(["task.landed"]);
    expect(trees.find(task)).toBeNull();
    const { events } = await store.journal.read(store.journal.from(0), { types: ["task.landed"] });
    expect(events).toMatchObject([{ by: "alice", commit: landed.kind === "landed" && landed.commit }]);
  });

  it("is no second one of a task whose landing is known, under whatever commit", async () => {
    const { store } = await at.crew(["alice"]);
    const { id } = await store.board.add({ subject: "Task" }, PERSON);
    const landed = { branch: "b", target: "main", commit: "a1" };
    await store.board.landed(id, PERSON, landed);
    await store.board.landed(id, PERSON, landed);
    await store.board.landed(id, PERSON, { ...landed, commit: "b2", isLate: true });
    expect(await facts(store, { types: ["task.landed"] })).toHaveLength(1);
  });
});
