/**
 * Mail between members, the person and the harness. To add a protocol message, add a member to `Body`: the compiler then asks for
 * its words (`words`) and for whether it wakes (`WAKES`).
 */
import { type Image, withImages } from "../conversation/image.ts";
import { tagged } from "../conversation/tags.ts";
import { badInput } from "../errors.ts";
import { type Instant, type MailId, type Name, quote, type RequestId, type TaskId } from "../ids.ts";
import { oneLine } from "../text/one-line.ts";
import { ENDED_STINT, EXPECTED_ENDS, type IdleReason, type ShutdownReason } from "./lifecycle.ts";
import { answerWords, type Option, questionWords } from "./question.ts";
import { reasonWords } from "./reason.ts";
import type { Counts } from "./task.ts";

export type Body = Readonly<
  /** `images`: only the person sends them. */
  | { kind: "note"; text: string; images?: readonly Image[] }
  | { kind: "broadcast"; text: string; images?: readonly Image[] }
  /** The last words of a member's stint, sent by the harness. `inHand`: they are about a task that it has not finished. */
  | { kind: "result"; task: TaskId | null; inHand: boolean; text: string }
  /** `goesOn`: the others work on without a decision of the lead, so the notice waits for its next turn. */
  | { kind: "idle_notice"; reason: IdleReason; completed: readonly TaskId[]; goesOn?: boolean }
  /** A member has stopped: why, its last words, and its tasks that went back to the board. */
  | { kind: "stopped"; reason: ShutdownReason; text: string; released: readonly TaskId[] }
  /** A task was taken from the member that worked on it. `reason`: the words of the one who decided, or "". */
  | { kind: "claim_taken"; task: TaskId; attempt: number; how: Taking; reason: string }
  | { kind: "task_failed"; task: TaskId; subject: string; reason: string }
  /** Nothing is ready, running or unread: the lead should conclude. */
  | {
      kind: "board_quiet";
      counts: Counts;
      unfinished: readonly Readonly<{ id: TaskId; subject: string; why: string }>[];
      /** Running commands of finished tasks. Older mail has none. */
      running?: readonly Readonly<{ job: string; owner: Name; command: string }>[];
    }
  | {
      kind: "job_done";
      job: string;
      command: string;
      text: string;
      isError: boolean;
      /** It is unknown how it ended, or whether it did. */
      lost?: boolean;
    }
  | { kind: "cron"; cron: string; text: string }
  | { kind: "shutdown_request"; request: RequestId; reason: string; deadline: Instant }
  | { kind: "shutdown_response"; request: RequestId; accepted: boolean; reason: string }
  | { kind: "plan_request"; task: TaskId | null; text: string }
  | { kind: "plan_submission"; request: RequestId; task: TaskId; attempt: number; plan: string }
  | {
      kind: "plan_response";
      request: RequestId;
      task: TaskId;
      attempt: number;
      approved: boolean;
      feedback: string;
    }
  | {
      kind: "permission_request";
      request: RequestId;
      tool: string;
      subject: string;
      diff?: string;
      deadline: Instant;
    }
  | { kind: "permission_response"; request: RequestId; allowed: boolean; reason: string }
  | { kind: "question"; request: RequestId; question: string; options: readonly Option[] }
  /** `answer` null: nobody answered in time. */
  | { kind: "question_answer"; request: RequestId; question: string; answer: string | null }
>;

export type Kind = Body["kind"];

/** An order about a task in progress that ends the claim of its owner. */
export type Taking =
  | "taken back"
  | "given to another member"
  | "cancelled"
  | "completed by somebody else"
  | "given up as failed";

export type Mail = {
  readonly id: MailId;
  readonly from: Name;
  readonly to: Name;
  readonly at: Instant;
  /** Interrupts the model call or the running command. */
  readonly urgent: boolean;
  readonly body: Body;
  /** When it entered the recipient's conversation; null until then. */
  readonly deliveredAt: Instant | null;
};

/** Unread mail of one member. */
export type Backlog = { readonly to: Name; readonly count: number; readonly newest: Mail };

