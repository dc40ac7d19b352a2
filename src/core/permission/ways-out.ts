/**
 * Finds what a line that runs in the sandbox wants outside of the workspace. The sandbox stops writing there by itself, but most files of the
 * person can be read in it; so a path that a line names is looked for wherever it may stand. Programs that open a file that no line names are not
 * seen through.
 */

import { isWithin } from "../paths/paths.ts";
import { type Command, type Line, withInner } from "../shell/command.ts";
import { type Folders, foldersOf } from "../shell/folders.ts";
import { pathsOf, physical } from "../shell/places.ts";
import { programOf, type Word, writesOf } from "../shell/plain.ts";
import { quoted } from "../text/valid.ts";
import { changed } from "./file-denials.ts";
import type { Decision, PermissionRequest } from "./mode.ts";
import { fitsPath, isAbout, type Rule } from "./rule.ts";

/** Folders of the system, which hold nothing of the person or are private in the sandbox. */
const SYSTEM =
  /^\/(?:(?:usr|bin|sbin|lib|lib32|lib64|opt\/homebrew|nix|proc(?!\/[^/]+\/(?:cwd|root|fd|map_files)\b)|sys|dev|System|Library|Applications)(?:\/|$)|etc\/(?:os-release|debian_version|issue|hosts|hostname|timezone|localtime|ssl\/certs)(?:\/|$))/;
/** Private in the sandbox where commands make files of their own. */
const TEMPORARY = /^\/(?:private\/)?(?:var\/)?tmp(?:\/|$)/;
/**
 * A path to something outside, anywhere in a text: absolute, from home, or by `..`. A slash in an address or a pattern is none, nor are
 * the operator `~` of awk and the three dots of Go and git. `curl -d @/x` and `sed r/x` read files.
 */
