/**
 * Comments on lines of a change, sent in one batch: those on what a member works at go to it as mail; the others become a task for each
 * task that made the change, kept for its owner where that one is there.
 */

import type { Member } from "../../core/board/member.ts";
import type { Task } from "../../core/board/task.ts";
import { badInput } from "../../core/errors.ts";
import { type Name, PERSON, taskId } from "../../core/ids.ts";
import type { ReviewComment } from "../../core/views/outcome.ts";
import { counted } from "../../core/views/view.ts";
import type { Store } from "../../ports/index.ts";
import { type Sender, sendMail } from "./mail.ts";
import { addTask } from "./tasks.ts";

const SUBJECT_MAX = 200;

/** `writerOf`: the task that wrote a line. Resolves with a sentence. */
export async function review(
  store: Store,
  comments: readonly ReviewComment[],
  writerOf: (path: string, line: number) => number | null,
  sender: Sender,
): Promise<string> {
  if (comments.length === 0) throw badInput("There are no comments to send.");
  const groups = new Map<number | null, ReviewComment[]>();
  for (const one of comments) {
    // A line that is gone is nobody's: the task that changed the file last is asked.
    const task = writerOf(one.path, one.removed ? 0 : one.line);
    groups.set(task, [...(groups.get(task) ?? []), one]);
  }
  const members = new Map((await store.roster.members()).map((member) => [member.name, member]));
  const said: string[] = [];
  for (const [id, list] of groups) {
    const task = id === null ? null : await store.board.task(taskId(id));
    said.push(await send(store, task, list, members, sender));
  }
  return said.join(" ");
}

async function send(
  store: Store,
  task: Task | null,
  list: readonly ReviewComment[],
  members: ReadonlyMap<Name, Member>,
  sender: Sender,
): Promise<string> {
  const count = counted(list.length, "comment");
  const owner = task && "owner" in task ? (task.owner as Name | null) : null;
  const member = owner === null ? undefined : members.get(owner);
  const isThere = member !== undefined && member.host !== null && member.activity.phase !== "shutdown";
  const text = list.map(commentText).join("\n\n");
  if (task?.status === "in_progress" && owner !== null && isThere) {
    const letter = {
      to: owner,
      text: `Review of your change for #${task.id}. Do what it says before you complete the task.\n\n${text}`,
    };
    await sendMail(store, PERSON, letter, { ...sender, settings: { ...sender.settings, team: store.team } });
    return `${count} sent to ${owner}.`;
  }
  const about = task ? `Review of #${task.id}: ${task.subject}` : "Review of changes";
  const { data } = await addTask(store, PERSON, {
    subject: about.slice(0, SUBJECT_MAX),
    description: `A person has read the change${task ? ` of #${task.id}` : ""} and says:\n\n${text}`,
    touches: [...new Set(list.map(({ path }) => path))],
    ...(isThere && member.kind === "teammate" && owner !== null && { assignee: owner }),
  });
  return `${count} became #${data.id}${isThere && owner ? ` for ${owner}` : ""}.`;
}

function commentText({ path, line, until, removed, excerpt, text }: ReviewComment): string {
  const range = until === undefined ? `${line}` : `${line}-${until}`;
  const quoted = excerpt.trim() === "" ? "" : `\n> ${excerpt.trim().replaceAll("\n", "\n> ")}`;
  return `${path}:${range}${removed ? " (removed)" : ""}${quoted}\n${text.trim()}`;
}
