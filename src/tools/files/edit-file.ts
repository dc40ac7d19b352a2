/** Replaces texts in a file. Each must match exactly and once, so that an edit never hits a place that was not meant. */
import type { FileHandle } from "node:fs/promises";
import { z } from "zod";
import { behindMarks, withoutMarks } from "../../core/conversation/foreign.ts";
import { badInput, EkidenError, notFound } from "../../core/errors.ts";
import { lineEndOf, splitMark, withLineEnd } from "../../core/text/file-form.ts";
import type { ToolContext } from "../../ports/index.ts";
import { defineTool } from "../define.ts";
import { maybe, text } from "../inputs.ts";
import { nearestLines } from "./nearest-lines.ts";
import { replaceText, withFile, withSecrets } from "./opened.ts";
import { checkUnchanged, noteWrite } from "./seen-files.ts";
import { type Place, placeOf } from "./workspace.ts";

const EDIT_MAX = 32 * 1024 * 1024;

export const editFile = defineTool({
  name: "edit_file",
  description: "Replace text. `old` must match exactly, and once unless all.",
  input: () =>
    z.strictObject({
      path: text,
      old: text,
      new: text,
      all: maybe.flag,
      // Further ones: models of other harnesses know lists of edits. Nobody is told of it, so that the schema is flat.
      edits: z
        .array(z.strictObject({ old: text, new: text, all: maybe.flag }))
        .optional()
        .meta({ untold: true }),
    }),
  access: "write",
  subject: ({ path }) => path,
  reads: ({ path }) => [path],
  writes: ({ path }) => [path],
  async preview(input, ctx) {
    const place = await placeOf(input.path, ctx, "write");
    return await withFile(place, "write", async (file, size) => {
      const { before, after } = await edited(input, file, size, place, ctx);
      return { path: place.shown, before, after };
    });
  },
  async run(input, ctx) {
    const place = await placeOf(input.path, ctx, "write");
    return await withFile(place, "write", async (file, size) => {
      const { after, done } = await edited(input, file, size, place, ctx);
      await replaceText(file, after);
      await noteWrite(ctx, place, file);
      return `Replaced ${done.join("; ")} in ${place.shown}.`;
    });
  },
});

type Edit = { readonly old: string; readonly new: string; readonly all?: boolean | undefined };
type Input = Edit & { readonly edits?: readonly Edit[] | undefined };

/** The text of the file before and after, and what changes. @throws EkidenError that says why it cannot be edited so. */
async function edited(
  input: Input,
  file: FileHandle,
  size: number,
  place: Place,
  ctx: ToolContext,
): Promise<{ readonly before: string; readonly after: string; readonly done: readonly string[] }> {
  const edits = [input, ...(input.edits ?? [])];
  const { shown } = place;
  await checkUnchanged(ctx, place, file);
  const before = await textOf(file, size, shown);
  let after = before;
  const done = edits.map((edit, i) => {
    try {
      const { text, lines } = replaced(after, edit, before, shown, ctx.secrets);
      if (text.length > EDIT_MAX) throw badInput(`${shown} would become too large.`);
      after = text;
      return lines.length === 1 ? `line ${lines[0]}` : `${lines.length} places, lines ${listed(lines)}`;
    } catch (error) {
      if (edits.length === 1 || !(error instanceof EkidenError)) throw error;
      const head = `Nothing was changed, because edit ${i + 1} of ${edits.length} does not fit${i > 0 ? ", after those before it" : ""}.`;
      throw new EkidenError(error.code, `${head} ${error.message}`);
    }
  });
  const [[mark], [lost]] = [splitMark(before), splitMark(after)];
  if (lost === "") after = mark + after;
  if (after === before) throw badInput("The edits cancel each other out: nothing would change.");
  return { before, after, done };
}

/** `before`: the file on disk, which the secrets behind marks are from. `lines`: where it is in `text` as given. */
function replaced(
  text: string,
  { old, new: fresh, all = false }: Edit,
  before: string,
  shown: string,
  secrets: ToolContext["secrets"],
): { readonly text: string; readonly lines: readonly number[] } {
  if (old === "") throw badInput("`old` is empty. Use write_file to write a whole file.");
  if (old === fresh) throw badInput("`old` and `new` are the same, so nothing would change.");
  const { search, replacement } = adapted(
    text,
    withSecrets(old, before, secrets),
    withSecrets(fresh, before, secrets),
  );
  const places = placesOf(text, search);
  if (places.length === 0) throw notFound(`\`old\` is not in ${shown}. ${nearestLines(text, old)}`);
  const lines = linesAt(text, places);
  if (places.length > 1 && !all) {
    throw badInput(
      `\`old\` is ${places.length} times in ${shown}, at lines ${listed(lines)}. Add surrounding lines until it is unique, or set all.`,
    );
  }
  return { text: text.split(search).join(replacement), lines };
}

/** @throws EkidenError `bad_input` for what is too large, or no UTF-8 */
export async function textOf(file: FileHandle, size: number, shown: string): Promise<string> {
  if (size > EDIT_MAX)
    throw badInput(`${shown} has ${size} bytes, too many to edit here. Use bash, for example sed.`);
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(await file.readFile());
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw badInput(`${shown} is not UTF-8 text, so an edit would damage it. Use bash.`);
  }
}

/**
 * Models write \n. In a file with \r\n the text is matched and inserted with \r\n. They may begin a text with the byte order mark of a file. And they write what results show: a mark stands
 * for a hidden character or a tag where `old` is not in the file with the mark itself, and `new` keeps those of `old`.
 */
function adapted(text: string, old: string, fresh: string): { search: string; replacement: string } {
  const crlf = (part: string): string => withLineEnd(part, "\r\n");
  const asWritten = { search: old, replacement: fresh };
  const inMarks = {
    search: behindMarks(old),
    replacement: withoutMarks(fresh, (mark) => old.includes(mark)),
  };
  const inserted =
    lineEndOf(text) === "\r\n" && !/(^|[^\r])\n/.test(old) ? crlf : (part: string): string => part;
  const unmarked = ({ search, replacement }: typeof inMarks): typeof inMarks => ({
    search: splitMark(search)[1],
    replacement: splitMark(replacement)[1],
  });
  for (const { search, replacement } of [asWritten, inMarks, unmarked(asWritten), unmarked(inMarks)]) {
    if (search !== "" && text.includes(search)) return { search, replacement: inserted(replacement) };
    if (text.includes("\r\n") && text.includes(crlf(search)))
      return { search: crlf(search), replacement: crlf(replacement) };
  }
  return asWritten;
}

function placesOf(text: string, search: string): number[] {
  const places: number[] = [];
  for (let at = text.indexOf(search); at !== -1; at = text.indexOf(search, at + search.length))
    places.push(at);
  return places;
}

function linesAt(text: string, places: readonly number[]): number[] {
  let line = 1;
  let from = 0;
  return places.map((place) => {
    for (let at = text.indexOf("\n", from); at !== -1 && at < place; at = text.indexOf("\n", from)) {
      line += 1;
      from = at + 1;
    }
    return line;
  });
}

const listed = (lines: readonly number[]): string =>
  `${lines.slice(0, 10).join(", ")}${lines.length > 10 ? ", …" : ""}`;
