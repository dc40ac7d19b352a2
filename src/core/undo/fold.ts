/** Old records of a member for one task as one: what they changed can be taken back together. Pure. */
import { counted } from "../views/view.ts";
import { type Change, undoneIn } from "./change.ts";

const DAY_MS = 86_400_000;
const LEFT_MAX = 100;

/** `old` in groups that become one each, the newest first. Of one day, so that they become too old together. `all`: in the order of their ids. */
export function foldable(all: readonly Change[], old: ReadonlySet<Change>): Change[][] {
  const undone = undoneIn(all);
  const groups = new Map<string, Change[]>();
  for (const one of all.toReversed()) {
    if (!old.has(one) || one.kind !== "call" || undone.has(one.id)) continue;
    const key = JSON.stringify([one.who, one.task, Math.floor(one.at / DAY_MS)]);
    groups.set(key, [...(groups.get(key) ?? []), one]);
  }
  return [...groups.values()];
}

/** `group`: the newest first, which gives its id, so its place among the records stays. */
export function folded(group: readonly [Change, ...Change[]]): Change {
  const [newest] = group;
  const oldest = group.at(-1) ?? newest;
  const calls = group.reduce((sum, one) => sum + (one.calls ?? 1), 0);
  return {
    ...{ ...newest, calls, reply: newest.id, what: counted(calls, "earlier call"), began: oldest.began },
    ...(oldest.call !== undefined && { call: oldest.call }),
    roots: group.flatMap(({ id, roots }) => roots.map((one) => ({ id, ...one }))),
    beside: [...new Set(group.flatMap(({ beside }) => beside))],
    left: [...new Set(group.flatMap(({ left }) => left))].slice(0, LEFT_MAX),
  };
}
