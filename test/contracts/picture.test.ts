/** The picture that people see, folded from facts, beside the tables: after every step of random lives of a team, on every database. */
import { describe, expect, it } from "vitest";
import { LEAD, type Name } from "../../src/core/ids.ts";
import { rowOf } from "../../src/core/picture/member.ts";
import { Picture } from "../../src/core/picture/picture.ts";
import type { OpenQuestion } from "../../src/core/picture/questions.ts";
import { shownOf, type Task } from "../../src/core/picture/task.ts";
import type { Cursor } from "../../src/ports/index.ts";
import { openQuestion } from "../../src/team/queries/requests.ts";
import { FUZZ, randomFrom, sampled } from "../fixtures/fuzz.ts";
import { MATES, step } from "../fixtures/lives.ts";
import { BACKENDS, name, stage } from "../fixtures/stage.ts";

/** 1,000 on SQLite by hand: EKIDEN_FUZZ_RUNS=1000 npx vitest run test/contracts/picture.test.ts */
const RUNS = { sqlite: Number(process.env.EKIDEN_FUZZ_RUNS ?? 40), postgres: 12 } as const;
const STEPS = 40;

/** Among those that must have happened; few lives see all. */
const FACTS = [
  ...["task.cancelled", "task.reopened", "task.failed"],
  ...["permission.answered", "plan.answered", "question.answered", "shutdown.answered", "request.withdrawn"],
];
/** The tables do not say how the branch of a task lands. */
const ofTables = ({ landing: _, ...task }: Task) => task;
const byName = (a: { readonly name: Name }, b: { readonly name: Name }): number => (a.name < b.name ? -1 : 1);

describe.each(sampled(BACKENDS, 2))("the picture on %s", (backend) => {
  const at = stage(backend);

  it("says at every fact what the tables say", { timeout: 600_000 }, async () => {
    const random = randomFrom(FUZZ.seed);
    const kinds = new Set<string>();
    for (let run = 0; run < RUNS[backend]; run += 1) {
      const { store, lead, seats } = await at.crew(MATES, { team: name(`${at.team}-${run}`) });
      const life = {
        store,
        clock: at.clock,
        lead,
        random,
        seats: new Map(seats.map((seat) => [seat.name, seat])),
      };
      const picture = new Picture();
      await store.board.addAll(
        [{ subject: "a" }, { subject: "b", blockedBy: [{ nth: 0 }] }, { subject: "c" }, { subject: "d" }],
        LEAD,
      );
      let cursor: Cursor = store.journal.from(0);
      for (let n = 0; n < STEPS; n += 1) {
        await at.clock.advance(7);
        await step(life);
        const page = await store.journal.read(cursor);
        cursor = page.cursor;
        for (const event of page.events) {
          picture.apply(event);
          kinds.add(event.type);
        }
        const tasks = (await store.board.tasks()).map(shownOf).map(ofTables);
        const journal = `run ${run}, step ${n}, after ${JSON.stringify(page.events)}`;
        expect([...picture.tasks.values()].map(ofTables), journal).toEqual(tasks);
        const byId = (a: OpenQuestion, b: OpenQuestion): number => (a.id < b.id ? -1 : 1);
        const open = (await store.requests.open()).map(openQuestion).sort(byId);
        expect([...picture.questions.list].sort(byId), journal).toEqual(open);
        const members = (await store.roster.members()).map(rowOf).sort(byName);
        expect([...picture.members.values()].sort(byName), journal).toMatchObject(members);
      }
      await store.close();
    }
    expect([...kinds]).toEqual(expect.arrayContaining(backend === "sqlite" ? FACTS : FACTS.slice(0, 3)));
  });
});
