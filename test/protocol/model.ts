/**
 * The protocol between hosts and the store, as small as it can be: hosts with leases, members with seats, tasks with attempts,
 * letters. `step` is a pure function from a state and an operation to the next state and the answer that the store must give.
 *
 * A process has up to two lives; each is a host of its own (host = 2 * process + life). An operation that was sent and not yet
 * carried out is `flight`: it may be carried out at any later time, also when its process is dead.
 */
export const PROCESSES = 3;
export const MEMBERS = 3;
export const TASKS = 3;
export const MAX_TRIES = 2;
/** Task 2 waits for task 0. Counted from 0 here. */
export const BLOCKERS: readonly (readonly number[])[] = [[], [], [0]];

export type Status = "pending" | "in_progress" | "completed" | "failed";
export type Lease = "none" | "live" | "over";
type Task = {
  readonly status: Status;
  readonly owner: number;
  readonly attempt: number;
  readonly tries: number;
  readonly openBlockers: number;
};
export type Claim = {
  readonly host: number;
  readonly member: number;
  readonly task: number;
  readonly attempt: number;
};
export type Letter = { readonly from: number; readonly to: number; readonly nth: number };

export type State = {
  readonly leases: readonly Lease[];
  /** The host of each member, or -1. */
  readonly seats: readonly number[];
  readonly tasks: readonly Task[];
  /** The life of each process: 0 or 1, or -1 while it is down. */
  readonly lives: readonly number[];
  readonly crashes: number;
  readonly expiries: number;
  /** Claims that a host believes to hold, at most one a member. It may act on one that was taken before it reads that it was. */
  readonly believed: readonly Claim[];
  readonly flight: Claim | null;
  readonly takenBack: number;
  readonly unread: readonly Letter[];
  readonly delivered: readonly Letter[];
  /** Members that have not read yet that a task was taken from them. */
  readonly toldTaken: readonly boolean[];
};

export type Op =
  | { readonly op: "claim"; readonly host: number; readonly member: number; readonly task: number }
  | { readonly op: "claimNext"; readonly host: number; readonly member: number }
  | { readonly op: "complete" | "release" | "issue"; readonly claim: Claim }
  /** The issued completion is carried out. */
  | { readonly op: "land" }
  | { readonly op: "takeBack"; readonly task: number }
  | { readonly op: "beat" | "expire" | "open"; readonly host: number }
  /** `sees`: the process can tell that another one on its machine is dead. */
  | { readonly op: "reap"; readonly sees: boolean }
  | { readonly op: "adopt"; readonly host: number; readonly member: number; readonly sees: boolean }
  | { readonly op: "crash" | "restart"; readonly process: number }
  | { readonly op: "send"; readonly host: number; readonly from: number; readonly to: number }
  | { readonly op: "deliver"; readonly host: number; readonly member: number };

export type Stepped = { readonly state: State; readonly answer: string };

/** The decisions of the store. A broken variant replaces one of them. */
export type Decisions = {
  /** Whether this host may write as the member. */
  readonly isSeated: (state: State, host: number, member: number) => boolean;
  /** Whether the claim is the current one of its task. */
  readonly isCurrent: (task: Task, claim: Claim) => boolean;
  readonly isReady: (task: Task) => boolean;
  /** Whether a reaper may remove this host. */
  readonly isDead: (lease: Lease, seenDead: boolean) => boolean;
  /** Blockers that are open after one of them was completed. */
  readonly unblocked: (open: number) => number;
  /** The letters that stay unread after a delivery. */
  readonly leftUnread: (unread: readonly Letter[], member: number) => readonly Letter[];
};

export const PROTOCOL: Decisions = {
  isSeated: (state, host, member) => state.seats[member] === host,
  isCurrent: (task, { member, attempt }) =>
    task.status === "in_progress" && task.owner === member && task.attempt === attempt,
  isReady: (task) => task.status === "pending" && task.openBlockers === 0,
  isDead: (lease, seenDead) => lease === "over" || seenDead,
  unblocked: (open) => open - 1,
  leftUnread: (unread, member) => unread.filter(({ to }) => to !== member),
};

export const hostOf = (state: State, process: number): number => 2 * process + (state.lives[process] ?? 0);
/** Whether a process of this host runs. */
export const runs = (state: State, host: number): boolean => state.lives[Math.floor(host / 2)] === host % 2;

