/** What a team remembers of a request that it has opened: it is stored with each decision, so that none is made twice. Pure. */
import type { Status } from "../board/task.ts";
import type { TaskId } from "../ids.ts";
import type { ChecksSeen } from "./settle.ts";

/** Words of a trusted person that want one answer. `label`: as its owner names it, such as R1. `root`: of a thread; null for one on the whole. */
export type Ask = {
  readonly label: string;
  readonly ids: readonly string[];
  readonly root: number | null;
  readonly by: string;
  readonly where: string;
  readonly text: string;
};
export const ANSWERS = ["changed", "declined", "asked"] as const;
export type Answer = { readonly how: (typeof ANSWERS)[number]; readonly text: string };

/** Of what brings a request to its merge, the last that the forge refused. `key`: of the `Sending`. `at`: when it was refused last. */
export type Refusals = {
  readonly key: string;
  readonly count: number;
  readonly at: number;
  readonly why: string;
};

export type Memory = {
  /** The time of the last change that was read, and when that was. */
  readonly updatedAt: string;
  readonly lookedAt: number;
  readonly checks: ChecksSeen | null;
  /** Failures that were given to the owner or to the machines. */
  readonly handled: readonly string[];
  readonly reruns: { readonly head: string; readonly count: number };
  /** Those that its owner answers now, and the answers so far by label. */
  readonly asks: readonly Ask[];
  readonly answers: Readonly<Record<string, Answer>>;
  /** Ids of words that were answered. */
  readonly answered: readonly string[];
  readonly rounds: { readonly checks: number; readonly reviews: number; readonly all: number };
  readonly refused: Refusals;
  /** Of people: what was refused before one more may not be refused again. */
  readonly approvals: number;
  /** What it waits for, in words. */
  readonly waits: string;
  /** Words of others, which no member reads. */
  readonly strangers: number;
};

export const NEW_MEMORY: Memory = {
  ...{ updatedAt: "", lookedAt: 0, checks: null, handled: [], reruns: { head: "", count: 0 } },
  ...{ asks: [], answers: {}, answered: [], rounds: { checks: 0, reviews: 0, all: 0 } },
  ...{ waits: "", strangers: 0, approvals: 0, refused: { key: "", count: 0, at: 0, why: "" } },
};

/** The next look reads all of it. */
export const unread = (memory: Memory): Memory => ({ ...memory, checks: null, lookedAt: 0, updatedAt: "" });

export const refusedAgain = (memory: Memory, key: string, why: string, at: number): Memory => ({
  ...memory,
  refused: { key, count: memory.refused.key === key ? memory.refused.count + 1 : 1, at, why },
});

/**
 * `taken`: its issue is a task. `dropped`: the issue was closed or lost its label before anybody began. `open`: the forge has the request, and the task waits for it. `work`: a member has the task again.
 * `merged` and `closed` are ends.
 */
export type RequestState = "taken" | "dropped" | "opening" | "open" | "work" | "merged" | "closed";

/** `issue` and `number`: null before there is one. `head`: the commit that was pushed last. */
export type Tracked = {
  readonly task: TaskId;
  readonly subject: string;
  readonly status: Status;
  readonly repo: string;
  readonly issue: number | null;
  readonly number: number | null;
  readonly branch: string;
  readonly target: string;
  readonly head: string;
  readonly state: RequestState;
  readonly memory: Memory;
};

export const SENDS = ["open", "reply", "comment", "rerun", "merge", "queue", "update"] as const;
/** Something to be done on the forge, once. `key`: unique for the task. `target`: numbers of the forge; a commit for `merge`, `queue` and `update`. */
export type Sending = {
  readonly key: string;
  readonly kind: (typeof SENDS)[number];
  readonly target: Readonly<Record<string, string | number>>;
  readonly body: string;
};

/** What changes with the record of a request, in one step. A task whose request was closed waits for it again when it is open. */
export type Change = {
  readonly memory?: Memory;
  readonly state?: RequestState;
  readonly number?: number;
  readonly send?: readonly Sending[];
  /** The task goes back to the board, for the member that had it, with this note. */
  readonly back?: string;
  /** Its issue is no work any more, and nobody has begun. */
  readonly cancelled?: string;
  /** Its request is there now. In words, for the journal. */
  readonly opened?: string;
  readonly completed?: { readonly result: string; readonly commit: string };
  readonly failed?: string;
  /** Mail to the person. */
  readonly person?: string;
};
