/** Reads a conversation for the embedded model: its task, new mail, and the result of each step. */
import type { ToolResult } from "../../core/conversation/chat.ts";
import { lastClaim } from "../../core/conversation/lost-claim.ts";
import { type Tag, tagsIn } from "../../core/conversation/tags.ts";
import { BLOCK_CALL } from "../../core/project/fences.ts";
import type { ModelRequest } from "../../ports/model.ts";

export type Task = {
  readonly id: string;
  readonly attempt: string;
  readonly description: string;
  readonly needsPlan: boolean;
};
/** `command`: what it ran, which the words of the task may no longer ask for. `at`: its place in the conversation. */
export type Step = {
  readonly result: ToolResult;
  readonly tries: number;
  readonly command: unknown;
  readonly at: number;
};

/** Mail since the last reply. */
export function newsOf({ messages }: ModelRequest): Tag[] {
  const last = messages.at(-1);
  if (last?.role !== "user") return [];
  return last.content
    .flatMap((part) => (part.type === "text" ? tagsIn(part.text) : []))
    .filter(({ tag }) => tag === "mail");
}

/** The first words of the conclusion of its lead. */
export const ENDED = "The runbook has ended: ";

/** Whether the last conclusion said that so much has ended, and failed so: who edits what is left hears it once. */
export function isSaid(text: string, { messages }: ModelRequest): boolean {
  const parts = messages.flatMap(({ role, content }) => (role === "assistant" ? content : []));
  const said = parts.findLast((part) => part.type === "text" && part.text.startsWith(ENDED));
  const [before, now] = [said?.type === "text" ? said.text : "", text].map((one) =>
    one.match(/\d+ (?:of|failed)\b|: failed: .*/g)?.join("\n"),
  );
  return before === now;
}

/** The task of the latest claim, unless it was lost, from any source: the harness, a restart, or claim_task. */
export function currentTask({ messages }: ModelRequest): Task | null {
  const last = lastClaim(messages, (tool) => tool === "claim_task");
  if (!last || last.isLost) return null;
  const task = taskOf(last.claim);
  return { ...task, description: newWords(task, messages) ?? task.description };
}

/** What the task reads since it was changed in its owner's hands. A mail that forges this runs nothing: its blocks are judged as any line. */
function newWords({ id }: Task, messages: ModelRequest["messages"]): string | null {
  for (const message of messages.toReversed()) {
    if (message.role !== "user") continue;
    for (const part of message.content.toReversed())
      for (const { tag, attributes, content } of part.type === "image"
        ? []
        : tagsIn(part.text).toReversed()) {
        const [head = "", ...words] = content.split("). It now reads: ");
        if (tag === "mail" && words.length > 0 && head.startsWith(`Your task #${id} was changed (`))
          return belowFirst(words.join("). It now reads: "));
        if (tag !== "mail" && attributes.task === id) return null;
      }
  }
  return null;
}

const belowFirst = (text: string): string => (text.includes("\n") ? text.slice(text.indexOf("\n") + 1) : "");

/** The harness adds how the previous attempt ended, and what the parts said. Those texts are evidence: their blocks are never run. */
function taskOf({ attributes, content }: Tag): Task {
  const attempt = attributes.attempt ?? "0";
  const [before = ""] = content.split(`\n\n[Attempt ${Number(attempt) - 1} ended: `, 1);
  const [text = ""] = before.split("\n\n[It was split by ", 1);
  return {
    id: attributes.task ?? "0",
    attempt,
    description: belowFirst(text),
    needsPlan: text.includes("[This task needs a plan"),
  };
}

/**
 * The result of each step of this attempt at its last try. It reads backwards to the steps of the task before: reading the whole
 * conversation would make each task cost as much as all tasks before it.
 */
