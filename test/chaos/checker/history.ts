/**
 * All that the checker knows about a run: rows read past the store, requests that a model server received, lines that commands
 * appended to files, and the git history. Its types are its own, so that a mistake in a type of the program is not repeated here.
 */
import type { Message } from "../../../src/core/conversation/chat.ts";

export type TaskRow = {
  id: number;
  status: string;
  subject: string;
  blocked_by: string;
  open_blockers: number;
  owner: string | null;
  attempt: number;
  tries: number;
  created_by: string;
};
export type EdgeRow = { task: number; blocker: number };
export type MemberRow = { name: string; kind: string; phase: string; host: string | null; life: number };
export type MailRow = {
  id: number;
  sender: string;
  recipient: string;
  kind: string;
  urgent: number;
  turn: number;
  body: string;
  /** 0 unread, 1 delivered, 2 discarded with the former bearer of a name. */
  state: number;
  delivered_at: number | null;
};
export type EntryRow = { seq: number; name: string; life: number; kind: string; entry: string };
/** `seq` gives the causal order on both databases: a number is given out before the commit that makes its cause visible. */
export type EventRow = { seq: number; at: number; type: string; data: string };

export type Tables = {
  tasks: TaskRow[];
  edges: EdgeRow[];
  members: MemberRow[];
  mail: MailRow[];
  transcript: EntryRow[];
  events: EventRow[];
};

/** A request as the model server saw it. */
export type SeenRequest = { nth: number; who: string; messages: Message[] };

/** A line that a task's command appended. `run` names one execution of a command. */
export type Effect = {
  what: "begin" | "tick" | "end";
  task: number;
  /** Null: the command was not told. */
  attempt: number | null;
  who: string;
  run: string;
  at: number;
};

export type Gate = { tree: string; green: boolean };
export type Commit = { hash: string; parents: string[]; tree: string; subject: string };

/** The target branch behind its first commit, oldest first, the files at its tip, and what the project's own checkout has beside it. */
export type Landings = {
  gates: Gate[];
  commits: Commit[];
  files: Record<string, string>;
  strays: string[];
  /** Tasks whose file with an odd name is on the target; null where they made none. */
  odd: number[] | null;
};

export type History = Tables & {
  requests: SeenRequest[];
  effects: Effect[];
  /** Null where the tasks had no worktrees. */
  landings: Landings | null;
  /** The number of tasks that were put on the board. */
  wanted: number;
  /** Those that their owners were to split. */
  splits: number[];
};

/** A fault: the rule that is broken and the evidence. */
export type Fault = { readonly rule: string; readonly what: string };
export type Rule = (history: History) => string[];