const NAMED =
  /(?:(?:\$\{?HOME\}?|(?<!\.)\.\.)(?=\/|$|[\s'"`;|&()<>,])|~(?:\w*|[+-])(?=\/)|(?:(?<![\w.:/@%})\]*?~\\-])|(?<=(?:^|[\s='"])@|(?:^|[^a-zA-Z_/])[rRwW]))\/(?=[\w.@~-]))[^\s'"`;|&()<>,:]*/g;

const FILE_URL = /file:(?:\/\/(?:localhost)?)?(\/[\w.@~-][^\s'"`;|&()<>,]*)/gi;

/** It leads where a process is. Nobody knows that of the command yet, and this process is somewhere else. */
const OF_A_PROCESS = /^\/proc\/[^/]+\/(?:cwd|root|fd\/(?![012]$)|map_files)/;

const PATHS_MAX = 2_000;

/** Null: it names no path outside of the workspace that no allow rule for files covers. `outside` null: more than are looked for. */
export function wayOut(
  line: Line,
  rules: readonly Rule[],
  call: PermissionRequest,
  at: (command: Command) => Folders,
): Pick<Decision, "reason" | "outside" | "written"> | null {
  const used = line.commands.flatMap(withInner).flatMap(wordsOf);
  const link = used.find(({ word, kind }) => kind !== "text" && OF_A_PROCESS.test(word.text));
  if (link)
    return { reason: `it uses ${quoted(link.word.text)}, which leads where a process is`, outside: null };
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
  const found = new Set<string>();
  let looks = 0;
  const add = (text: string, folders: readonly string[], isWord: boolean): void => {
    looks += folders.length;
    // The system opens no path that is longer.
    if (text.length > 4_096) return;
    if (looks > PATHS_MAX) return;
    if (/^\/dev\/(?:\w+|fd\/\d+)$/.test(text)) return;
    const paths = folders.map((folder) => physical(expanded(text, home), folder, disk));
    // After a `cd` in a compound line: the place where there is such a file is meant.
    if (paths.length > 1 && paths.some((path) => isInside(path) && exists(path))) return;
    // The same holds for a new file: the sandbox lets the line write it only inside.
    const isNewOutside = isWord && !paths.some(isInside);
    for (const path of paths) addPath(path, text, isWord, isNewOutside);
  };
  const addPath = (path: string, text: string, isWord: boolean, mayBeNew: boolean): void => {
    if (path === "/" && isWord && text.length > 1) return;
    if (SYSTEM.test(path) || isInside(path) || /^\/tmp\/?$/.test(path)) return;
    const parent = parentOf(path);
    const isNew = mayBeNew && parent !== "/" && !TEMPORARY.test(path) && exists(parent);
    if (!exists(path) && !isNew) return;
    if (rules.some((rule) => rule.effect === "allow" && covers(rule, path, call))) return;
    found.add(path);
  };
  const exists = (path: string): boolean =>
    path === "/" ||
    (exists(parentOf(path)) &&
      (disk.entries(parentOf(path))?.includes(path.slice(path.lastIndexOf("/") + 1)) ?? false));
  const isPlainText = !/[|`]|\$\(|<\(|\beval\b/.test(call.subject);
  const every = foldersOf(line.commands.flatMap(withInner), call).all;
  for (const command of line.commands.flatMap(withInner)) {
    const folders = at(command).all;
    const isEcho = /^(?:echo|printf)$/.test(programOf(command)) && !command.words[1]?.text.startsWith("-v");
    for (const { word, kind } of wordsOf(command)) {
      // Text that is printed, and not passed on.
      if (isEcho && isPlainText && word.glob === undefined && kind === "word") continue;
      if (kind !== "text" && word.glob === undefined) add(word.text, folders, true);
      if (kind !== "text" && word.glob !== undefined)
        for (const folder of folders)
          for (const path of pathsOf(roughly(word), folder, call) ?? [word.text])
            if (!lists(command, word) || !isInside(parentOf(physical(path, folder, undefined))))
              add(path, [folder], true);
      const [, value = ""] = /^(?:(?:-\w(?=[/.~$@])|[^=/]*=)[@<]?|@)(.+)$/s.exec(word.text) ?? [];
      for (const path of [value, ...value.split(":")]) if (path !== "") add(path, folders, false);
      for (const [path] of word.text.matchAll(NAMED)) add(path, folders, false);
      for (const [, path = ""] of word.text.matchAll(FILE_URL)) add(path, folders, false);
    }
    const [program, to] = command.words;
    if (program?.text === "cd" && (!to || to.text === "-")) add(home, [workspace], true);
  }
  // A value may be empty or another one: the folder before it is looked for.
  for (const { 0: path, index } of call.subject.matchAll(NAMED))
    if (/^\.\..*\/\$/.test(path) && call.subject[index - 1] !== "/")
      add(path.replace(/\/\$.*$/s, ""), every, false);
  // The words of a line that cannot be parsed are not known.
  if (!line.sound) for (const [path] of call.subject.matchAll(NAMED)) add(path, [workspace], false);
  return looks > PATHS_MAX ? null : [...found];
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
  rule.match !== undefined &&
  (isAbout(rule, "write") || isAbout(rule, "read")) &&
  fitsPath(rule, path, workspace, home);

/** Brackets find different names in different locales; any character stands for them here. */
const roughly = (word: Word): Word =>
  word.glob === undefined
    ? word
    : { ...word, glob: word.glob.replace(/(?<!\\)\[(?:\[:\w+:\]|[^\]])*\]/g, "?") };

/** A pattern that only names what it finds: a link that it finds is shown and not followed. */
const lists = (command: Command, { glob }: Word): boolean =>
  glob !== undefined &&
  (/^(?:echo|printf|du)$/.test(programOf(command)) ||
    (programOf(command) === "ls" && command.words.some(({ text }) => /^-[a-zA-Z1]*d/.test(text))));

type Kind = "word" | "file" | "text";

/** The arguments, values and redirections of a command, and texts in which paths may stand. Not the program: it runs confined. */
const wordsOf = (command: Command): readonly { readonly word: Word; readonly kind: Kind }[] => [
  ...command.words.slice(1).map((word) => ({ word, kind: "word" as const })),
  ...command.assigns.map(({ value }) => ({ word: value, kind: "word" as const })),
  ...command.redirects
    .filter(({ op }) => !(op.startsWith("<<") && /^(?:cat|tee)$/.test(programOf(command))))
    .map(({ op, to }) => ({ word: to, kind: op.startsWith("<<") ? ("text" as const) : ("file" as const) })),
];
