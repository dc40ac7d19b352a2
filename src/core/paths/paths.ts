/** Paths and path patterns as text; nothing here reads a disk. `/` separates, on every platform. */

/** Absolute, without `.`, `..` and doubled slashes. A path that climbs above the root stays at the root. */
export function resolvePath(folder: string, path: string): string {
  const kept: string[] = [];
  const whole = path.startsWith("/") ? path : `${folder}/${path}`;
  for (const part of whole.split("/")) {
    if (part === "..") kept.pop();
    else if (part !== "" && part !== ".") kept.push(part);
  }
  return `/${kept.join("/")}`;
}

/** Whether `path` is `folder` or below it; both absolute. */
export const isWithin = (folder: string, path: string): boolean =>
  path === folder || path.startsWith(folder.endsWith("/") ? folder : `${folder}/`);

/** `path` relative to `folder` when it is below it, else unchanged. */
export const relativeTo = (folder: string, path: string): string =>
  path === folder ? "." : isWithin(folder, path) ? path.slice(folder === "/" ? 1 : folder.length + 1) : path;

/** "~/project" for a path in the home of a person. */
export const fromHome = (path: string, home: string): string =>
  path === home || path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;

/** A pattern over any text: `*` is anything. A trailing ` *` also matches nothing, so `git diff *` covers `git diff`. */
export function textPattern(pattern: string): { test(text: string): boolean } {
  const [, stem = pattern, tail = ""] = /^(.*?)( \*|:\*)?$/s.exec(pattern) ?? [];
  return { test: (text) => fits(stem, text) || (tail !== "" && fits(`${stem} *`, text)) };
}

/** Whether a text fits a pattern in which `*` is anything. A regular expression with many `*` could keep the process busy for hours. */
export function fits(pattern: string, text: string): boolean {
  const [first = "", ...rest] = pattern.split("*");
  const last = rest.pop();
  if (last === undefined) return pattern === text;
  const end = text.length - last.length;
  if (!text.startsWith(first) || end < first.length || !text.endsWith(last)) return false;
  let at = first.length;
  for (const piece of rest) {
    const found = text.indexOf(piece, at);
    if (found < 0 || found + piece.length > end) return false;
    at = found + piece.length;
  }
  return true;
}