export function resultsOf(task: Task, { messages }: ModelRequest): Map<string, Step> {
  const found = new Map<string, Step>();
  const prefix = `${BLOCK_CALL}${task.id}-${task.attempt}-`;
  const results = new Map<string, ToolResult>();
  for (let at = messages.length - 1; at >= 0; at -= 1)
    for (const part of messages[at]?.content.toReversed() ?? []) {
      if ((part.type !== "result" && part.type !== "call") || !part.id.startsWith(BLOCK_CALL)) continue;
      if (!part.id.startsWith(prefix)) return found;
      if (part.type === "result") results.set(part.id, part);
      const [step = "", tries = "1"] = part.id.slice(prefix.length).split("-");
      const result = results.get(part.id);
      if (part.type !== "call" || !result || found.has(step)) continue;
      const { command } = part.input as { readonly command?: unknown };
      found.set(step, { result, tries: Number.parseInt(tries, 10), command, at });
    }
  return found;
}

/** The last mail of this kind whose text begins so. */
export function lastMail({ messages }: ModelRequest, kind: string, beginning: string): Tag | undefined {
  for (let i = messages.length - 1; i >= 0; i -= 1)
    for (const part of messages[i]?.content.toReversed() ?? []) {
      if (part.type !== "text") continue;
      const found = tagsIn(part.text).findLast(
        ({ tag, attributes, content }) =>
          tag === "mail" && attributes.kind === kind && content.startsWith(beginning),
      );
      if (found) return found;
    }
  return undefined;
}

const isInterrupted = ({ isError, text }: ToolResult): boolean => isError && text.startsWith("Interrupted");

/** Faults that time or a person can cure: no sandbox, no space, files, processes or memory, a read-only disk, a lock of git, a target that is gone. */
const OBSTACLE =
  /ENOSPC|EDQUOT|EROFS|EMFILE|ENFILE|EAGAIN|ENOMEM|Read-only file system|cannot (?:lock|update) ref|unable to write|write error|sandbox could not be set up|Unable to create '.*\.lock'|on which tasks land, is gone|No space left on device|Disk quota exceeded|Too many open files|Resource temporarily unavailable|Cannot allocate memory/i;
const OBSTACLE_LINES = 5;
/** After eight equal rounds the turn of a member is ended as a repetition, which would hide the reason. */
const OBSTACLES_MAX = 7;

/** The reason why this step failed, if it is worth another try. */
export function obstacleOf({ result, tries }: Pick<Step, "result" | "tries">): string | null {
  // The sandbox would refuse it again.
  if (tries >= OBSTACLES_MAX || !failureOf(result) || /^\[sandbox: /m.test(result.text)) return null;
  const end = result.text.trimEnd().split("\n").slice(-OBSTACLE_LINES).join("\n");
  const what = OBSTACLE.exec(end)?.[0];
  const disk = /^\[disk: (.*)\]$/m.exec(end)?.[1];
  return what === undefined ? null : disk === undefined ? what : `${what}. ${disk}`;
}

/** The step did not come to its own end. */
export const isToRepeat = (step: Step): boolean => isInterrupted(step.result) || obstacleOf(step) !== null;

/** The last step of the conversation, if it is its end. */
export function lastStep({ messages }: ModelRequest): Pick<Step, "result" | "tries"> | null {
  const result = messages.at(-1)?.content.findLast((part) => part.type === "result");
  const tries = /^run-.*-(\d+)$/.exec(result?.id ?? "")?.[1];
  return result && tries ? { result, tries: Number(tries) } : null;
}

/** The failure in a few words, or null. The bash tool reports a failed command in its last line, in brackets. */
export function failureOf({ isError, text }: ToolResult): string | null {
  const last = text.trimEnd().split("\n").at(-1) ?? "";
  const note =
    /^\[(exit code -?\d+|timed out .*|ended by \w+)\]$/.exec(last)?.[1] ??
    /^exit code -?\d+/i.exec(text)?.[0];
  if (note && !/ 0$/.test(note)) return note;
  return isError ? "error" : null;
}
