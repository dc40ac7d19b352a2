/** Reads a conversation for the embedded model: its task, new mail, and the result of each step. */
import type { ToolResult } from "../../core/conversation/chat.ts";
import { lastClaim } from "../../core/conversation/lost-claim.ts";
import { type Tag, tagsIn } from "../../core/conversation/tags.ts";
import { BLOCK_CALL } from "../../core/project/fences.ts";
import type { ModelRequest } from "../../ports/model.ts";

export type Task = { readonly id: string; readonly attempt: string; readonly description: string };
export type Step = { readonly result: ToolResult; readonly tries: number };

/** Mail since the last reply. */
export function newsOf({ messages }: ModelRequest): Tag[] {
  const last = messages.at(-1);
  if (last?.role !== "user") return [];
  return last.content
    .flatMap((part) => (part.type === "text" ? tagsIn(part.text) : []))
    .filter(({ tag }) => tag === "mail");
}

/** The task of the latest claim, unless it was lost, from any source: the harness, a restart, or claim_task. */
export function currentTask({ messages }: ModelRequest): Task | null {
  const last = lastClaim(messages, (tool) => tool === "claim_task");
  return last && !last.isLost ? taskOf(last.claim) : null;
}

/** The harness adds how the previous attempt ended. That text is evidence: its blocks are never run. */
function taskOf({ attributes, content }: Tag): Task {
  const attempt = attributes.attempt ?? "0";
  const evidence = content.indexOf(`\n\n[Attempt ${Number(attempt) - 1} ended: `);
  const text = evidence === -1 ? content : content.slice(0, evidence);
  return {
    id: attributes.task ?? "0",
    attempt,
    description: text.includes("\n") ? text.slice(text.indexOf("\n") + 1) : "",
  };
}

/**
 * The result of each step of this attempt at its last try. It reads backwards to the steps of the task before: reading the whole
 * conversation would make each task cost as much as all tasks before it.
 */
export function resultsOf(task: Task, { messages }: ModelRequest): Map<string, Step> {
  const found = new Map<string, Step>();
  const prefix = `${BLOCK_CALL}${task.id}-${task.attempt}-`;
  for (let i = messages.length - 1; i >= 0; i -= 1) {
    const message = messages[i];
    if (message?.role !== "user") continue;
    for (const part of message.content.toReversed()) {
      if (part.type !== "result" || !part.id.startsWith(BLOCK_CALL)) continue;
      if (!part.id.startsWith(prefix)) return found;
      const [step = "", tries = "1"] = part.id.slice(prefix.length).split("-");
      if (!found.has(step)) found.set(step, { result: part, tries: Number.parseInt(tries, 10) });
    }
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

/** Faults that time or a person can cure: no space, files, processes or memory, a read-only disk, a lock of git, a target that is gone. */
const OBSTACLE =
  /ENOSPC|EDQUOT|EROFS|EMFILE|ENFILE|EAGAIN|ENOMEM|Read-only file system|cannot (?:lock|update) ref|unable to write|write error|Unable to create '.*\.lock'|on which tasks land, is gone|No space left on device|Disk quota exceeded|Too many open files|Resource temporarily unavailable|Cannot allocate memory/i;
const OBSTACLE_LINES = 5;
/** After eight equal rounds the turn of a member is ended as a repetition, which would hide the reason. */
const OBSTACLES_MAX = 7;

/** The reason why this step failed, if it is worth another try. */
export function obstacleOf({ result, tries }: Step): string | null {
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
export function lastStep({ messages }: ModelRequest): Step | null {
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
