/**
 * A team as files describe it, whatever their layout: ids and names as they stand there, nothing checked against a store yet.
 * `Fault`s are what could not be read; everything else is imported nevertheless.
 */
import { z } from "zod";
import type { Entry } from "../../core/conversation/chat.ts";
import type { Spent } from "../../core/member.ts";
import type { Status } from "../../core/task.ts";

export type TaskRecord = {
  /** The id in the source, as text. */
  readonly key: string;
  readonly subject: string;
  readonly description: string;
  readonly status: Status;
  readonly owner: string | null;
  readonly blockedBy: readonly string[];
  readonly priority?: number | undefined;
  readonly estimate?: number | undefined;
  readonly role?: string | null | undefined;
  readonly touches?: readonly string[] | undefined;
  readonly needsPlan?: boolean | undefined;
  readonly result?: string | null | undefined;
  readonly reason?: string | null | undefined;
};

export type MemberRecord = {
  readonly name: string;
  readonly role: string;
  readonly model: string;
  readonly prompt: string;
  readonly isLead: boolean;
  readonly needsPlan: boolean;
  readonly spent: Spent | null;
  readonly transcript: readonly Entry[];
};

/** An unread mail. A kind that means something only in the team it was sent in has become a word in the text. */
export type MailRecord = {
  readonly from: string;
  readonly to: string;
  readonly text: string;
  readonly broadcast: boolean;
  readonly urgent: boolean;
};

export type TeamRecord = {
  readonly tasks: readonly TaskRecord[];
  readonly members: readonly MemberRecord[];
  readonly mail: readonly MailRecord[];
};

/** `file` is relative to what was imported. */
export type Fault = { readonly file: string; readonly why: string };

const ID = "must be a text or a whole number";
const idText = z
  .union([z.string().min(1), z.int()], {
    error: ({ input }) => (input === undefined ? `is missing; it ${ID}` : ID),
  })
  .transform(String);
const ids = z
  .array(idText)
  .nullish()
  .transform((list) => list ?? []);
const textOrNothing = z
  .string()
  .nullish()
  .transform((text) => text ?? "");

/** One task file of any of the courses or of Claude Code; fields it does not know are left alone. */
export const taskFile = z.object({
  id: idText,
  subject: z.string(),
  description: textOrNothing,
  status: z
    .enum(["pending", "in_progress", "completed", "failed", "cancelled", "deleted"])
    .default("pending")
    .transform((status): Status => (status === "deleted" ? "cancelled" : status)),
  owner: z
    .string()
    .nullish()
    .transform((owner) => owner || null),
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

/** The members of `.team/config.json`, or of Claude Code's team file. */
export const teamFile = z.object({
  members: z.array(
    z.object({
      name: z.string().min(1),
      role: z.string().optional(),
      agentType: z.string().optional(),
      model: z.string().optional(),
      prompt: z.string().optional(),
    }),
  ),
});

/** One line of a mailbox. */
export const mailLine = z.object({
  type: z.string().default("message"),
  from: z.string().min(1),
  content: z.unknown().optional(),
  text: z.string().optional(),
  urgent: z.boolean().optional(),
  timestamp: z.union([z.number(), z.string()]).optional(),
  ts: z.union([z.number(), z.string()]).optional(),
});

export const FORMAT = "ekiden-team";
export const FORMAT_VERSION = 1;

/** Our own export, whole. What the journal holds is for readers; it is not imported. */
export const wholeFile = z.object({
  format: z.literal(FORMAT),
  version: z.int(),
  tasks: z.array(z.unknown()),
  members: z.array(z.unknown()),
  mail: z.array(z.unknown()),
  transcripts: z.record(z.string(), z.array(z.object({ entry: z.unknown() }))),
});

export const wholeMember = z.object({
  name: z.string().min(1),
  kind: z.enum(["lead", "teammate"]),
  role: z.string(),
  model: z.string(),
  prompt: z.string(),
  needsPlan: z.boolean(),
  turns: z.number(),
  inputTokens: z.number(),
  cachedTokens: z.number(),
  outputTokens: z.number(),
  usd: z.number(),
});

export const wholeMail = z.object({
  from: z.string(),
  to: z.string(),
  urgent: z.boolean(),
  kind: z.string(),
  text: z.string(),
  deliveredAt: z.number().nullable(),
});

const words = z.object({
  type: z.enum(["text", "thinking"]),
  text: z.string(),
  meta: z.unknown().optional(),
});
const call = z.object({
  type: z.literal("call"),
  id: z.string(),
  tool: z.string(),
  input: z.unknown(),
  meta: z.unknown().optional(),
});
const result = z.object({
  type: z.literal("result"),
  id: z.string(),
  tool: z.string(),
  text: z.string(),
  isError: z.boolean(),
});

export const wholeEntry = z.union([
  z.object({ kind: z.enum(["heard", "summary"]), text: z.string() }),
  z.object({
    kind: z.literal("said"),
    message: z.object({ role: z.literal("assistant"), content: z.array(z.union([words, call])) }),
  }),
  z.object({ kind: z.literal("result"), result }),
]);

/** What is wrong with a value, in a few words: "status: Invalid option …". */
export function whyNot(error: z.ZodError): string {
  const [issue] = error.issues;
  if (!issue) return "it has another shape than expected";
  return `${issue.path.length > 0 ? `${issue.path.join(".")}: ` : ""}${issue.message}`;
}
