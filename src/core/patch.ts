/** The patch format of GPT models: several files in one text. Pure: read here, and applied to the text of one file. */

import { badInput, notFound } from "./errors.ts";
import { lineEndOf, splitMark } from "./text/file-form.ts";
import { tried } from "./tried.ts";

type Line = { readonly mark: " " | "-" | "+"; readonly text: string };
/** `below`: lines that it comes after, such as the head of a function. */
type Hunk = { readonly below: string[]; readonly lines: Line[]; atEnd: boolean };
export type FilePatch =
  | { readonly kind: "add"; readonly path: string; readonly content: string }
  | { readonly kind: "delete"; readonly path: string }
  | { readonly kind: "update"; readonly path: string; moveTo?: string; readonly hunks: readonly Hunk[] };

const FILE = /^\*\*\* (Add|Delete|Update) File: (.+)$/;
const MOVE = "*** Move to: ";

/** @throws EkidenError `bad_input` that names the line */
export function readPatch(patch: string): FilePatch[] {
  const lines = patch.replace(/\r\n/g, "\n").trim().split("\n");
  if (lines[0]?.trim() !== "*** Begin Patch" || lines.at(-1)?.trim() !== "*** End Patch")
    throw badInput('A patch begins with the line "*** Begin Patch" and ends with "*** End Patch".');
  const files: FilePatch[] = [];
  for (let at = 1; at < lines.length - 1; ) {
    const [, verb, given = ""] = FILE.exec((lines[at] ?? "").trimEnd()) ?? [];
    const path = given.trim();
    if (verb === undefined || path === "")
      throw badInput(
        `Line ${at + 1} of the patch is not "*** Add File: PATH", "*** Update File: PATH" or "*** Delete File: PATH".`,
      );
    let end = at + 1;
    while (end < lines.length - 1 && !FILE.test((lines[end] ?? "").trimEnd())) end += 1;
    const body = lines.slice(at + 1, end);
    const number = at + 2;
    if (verb === "Delete") {
      if (body.some((line) => line.trim() !== ""))
        throw badInput(`Line ${number}: nothing follows "*** Delete File".`);
      files.push({ kind: "delete", path });
    } else files.push(verb === "Add" ? added(path, body, number) : updated(path, body, number));
    at = end;
  }
  if (files.length === 0) throw badInput("The patch names no file.");
  return files;
}

function added(path: string, body: readonly string[], number: number): FilePatch {
  const odd = body.findIndex((line) => !line.startsWith("+"));
  if (odd !== -1)
    throw badInput(`Line ${number + odd} of the patch: each line of a new file begins with "+".`);
  return { kind: "add", path, content: body.map((line) => `${line.slice(1)}\n`).join("") };
}

function updated(path: string, body: readonly string[], number: number): FilePatch {
  const hunks: Hunk[] = [];
  const moveTo = body[0]?.startsWith(MOVE) ? body[0].slice(MOVE.length).trim() : undefined;
  const begun = (): Hunk => {
    const hunk: Hunk = { below: [], lines: [], atEnd: false };
    hunks.push(hunk);
    return hunk;
  };
  let hunk: Hunk | undefined;
  for (const [i, line] of body.entries()) {
    if (i === 0 && moveTo !== undefined) continue;
    if (line.startsWith("@@")) {
      if (!hunk || hunk.lines.length > 0) hunk = begun();
      const head = line.slice(2).trim();
      if (head !== "") hunk.below.push(head);
      continue;
    }
    hunk ??= begun();
    const mark = line === "" ? " " : line[0];
    if (line.trimEnd() === "*** End of File") hunk.atEnd = true;
    else if (mark === " " || mark === "-" || mark === "+") hunk.lines.push({ mark, text: line.slice(1) });
    else throw badInput(`Line ${number + i} of the patch must begin with " ", "-", "+" or "@@".`);
  }
  if (moveTo === undefined && !hunks.some(({ lines }) => lines.some(({ mark }) => mark !== " ")))
    throw badInput(`The patch changes nothing in ${path}.`);
  return { kind: "update", path, ...(moveTo !== undefined && { moveTo }), hunks };
}

/** All paths that it reads or writes. [] for what is no patch. */
export function pathsIn(patch: string): string[] {
  return filesIn(patch).flatMap((file) =>
    file.kind === "update" && file.moveTo !== undefined ? [file.path, file.moveTo] : [file.path],
  );
}

const filesIn = (patch: string): FilePatch[] => tried(() => readPatch(patch), []);

/** The text of a file with the changes. `hint`: tells where else the lines may be. @throws EkidenError `not_found` */
export function patched(
  text: string,
  { path, hunks }: Extract<FilePatch, { kind: "update" }>,
  hint: (wanted: string) => string = () => "",
): string {
  const [byteOrderMark, body] = splitMark(text);
  const lineEnd = lineEndOf(body);
  const endsWithLine = body === "" || body.endsWith("\n");
  const lines = body.split("\n");
  if (endsWithLine) lines.pop();
  // A line that stays keeps its own end.
  const ended = (line: string): string => (lineEnd === "\r\n" ? `${line}\r` : line);
  if (!endsWithLine) lines.push(ended(lines.pop() ?? ""));
  let from = 0;
  for (const [i, { below, lines: wanted, atEnd }] of hunks.entries()) {
    for (const head of below) {
      const at = find(lines, [head], from, false);
      if (at === -1) throw notFound(`${path}: no line "${head}" for part ${i + 1}.${tail(hint(head))}`);
      from = at + 1;
    }
    const old = wanted.flatMap(({ mark, text }) => (mark === "+" ? [] : [text]));
    const at = old.length > 0 ? find(lines, old, from, atEnd) : below.length > 0 ? from : lines.length;
    if (at === -1)
      throw notFound(`${path}: the lines of part ${i + 1} were not found.${tail(hint(old.join("\n")))}`);
    // Lines that stay are those of the file: their white space may differ from that of the patch.
    let next = at;
    const now = wanted.flatMap(({ mark, text }) => {
      if (mark === "+") return [ended(text)];
      const line = lines[next] ?? "";
      next += 1;
      return mark === "-" ? [] : [line];
    });
    lines.splice(at, old.length, ...now);
    from = at + now.length;
  }
  if (!endsWithLine && lines.length > 0) lines.push(withoutReturn(lines.pop() ?? ""));
  const [, after] = splitMark(lines.join("\n"));
  return byteOrderMark + after + (endsWithLine && lines.length > 0 ? "\n" : "");
}

function withoutReturn(line: string): string {
  return line.replace(/\r$/, "");
}
const tail = (text: string): string => (text === "" ? "" : ` ${text}`);

/** Forms in which lines are compared: as they are, then without white space at the end, then without any around them. */
const FORMS: readonly ((line: string) => string)[] = [
  withoutReturn,
  (line) => line.trimEnd(),
  (line) => line.trim(),
];

function find(lines: readonly string[], wanted: readonly string[], from: number, atEnd: boolean): number {
  const last = lines.length - wanted.length;
  for (const form of FORMS) {
    const forms = wanted.map(form);
    const fits = (at: number): boolean => forms.every((line, i) => form(lines[at + i] ?? "") === line);
    if (atEnd && last >= from && fits(last)) return last;
    for (let at = from; at <= last; at += 1) if (fits(at)) return at;
  }
  return -1;
}
