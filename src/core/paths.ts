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

/**
 * A pattern over paths: `*` and `?` stay within a name, `**` spans folders, `[a-z]` and `{a,b}` as in a shell. `src/**` also
 * matches everything deep below, and `**` followed by a slash also matches no folder at all.
 */
export function pathPattern(pattern: string): RegExp {
  return new RegExp(`^${translate(pattern.replace(/(?:\*\*\/)+/g, "**/"))}$`, "su");
}

/** A pattern over any text: `*` is anything. A trailing ` *` also matches nothing, so `git diff *` covers `git diff`. */
export function textPattern(pattern: string): { test(text: string): boolean } {
  const [, stem = pattern, tail = ""] = /^(.*?)( \*|:\*)?$/s.exec(pattern) ?? [];
  return { test: (text) => fits(stem, text) || (tail !== "" && fits(`${stem} *`, text)) };
}

/** Not a regular expression: a pattern with many `*` would keep one busy for minutes. */
function fits(pattern: string, text: string): boolean {
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

const quoted = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");

function translate(pattern: string): string {
  let out = "";
  let braces = 0;
  for (let at = 0; at < pattern.length; at += 1) {
    const rest = pattern.slice(at);
    const char = rest.charAt(0);
    const bracket = /^\[([!^]?)(\]?[^\]]*)\]/.exec(rest);
    if (rest.startsWith("**/")) {
      out += "(?:[^/]+/)*";
      at += 2;
    } else if (rest.startsWith("**")) {
      out += ".*";
      at += 1;
    } else if (char === "*") out += "[^/]*";
    else if (char === "?") out += "[^/]";
    else if (bracket) {
      out += `[${bracket[1] ? "^/" : ""}${(bracket[2] ?? "").replace(/[\\[\]^]/g, "\\$&")}]`;
      at += bracket[0].length - 1;
    } else if (char === "{" && closes(rest)) {
      out += "(?:";
      braces += 1;
    } else if (char === "}" && braces > 0) {
      out += ")";
      braces -= 1;
    } else if (char === "," && braces > 0) out += "|";
    else if (char === "\\" && rest.length > 1) {
      at += 1;
      out += quoted(rest.charAt(1));
    } else out += /[\ud800-\udfff]/.test(char) ? char : quoted(char);
  }
  return out;
}

/** Whether the brace that `text` begins with is closed. */
function closes(text: string): boolean {
  let depth = 0;
  for (const char of text) {
    if (char === "{") depth += 1;
    if (char === "}") depth -= 1;
    if (depth === 0) return true;
  }
  return false;
}
