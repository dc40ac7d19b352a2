/** Ids and names. A brand costs nothing at run time and prevents passing a mail id for a task id. */

import { badInput } from "./errors.ts";
import { cutEnd } from "./text/valid.ts";

declare const brand: unique symbol;
export type Brand<T, Name extends string> = T & { readonly [brand]: Name };

/** A small integer, counted per team: people and models both write "#12". */
export type TaskId = Brand<number, "TaskId">;
export type MailId = Brand<number, "MailId">;
/** A background command and a cron; each counted per team, shown as "j3" and "c3". */
export type JobId = Brand<number, "JobId">;
export type CronId = Brand<number, "CronId">;
/** A protocol request that wants exactly one answer: a stop, a plan, a permission. */
export type RequestId = Brand<string, "RequestId">;
/** One process that hosts members of a team; random, new at every start. */
export type HostId = Brand<string, "HostId">;
/** The name of a member or a team, e.g. "alice". */
export type Name = Brand<string, "Name">;
/** Milliseconds since the epoch. */
export type Instant = Brand<number, "Instant">;

export const LEAD = "lead" as Name;
/** The human being at the terminal or the page. Has a mailbox, but is not a member. */
export const PERSON = "person" as Name;
/** The journal's word for the owner of the page, who acts there without a link of a name. */
export const OWNER = "owner";
/** The harness, as the sender of mail that no agent wrote (crons, finished jobs, the quiet board). */
export const HARNESS = "ekiden" as Name;
export const DEFAULT_TEAM = "default" as Name;

/** Names that no teammate may take, because each already has a meaning. */
const RESERVED: ReadonlySet<string> = new Set([
  LEAD,
  PERSON,
  HARNESS,
  "all",
  "team",
  "none",
  "nobody",
  "everyone",
  "system",
  "user",
]);
const SHAPE = /^[a-z][a-z0-9-]{0,31}$/;

export const instant = (ms: number): Instant => ms as Instant;
export const later = (t: Instant, ms: number): Instant => (t + ms) as Instant;
export const mailId = (n: number): MailId => n as MailId;
export const asTaskId = (n: number): TaskId => n as TaskId;
export const asJobId = (n: number): JobId => n as JobId;
export const asCronId = (n: number): CronId => n as CronId;

/**
 * Reads a task id as people and models write it: `12`, `"12"`, `"#12"`, `"task 12"`.
 * @throws EkidenError `bad_input` for anything else, with a hint, before anything touches the disk.
 */
export function taskId(text: string | number): TaskId {
  const digits =
    typeof text === "number" ? String(text) : /^\s*(?:task[ _-]?)?#?(\d{1,15})\s*$/i.exec(text)?.[1];
  const n = Number(digits);
  if (!Number.isSafeInteger(n) || n < 1)
    throw badInput(
      `${quote(text)} is not a task id. A task id is the number it has on the board, such as 12 or "#12".`,
    );
  return n as TaskId;
}

/** "#1, 2" or "none". @throws EkidenError `bad_input` */
export function taskIds(...texts: readonly string[]): TaskId[] {
  const words = texts.flatMap((text) => text.split(/[,\s]+/)).filter((word) => word !== "");
  const isNone = words.some((word) => word.toLowerCase() === "none");
  if (isNone && words.length > 1)
    throw badInput(
      '"none" stands alone: it waits for no task then. For tasks give their numbers, such as 1,2.',
    );
  return isNone ? [] : [...new Set(words.map(taskId))];
}

/** Reads `j3` or `3`. @throws EkidenError `bad_input` */
export const jobId = (text: string | number): JobId =>
  numbered("j", text, "job", "check_background without an id lists them") as JobId;
/** Reads `c3` or `3`. @throws EkidenError `bad_input` */
export const cronId = (text: string | number): CronId =>
  numbered("c", text, "cron", "list_crons or ekiden cron list shows them") as CronId;

