/** One text for all states that differ only in the names of processes (and of the members that they began with). */
import type { Claim, Letter, State } from "./model.ts";

const CODES = { pending: 0, in_progress: 1, completed: 2, failed: 3, none: 0, live: 1, over: 2 } as const;
const NOBODY = 15;

/** `order[p]` is the number that process p gets. */
type Order = readonly [number, number, number];
const ORDERS: readonly Order[] = [
  [0, 1, 2],
  [0, 2, 1],
  [1, 0, 2],
  [1, 2, 0],
  [2, 0, 1],
  [2, 1, 0],
];

/** The least text of all orders in which the processes are sorted by what their names have no part in. */
export function keyOf(state: State): string {
  const marks = [markOf(state, 0), markOf(state, 1), markOf(state, 2)];
  let least = "";
  for (const order of ORDERS) {
    const sorted = [0, 0, 0];
    for (let p = 0; p < 3; p += 1) sorted[order[p] as number] = marks[p] as number;
    if ((sorted[0] as number) > (sorted[1] as number) || (sorted[1] as number) > (sorted[2] as number))
      continue;
    const key = keyIn(state, order);
    if (least === "" || key < least) least = key;
  }
  return least;
}

/** The same whatever the processes are called. */
function markOf(state: State, process: number): number {
  const seat = state.seats[process] as number;
  let mark = CODES[state.leases[2 * process] as "none"] * 3 + CODES[state.leases[2 * process + 1] as "none"];
  mark = mark * 3 + (state.lives[process] as number) + 1;
  mark = mark * 4 + (seat < 0 ? 0 : seat >> 1 === process ? 1 + (seat & 1) : 3);
  for (const task of state.tasks)
    mark = mark * 2 + (task.status === "in_progress" && task.owner === process ? 1 : 0);
  let own = 0;
  for (const claim of state.believed)
    if (claim.host >> 1 === process)
      own += 1 + claim.task * 4 + claim.attempt + (claim.member === process ? 16 : 0);
  mark = mark * 64 + (own & 63);
  let mail = 0;
  for (const letter of state.unread)
    mail += (letter.from === process ? 1 : 0) + (letter.to === process ? 4 : 0);
  return mark * 16 + (mail & 15);
}

function keyIn(state: State, order: Order): string {
  const member = (m: number): number => (m < 0 ? NOBODY : (order[m] as number));
  const host = (h: number): number => (h < 0 ? NOBODY : 2 * (order[h >> 1] as number) + (h & 1));
  const codes: number[] = [];
  for (let p = 0; p < 3; p += 1) {
    const at = member(p) * 2;
    codes[at] =
      CODES[state.leases[2 * p] as "none"] * 9 +
      CODES[state.leases[2 * p + 1] as "none"] * 3 +
      (state.lives[p] as number) +
      1;
    codes[at + 1] = host(state.seats[p] as number);
  }
  for (const t of state.tasks) {
    codes.push(CODES[t.status] * 16 + (t.status === "in_progress" ? member(t.owner) : NOBODY));
    codes.push(t.attempt * 64 + t.tries * 8 + t.openBlockers);
  }
  let told = 0;
  for (let p = 0; p < 3; p += 1) if (state.toldTaken[p]) told += 1 << member(p);
  codes.push(told);
  codes.push(state.crashes * 64 + state.expiries * 8 + state.takenBack);
  const claim = (c: Claim): number => ((host(c.host) * 4 + member(c.member)) * 4 + c.task) * 8 + c.attempt;
  codes.push(state.flight ? claim(state.flight) : 0xfff);
  codes.push(...state.believed.map(claim).sort((a, b) => a - b));
  const letter = (l: Letter): number => 0x1000 + (member(l.from) * 4 + member(l.to)) * 8 + l.nth;
  for (const one of state.unread) codes.push(letter(one));
  for (const one of state.delivered) codes.push(0x1000 + letter(one));
  return String.fromCharCode(...codes);
}
