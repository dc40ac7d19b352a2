/** A member reads its own conversation, also the part from before a summary: the notes of a summary leave things out. */
import { z } from "zod";
import type { Recorded } from "../../core/conversation/chat.ts";
import { badInput } from "../../core/errors.ts";
import { quote } from "../../core/ids.ts";
import { oneLine } from "../../core/text/one-line.ts";
import { cutEnd } from "../../core/text/valid.ts";
import { transcriptLines } from "../../core/views/transcript.ts";
import type { ToolContext } from "../../ports/index.ts";
import { defineTool } from "../define.ts";
import { maybe } from "../inputs.ts";

const FOUND_MAX = 30;
/** Characters around a hit, of one entry, and of one answer. */
const AROUND = 150;
const ENTRY_MAX = 4_000;
const ANSWER_MAX = 30_000;

export const readTranscript = defineTool({
  name: "read_transcript",
  description:
    "Your own conversation, also from before a summary: the numbers of entries with a text, or entries by number.",
  access: "read",
  membersOnly: true,
  input: () => z.strictObject({ search: maybe.text, from: maybe.whole, to: maybe.whole }),
  subject: ({ search, from, to }) => search ?? `${from ?? 1}–${to ?? ""}`,
  reads: () => [],
  run: async ({ search, from, to }, ctx) => {
    if (search !== undefined && search.trim() === "")
      throw badInput("`search` is empty: give a text to find.");
    const entries = await numbered(ctx);
    const last = entries.length;
    const [first, end] = [from ?? 1, Math.min(to ?? last, last)];
    if (first < 1 || first > last || end < first)
      throw badInput(
        `Your conversation has the entries 1 to ${last}; ${from ?? 1} to ${to ?? last} are none of them.`,
      );
    const wanted = entries.slice(first - 1, end);
    if (search !== undefined) return found(wanted, search);
    if (from === undefined && to === undefined) return overview(entries);
    return shown(wanted, last);
  },
});

type Numbered = { readonly nth: number; readonly isSummary: boolean; readonly text: string };

/** Without the openings: they are told again in each conversation. */
async function numbered({ store, self }: ToolContext): Promise<Numbered[]> {
  const all: Numbered[] = [];
  for await (const page of store.transcript.pages(self))
    for (const one of page)
      if (one.entry.kind !== "opened" && one.entry.kind !== "trimmed")
        all.push({ nth: all.length + 1, isSummary: one.entry.kind === "summary", text: textOf(one, self) });
  return all;
}

const textOf = (one: Recorded, self: ToolContext["self"]): string =>
  transcriptLines({ name: self, entries: [one] })
    .map(({ who, text }) => `${who}: ${text}`)
    .join("\n");

function found(entries: readonly Numbered[], search: string): string {
  const wanted = search.toLowerCase();
  const hits = entries.flatMap(({ nth, text }) => {
    const at = text.toLowerCase().indexOf(wanted);
    return at === -1
      ? []
      : [
          `${nth}: ${oneLine(text.slice(Math.max(0, at - AROUND), at + search.length + AROUND), 2 * AROUND + search.length)}`,
        ];
  });
  if (hits.length === 0) return `No entry of your conversation contains ${quote(search)}.`;
  const more = hits.length - FOUND_MAX;
  return [...hits.slice(-FOUND_MAX), ...(more > 0 ? [`[${more} earlier ones; use from and to]`] : [])].join(
    "\n",
  );
}

/** Where the summaries are, and what was heard at first. */
function overview(entries: readonly Numbered[]): string {
  const summaries = entries.filter(({ isSummary }) => isSummary).map(({ nth }) => nth);
  return `Your conversation has the entries 1 to ${entries.length}${summaries.length > 0 ? `, with summaries at ${summaries.join(", ")}` : ", without a summary"}. from and to show some of them, search finds a text.`;
}

function shown(entries: readonly Numbered[], last: number): string {
  const lines: string[] = [];
  let chars = 0;
  for (const { nth, text } of entries) {
    const line = `${nth}: ${text.length > ENTRY_MAX ? `${cutEnd(text, ENTRY_MAX)} [… ${text.length} characters]` : text}`;
    if (chars > 0 && chars + line.length > ANSWER_MAX) {
      lines.push(`[of ${last} entries; continue with from ${nth}]`);
      break;
    }
    chars += line.length;
    lines.push(line);
  }
  return lines.join("\n");
}
