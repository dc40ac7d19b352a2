/** A task as people see it, and how it is made of what the tables say. Pure. */

import type { Outline, Task as Row, Status, TaskFields } from "../board/task.ts";
import { tried } from "../tried.ts";

/** Where the branch of a task is on its way to the target. */
export type Landing =
  | { readonly is: "queued" }
  | { readonly is: "gate"; readonly command: string }
  | { readonly is: "landed" }
  | { readonly is: "refused"; readonly evidence: string };

export type Task = {
  readonly id: number;
  subject: string;
  /** Null where only the table was read, which is asked for it. */
  description: string | null;
  status: Status;
  blockedBy: readonly number[];
  owner: string | null;
  attempt: number;
  priority: number;
  estimate: number;
  role: string | null;
  /** The only teammate that may claim it; "" for any. */
  assignee: string;
  touches: readonly string[];
  needsPlan: boolean;
  createdAt: number;
  startedAt: number | null;
  endedAt: number | null;
  /** The reason of its last failure, or of its cancellation. */
  why: string;
  landing: Landing | null;
};

export const taskOf = ([
  id,
  subject,
  status,
  blockedBy,
  owner,
  attempt,
  priority,
  estimate,
  role,
  assignee,
  touches,
  needsPlan,
  createdAt,
  startedAt,
  endedAt,
  why,
]: Outline): Task => ({
  ...blank(id, subject, createdAt),
  status,
  blockedBy: listIn(blockedBy),
  owner: status === "pending" || status === "cancelled" ? null : owner,
  attempt,
  priority,
  estimate,
  role: role || null,
  assignee,
  touches: listIn(touches),
  needsPlan: needsPlan === 1,
  startedAt: status === "pending" ? null : startedAt,
  endedAt: status === "pending" || status === "in_progress" ? null : endedAt,
  why,
});

/** The same of a whole task. */
export const shownOf = (row: Row): Task => {
  const { id, subject, description, status, blockedBy, attempt } = row;
  const { priority, estimate, role, touches, needsPlan } = row;
  return {
    ...{ id, subject, description, status, blockedBy, attempt, priority, estimate, role, touches, needsPlan },
    owner: row.status === "pending" ? null : row.owner,
    assignee: row.assignee ?? "",
    createdAt: row.createdAt,
    startedAt: "startedAt" in row ? row.startedAt : null,
    endedAt: "endedAt" in row ? row.endedAt : null,
    why: ("reason" in row ? row.reason : row.lastFailure) ?? "",
    landing: null,
  };
};

/** Most lists are empty, and one damaged list must not hide the board. */
function listIn<T>(text: string): readonly T[] {
  if (text === "[]") return [];
  return tried(() => JSON.parse(text), []);
}

export const blank = (id: number, subject: string, createdAt: number): Task => ({
  id,
  subject,
  description: null,
  status: "pending",
  blockedBy: [],
  owner: null,
  attempt: 0,
  priority: 0,
  estimate: 1,
  role: null,
  assignee: "",
  touches: [],
  needsPlan: false,
  createdAt,
  startedAt: null,
  endedAt: null,
  why: "",
  landing: null,
});

const FIELDS = [
  ...(["subject", "description", "blockedBy", "priority", "estimate", "role", "touches"] as const),
  "needsPlan",
] as const;

/** Those that a fact names. */
export const fieldsOf = (fact: TaskFields): Partial<Task> => ({
  ...Object.fromEntries(FIELDS.flatMap((field) => (fact[field] === undefined ? [] : [[field, fact[field]]]))),
  ...(fact.assignee !== undefined && { assignee: fact.assignee ?? "" }),
});
