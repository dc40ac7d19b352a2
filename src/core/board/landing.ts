/**
 * The landing queue as values: who waits to land, in which order, on which commit, and who has to wait for a reservation. Pure.
 *
 * A reservation is made when a landing was refused for a conflict or a red gate: the task lands next, before all that were not
 * refused; of two such tasks, the one that was refused first. It ends, so that a slow or dead owner does not stop the others:
 * after `aloneUntil` only landings that change the same files wait for it, after `until` nobody does.
 */
import type { Name, TaskId } from "../ids.ts";
import type { Obstacle } from "./worktree.ts";

/**
 * `waiting` for its turn; `gate`: its gate runs; `green`: its gate succeeded; `failed`: it cannot land on `base`, which may still
 * change; `base`: its gate fails as it does on `base` itself, so it waits for another base, and nobody waits for it.
 */
export type LandingState = "waiting" | "gate" | "green" | "failed" | "base";

export type Waiting = {
  /** Unique in the repository, so it is the key of the landing. */
  readonly branch: string;
  readonly target: string;
  readonly team: Name;
  readonly task: TaskId;
  readonly subject: string;
  readonly by: Name;
  /** When it came: a second landing of the same branch waits for the first. */
  readonly arrived: number;
  /** When its work was committed: lower comes first, ties are broken by `id`. */
  readonly number: number;
  readonly id: string;
  readonly since: number;
  /** Its work is committed. */
  readonly isReady: boolean;
  /** Changed files, relative to the top folder; null for too many to list. */
  readonly paths: readonly string[] | null;
  readonly state: LandingState;
  /** The commit that it was put on, and the result, which is what will land. Null before its turn. */
  readonly base: string | null;
  readonly commit: string | null;
  /** When its gate was started. */
  readonly gateSince: number | null;
  /** The reason why it failed on `base`. */
  readonly why: Obstacle | null;
};

export type Reservation = Pick<Waiting, "branch" | "target" | "team" | "task" | "paths"> & {
  readonly createdAt: number;
  /** The first refusal. */
  readonly since: number;
  readonly refusals: number;
  readonly why: Obstacle;
  readonly aloneUntil: number;
  readonly until: number;
};

/** Lower goes first: class, then number, then id. */
export type Rank = readonly [group: number, at: number, id: string];

/** The decision of a person about one landing. `land`: first, without waiting for reservations. */
export type Order =
  | { readonly kind: "move"; readonly rank: Rank; readonly by: string }
  | { readonly kind: "land"; readonly at: number; readonly by: string }
  | { readonly kind: "drop"; readonly by: string };

export type LandingQueue = {
  readonly waiting: readonly Waiting[];
  readonly reservations: readonly Reservation[];
  /** By branch. */
  readonly orders: ReadonlyMap<string, Order>;
};

export type Line = {
  /** Those that may land, first to last. */
  readonly order: readonly Waiting[];
  /** Those that wait for a reservation of a task that is not here. */
  readonly held: readonly { readonly entry: Waiting; readonly for: Reservation }[];
  /** Those that wait until the target is repaired. */
  readonly atBase: readonly Waiting[];
};

const ORDERED = 0;
const RESERVED = 1;
const ORDINARY = 2;

/** The first refusal holds everybody up this long: long enough for work that is only repeated. */
export const ALONE_MS = 10_000;

/** The end of a reservation. The last chance before the task fails is exclusive up to the end. */
export function reservedUntil(
  now: number,
  refusals: number,
  lengthMs: number,
): Pick<Reservation, "aloneUntil" | "until"> {
  const until = now + lengthMs;
  return { until, aloneUntil: refusals > 1 ? until : Math.min(until, now + ALONE_MS) };
}

export function rankOf(entry: Waiting, { reservations, orders }: LandingQueue): Rank {
  const order = orders.get(entry.branch);
  if (order?.kind === "move") return order.rank;
  if (order?.kind === "land") return [ORDERED, order.at, entry.id];
  const reserved = reservations.find(({ branch }) => branch === entry.branch);
  return reserved ? [RESERVED, reserved.since, entry.id] : [ORDINARY, entry.number, entry.id];
}