/** Each process hosts one member; nothing has happened. */
export const START: State = {
  leases: Array.from({ length: 2 * PROCESSES }, (_, host) => (host % 2 === 0 ? "live" : "none")),
  seats: Array.from({ length: MEMBERS }, (_, member) => 2 * member),
  tasks: BLOCKERS.map((blockers) => ({
    status: "pending",
    owner: -1,
    attempt: 0,
    tries: 0,
    openBlockers: blockers.length,
  })),
  lives: Array.from({ length: PROCESSES }, () => 0),
  crashes: 0,
  expiries: 0,
  believed: [],
  flight: null,
  takenBack: 0,
  unread: [],
  delivered: [],
  toldTaken: Array.from({ length: MEMBERS }, () => false),
};

const set = <T>(list: readonly T[], at: number, value: T): T[] =>
  list.map((one, i) => (i === at ? value : one));
const isOf =
  (claim: Claim) =>
  ({ host, member }: Claim): boolean =>
    host === claim.host && member === claim.member;
const believe = (state: State, claim: Claim): readonly Claim[] => [
  ...state.believed.filter((one) => !isOf(claim)(one)),
  claim,
];
const forget = (state: State, claim: Claim): readonly Claim[] =>
  state.believed.filter((one) => !isOf(claim)(one));
const taskAt = (state: State, task: number): Task => state.tasks[task] as Task;

export function step(state: State, op: Op, store: Decisions = PROTOCOL): Stepped {
  const same = (answer: string): Stepped => ({ state, answer });
  switch (op.op) {
    case "claim":
      return claim(state, op.host, op.member, op.task, store);
    case "claimNext": {
      if (!store.isSeated(state, op.host, op.member)) return same("stale_seat");
      const next = state.tasks.findIndex((task) => store.isReady(task));
      const isBusy = state.tasks.some((task) => task.status === "in_progress" && task.owner === op.member);
      return next < 0 || isBusy ? same("nothing") : claim(state, op.host, op.member, next, store);
    }
    case "complete":
      return complete({ ...state, believed: forget(state, op.claim) }, op.claim, store);
    case "issue":
      return { state: { ...state, believed: forget(state, op.claim), flight: op.claim }, answer: "sent" };
    case "land":
      return state.flight ? complete({ ...state, flight: null }, state.flight, store) : same("nothing");
    case "release": {
      const { member, host, task } = op.claim;
      const next = { ...state, believed: forget(state, op.claim) };
      if (!store.isSeated(state, host, member)) return { state: next, answer: "stale_seat" };
      if (!store.isCurrent(taskAt(state, task), op.claim)) return { state: next, answer: "stale_claim" };
      return { state: putBack(next, task, MAX_TRIES), answer: "ok" };
    }
    case "takeBack": {
      const { status, owner } = taskAt(state, op.task);
      if (status === "pending") return same("bad_input");
      if (status !== "in_progress") return same("already_started");
      const next = putBack(state, op.task, Number.POSITIVE_INFINITY);
      const toldTaken = set(state.toldTaken, owner, true);
      return { state: { ...next, toldTaken, takenBack: state.takenBack + 1 }, answer: "ok" };
    }
    case "beat":
      if (state.leases[op.host] === "none") return same("false");
      return { state: { ...state, leases: set(state.leases, op.host, "live") }, answer: "true" };
    case "open": {
      // A host whose lease is over and that nobody's seat names is forgotten.
      const leases = state.leases.map((lease, host) =>
        lease === "over" && !state.seats.includes(host) ? "none" : lease,
      );
      return { state: { ...state, leases: set(leases, op.host, "live") }, answer: "ok" };
    }
    case "expire":
      return {
        state: { ...state, leases: set(state.leases, op.host, "over"), expiries: state.expiries + 1 },
        answer: "time",
      };
    case "reap":
      return reap(state, op.sees, store);
    case "adopt":
      return adopt(state, op.host, op.member, op.sees);
    case "crash": {
      const lost = ({ host }: Claim): boolean => host === hostOf(state, op.process);
      return {
        state: {
          ...state,
          lives: set(state.lives, op.process, -1),
          crashes: state.crashes + 1,
          believed: state.believed.filter((one) => !lost(one)),
        },
        answer: "crash",
      };
    }
    case "restart":
      return { state: { ...state, lives: set(state.lives, op.process, 1) }, answer: "restart" };
    case "send": {
      if (!store.isSeated(state, op.host, op.from)) return same("stale_seat");
      const nth = [...state.unread, ...state.delivered].filter(({ from }) => from === op.from).length;
      return {
        state: { ...state, unread: [...state.unread, { from: op.from, to: op.to, nth }] },
        answer: "ok",
      };
    }
    case "deliver": {
      const found = state.unread.filter(({ to }) => to === op.member);
      const isTold = state.toldTaken[op.member] === true;
      if (found.length === 0 && !isTold) return same("");
      if (!store.isSeated(state, op.host, op.member)) return same("stale_seat");
      return {
        state: {
          ...state,
          unread: store.leftUnread(state.unread, op.member),
          delivered: [...state.delivered, ...found],
          toldTaken: set(state.toldTaken, op.member, false),
        },
        answer: [
          ...found.map(({ from, nth }) => `${from}.${nth}`),
          ...(isTold ? ["claim_taken"] : []),
        ].join(),
      };
    }
  }
}