/** Kinds of mail that wake an idle member. Other mail waits for its next turn, so that routine news costs no tokens. */
const WAKES: Readonly<Record<Kind, boolean | "depends">> = {
  note: true,
  broadcast: true,
  result: "depends",
  stopped: "depends",
  task_failed: true,
  claim_taken: true, // it interrupts a member at work; an idle one reads it without a turn
  board_quiet: true,
  job_done: true,
  cron: true,
  shutdown_request: true,
  shutdown_response: true,
  plan_request: true,
  plan_submission: true,
  plan_response: true,
  permission_request: true,
  permission_response: false,
  question: true,
  question_answer: true,
  idle_notice: "depends",
};

export const isKind = (kind: string): kind is Kind => Object.hasOwn(WAKES, kind);
export const KINDS = Object.keys(WAKES) as readonly Kind[];

/**
 * Whether this mail wakes an idle member. A report on a finished task does not: its author is already looking for the next one, and
 * a lead that woke for each of forty tasks would pay for forty turns. The notice that there is no further task does, and delivers
 * all reports with it.
 */
export function wakes(body: Body): boolean {
  if (body.kind === "result") return body.task === null || body.inHand;
  if (body.kind === "idle_notice")
    return (body.completed.length > 0 && body.goesOn !== true) || ENDED_STINT.has(body.reason);
  if (body.kind === "stopped") return !EXPECTED_ENDS.has(body.reason) || body.released.length > 0;
  return WAKES[body.kind] === true;
}

/** Mail whose news the notice of a quiet board contains. */
export const isRoutine = ({ body }: Mail): boolean => body.kind === "idle_notice";

/** A stop request, which goes before all other mail. */
export const isStop = (mail: Mail): boolean => mail.body.kind === "shutdown_request";

/** The task that an order took from the receiver; null in all other mail. */
export const taskTaken = ({ body }: Mail): TaskId | null => (body.kind === "claim_taken" ? body.task : null);

export const MAIL_MAX = 200_000;
/** The number of unread mails that a mailbox holds. Further mail is refused, never dropped. */
export const MAILBOX_MAX = 20_000;

/** @throws EkidenError `bad_input`. */
export function checkText(text: string): string {
  if (text.trim() === "") throw badInput("The message is empty. Write a text.");
  if (text.length > MAIL_MAX)
    throw badInput(
      `The message has ${text.length} characters; the limit is ${MAIL_MAX}. Put it into a file and send the file's path.`,
    );
  return text;
}

export const imagesIn = ({ body }: Mail): readonly Image[] => ("images" in body && body.images) || [];

/** A mail as models read it. All foreign text is escaped. */
export function render(mail: Mail): string {
  const attributes = {
    id: mail.id,
    from: mail.from,
    kind: mail.body.kind,
    ...("request" in mail.body && { request: mail.body.request }),
    ...(mail.body.kind === "claim_taken" && { task: mail.body.task, attempt: mail.body.attempt }),
  };
  return tagged("mail", attributes, words(mail.body));
}

