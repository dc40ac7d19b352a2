/** Decides whether a shell line only reads, and only in folders that may be read, so that nobody needs to be asked. */
import { readLine } from "./command.ts";
import { isForeignRepository, type Place, physical, wordIsReadable } from "./places.ts";
import { HARMLESS_VARIABLE, programOf, type Simple, type Word, writesOf } from "./plain.ts";
import { gitPaths, pathOperands } from "./programs.ts";

/** They tell their version or their options and then run no file of the folder they are started in, and nothing from their input. */
const TELLS = new RegExp(
  `^(?:(?:${`node npm npx python python3 pip pip3 ruby java javac gcc g++ clang make cmake git docker bash rg jq curl wget tar php perl
  deno bun sqlite3 psql grep sed less tsc gh ls cat find sort head tail wc`
    .replaceAll("+", "\\+")
    .replace(
      /\s+/g,
      "|",
    )}) --(?:version|help)|(?:node|npm|ruby|perl|php|make) -v|(?:python3?|ssh|tmux) -V|javac? -version|openssl version)$`,
);
/** Variables that choose how the output is shown, with the values that start no other program. */
const SHOWN = /^(?:(?:GIT_|MAN)?PAGER=(?:cat)?|GIT_OPTIONAL_LOCKS=0)$/;

/** Whether a command itself only reads, run in `folder`. Its redirections are judged elsewhere. */
export function isReader(command: Pick<Simple, "words" | "assigns">, folder: string, place: Place): boolean {
  const [program, ...args] = command.words;
  if (!program?.exact || program.glob !== undefined) return false;
  // As a path, a value would be the file of a locale or of a time zone.
  const isMild = ({ name, value }: Simple["assigns"][number]): boolean =>
    value.exact &&
    !/^[/:]|\.\./.test(value.text) &&
    (HARMLESS_VARIABLE.test(name) ||
      SHOWN.test(`${name}=${value.text}`) ||
      (name === "IFS" && program.text === "read"));
  if (!command.assigns.every(isMild)) return false;
  const name = program.text.replace(/^\/(?:usr\/)?bin\//, "");
  const readable = (word: Word, at = folder): boolean => wordIsReadable(word, at, place);
  if (args.length === 1 && args[0]?.exact && TELLS.test(`${name} ${args[0].text}`)) return true;
  if (name === "command") return /^-[vV]$/.test(args[0]?.text ?? "");
  if (name === "find")
    return finds(args, readable, (words) => isReader({ words, assigns: [] }, folder, place));
  if (name === "git") {
    const git = gitPaths(args);
    if (!git || (git.folder && !readable(git.folder))) return false;
    const at = git.folder ? physical(git.folder.text, folder, place.disk) : folder;
    return !isForeignRepository(at, place) && git.paths.every((word) => readable(revisionPath(word), at));
  }
  const paths = name.includes(" ") ? null : pathOperands(name, args);
  return (
    (paths?.every((word) => readable(word)) ?? false) &&
    (name !== "diff" || comparesFiles(paths ?? [], folder, place))
  );
}

/** In folders `diff` reads all files of one name, and so through links. */
const comparesFiles = (paths: readonly Word[], folder: string, { disk }: Place): boolean =>
  paths.every(({ text }) => {
    const path = physical(text, folder, disk);
    return path.startsWith("/dev/") || (disk?.entries(path) ?? null) === null;
  });

/** `HEAD:src/a` names a path in a commit, which git takes from its own store. */
const revisionPath = (word: Word): Word =>
  /^[\w@{}^~./-]+:(?!\/)/.test(word.text) && !word.text.includes("..") ? { text: ".", exact: true } : word;

/**
 * A path that begins with that where a search began: nobody knows its name and everybody knows where it is. As a pattern: no program text,
 * and no value of an option.
 */
const FOUND: Word = { text: "{}", exact: true, glob: "{}" };

const FIND_TESTS =
  /^-(?:i?(?:name|path|regex)|x?type|size|[mac](?:time|min)|m(?:ax|in)depth|perm|user|newer|printf)$/;
const FIND_FLAGS =
  /^(?:-(?:depth|empty|print0?|prune|o|a|not|and|or|true|false|ls|quit|xdev|mount)|[()!,]|[-+]\d+\w?)$/;

/** Each word is a test, a number or something that may be read: then it does not matter which of them is a path. */
function finds(
  args: readonly Word[],
  readable: (word: Word) => boolean,
  reads: (words: readonly Word[]) => boolean,
): boolean {
  const texts = args.map(({ text }) => text);
  const at = texts.indexOf("-exec");
  if (at === -1) {
    const isHarmless = (word: Word): boolean =>
      FIND_TESTS.test(word.text) ||
      FIND_FLAGS.test(word.text) ||
      (!word.text.startsWith("-") && readable(word));
    return (
      args.every((word) => word.exact && word.glob === undefined && isHarmless(word)) &&
      !FIND_TESTS.test(texts.at(-1) ?? "")
    );
  }
  const end = texts.findIndex(
    (text, i) => i > at && (text === ";" || (text === "+" && texts[i - 1] === "{}")),
  );
  const inner = args.slice(at + 1, end).map((word) => (word.text === "{}" ? FOUND : word));
  return (
    [texts.slice(0, at), texts].every(listsFiles) &&
    end > at &&
    inner.every(({ text }) => text === "{}" || !text.includes("{}")) &&
    reads(inner) &&
    finds([...args.slice(0, at), ...args.slice(end + 1)], readable, reads)
  );
}

/** Whether `find` passes on files alone: of links and folders nobody knows where a program would read. */
const listsFiles = (texts: readonly string[]): boolean =>
  texts.some((text, i) => text === "-type" && texts[i + 1] === "f") &&
  // A name that begins with `@` is a list of options to some programs.
  !texts.some((text) => /^(?:-o|-or|-not|-L|-H|-follow|[!,(]|@.*)$/s.test(text));

/** Whether a whole line changes nothing, wherever it reads: such calls may run side by side. */
export function changesNothing(line: string): boolean {
  const { commands, plain } = readLine(line);
  const everywhere: Place = { workspace: "/", home: "/" };
  return (
    plain &&
    commands.every(
      (command) =>
        programOf(command) !== "cd" && writesOf(command).length === 0 && isReader(command, "/", everywhere),
    )
  );
}
