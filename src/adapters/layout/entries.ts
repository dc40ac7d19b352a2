/**
 * The entries of a transcript in our own export, as an import reads them: a schema for each kind, so that a new kind does not compile before it
 * can be imported. Left out is what holds only in the store that wrote it, or gives its text a right here: openings, which rule, marks of
 * this program's own words, trims, the numbers of mails, hashes of requests, and images, whose bytes are in files of their own.
 */
import { z } from "zod";
import type { Entry } from "../../core/conversation/chat.ts";

const meta = z.unknown().optional();
const text = z.object({ type: z.literal("text"), text: z.string(), meta });
const thinking = z.object({ type: z.literal("thinking"), text: z.string(), meta });
const call = z.object({
  type: z.literal("call"),
  id: z.string(),
  tool: z.string(),
  input: z.unknown(),
  meta,
});
const yes = z.literal(true).exactOptional();

const said = z
  .object({
    kind: z.literal("said"),
    message: z.object({
      role: z.literal("assistant"),
      content: z.array(z.discriminatedUnion("type", [text, thinking, call])),
      by: z.object({ model: z.string(), account: z.string() }).exactOptional(),
    }),
    binds: yes,
  })
  .transform(({ kind, message, binds }) => ({
    kind,
    // Thoughts that hold only behind the request that they answered are refused behind another one.
    message: { ...message, content: message.content.filter(({ type }) => !binds || type !== "thinking") },
  }));

const result = z.object({
  type: z.literal("result"),
  id: z.string(),
  tool: z.string(),
  text: z.string(),
  isError: z.boolean(),
  lasting: yes,
});

const leftOut = <K extends string>(kind: K) => z.object({ kind: z.literal(kind) }).transform(() => null);

const KINDS = {
  opened: leftOut("opened"),
  heard: z.object({ kind: z.literal("heard"), text: z.string() }),
  said,
  result: z.object({ kind: z.literal("result"), result }),
  summary: z.object({ kind: z.literal("summary"), text: z.string(), atRest: yes, anew: yes }),
  cut: z.object({ kind: z.literal("cut"), call: z.string(), text: z.string(), atRest: yes }),
  trimmed: leftOut("trimmed"),
} satisfies Record<Entry["kind"], z.ZodType<Entry | null>>;

/** Null for one that is left out. */
export const entryFile = z
  .object({
    entry: z.looseObject({
      kind: z.enum(Object.keys(KINDS) as [Entry["kind"]], {
        error: ({ input }) =>
          `${JSON.stringify(input)} is no kind of entry; there are ${Object.keys(KINDS).join(", ")}`,
      }),
    }),
  })
  .transform(({ entry }, context): Entry | null => {
    const read = KINDS[entry.kind].safeParse(entry);
    if (read.success) return read.data;
    for (const { message, path } of read.error.issues)
      context.addIssue({ code: "custom", message, path: ["entry", ...path] });
    return z.NEVER;
  });