export const reservedRank = ({ since, branch }: Pick<Reservation, "since" | "branch">): Rank => [
  RESERVED,
  since,
  branch,
];

/** The reservation of another landing that one with this rank waits for. */
export function holderOf(
  { branch, paths }: Pick<Waiting, "branch" | "paths">,
  [group, at]: Rank,
  reservations: readonly Reservation[],
  now: number,
): Reservation | undefined {
  return reservations.find(
    (one) =>
      one.branch !== branch &&
      one.until > now &&
      compare(reservedRank(one), [group, at, branch]) < 0 &&
      (one.aloneUntil > now || overlap(one.paths, paths)),
  );
}

/** The line of one target branch at a time in milliseconds since 1970. */
export function lineUp(landings: LandingQueue, target: string, now: number): Line {
  const ready = landings.waiting.filter((entry) => entry.target === target && entry.isReady);
  const atBase = ready.filter(({ state }) => state === "base");
  const entries = ready.filter(({ state }) => state !== "base");
  const absent = landings.reservations.filter(
    (one) => one.target === target && !ready.some(({ branch }) => branch === one.branch),
  );
  const order: Waiting[] = [];
  const held: { entry: Waiting; for: Reservation }[] = [];
  for (const entry of entries) {
    const blocker = holderOf(entry, rankOf(entry, landings), absent, now);
    if (blocker) held.push({ entry, for: blocker });
    else order.push(entry);
  }
  const ranks = new Map(order.map((entry) => [entry.id, rankOf(entry, landings)]));
  order.sort((a, b) => compare(ranks.get(a.id) as Rank, ranks.get(b.id) as Rank));
  return { order, held, atBase };
}

/** A rank for the given place of a line, 1 for the first. */
export function rankAt(
  { order }: Line,
  place: number,
  entry: Waiting,
  landings: LandingQueue,
  now: number,
): Rank {
  const others = order.filter(({ id }) => id !== entry.id);
  const next = others[place - 1];
  const before = others[place - 2] ?? (next ? undefined : others.at(-1));
  if (!next) {
    const [group, at] = before ? rankOf(before, landings) : ([ORDERED, now] as const);
    return [group, at + 1, entry.id];
  }
  const [group, at] = rankOf(next, landings);
  const [lower, from] = before ? rankOf(before, landings) : ([-1, 0] as const);
  return [group, lower === group ? (from + at) / 2 : at - 1, entry.id];
}

export type Turn =
  /** `base`: the commit to land on; `isFirst`: it is the tip of the target, and nobody who failed on it is still to be refused. */
  { readonly kind: "go"; readonly base: string; readonly isFirst: boolean } | { readonly kind: "wait" };

/**
 * Whether the entry with this id can go now. It is put on the last of those ahead that have not failed, or on the tip of the target.
 * Those ahead must themselves be up to date, so that no gate runs on a tree that cannot land. `isAlone`: nothing will move the
 * target, so it builds on no other entry.
 */
export function turnOf({ order }: Line, id: string, tip: string, parallel: number, isAlone = false): Turn {
  if (isAlone) {
    const ahead = order.slice(
      0,
      order.findIndex((entry) => entry.id === id),
    );
    if (ahead.filter(({ state }) => state === "gate").length >= parallel) return { kind: "wait" };
    return { kind: "go", base: tip, isFirst: true };
  }
  let base = tip;
  let gates = 0;
  for (const entry of order) {
    if (entry.id === id) return { kind: "go", base, isFirst: order[0] === entry };
    if (entry.base !== base) return { kind: "wait" };
    if (entry.state === "failed") continue;
    if (entry.state !== "green") gates += 1;
    if (gates >= parallel || entry.commit === null) return { kind: "wait" };
    base = entry.commit;
  }
  return { kind: "wait" };
}

const compare = (a: Rank, b: Rank): number => a[0] - b[0] || a[1] - b[1] || (a[2] < b[2] ? -1 : 1); // no two have one id

const overlap = (some: readonly string[] | null, others: readonly string[] | null): boolean =>
  some === null || others === null || some.some((path) => others.includes(path));
