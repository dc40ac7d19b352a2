/**
 * Finds what a line that runs in the sandbox wants outside of the workspace, so that the person is asked before it fails. The sandbox
 * holds it in any case: what is outside cannot be written, and is not there to be read but for the system and toolchains.
 */

import { isWithin } from "../paths/paths.ts";
import { type Command, type Line, withInner } from "../shell/command.ts";
import type { Folders } from "../shell/folders.ts";
import { physical } from "../shell/places.ts";
import { type Word, writesOf } from "../shell/plain.ts";
import { quoted } from "../text/valid.ts";
import { changed } from "./file-denials.ts";
import type { Decision, PermissionRequest } from "./mode.ts";
import { fitsPath, isAbout, type Rule } from "./rule.ts";

/** Folders of the system, which hold nothing of the person or are private in the sandbox. */
const SYSTEM =
  /^\/(?:(?:usr|bin|sbin|lib|lib32|lib64|opt\/homebrew|nix|proc|sys|dev|System|Library|Applications)(?:\/|$)|etc\/(?:os-release|debian_version|issue|hosts|hostname|timezone|localtime|ssl\/certs)(?:\/|$))/;
/** Private in the sandbox where commands make files of their own. */
const TEMPORARY = /^\/(?:private\/)?(?:var\/)?tmp(?:\/|$)/;
const PATHS_MAX = 2_000;

/** Null: it names no path outside of the workspace that no allow rule for files covers. `outside` null: more than are looked for. */
export function wayOut(
  line: Line,
  rules: readonly Rule[],
  call: PermissionRequest,
  at: (command: Command) => Folders,
): Pick<Decision, "reason" | "outside" | "written"> | null {
  const outside = pathsOutside(line, rules, call, at);
  if (!outside) return { reason: "it names more paths than are looked for", outside };
  const [path] = outside;
  return path === undefined
    ? null
    : {
        ...{ reason: `it uses ${quoted(path)}, which is outside of the workspace`, outside },
        written: outside.filter((one) => isWritten(one, line, call, at)),
      };
}

/** Whether the line names the path, or one below it, where it writes; so it does where there is none yet. */
function isWritten(
  path: string,
  line: Line,
  { disk, home = "/" }: PermissionRequest,
  at: (command: Command) => Folders,
): boolean {
  if (disk?.entries(parentOf(path))?.includes(path.slice(path.lastIndexOf("/") + 1)) === false) return true;
  return line.commands
    .flatMap(withInner)
    .some((command) =>
      [...changed(command), ...writesOf(command)].some((word) =>
        at(command).all.some((folder) => isWithin(path, physical(expanded(word.text, home), folder, disk))),
      ),
    );
}

function pathsOutside(
  line: Line,
  rules: readonly Rule[],
  call: PermissionRequest,
  at: (command: Command) => Folders,
): readonly string[] | null {
  const { workspace, readable = [], disk, home = "/" } = call;
  if (!disk) return [];
  const roots = [workspace, ...readable].map((root) => disk.real(root));
  const isInside = (path: string): boolean => roots.some((root) => isWithin(root, path));
  const exists = (path: string): boolean =>
    path === "/" ||
    (exists(parentOf(path)) &&
      (disk.entries(parentOf(path))?.includes(path.slice(path.lastIndexOf("/") + 1)) ?? false));
  const isMeant = (path: string, mayBeNew: boolean): boolean => {
    if (path === "/" || SYSTEM.test(path) || isInside(path) || /^\/tmp\/?$/.test(path)) return false;
    const parent = parentOf(path);
    const isNew = mayBeNew && parent !== "/" && !TEMPORARY.test(path) && exists(parent);
    return exists(path) || isNew;
  };
  const found = new Set<string>();
  let looks = 0;
  for (const command of line.commands.flatMap(withInner)) {
    const folders = at(command).all;
    for (const { text, isWord } of textsOf(command)) {
      looks += folders.length;
      if (looks > PATHS_MAX) return null;
      // The system opens no path that is longer.
      if (text.length > 4_096) continue;
      const paths = folders.map((folder) => physical(expanded(text, home), folder, disk));
      // After a `cd` in a compound line: the place where there is such a file is meant. The same holds for a new file.
      if (paths.length > 1 && paths.some((path) => isInside(path) && exists(path))) continue;
      const mayBeNew = isWord && !paths.some(isInside);
      for (const path of paths)
        if (isMeant(path, mayBeNew) && !rules.some((rule) => covers(rule, path, call))) found.add(path);
    }
    const [program, to] = command.words;
    if (program?.text === "cd" && (!to || to.text === "-") && isMeant(home, false)) found.add(home);
  }
  return [...found];
}

/** What may be a path in the arguments, values and redirections of a command: a word, and what follows `=`, `@` and a short option in it. */
function* textsOf(command: Command): Generator<{ text: string; isWord: boolean }> {
  const words: readonly Word[] = [
    ...command.words.slice(1),
    ...command.assigns.map(({ value }) => value),
    ...command.redirects.flatMap(({ op, to }) => (op.startsWith("<<") ? [] : to)),
  ];
  for (const word of words) {
    // Of a pattern the folder in which it begins: links that it finds lead to nothing.
    const text = word.glob === undefined ? word.text : word.text.replace(/[^/]*[*?[{(].*$/s, "");
    if (text !== "") yield { text, isWord: word.glob === undefined };
    const [, value = ""] =
      /^(?:(?:-\w(?=[/.~$@])|[^=/]*=)[@<]?|@|file:(?:\/\/(?:localhost)?)?(?=\/))(.+)$/is.exec(word.text) ??
      [];
    for (const text of value.split(":")) if (text !== "") yield { text, isWord: false };
  }
}

const parentOf = (path: string): string => path.slice(0, Math.max(1, path.lastIndexOf("/")));

const expanded = (text: string, home: string): string =>
  text
    .replace(/^(?:~|\$HOME|\$\{HOME\})(?=\/|$)/, home)
    .replace(/^~root(?=\/|$)/, "/root")
    .replace(/^~[+-](?=\/|$)/, ".")
    .replace(/^~(?=\w)/, "/home/");

/** A rule that was written for the path, and not one for all of the tool. */
const covers = (rule: Rule, path: string, { workspace, home }: PermissionRequest): boolean =>
  rule.effect === "allow" &&
  rule.match !== undefined &&
  (isAbout(rule, "write") || isAbout(rule, "read")) &&
  fitsPath(rule, path, workspace, home);