function numbered(letter: string, text: string | number, what: string, where: string): number {
  const [, before, digits] = /^\s*([a-z]?)(\d{1,15})\s*$/i.exec(String(text)) ?? [];
  if (!Number(digits) || !["", letter].includes(before?.toLowerCase() ?? ""))
    throw badInput(`${quote(text)} is not the id of a ${what}, such as "${letter}3"; ${where}.`);
  return Number(digits);
}

/** Latin letters that Unicode does not take apart. */
const LATIN: Readonly<Record<string, string>> = {
  æ: "ae",
  ð: "d",
  ø: "o",
  þ: "th",
  đ: "d",
  ħ: "h",
  ı: "i",
  ł: "l",
  œ: "oe",
  ß: "ss",
};

/** A name without case, accents and blanks: "Alice Smith" → alice-smith, "Zoë" → zoe, "@bob" → bob. Not checked. */
export const foldName = (text: string): string =>
  text
    .normalize("NFKD")
    .toLowerCase()
    .replace(/\p{M}/gu, "")
    .replace(/[æðøþđħıłœß]/g, (letter) => LATIN[letter] ?? letter)
    .replace(/^[ \t]*@?|[ \t]+$/g, "")
    .replace(/[ \t_]+/g, "-");

/**
 * Reads a name as people and models write it, by `foldName`. Names become branch names, folder names and mailbox keys, so they are
 * checked once, here. Other scripts are refused and not transliterated: two people who hear one name would write two addresses.
 * @throws EkidenError `bad_input` naming the rule that was broken.
 */
export function name(text: string): Name {
  const folded = foldName(text);
  if (SHAPE.test(folded)) return folded as Name;
  const isForeign = /^[\p{L}\p{M}\p{N} _-]+$/u.test(text) && /[^a-z0-9-]/.test(folded);
  throw badInput(
    `${quote(text)} is not a usable name. Use 1 to 32 Latin letters, digits and dashes, beginning with a letter, such as "alice".${
      isForeign ? " Its role and its prompt may use any script." : ""
    }`,
  );
}

/** The sentence for someone who wrote a name otherwise, with a blank before it; "" when nothing was changed. */
export const renaming = (written: string, name: Name): string =>
  written === name ? "" : ` ${quote(written)} is called ${name} here.`;

/** A role as it is stored and compared: one line, without differences of case, blanks and width. "" for none. */
export const foldRole = (text: string): string =>
  text.normalize("NFKC").toLowerCase().trim().replace(/ +/g, " ");

/** The name of a subagent's transcript: "alice/1" is the first that worked for alice. */
export const subagentName = (member: Name, nth: number): Name => `${member}/${nth}` as Name;

/** The owner of a conversation: a member ("alice") or one of its subagents ("alice/1"). @throws EkidenError `bad_input` */
export function speaker(text: string): { readonly who: Name; readonly member: Name } {
  const [, first = text, nth] = /^(.*)\/([1-9]\d{0,8})$/.exec(text) ?? [];
  const member = name(first);
  return { member, who: nth === undefined ? member : subagentName(member, Number(nth)) };
}

/** The address of a member in other teams: "alice@backend". Only a sender of mail, never a key. */
export const fullName = (member: Name, team: Name): Name => `${member}@${team}` as Name;

/** A recipient: "alice" (team null: the sender's own) or "alice@backend". @throws EkidenError `bad_input` */
export function address(text: string): { readonly who: Name; readonly team: Name | null } {
  // "@bob" is bob.
  const [, first = text, team] = /^\s*(\S[^@]*)@(.*)$/s.exec(text) ?? [];
  return { who: name(first), team: team === undefined ? null : name(team) };
}

/** A name that a new teammate may take. @throws EkidenError `bad_input` when it is malformed or reserved. */
export function teammateName(text: string): Name {
  const checked = name(text);
  if (RESERVED.has(checked))
    throw badInput(`"${checked}" is reserved. Choose another name for a teammate, such as "alice".`);
  return checked;
}

/** Input shown back to its sender: quoted, on one line, at most 80 characters. */
export function quote(value: unknown): string {
  const text = JSON.stringify(String(value));
  return text.length > 80 ? `${cutEnd(text, 76)}…"` : text;
}
