/**
 * (s) What the look at a board is worth: 100 generated repositories with known true touches, planned by a lead with the published mistakes, worked
 * off in virtual time by four, before and after one round of remarks. By itself: `tsx bench/plan.ts`.
 */
import { resolve } from "node:path";
import { outside } from "../src/core/plan/drift.ts";
import { remarksOn } from "../src/core/plan/remarks.ts";
import { figure, type Item, median, quantile, table } from "./measure.ts";
import { boardOf, NONE, PUBLISHED, repair } from "./plan/boards.ts";
import { type Ran, runBoard } from "./plan/run-board.ts";

const BOARDS = 100;
const GOOD = 50;
const CREW = ["alice", "bob", "carol", "dave"].map((name) => ({ name, role: "" }));

const change = (file: string): string =>
  `diff --git a/${file} b/${file}\n--- a/${file}\n+++ b/${file}\n@@ -1 +1 @@\n-a\n+b\n`;
const sum = (list: readonly number[]): number => list.reduce((all, one) => all + one, 0);

export const plan: Item = async () => {
  const [before, after]: [number[], number[]] = [[], []];
  const runs: Record<"before" | "after", Ran[]> = { before: [], after: [] };
  let [undeclared, named, falselyNamed, told, right] = [0, 0, 0, 0, 0];
  for (let seed = 1; seed <= BOARDS; seed += 1) {
    const made = boardOf(seed, PUBLISHED);
    const best = runBoard(made.truth, boardOf(seed, NONE).plan, CREW.length);
    const remarks = remarksOn(made.plan, CREW);
    const repaired = repair(made, remarks);
    told += remarks.length;
    right += repaired.right;
    const [first, then] = [
      runBoard(made.truth, made.plan, CREW.length),
      runBoard(made.truth, repaired.plan, CREW.length),
    ];
    runs.before.push(first);
    runs.after.push(then);
    before.push(first.minutes / best.minutes);
    after.push(then.minutes / best.minutes);
    for (const { id, files } of made.truth) {
      const drift = outside(
        files.map(change).join(""),
        repaired.plan.find((task) => task.id === id)?.touches ?? [],
      );
      const isWrong = made.undeclared.includes(id);
      undeclared += Number(isWrong);
      named += Number(isWrong && drift.length > 0);
      falselyNamed += Number(!isWrong && drift.length > 0);
    }
  }
  const good = Array.from({ length: GOOD }, (_, nth) => remarksOn(boardOf(1_000 + nth, NONE).plan, CREW));
  const share = (of: readonly Ran[]): number =>
    (100 * sum(of.map((one) => one.conflicts))) / sum(of.map((one) => one.landings));
  const item = "s";
  return [
    figure({
      ...{ item, name: "makespan after one round of remarks", unit: "× best", value: sum(after) / BOARDS },
      ...{ floor: sum(before) / BOARDS, samples: after, budget: { of: "value", atMost: 1.1 } as const },
      note: `the floor is without remarks; median ${median(after).toFixed(2)}, 95 of 100 under ${quantile(after, 0.95).toFixed(2)}`,
    }),
    figure({
      ...{
        item,
        name: "conflicts at landings",
        unit: "%",
        value: share(runs.after),
        floor: share(runs.before),
      },
      budget: { of: "value", atMost: 2 },
    }),
    figure({
      ...{ item, name: "undeclared touches that are named", unit: "%", value: (100 * named) / undeclared },
      ...{
        budget: { of: "value", atLeast: 100 } as const,
        note: `${named} of ${undeclared}; ${falselyNamed} named that were declared`,
      },
    }),
    figure({
      ...{ item, name: "remarks on good boards", unit: "remarks", value: sum(good.map((one) => one.length)) },
      ...{
        budget: { of: "value", atMost: 0 } as const,
        note: `${GOOD} boards. On the others ${right} of ${told} remarks were right`,
      },
    }),
  ];
};

if (process.argv[1] !== undefined && resolve(process.argv[1]) === import.meta.filename)
  console.log(table(await plan(process.argv.includes("--quick"))));
