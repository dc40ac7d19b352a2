/** A diff as rows to go through: by the tasks that made a change, then by file, each line with its number in the new file and its task. */
import { safe } from "../draw/style.ts";

export type ReviewRow =
  | { readonly kind: "task" | "file" | "note"; readonly path: string; readonly text: string }
  | {
      readonly kind: "line";
      readonly path: string;
      /** The line in the new file; for a removed line, its former place. */
      readonly line: number;
      /** The task that wrote an added line. */
      readonly task: number | null;
      readonly text: string;
    };

type FileRows = { readonly path: string; readonly rows: readonly ReviewRow[] };

type WriterOf = (path: string, line: number) => number | null;

/** `titleOf`: the titles of the tasks that changed a file; "" for none. `path`: only this file, or files below this folder. */
export function reviewRows(
  diff: string,
  path: string,
  titleOf: (path: string) => string,
  writerOf: WriterOf = () => null,
): ReviewRow[] {
  const folder = path.replace(/^\.\//, "").replace(/\/$/, "");
  const isWanted = (one: string): boolean => ["", ".", one].includes(folder) || one.startsWith(`${folder}/`);
  const groups = new Map<string, FileRows[]>();
  for (const part of diff.split(/^(?=diff --git )/m)) {
    const file = fileRows(part, writerOf);
    if (!file || !isWanted(file.path)) continue;
    const title = titleOf(file.path);
    groups.set(title, [...(groups.get(title) ?? []), file]);
  }
  return [...groups].flatMap(([title, files]) => [
    { kind: "task", path: "", text: title === "" ? "by no task" : title },
    ...files.flatMap(({ rows }) => rows),
  ]);
}

function fileRows(part: string, writerOf: WriterOf): FileRows | null {
  const [head = "", ...lines] = part.replace(/\n$/, "").split("\n");
  const path = /^diff --git (?:"?a\/.*?) "?b\/(.*?)"?$/.exec(head)?.[1];
  if (path === undefined) return null;
  const rows: ReviewRow[] = [{ kind: "file", path, text: safe(path) }];
  let at: number | null = null;
  for (const line of lines) {
    const begins = /^@@ -\S+ \+(\d+)/.exec(line)?.[1];
    if (begins !== undefined) {
      at = Number(begins);
      rows.push({ kind: "note", path, text: safe(line) });
    } else if (at !== null && /^[-+ ]/.test(line)) {
      const task = line.startsWith("+") ? writerOf(path, at) : null;
      rows.push({ kind: "line", path, line: at, task, text: safe(line) });
      if (!line.startsWith("-")) at += 1;
    } else if (at !== null || /^(?:new|deleted|rename|Binary|similarity)/.test(line))
      rows.push({ kind: "note", path, text: safe(line) });
  }
  return { path, rows };
}
