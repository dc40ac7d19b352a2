/**
 * Generated repositories with known true touches: what each task of a goal really changes and needs; and the boards that a lead makes of them,
 * without fault or with the mistakes that boards are blamed for.
 */
import type { TaskId } from "../../src/core/ids.ts";
import type { Planned } from "../../src/core/plan/remarks.ts";

export type Dice = () => number;

/** mulberry32: the same boards in each run. */
export function dice(seed: number): Dice {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A task as it is: the files that it changes, the tasks whose work it uses, how long it takes. */
export type Truth = {
  readonly id: number;
  readonly files: readonly string[];
  readonly needs: readonly number[];
  readonly minutes: number;
};

export type Board = {
  readonly truth: readonly Truth[];
  /** As the lead put it on the board. */
  readonly plan: Planned[];
  /** Tasks with a file that their `touches` do not name. */
  readonly undeclared: readonly number[];
};

/** Shares: of tasks with a needless edge, of edges that are missing, of tasks with a wide `touches`, without a check, with a file undeclared. */
export type Mistakes = Readonly<Record<"needless" | "missing" | "wide" | "unchecked" | "undeclared", number>>;
export const NONE: Mistakes = { needless: 0, missing: 0, wide: 0, unchecked: 0, undeclared: 0 };
export const PUBLISHED: Mistakes = {
  needless: 0.2,
  missing: 0.15,
  wide: 0.1,
  unchecked: 0.1,
  undeclared: 0.1,
};

const AREAS = "cart mail tax stock login search invoice image report queue cache theme audit export".split(
  " ",
);
const VERBS =
  "convert parse render collect refresh validate schedule compress resolve publish measure archive rotate index".split(
    " ",
  );
const OBJECTS = "totals rows tokens pages orders filters labels drafts alerts sizes hours keys".split(" ");

/** One or two interfaces, features that use one of them or another feature, and a task that joins. */
export function boardOf(seed: number, mistakes: Mistakes): Board {
  // The truth has dice of its own: a seed is the same repository with and without mistakes.
  const [roll, err] = [dice(seed), dice(seed + 1_000_000)];
  const pickBy =
    (by: Dice) =>
    <T>(list: readonly T[]): T =>
      list[Math.floor(by() * list.length)] as T;
  const [pick, pickWrong] = [pickBy(roll), pickBy(err)];
  const count = 8 + Math.floor(roll() * 7);
  const areas = [...AREAS].sort(() => roll() - 0.5);
  const verbs = [...VERBS].sort(() => roll() - 0.5);
  const interfaces = 1 + Math.floor(roll() * 2);
  const truth: Truth[] = [];
  const plan: Planned[] = [];
  const undeclared: number[] = [];
  for (let id = 1; id <= count; id += 1) {
    const [area, verb, object] = [areas[id - 1] as string, verbs[id - 1] as string, pick(OBJECTS)];
    const isJoin = id === count;
    const earlier = Array.from({ length: id - 1 }, (_, nth) => nth + 1);
    const needs = isJoin
      ? earlier.filter((one) => !truth.some(({ needs: of }) => of.includes(one)))
      : id <= interfaces
        ? []
        : [roll() < 0.75 ? 1 + Math.floor(roll() * interfaces) : pick(earlier)];
    const extra = err() < mistakes.undeclared && !isJoin;
    const own = isJoin ? "test/all.test.ts" : `src/${area}/${verb}.ts`;
    truth.push({
      id,
      needs,
      files: extra ? [own, "src/index.ts"] : [own],
      minutes: 20 + Math.floor(roll() * 50),
    });
    if (extra) undeclared.push(id);
    const wide = err() < mistakes.wide && id > 1 && !isJoin;
    const uses = needs.map((one) => `${verbs[one - 1]} of #${one}`).join(" and ");
    const said = isJoin
      ? `Join ${needs.map((one) => `#${one}`).join(", ")}: one test through all of it.`
      : `Pure; errors throw.${uses ? ` Build on ${uses}.` : ""}`;
    const missing = needs.filter(() => err() < mistakes.missing && !isJoin);
    // Half of the leads that forget an edge do not name the task either.
    const words = missing.length > 0 && err() < 0.5 ? said.replace(/ of #\d+/g, "") : said;
    const unrelated = earlier.filter(
      (one) => !needs.includes(one) && !reaches(truth, one, id) && !reaches(truth, id, one),
    );
    const needless =
      err() < mistakes.needless && unrelated.length > 0 && !isJoin ? [pickWrong(unrelated)] : [];
    plan.push({
      id: id as TaskId,
      subject: isJoin ? `Test ${area} with the rest` : `Add ${verb}(${object}) to ${area}`,
      description:
        err() < mistakes.unchecked
          ? words
          : `${words}\n\nCheck: \`npx vitest run ${isJoin ? "test" : `src/${area}`}\``,
      blockedBy: [...needs.filter((one) => !missing.includes(one)), ...needless] as TaskId[],
      touches: [
        isJoin ? own : `src/${area}/**`,
        ...(wide ? [`src/${areas[Math.floor(err() * (id - 1))]}/**`] : []),
      ],
      ...{ estimate: 1, role: null, status: "pending" },
    });
  }
  return { truth, plan, undeclared };
}

/** Whether `from` waits for `to`, through others too. */
function reaches(truth: readonly Truth[], from: number, to: number): boolean {
  const needs = truth.find(({ id }) => id === from)?.needs ?? [];
  return needs.includes(to) || needs.some((one) => reaches(truth, one, to));
}

/** A lead that reads each remark once, looks whether it is right, and then does what it says. Returns how many were right. */
export function repair(
  { truth, plan }: Board,
  remarks: readonly string[],
): { plan: Planned[]; right: number } {
  const of = (id: number): Truth => truth.find((one) => one.id === id) as Truth;
  const now = new Map(plan.map((task) => [task.id as number, { ...task }]));
  let right = 0;
  for (const remark of remarks) {
    const ids = [...remark.matchAll(/#(\d+)/g)].map(([, digits]) => Number(digits));
    const [a = 0, b = 0] = ids;
    const task = now.get(a);
    if (!task) continue;
    const before = JSON.stringify([...now.values()]);
    if (remark.includes("change the same files"))
      for (const id of [a, b]) {
        const one = now.get(id);
        const own = of(id).files[0] as string;
        if (one)
          now.set(id, {
            ...one,
            touches: own.startsWith("src/") ? [`${own.split("/").slice(0, 2).join("/")}/**`] : [own],
          });
      }
    if (remark.includes("waits for") && remark.includes("changes other files") && !of(a).needs.includes(b))
      now.set(a, { ...task, blockedBy: task.blockedBy.filter((id) => id !== b) });
    if (remark.includes("does not wait for") && of(a).needs.includes(b))
      now.set(a, { ...task, blockedBy: [...task.blockedBy, b as TaskId] });
    if (remark.includes("no `check`"))
      for (const id of ids) {
        const one = now.get(id);
        if (one) now.set(id, { ...one, description: `${one.description}\n\nCheck: \`npm test\`` });
      }
    if (JSON.stringify([...now.values()]) !== before) right += 1;
  }
  return { plan: [...now.values()], right };
}
