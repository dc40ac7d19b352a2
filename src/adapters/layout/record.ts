/**
 * A team as files describe it, whatever their layout. Each schema reads one element (a task, a member, a mail, a transcript entry)
 * in every layout that has it and turns it into our record; ids and names stay as they are in the files.
 */
import { z } from "zod";
import type { Spent } from "../../core/board/member.ts";
import type { Status } from "../../core/board/task.ts";
import type { Entry } from "../../core/conversation/chat.ts";
import { NOTE_KINDS } from "../../core/plan/facts.ts";

export const FORMAT = "ekiden-team";
export const FORMAT_VERSION = 1;

const ID = "must be a text or a whole number";
const id = z
  .union([z.string().min(1), z.int()], {
    error: ({ input }) => (input === undefined ? `is missing; it ${ID}` : ID),
  })
  .transform(String);
const ids = z
  .array(id)
  .nullish()
  .transform((list): readonly string[] => list ?? []);
const text = z
  .string()
  .nullish()
  .transform((value) => value ?? "");
const name = z.string().min(1);
const time = z.union([z.number(), z.string()]).optional();
const requestOf = z.string().optional().catch(undefined);

/** Our export has milliseconds, the courses have seconds; as it stands where it is neither. */
function asTime(at: number | string): string {
  const date = new Date(typeof at === "number" && at < 1e11 ? at * 1000 : at);
  return Number.isNaN(date.getTime()) ? String(at) : date.toISOString();
}

/** A task of the courses, of Claude Code (which has `blocks`) or of our own export; unknown fields are ignored. */
export const taskFile = z.object({
  id,
  subject: text,
  description: text,
  status: z
    .enum(["pending", "in_progress", "completed", "failed", "cancelled", "deleted"])
    .default("pending")
    .transform((status): Status => (status === "deleted" ? "cancelled" : status)),
  owner: text,
  blockedBy: ids,
  blocks: ids,
  priority: z.int().optional(),
  estimate: z.number().optional(),
  role: z.string().nullish(),
  touches: z.array(z.string()).optional(),
  needsPlan: z.boolean().optional(),
  result: z.string().nullish(),
  reason: z.string().nullish(),
});
export type TaskRecord = Omit<z.output<typeof taskFile>, "blocks">;

export type MemberRecord = {
  readonly name: string;
  readonly role: string;
  /** As it is in the file. It is told and not used: a model sends conversations to its provider, or runs a script. */
  readonly model: string;
  readonly prompt: string;
  readonly needsPlan: boolean;
  readonly spent: Spent | null;
};

/** A negative count would add to the team's budget. */
const count = z.number().nonnegative().default(0);
/** A member of `.team/config.json`, of Claude Code's team file (`agentType`), or of our own export (with its costs). */
export const memberFile = z
  .object({
    name,
    role: z.string().optional(),
    agentType: z.string().optional(),
    model: text,
    prompt: text,
    needsPlan: z.boolean().default(false),
    turns: z.number().nonnegative().optional(),
    inputTokens: count,
    cachedTokens: count,
    outputTokens: count,
    usd: count,
  })
  .transform(
    ({ name, role, agentType, model, prompt, needsPlan, turns, ...costs }): MemberRecord => ({
      name,
      role: role ?? (agentType === "general-purpose" ? "" : (agentType ?? "")),
      model,
      prompt,
      needsPlan,
      spent: turns === undefined ? null : { turns, ...costs },
    }),
  );

/**
 * An unread mail. A type that has a meaning only in its own team becomes a word of the text, with its request and its time: nobody waits for
 * the answer here.
 */
export type MailRecord = {
  readonly from: string;
  readonly to: string;
  readonly text: string;
  readonly broadcast: boolean;
  readonly urgent: boolean;
};

/** A line of a mailbox, which has `type` and `content`, or a mail of our own export, which has `kind` and `text`. */
export const mailFile = z
  .object({
    from: name,
    to: text,
    type: z.string().optional(),
    kind: z.string().optional(),
    content: z.unknown().optional(),
    text: z.string().optional(),
    urgent: z.boolean().default(false),
    timestamp: time,
    ts: time,
    at: time,
    request_id: requestOf,
    requestId: requestOf,
    body: z.object({ request: requestOf }).optional().catch(undefined),
    deliveredAt: z.number().nullish(),
  })
  .transform(({ from, to, urgent, content, deliveredAt, ...mail }) => {
    const kind = mail.type ?? mail.kind ?? "message";
    const words = mail.text ?? (typeof content === "string" ? content : JSON.stringify(content ?? ""));
    const isPlain = kind === "message" || kind === "note" || kind === "broadcast";
    const sentAt = mail.timestamp ?? mail.ts ?? mail.at;
    const inContent = z.object({ request_id: requestOf }).safeParse(content).data?.request_id;
    const request = mail.request_id ?? mail.requestId ?? mail.body?.request ?? inContent;
    const about = [kind, request && `request ${request}`, sentAt !== undefined && `sent ${asTime(sentAt)}`];
    return {
      record: {
        from,
        to,
        text: isPlain ? words : `[${about.filter(Boolean).join(", ")}] ${words}`,
        broadcast: kind === "broadcast",
        urgent,
      },
      sentAt,
      isRead: typeof deliveredAt === "number",
    };
  });

/** A note of our own export. */
export const noteFile = z.object({
  by: name,
  kind: z.enum(NOTE_KINDS),
  text: z.string(),
  task: id.nullish().transform((task) => task ?? null),
  files: z.array(z.string()).default([]),
});
export type NoteRecord = z.output<typeof noteFile>;

/** The file of a team: its members. */
export const teamFile = z.object({ members: z.array(z.unknown()) });
/** Our own export. The journal is not read: it tells the past of another store. */
export const exportFile = teamFile.extend({
  version: z.number(),
  tasks: z.array(z.unknown()),
  mail: z.array(z.unknown()),
  transcripts: z.record(z.string(), z.array(z.unknown())),
  notes: z.array(z.unknown()).default([]),
});

export type TeamRecord = {
  readonly tasks: readonly TaskRecord[];
  readonly members: readonly MemberRecord[];
  readonly mail: readonly MailRecord[];
  readonly notes: readonly NoteRecord[];
  /** By the name of the member in the files. */
  readonly transcripts: ReadonlyMap<string, readonly Entry[]>;
};

/** A fault of one part of the source. `file` is relative to the imported folder. All other parts are imported. */
export type Fault = { readonly file: string; readonly why: string };

/** The first fault of a value: "status: Invalid option …". */
export function whyNot(error: z.ZodError): string {
  const [issue] = error.issues;
  if (!issue) return "it has another shape than expected";
  return `${issue.path.length > 0 ? `${issue.path.join(".")}: ` : ""}${issue.message}`;
}
