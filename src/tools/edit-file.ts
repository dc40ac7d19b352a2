/** Replaces text in a file. It must match exactly and once, so that an edit never hits a place that was not meant. */
import { readFile } from "node:fs/promises";
import { z } from "zod";
import { cutEnd } from "../core/conversation/valid.ts";
import { EkidenError } from "../core/errors.ts";
import { defineTool } from "./define.ts";
import { maybe, text } from "./inputs.ts";
import { sizeOf } from "./read-file.ts";
import { placeOf } from "./workspace.ts";
import { write } from "./write-file.ts";

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
  async run({ path, old, new: fresh, replace_all: all = false }, ctx) {
    if (old === "")
      throw new EkidenError("bad_input", "`old` is empty. Use write_file to write a whole file.");
    if (old === fresh)
      throw new EkidenError("bad_input", "`old` and `new` are the same, so nothing would change.");
    const { real, shown } = await placeOf(path, ctx, "write");
    const text = await textOf(real, shown);
    const { search, replacement } = adapted(text, old, fresh);
    const places = placesOf(text, search);
    if (places.length === 0)
      throw new EkidenError("not_found", `\`old\` is not in ${shown}. ${nearest(text, old)}`);
    const lines = linesAt(text, places);
    if (places.length > 1 && !all) {
      throw new EkidenError(
        "bad_input",
        `\`old\` is ${places.length} times in ${shown}, at lines ${listed(lines)}. Add surrounding lines until it is unique, or set replace_all.`,
      );
    }
    await write(real, shown, text.split(search).join(replacement));
    return `Replaced ${places.length === 1 ? `line ${lines[0]}` : `${places.length} places, lines ${listed(lines)},`} in ${shown}.`;
  },
});

async function textOf(real: string, shown: string): Promise<string> {
  const size = await sizeOf(real, shown);
  if (size > EDIT_MAX)
    throw new EkidenError(
      "bad_input",
      `${shown} has ${size} bytes, too many to edit here. Use bash, for example sed.`,
    );
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(await readFile(real));
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new EkidenError("bad_input", `${shown} is not UTF-8 text, so an edit would damage it. Use bash.`);
  }
}

/** Models write \n. In a file with \r\n the text is matched and inserted with \r\n. */
function adapted(text: string, old: string, fresh: string): { search: string; replacement: string } {
  if (text.includes(old) || !text.includes("\r\n")) return { search: old, replacement: fresh };
  const crlf = (part: string): string => part.replace(/\r?\n/g, "\r\n");
  return { search: crlf(old), replacement: crlf(fresh) };
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
