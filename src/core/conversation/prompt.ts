/**
 * The texts that the harness gives to a model. A conversation begins with its opening, from what all agents share to what only this
 * one is, so that siblings share as much of it as possible in their provider's cache: how to work, the environment, the rules of
 * the role, then in the first message the project and at last the identity. Nothing of it changes during a conversation; news
 * comes as messages. Texts that others can edit are never part of the system prompt.
 */

import { type Backlog, backlogText, imagesIn, type Mail, render } from "../board/mail.ts";
import type { MemberKind } from "../board/member.ts";
import type { Claimed } from "../board/task.ts";
import { HOW_TO_WORK, LEAD_RULES, SUBAGENT_RULES, TEAMMATE_RULES } from "../guidance/texts.ts";
import type { Name } from "../ids.ts";
import { cutEnd } from "../text/valid.ts";
import { type Entry, heard, type Message } from "./chat.ts";
import { tagged, tagsIn } from "./tags.ts";

const RULES = { lead: LEAD_RULES, teammate: TEAMMATE_RULES, subagent: SUBAGENT_RULES } as const;

/** Facts that hold for a whole conversation. `date`: such as "2026-11-23". */
export type Environment = {
  readonly workspace: string;
  readonly date?: string;
  readonly platform?: string;
  readonly shell?: string;
};

const environmentLine = ({ workspace, date, platform, shell }: Environment): string =>
  [
    ...(date ? [`Date: ${date}`] : []),
    ...(platform ? [`System: ${platform}`] : []),
    ...(shell ? [`Shell: ${shell}`] : []),
    `Workspace: ${workspace}`,
  ].join(". ");

/** The head of a system prompt: the same for all agents of a kind. */
export const guidance = (kind: MemberKind | "subagent", environment: Environment): string =>
  [HOW_TO_WORK, environmentLine(environment), RULES[kind]].join("\n\n");

export type Identity = {
  readonly name: Name;
  readonly team: Name;
  readonly kind: MemberKind;
  readonly role: string;
};

/** The sentence that says who the reader is. */
export const whoIs = ({ name, team, kind, role }: Identity): string =>
  kind === "lead"
    ? `You are "${name}", the lead of team "${team}".`
    : `You are "${name}"${role ? ` (role: ${role})` : ""}, a teammate in team "${team}". Your lead is "lead".`;

/** `name` is "alice/1" when it works for "alice". */
export const whoIsSubagent = (who: {
  readonly name: Name;
  readonly member: Name;
  readonly team: Name;
}): string => `You are "${who.name}", a subagent of "${who.member}" in team "${who.team}".`;

/** The last text of an opening. `who`: the sentence that says who the reader is. */
export const identity = (who: string): string => tagged("identity", {}, who);

/** The identity of the reader of a request, for models that are programs; "" where it has none. No other text can pass for it. */
export function readerOf(messages: readonly Message[]): string {
  for (const part of messages[0]?.content ?? [])
    if (part.type === "text")
      for (const { tag, content } of tagsIn(part.text)) if (tag === "identity") return content;
  return "";
}

/** A section of the opening that has changed since the model was told it. `text`: its words in an opening. */
export const updated = (about: string, text: string): string =>
  `<update about="${about}">\n${text === "" ? "(This no longer applies.)" : text}\n</update>`;

/** A claim that the harness made for an idle teammate. It has the description, so that the work can start at once. */
export const claimed = (task: Claimed, workspace?: string): Entry =>
  heard(showTask("auto-claimed", task, workspace));

/** A task that the member still has: after a restart, or when it ended its turn without finishing. */
export const ownTask = (task: Claimed, why: string, workspace?: string): Entry =>
  heard(`${showTask("own-task", task, workspace)}\n${why}`);

/** Characters of what one part said. */
const SAID_SHOWN = 4_000;

function partsText({ split, parts }: Claimed): string {
  if (!split) return "";
  const note = split.note ? ` Note of ${split.by}: ${split.note}` : "";
  const list = (parts ?? []).map(
    ({ id, subject, status, said }) =>
      `#${id} ${subject} (${status.replace("_", " ")})${said && `:\n${cutEnd(said, SAID_SHOWN)}`}`,
  );
  const head = `[It was split by ${split.by} into ${split.parts.map((id) => `#${id}`).join(", ")}; get_task shows one in full.${note}]`;
  return `\n\n${[head, ...list].join("\n\n")}`;
}

const NEEDS_PLAN =
  "[This task needs a plan: look first, then submit_plan. Until it is approved you may not change anything or complete the task.]";
/** For a member that must plan every task. */
export const PLANS_FIRST =
  "Each of your tasks needs a plan: look first with tools that only read, then submit_plan. Until it is approved you may not run commands, change files or complete the task.";

/** Also the result of `claim_task`. `workspace`: where the tools run during this task, if tasks have different workspaces. */
export const showTask = (tag: "auto-claimed" | "own-task", task: Claimed, workspace?: string): string =>
  tagged(
    tag,
    { task: task.id, attempt: task.attempt, subject: task.subject, workspace: workspace ?? null },
    `${task.subject}\n\n${task.description}${task.needsPlan ? `\n\n${NEEDS_PLAN}` : ""}${task.lastFailure ? `\n\n[Attempt ${task.attempt - 1} ended: ${task.lastFailure}]` : ""}${partsText(task)}`.trim(),
  );

export const STILL_YOURS =
  "This task is still yours. Continue with it, then call complete_task, fail_task or release_task.";
export const WENT_ON =
  "The team was restarted. This task is still yours; your earlier work is above. Check the current state, then continue.";
export const refusedBefore = (evidence: string): string =>
  `Your last completion of it was refused:\n${tagged("refusal", {}, evidence)}`;
export const CUT_OFF =
  "The output limit cut your answer off. Continue exactly where it stopped, in smaller pieces.";

export const NOTHING_SAID =
  "Your answer was empty. Continue with your work, or say in one sentence that you are done and what the result is.";
export const REFUSED =
  "The provider's filter stopped your last answer. Continue in another way, or say what you cannot do and why.";

/** Mail as it enters the conversation. */
export const delivered = (mail: readonly Mail[], left: Backlog | null = null): Entry[] =>
  mail.length === 0
    ? []
    : [heard([...mail.map(render), ...(left ? [more(left)] : [])].join("\n"), mail.flatMap(imagesIn))];

const more = (left: Backlog): string =>
  tagged(
    "more-mail",
    { unread: left.count },
    `More mail waits: ${backlogText(left)}. It comes with your next turns, the oldest first. Answer none of it one by one.`,
  );