function claim(state: State, host: number, member: number, id: number, store: Decisions): Stepped {
  const task = taskAt(state, id);
  const refused = (answer: string): Stepped => ({ state, answer });
  if (!store.isSeated(state, host, member)) return refused("stale_seat");
  if (task.status === "in_progress" && task.owner !== member) return refused("taken");
  if (task.status === "in_progress") {
    const believed = believe(state, { host, member, task: id, attempt: task.attempt });
    return { state: { ...state, believed }, answer: `#${id + 1}.${task.attempt}` };
  }
  if (task.status !== "pending") return refused("finished");
  if (!store.isReady(task)) return refused("blocked");
  if (state.tasks.some((one) => one.status === "in_progress" && one.owner === member)) return refused("busy");
  const attempt = task.attempt + 1;
  const taken: Task = { ...task, status: "in_progress", owner: member, attempt, tries: task.tries + 1 };
  return {
    state: {
      ...state,
      tasks: set(state.tasks, id, taken),
      believed: believe(state, { host, member, task: id, attempt }),
    },
    answer: `#${id + 1}.${attempt}`,
  };
}

function complete(state: State, held: Claim, store: Decisions): Stepped {
  const task = taskAt(state, held.task);
  if (!store.isSeated(state, held.host, held.member)) return { state, answer: "stale_seat" };
  if (!store.isCurrent(task, held)) return { state, answer: "stale_claim" };
  const ready: number[] = [];
  const tasks = state.tasks.map((one, id): Task => {
    if (id === held.task) return { ...one, status: "completed" };
    if (!BLOCKERS[id]?.includes(held.task)) return one;
    const openBlockers = store.unblocked(one.openBlockers);
    if (openBlockers === 0 && one.status === "pending") ready.push(id + 1);
    return { ...one, openBlockers };
  });
  return { state: { ...state, tasks }, answer: `ready ${ready.join()}` };
}

/** Given back by its owner: on the board, or failed when it was tried too often. */
function putBack(state: State, id: number, maxTries: number): State {
  const task = taskAt(state, id);
  const back: Task =
    task.tries >= maxTries ? { ...task, status: "failed" } : { ...task, status: "pending", owner: -1 };
  return { ...state, tasks: set(state.tasks, id, back) };
}

/** An interruption does not count as a try. */
function interrupted(state: State, id: number): State {
  const task = taskAt(state, id);
  const back: Task = { ...task, status: "pending", owner: -1, tries: task.tries - 1 };
  return { ...state, tasks: set(state.tasks, id, back) };
}

function reap(state: State, sees: boolean, store: Decisions): Stepped {
  const leases = state.leases.map((lease, host): Lease => {
    const isGone = lease !== "none" && store.isDead(lease, sees && !runs(state, host));
    return isGone ? "none" : lease;
  });
  let next: State = { ...state, leases };
  const released: number[] = [];
  for (const [member, host] of state.seats.entries()) {
    if (host < 0 || leases[host] !== "none") continue;
    next = { ...next, seats: set(next.seats, member, -1) };
    for (const [id, task] of state.tasks.entries())
      if (task.status === "in_progress" && task.owner === member) {
        released.push(id + 1);
        next = interrupted(next, id);
      }
  }
  return { state: next, answer: `released ${released.join()}` };
}

/** The claim of the member goes with it. */
function adopt(state: State, host: number, member: number, sees: boolean): Stepped {
  const seat = state.seats[member] ?? -1;
  if (state.leases[host] === "none") return { state, answer: "bad_input" };
  const isDead = seat < 0 || seat === host || state.leases[seat] !== "live" || (sees && !runs(state, seat));
  if (!isDead) return { state, answer: "null" };
  const id = state.tasks.findIndex((task) => task.status === "in_progress" && task.owner === member);
  const believed =
    id < 0 ? state.believed : believe(state, { host, member, task: id, attempt: taskAt(state, id).attempt });
  const seats = set(state.seats, member, host);
  // The former host is forgotten with its last member.
  const isLeft = seat >= 0 && seat !== host && !seats.includes(seat);
  const leases = isLeft ? set(state.leases, seat, "none") : state.leases;
  return { state: { ...state, leases, seats, believed }, answer: "ok" };
}
