/** Questions that wait for one answer: requests to stop, plans, permissions, and what a member asks the person. */

import type { Seat } from "../core/board/member.ts";
import type { Asked } from "../core/board/question.ts";
import type { Entry } from "../core/conversation/chat.ts";
import type { Instant, Name, RequestId, TaskId } from "../core/ids.ts";

export type Ask =
  | { readonly kind: "shutdown"; readonly reason: string; readonly urgent?: boolean }
  | { readonly kind: "plan"; readonly task: TaskId; readonly attempt: number; readonly plan: string }
  | {
      readonly kind: "permission";
      readonly tool: string;
      readonly subject: string;
      /** The reason why the policy does not decide itself. */
      readonly why?: string | undefined;
      /** The change that an edit would make, as a unified diff. */
      readonly diff?: string | undefined;
      /** The rule that an "always" adds. */
      readonly rule?: string | undefined;
    }
  /** To the person, who answers with an option or in own words. */
  | ({
      readonly kind: "question";
      /** The task of the asker, when it asked. */
      readonly task: TaskId | null;
      /** It does nothing before the answer. */
      readonly waits: boolean;
    } & Asked);

export type Answer = {
  readonly yes: boolean;
  readonly text: string;
  /** For a permission: allows all calls that match its rule. Counts only from the person. */
  readonly always?: boolean | undefined;
  /** With `always`: the rule that the person chose instead of the one that was offered. */
  readonly rule?: string | undefined;
  /** With `always`: only until the process of the team ends; nothing is written. */
  readonly session?: boolean | undefined;
};

export type Request = {
  readonly id: RequestId;
  readonly ask: Ask;
  readonly by: Name;
  readonly of: Name;
  readonly at: Instant;
  readonly deadline: Instant;
  readonly state: "open" | "answered" | "expired" | "withdrawn";
  readonly answer: (Answer & { readonly by: Name }) | null;
};

/** Questions that exactly one member may answer, once, before a deadline. The person may answer about plans and permissions, too. */
export interface Requests {
  /**
   * Stores the question and mails it, in one step. If the same question between the same two is open, it returns that one: any stop,
   * a plan for the same attempt, a permission for the same tool and subject. @throws `not_found` (the member asked)
   */
  ask(by: Name, of: Name, ask: Ask, deadline: Instant): Promise<Request>;
  /**
   * Stores the answer and mails it, in one step. The answer to a permission counts as read, because the waiting call has it as its
   * result. A wrong sender or kind, or a second answer, changes nothing and is journalled (`answer.ignored`). `entry` is written to
   * the answering seat's transcript in the same step. @throws `answered` | `not_found`
   */
  answer(
    from: Name,
    id: RequestId,
    kind: Ask["kind"],
    answer: Answer,
    entry?: { readonly seat: Seat; readonly entry: Entry },
  ): Promise<Request>;
  request(id: RequestId): Promise<Request | null>;
  /** The plan that counts for an attempt: the approved one, else the open one, else the last one. */
  planFor(task: TaskId, attempt: number): Promise<Request | null>;
  open(filter?: { readonly of?: Name; readonly by?: Name; readonly kind?: Ask["kind"] }): Promise<Request[]>;
  /** Closes questions past their deadline and mails each asker a "no" with the text. */
  expire(text: string): Promise<Request[]>;
  withdraw(id: RequestId): Promise<void>;
  /** An open request to `of` does not end before `ms` from now. */
  postpone(of: Name, ms: number): Promise<void>;
}
