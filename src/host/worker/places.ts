/** Fills the places of a worker: members that lost their process, members that the lead placed here, new ones. Pure. */

import type { Member } from "../../core/board/member.ts";
import type { HostId, Name } from "../../core/ids.ts";

export type Places = {
  readonly host: HostId;
  /** Hosts with a lease, this one included. */
  readonly live: ReadonlySet<string>;
  readonly count: number;
  /** The number of members up to which it fills: `count` without those that were asked to stop or failed. */
  readonly wanted: number;
  /** Members that run in this process. */
  readonly running: ReadonlySet<Name>;
  /** Names of its own members (`--as`); null: any free name. */
  readonly names: readonly Name[] | null;
  /** Role of its own members. */
  readonly role: string;
  /** False: a worker for given names or one role takes no other members. */
  readonly adopts: boolean;
};

export type Filling = {
  /** To be taken over and started. */
  readonly adopt: readonly Name[];
  /** To be stopped, because their place is needed. */
  readonly release: readonly Name[];
  /** Names for new members, in the order in which they are tried. */
  readonly join: readonly Name[];
  /** The number of new members that join. */
  readonly joining: number;
};

export function fill(places: Places, members: readonly Member[]): Filling {
  const { host, live, running } = places;
  const present = members.filter(
    ({ kind, activity }) => kind === "teammate" && activity.phase !== "shutdown",
  );
  const placed = present.filter((member) => member.host === host && !running.has(member.name));
  const lost = present
    .filter((member) => member.host === null || !live.has(member.host))
    .filter(fits(places));
  const special = lost.filter((member) => !isOrdinary(member));
  const free = Math.max(0, places.count - running.size - placed.length);
  const adopt = [...special, ...lost.filter(isOrdinary)].slice(0, free);
  const needed = running.size + placed.length + special.length - places.count;
  const idle = present.filter(
    (member) =>
      running.has(member.name) && isOrdinary(member) && isBetweenTasks(member) && member.unread === 0,
  );
  const joining = Math.max(
    0,
    places.wanted - running.size - placed.length - Math.max(adopt.length, special.length),
  );
  return {
    adopt: [...placed, ...adopt].map(({ name }) => name),
    release: idle.slice(0, Math.max(0, needed)).map(({ name }) => name),
    join: joining > 0 ? freeNames(places, present, [...placed, ...adopt]) : [],
    joining,
  };
}

/** Another member of the same role could do all that it does: it has no task, and nothing was said to it. */
export const isOrdinary = ({ role, prompt, task, unread }: Member): boolean =>
  role === "" && prompt === "" && task === null && unread === 0;

export const isBetweenTasks = ({ task, activity }: Member): boolean =>
  task === null && activity.phase === "idle";

const fits =
  ({ adopts, names, role }: Places) =>
  (member: Member): boolean =>
    adopts || (names ? names.includes(member.name) : member.role === role);

/** Enough for every worker: each tries the next name when another worker was faster. */
const NAMES_MAX = 10_000;

function freeNames(
  { names, running }: Places,
  present: readonly Member[],
  adopted: readonly Member[],
): Name[] {
  const taken = new Set((names ? adopted : present).map(({ name }) => name));
  const all = names ?? Array.from({ length: NAMES_MAX }, (_, i) => `worker-${i + 1}` as Name);
  return all.filter((name) => !taken.has(name) && !running.has(name));
}

/** The names of `--as`: one is used as it is, several are numbered. */
export const numbered = (name: Name, count: number): Name[] =>
  count === 1 ? [name] : Array.from({ length: count }, (_, i) => `${name}-${i + 1}` as Name);