/** The text of a mail, for models and people. */
export function words(body: Body): string {
  switch (body.kind) {
    case "note":
    case "broadcast":
      return withImages(body.text, body.images);
    case "cron":
      return body.text;
    case "result":
      return body.task === null ? body.text : `About #${body.task}:\n${body.text}`;
    case "idle_notice":
      return `Idle (${reasonWords(body.reason)})${body.completed.length > 0 ? `, completed ${list(body.completed)}` : ""}.`;
    case "stopped":
      return `Stopped (${reasonWords(body.reason)})${body.released.length > 0 ? `; ${list(body.released)} went back to the board` : ""}.${body.text ? `\nLast words:\n${body.text}` : ""}`;
    case "claim_taken":
      return `#${body.task} was ${body.how}${body.reason ? ` (${body.reason})` : ""}. You no longer own it. Its commands were ended, also those in the background. Do not work on it unless you claim it again.`;
    case "task_failed":
      return `Task #${body.task} (${body.subject}) failed: ${body.reason}\n${REPAIR}`;
    case "board_quiet":
      return quiet(body);
    case "job_done":
      return `Background job ${body.job} (${body.command}) ${body.lost ? "was lost" : body.isError ? "failed" : "finished"}:\n${body.text}`;
    case "shutdown_request":
      return `You are asked to stop: ${body.reason}\nAnswer with respond_shutdown before the deadline; if you refuse, say why. Without an answer you are stopped.`;
    case "shutdown_response":
      return body.accepted ? "I am stopping." : `I am not stopping yet: ${body.reason}`;
    case "plan_request":
      return `Submit a plan${body.task === null ? "" : ` for #${body.task}`} with submit_plan before you change anything.${body.text ? `\n${body.text}` : ""}`;
    case "plan_submission":
      return `My plan for #${body.task} (attempt ${body.attempt}); answer with review_plan:\n${body.plan}`;
    case "plan_response":
      return body.approved
        ? `Your plan for #${body.task} is approved.${body.feedback ? ` ${body.feedback}` : ""}`
        : `Your plan for #${body.task} is not approved: ${body.feedback}\nChange it and submit_plan again, or give the task back.`;
    case "permission_request":
      return `May I run ${body.tool}: ${body.subject}?${body.diff === undefined ? "" : `\n${body.diff}`}`;
    case "permission_response":
      return body.allowed ? "Allowed." : `Not allowed. ${body.reason}`;
    case "question":
      return questionWords(body);
    case "question_answer":
      return answerWords(body);
    default:
      return body satisfies never;
  }
}

/** The lead's ways to repair a board, so that a run nobody watches can end well. */
const REPAIR =
  "retry_task tries it again, create_task with replaces puts another task in its place, cancel_task drops it.";

/** Characters of the newest mail. */
const NEWEST_SHOWN = 200;

/** "7900 unread, the newest from bob: "…"" */
export const backlogText = ({ count, newest }: Backlog): string =>
  `${count} unread, the newest from ${newest.from}: ${quote(oneLine(words(newest.body), NEWEST_SHOWN))}`;

const list = (ids: readonly TaskId[]): string => ids.map((id) => `#${id}`).join(", ");

function quiet({ counts, unfinished, running = [] }: Extract<Body, { kind: "board_quiet" }>): string {
  const head = `The board is quiet: ${counts.completed} of ${counts.total} tasks completed${counts.failed > 0 ? `, ${counts.failed} failed` : ""}${counts.cancelled > 0 ? `, ${counts.cancelled} cancelled` : ""}. Nobody is working and nothing can start automatically.`;
  const rest = unfinished.map((t) => `#${t.id} ${t.subject}: ${t.why}`).join("\n");
  const left = running.map(({ job, owner, command }) => `- ${job} of ${owner}: ${command}`).join("\n");
  return `${head}${rest ? `\nUnfinished:\n${rest}` : ""}${left ? `\nThese background commands still run, though their tasks are over. They end with the run, or by stop_background:\n${left}` : ""}\nConclude: sum up the outcome in a final answer, or change the board if something is still to be done${rest ? ": update_task changes a role or an assignee, spawn_teammate adds a teammate. " : "."}${counts.failed > 0 ? REPAIR : ""}`.trim();
}

const KIND_WORDS: Readonly<Record<Kind, string>> = {
  note: "note",
  broadcast: "note to all",
  result: "report",
  idle_notice: "notice of being idle",
  stopped: "notice of having stopped",
  claim_taken: "a task was taken from it",
  task_failed: "notice of a failed task",
  board_quiet: "notice of a quiet board",
  job_done: "news of a background command",
  cron: "cron mail",
  shutdown_request: "request to stop",
  shutdown_response: "answer to the request to stop",
  plan_request: "request for a plan",
  plan_submission: "plan",
  plan_response: "answer to the plan",
  permission_request: "question about a permission",
  permission_response: "answer about a permission",
  question: "question",
  question_answer: "answer",
};

/** A kind of mail in words: "read the … from alice". */
export const kindWords = (kind: Kind): string => KIND_WORDS[kind];
