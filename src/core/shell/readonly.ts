/** Decides whether a shell line only reads, and only in folders that may be read, so that nobody needs to be asked. */
import { readLine } from "./command.ts";
import { FOUND, listsFiles } from "./listed.ts";
import { isForeignRepository, type Place, physical, wordIsReadable } from "./places.ts";
import { HARMLESS_VARIABLE, programOf, type Simple, type Word, writesOf } from "./plain.ts";
import { gitPaths, pathOperands } from "./programs.ts";

/** Programs that tell their version and then run no file of the folder they are started in, and nothing from their input. */
const VERSIONED =
  `node npm npx python python3 pip pip3 ruby java javac gcc g++ clang make cmake git docker bash rg jq curl
  wget tar php perl deno bun sqlite3 psql grep sed less tsc gh`.split(/\s+/);
const OTHER_VERSIONS =
  /^(?:(?:node|npm|ruby|perl|php|make) -v|(?:python3?|ssh|tmux) -V|javac? -version|openssl version)$/;
/** Programs of which each argument must have this form. */
const FORMS: ReadonlyMap<string, RegExp> = new Map([
  ["[[", /^[^[$`]*$/],
  // With these it evaluates a subscript.
  ["test", /^(?!-[vR]$)/],
  ["[", /^(?!-[vR]$)/],
  ["set", /^(?:[-+][eux]+o?|[-+]o|pipefail|errexit|nounset|xtrace)$/],
  ["read", /^(?:-r|[a-z][a-z\d]*)$/],
  // `%n` assigns to a variable, whose subscript would be evaluated.
  ["printf", /^(?!-)(?!.*%[^a-zA-Z%]*[hlLqjzt]*n)/s],
]);

/** Whether a command itself only reads, run in `folder`. Its redirections are judged elsewhere. */
export function isReader(command: Pick<Simple, "words" | "assigns">, folder: string, place: Place): boolean {
  const [program, ...args] = command.words;
  if (!program?.exact || program.glob !== undefined) return false;
  const isMild = (name: string): boolean =>
    HARMLESS_VARIABLE.test(name) || (name === "IFS" && program.text === "read");
  // As a path, a value would be the file of a locale or of a time zone.
  if (
    !command.assigns.every(({ name, value }) => isMild(name) && value.exact && !/^[/:]|\.\./.test(value.text))
  )
    return false;
  return runsReader(program.text.replace(/^\/(?:usr\/)?bin\//, ""), args, folder, place);
}

function runsReader(name: string, args: readonly Word[], folder: string, place: Place): boolean {
  const [first = "", ...others] = args.map(({ text }) => text);
  const readable = (word: Word): boolean => wordIsReadable(word, folder, place);
  const form = FORMS.get(name);
  if (form) {
    const isExact = args.every(({ exact, glob, text }) => exact && glob === undefined && form.test(text));
    return isExact && args.length > 0 && (name !== "[" || others.at(-1) === "]");
  }
  if (name === "echo") return args.every((word) => word.glob === undefined || readable(word));
  if (name === "command") return /^-[vV]$/.test(first);
  if (name === "find")
    return finds(args, readable, (words) => isReader({ words, assigns: [] }, folder, place));
  if (name === "git") {
    const git = gitPaths(args);
    if (!git || (git.folder && !readable(git.folder))) return false;
    const at = git.folder ? physical(git.folder.text, folder, place.disk) : folder;
    return (
      !isForeignRepository(at, place) &&
      git.paths.every((word) => wordIsReadable(revisionPath(word), at, place))
    );
  }
  const isVersion =
    first === "--version" ? VERSIONED.includes(name) : OTHER_VERSIONS.test(`${name} ${first}`);
  if (isVersion && others.length === 0) return true;
  const paths = pathOperands(name, args);
  return (paths?.every(readable) ?? false) && (name !== "diff" || comparesFiles(paths ?? [], folder, place));
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

const FIND_TESTS =
  /^-(?:i?(?:name|path|regex)|x?type|size|[mac](?:time|min)|m(?:ax|in)depth|perm|user|newer|printf)$/;
const FIND_FLAGS = /^(?:-(?:depth|empty|print0?|prune|o|a|not|and|or|true|false|ls|quit|xdev|mount)|[()!,])$/;

/** Each word is a test, a number or something that may be read: then it does not matter which of them is a path. */
function finds(
  args: readonly Word[],
  readable: (word: Word) => boolean,
  reads: (words: readonly Word[]) => boolean,
): boolean {
  const texts = args.map(({ text }) => text);
  const at = texts.indexOf("-exec");
  const end = texts.findIndex(
    (text, i) => i > at && (text === ";" || (text === "+" && texts[i - 1] === "{}")),
  );
  if (at !== -1) {
    const inner = args.slice(at + 1, end).map((word) => (word.text === "{}" ? FOUND : word));
    const around = [{ text: "find", exact: true }, ...args];
    return (
      listsFiles({ words: around.slice(0, at + 1) }) &&
      listsFiles({ words: around }) &&
      end > at &&
      inner.every(({ text }) => text === "{}" || !text.includes("{}")) &&
      reads(inner) &&
      finds([...args.slice(0, at), ...args.slice(end + 1)], readable, reads)
    );
  }
  return (
    args.every(
      (word) =>
        word.exact &&
        word.glob === undefined &&
        (FIND_TESTS.test(word.text) ||
          FIND_FLAGS.test(word.text) ||
          /^[-+]\d+\w?$/.test(word.text) ||
          (!word.text.startsWith("-") && readable(word))),
    ) && !FIND_TESTS.test(args.at(-1)?.text ?? "")
  );
}

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
