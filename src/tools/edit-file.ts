/** Replaces text in a file. It must match exactly and once, so that an edit never hits a place that was not meant. */
import type { FileHandle } from "node:fs/promises";
import { z } from "zod";
import { behindMarks, withoutMarks } from "../core/conversation/foreign.ts";
import { cutEnd } from "../core/conversation/valid.ts";
import { EkidenError } from "../core/errors.ts";
import type { ToolContext } from "../ports/index.ts";
import { defineTool } from "./define.ts";
import { maybe, text } from "./inputs.ts";
import { replaceText, withFile, withSecrets } from "./opened.ts";
import { placeOf } from "./workspace.ts";

const EDIT_MAX = 32 * 1024 * 1024;

export const editFile = defineTool({
  name: "edit_file",
  description: "Replace text in a file. `old` must match exactly, and once unless replace_all.",
  input: () =>
    z.object({
      path: text,
      old: text,
      new: text,
      replace_all: maybe.flag,
    }),
  access: "write",
  subject: ({ path }) => path,
  async preview(input, ctx) {
    const place = await placeOf(input.path, ctx, "write");
    return await withFile(place, "write", async (file, size) => {
      const { before, after } = await edited(input, file, size, place.shown, ctx.secrets);
      return { path: place.shown, before, after };
    });
  },
  async run(input, ctx) {
    const place = await placeOf(input.path, ctx, "write");
    return await withFile(place, "write", async (file, size) => {
      const { after, lines } = await edited(input, file, size, place.shown, ctx.secrets);
      await replaceText(file, after);
      return `Replaced ${lines.length === 1 ? `line ${lines[0]}` : `${lines.length} places, lines ${listed(lines)},`} in ${place.shown}.`;
    });
  },
});

type Input = {
  readonly old: string;
  readonly new: string;
  readonly replace_all?: boolean | undefined;
};

/** The text of the file before and after, and the lines that change. @throws EkidenError that says why it cannot be edited so. */
async function edited(
  { old, new: fresh, replace_all: all = false }: Input,
  file: FileHandle,
  size: number,
  shown: string,
  secrets: ToolContext["secrets"],
): Promise<{ readonly before: string; readonly after: string; readonly lines: readonly number[] }> {
  if (old === "") throw new EkidenError("bad_input", "`old` is empty. Use write_file to write a whole file.");
  if (old === fresh)
    throw new EkidenError("bad_input", "`old` and `new` are the same, so nothing would change.");
  const before = await textOf(file, size, shown);
  const { search, replacement } = adapted(
    before,
    withSecrets(old, before, secrets),
    withSecrets(fresh, before, secrets),
  );
  const places = placesOf(before, search);
  if (places.length === 0)
    throw new EkidenError("not_found", `\`old\` is not in ${shown}. ${nearest(before, old)}`);
  const lines = linesAt(before, places);
  if (places.length > 1 && !all) {
    throw new EkidenError(
      "bad_input",
      `\`old\` is ${places.length} times in ${shown}, at lines ${listed(lines)}. Add surrounding lines until it is unique, or set replace_all.`,
    );
  }
  return { before, after: before.split(search).join(replacement), lines };
}

async function textOf(file: FileHandle, size: number, shown: string): Promise<string> {
  if (size > EDIT_MAX)
    throw new EkidenError(
      "bad_input",
      `${shown} has ${size} bytes, too many to edit here. Use bash, for example sed.`,
    );
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(await file.readFile());
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new EkidenError("bad_input", `${shown} is not UTF-8 text, so an edit would damage it. Use bash.`);
  }
}

/**
 * Models write \n. In a file with \r\n the text is matched and inserted with \r\n. And they write what results show: a mark stands
 * for a hidden character or a tag where `old` is not in the file with the mark itself, and `new` keeps those of `old`.
 */
function adapted(text: string, old: string, fresh: string): { search: string; replacement: string } {
  const crlf = (part: string): string => part.replace(/\r?\n/g, "\r\n");
  const asWritten = { search: old, replacement: fresh };
  const inMarks = {
    search: behindMarks(old),
    replacement: withoutMarks(fresh, (mark) => old.includes(mark)),
  };
  for (const { search, replacement } of [asWritten, inMarks]) {
    if (text.includes(search)) return { search, replacement };
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

/** The most likely place: the same text with other white space, or the lines that are most like its first line. */
function nearest(text: string, old: string): string {
  const lines = text.split(/\r?\n/);
  const wanted = old.split(/\r?\n/).map(squeeze);
  while (wanted.length > 1 && wanted[0] === "") wanted.shift();
  while (wanted.length > 1 && wanted.at(-1) === "") wanted.pop();
  const squeezed = lines.map(squeeze);
  const same = squeezed.findIndex((_, i) => wanted.every((line, j) => squeezed[i + j] === line));
  if (same !== -1)
    return `With other white space it is at line ${same + 1}:\n${numbered(lines, same, wanted.length)}`;
  let best = { score: 0.5, at: -1 };
  const first = wanted[0] ?? "";
  for (const [at, line] of squeezed.slice(0, 20_000).entries()) {
    const score = likeness(line, first);
    if (score > best.score) best = { score, at };
  }
  if (best.at === -1) return "Nothing in it is similar. Read the file again.";
  return `Most like it is line ${best.at + 1}:\n${numbered(lines, best.at, Math.min(wanted.length, 5))}`;
}

const squeeze = (line: string): string => line.trim().replace(/\s+/g, " ");

const numbered = (lines: readonly string[], from: number, count: number): string =>
  lines
    .slice(from, from + Math.min(count, 20))
    .map((line, i) => `${from + i + 1}\t${cutEnd(line, 300)}`)
    .join("\n");

/** The share of common pairs of letters, 0 to 1. */
function likeness(a: string, b: string): number {
  if (a === "" || b === "" || Math.max(a.length, b.length) > 3 * Math.min(a.length, b.length)) return 0;
  const pairs = new Map<string, number>();
  for (let i = 0; i < b.length - 1; i += 1)
    pairs.set(b.slice(i, i + 2), (pairs.get(b.slice(i, i + 2)) ?? 0) + 1);
  let shared = 0;
  for (let i = 0; i < a.length - 1; i += 1) {
    const left = pairs.get(a.slice(i, i + 2)) ?? 0;
    if (left > 0) {
      shared += 1;
      pairs.set(a.slice(i, i + 2), left - 1);
    }
  }
  return (2 * shared) / Math.max(1, a.length + b.length - 2);
}
