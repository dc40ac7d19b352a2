/** Whether a shell line only reads, and only in folders that may be read, so that nobody needs to be asked. */
import { type PathPattern, pathPattern } from "../path-pattern.ts";
import { Folders } from "./folders.ts";
import { gitPaths } from "./git.ts";
import { isForeignRepository, type Place, physical, wordIsReadable } from "./places.ts";
import { readPlain, type Simple, type Word } from "./plain.ts";
import { LISTED, pathOperands } from "./programs.ts";
import { asksProjectTool } from "./project-tools.ts";

/** Variables that change how a program prints, not what it does. */
export const HARMLESS_VARIABLE = /^(?:LANG|LC_\w+|TZ|NO_COLOR|FORCE_COLOR|COLUMNS|LINES|CI|TERM|NODE_ENV)$/;
/** Names that no exported variable has, and that no shell gives a meaning: a line may set them. */
export const OWN_VARIABLE = /^[a-z][a-z\d]*$/;
/** Questions for a version, of programs that then run no file of the folder they are started in, and nothing from their input. */
const VERSIONED =
  /^(?:(?:node|npm|npx|python3?|pip3?|ruby|java|javac|gcc|g\+\+|clang|make|cmake|git|docker|bash|rg|jq|curl|wget|tar|php|perl|deno|bun|sqlite3|psql|grep|sed|less|tsc|gh) --version|(?:node|npm|ruby|perl|php|make) -v|(?:python3?|ssh|tmux) -V|(?:java|javac) -version|openssl version)$/;
/** Whether a command itself only reads, run in `folder`. Its redirections are judged elsewhere. */
export function isReader(
  command: Pick<Simple, "words" | "assigns" | "piped">,
  folder: string,
  place: Place,
): boolean {
  const [program, ...args] = command.words;
  if (!program?.exact || program.glob !== undefined) return false;
  const isMild = (name: string): boolean =>
    HARMLESS_VARIABLE.test(name) || (name === "IFS" && program.text === "read");
  // As a path, a value would be the file of a locale or of a time zone.
  if (
    !command.assigns.every(({ name, value }) => isMild(name) && value.exact && !/^[/:]|\.\./.test(value.text))
  )
    return false;
  return runsReader(program.text.replace(/^\/(?:usr\/)?bin\//, ""), args, command.piped, folder, place);
}

function runsReader(
  name: string,
  args: readonly Word[],
  piped: readonly Simple[],
  folder: string,
  place: Place,
): boolean {
  const texts = args.map(({ text }) => text);
  const readable = (word: Word): boolean => wordIsReadable(word, folder, place);
  switch (name) {
    case "echo":
      return args.every((word) => word.glob === undefined || readable(word));
    case "printf":
      // `%n` assigns to a variable, whose subscript would be evaluated.
      return (
        args.every((word) => word.exact && (word.glob === undefined || readable(word))) &&
        args[0]?.glob === undefined &&
        /^(?!-)/.test(texts[0] ?? "-") &&
        !/%[^a-zA-Z%]*[hlLqjzt]*n/.test(texts[0] ?? "")
      );
    case "[[":
      return args.every(({ exact }) => exact) && !texts.some((text) => /[[$`]/.test(text));
    case "test":
    case "[":
      // A pattern could become `-v`.
      return (
        args.every(({ exact, glob }) => exact && glob === undefined) &&
        !texts.some((text) => /^-[vR]$/.test(text)) &&
        (name === "test" || texts.at(-1) === "]")
      );
    case "set":
      return (
        args.length > 0 &&
        texts.every((text) => /^(?:[-+][eux]+o?|[-+]o|pipefail|errexit|nounset|xtrace)$/.test(text))
      );
    case "read":
      return args.every(({ text, exact }) => exact && (text === "-r" || OWN_VARIABLE.test(text)));
    case "exit":
      return /^(?:|[0-9]{1,3})$/.test(texts.join(" "));
    case "command":
      return /^-[vV]$/.test(texts[0] ?? "");
    case "timeout":
    case "nice":
    case "time": {
      const rest =
        name === "timeout" ? (/^\d+(?:\.\d+)?[smh]?$/.test(texts[0] ?? "") ? args.slice(1) : []) : args;
      return (
        rest[0]?.exact === true &&
        rest[0].glob === undefined &&
        runsReader(rest[0].text, rest.slice(1), piped, folder, place)
      );
    }
    case "xargs":
      return readsListed(args, piped, folder, place);
    case "env":
    case "printenv":
      // A command in the sandbox has no variable with a secret, but for those that the settings name; their values are redacted.
      if (args.length === 0) return place.confined === true;
      return name === "printenv" && pathOperands(name, args) !== null;
    case "man":
      return (
        place.confined === true &&
        args.every(({ text, exact, glob }) => exact && glob === undefined && /^\w[\w.+-]*$/.test(text))
      );
    case "find":
      return finds(args, folder, place);
    case "git": {
      const git = gitPaths(args);
      if (!git) return false;
      const at = git.folder ? physical(git.folder.text, folder, place.disk) : folder;
      if (git.folder && !readable(git.folder)) return false;
      return (
        !isForeignRepository(at, place) &&
        git.paths.every((word) => wordIsReadable(revisionPath(word), at, place))
      );
    }
    default: {
      if (args.length === 1 && VERSIONED.test(`${name} ${texts[0]}`)) return true;
      if (place.confined && asksProjectTool(name, args))
        return args.every((word) => word.text.startsWith("-") || readable(word));
      const paths = pathOperands(name, args);
      if (!paths?.every(readable)) return false;
      return name !== "diff" || comparesFiles(paths, folder, place);
    }
  }
}

/** In folders `diff` reads all files of one name, and so through links. */
const comparesFiles = (paths: readonly Word[], folder: string, { disk }: Place): boolean =>
  paths.every(({ text }) => {
    const path = physical(text, folder, disk);
    return path.startsWith("/dev/") || (disk?.entries(path) ?? null) === null || disk?.isTame(path) === true;
  });

/** `HEAD:src/a` names a path in a commit, which git takes from its own store. */
const revisionPath = (word: Word): Word =>
  /^[\w@{}^~./-]+:(?!\/)/.test(word.text) && !word.text.includes("..") ? { text: ".", exact: true } : word;

const FIND_TESTS =
  /^-(?:i?name|i?path|i?wholename|i?regex|type|xtype|size|[mac]time|[mac]min|maxdepth|mindepth|perm|user|group|links|inum|regextype|printf)$/;
const FIND_FLAGS =
  /^(?:-(?:depth|empty|print|print0|prune|o|a|not|and|or|true|false|ls|quit|readable|writable|executable|xdev|mount|daystart|noleaf|P|O\d|nouser|nogroup)|[()!,])$/;

function finds(args: readonly Word[], folder: string, place: Place): boolean {
  if (!args.every(({ exact }) => exact)) return false;
  let at = 0;
  for (; at < args.length && !/^(?:-|[(!])/.test(args[at]?.text ?? ""); at += 1) {
    const word = args[at];
    if (!word || !wordIsReadable(word, folder, place)) return false;
  }
  const roots = args.slice(0, at);
  for (; at < args.length; at += 1) {
    const { text, glob } = args[at] ?? { text: "", glob: undefined };
    if (glob !== undefined) return false;
    if (FIND_FLAGS.test(text)) continue;
    if (FIND_TESTS.test(text)) {
      at += 1;
      if (args[at] === undefined) return false;
      if (args[at]?.glob !== undefined) return false;
    } else if (/^-(?:newer|samefile|newer[acm][acm])$/.test(text)) {
      at += 1;
      const word = args[at];
      if (!word || !wordIsReadable(word, folder, place)) return false;
    } else if (text === "-exec") {
      const end = args.findIndex(
        ({ text: one }, i) => i > at && (one === ";" || (one === "+" && args[i - 1]?.text === "{}")),
      );
      const [program, ...rest] = args.slice(at + 1, end);
      // Without `-type f` a link would be followed to wherever it leads.
      const isSafe =
        findsFiles(args.slice(0, at), args) || isTame(roots, folder, place, nameIn(args.slice(0, at), args));
      if (
        end === -1 ||
        !program ||
        !isSafe ||
        rest.some(({ text: one }) => one.includes("{}") && one !== "{}")
      )
        return false;
      const given = rest.map((word) => (word.text === "{}" ? LISTED : word));
      if (/^(?:xargs|find|git)$/.test(program.text) || !runsReader(program.text, given, [], folder, place))
        return false;
      at = end;
    } else return false;
  }
  return true;
}

const hasAlternatives = (words: readonly Word[]): boolean =>
  words.some(({ text }) => /^(?:-o|-or|!|-not|,)$/.test(text));

/** Whether a `find` goes on with plain files only after the arguments in `before`. */
const findsFiles = (before: readonly Word[], all: readonly Word[]): boolean =>
  before.some(({ text }, i) => text === "-type" && before[i + 1]?.text === "f") && !hasAlternatives(all);

/** The names of all files that a `find` goes on with after `before`; undefined where others may be among them. */
function nameIn(before: readonly Word[], all: readonly Word[]): PathPattern | undefined {
  const at = before.findIndex(({ text }) => text === "-name");
  const pattern = before[at + 1]?.text ?? "";
  // Simple enough to fit the same names in every locale, and to be tried on many.
  const isSimple = /^[\w.*][\w.*-]*$/.test(pattern) && pattern.split("*").length <= 3;
  return at !== -1 && isSimple && !hasAlternatives(all) ? pathPattern(pattern) : undefined;
}

const isTame = (roots: readonly Word[], folder: string, { disk }: Place, name?: PathPattern): boolean =>
  (roots.length > 0 ? roots : [{ text: ".", exact: true }]).every(
    ({ text, glob }) => glob === undefined && disk?.isTame(physical(text, folder, disk), name) === true,
  );

/** Passes lines on as they are: `sort -u`, `head -5`, `grep -v x`. */
function keepsNames({ words, assigns }: Simple): boolean {
  const [name = "", ...args] = words.map(({ text }) => text);
  const operands = args.filter((text) => !/^-(?:\d+|[nuvriwEF]+)$/.test(text) && !/^\d+$/.test(text));
  return (
    assigns.length === 0 &&
    words.every(({ exact, glob }) => exact && glob === undefined) &&
    (/^(?:sort|uniq|head|tail)$/.test(name)
      ? operands.length === 0
      : /^[ef]?grep$/.test(name) && operands.length === 1 && !operands[0]?.startsWith("-"))
  );
}

/** Where a listing begins. None stands for the folder it runs in. */
function rootsOf({ words }: Simple): readonly Word[] {
  const [program, ...args] = words;
  const end = args.findIndex(({ text }) => /^[-(!]/.test(text));
  const roots =
    program?.text === "find"
      ? args.slice(0, end === -1 ? args.length : end)
      : ((program?.text === "git" ? gitPaths(args)?.paths : pathOperands(program?.text ?? "", args)) ?? []);
  // A name that `xargs` would split could be another one.
  return roots.every(({ text }) => /^[\w./-]+$/.test(text)) ? roots : [];
}

/** Options with which `rg` and `grep` print names of files and nothing else. */
const LISTING =
  /^-(?:[rnivwxEFIsul0Z]+|[egt])$|^--(?:files(?:-with-matches)?|null|hidden|no-ignore|ignore-case|word-regexp|fixed-strings|(?:in|ex)clude(?:-dir)?=.*|i?glob(?:=.*)?|type(?:=.*)?|sort(?:=.*)?)$/;

/** `… | xargs grep x`: the names come whole from a search of the workspace, and none leads out of it. */
function readsListed(args: readonly Word[], piped: readonly Simple[], folder: string, place: Place): boolean {
  const at = args.findIndex(({ text }) => !/^-(?:0|r|0r|r0|n\d+|P\d+|t)$/.test(text));
  const [program, ...rest] = args.slice(at === -1 ? args.length : at);
  const source = piped.find((one) => !keepsNames(one));
  const texts = source?.words.map(({ text }) => text) ?? [];
  if (!source || !program || /^(?:xargs|find|git)$/.test(program.text)) return false;
  const options = texts.slice(1).filter((text) => text.startsWith("-"));
  const isListing =
    texts[0] === "find"
      ? !options.some((text) => /^-(?:printf|ls|exec)$/.test(text))
      : texts[0] === "git"
        ? texts[1] === "ls-files" &&
          options.every((text) => /^-[zmo]$|^--(?:others|modified|exclude-standard)$/.test(text))
        : /^(?:rg|grep)$/.test(texts[0] ?? "") &&
          options.every((text) => LISTING.test(text)) &&
          options.some((text) => /^-[a-zA-Z]*l|^--files/.test(text));
  if (!isListing || !isReader(source, folder, place)) return false;
  const print = source.words.findIndex(({ text }) => text.startsWith("-print"));
  // `rg` prints a name as it is, and one may be an option.
  const isFiles = texts[0] === "find" && findsFiles(source.words.slice(0, print), source.words);
  const isWhole =
    args.slice(0, at).some(({ text }) => text.includes("0")) &&
    texts.some((text) => /^-(?:print0|0|z|-null)$/.test(text));
  // Without zero bytes between the names, and with links, what is read depends on the names in the workspace.
  const before = print === -1 ? source.words : source.words.slice(0, print);
  const name = texts[0] === "find" ? nameIn(before, source.words) : undefined;
  if (!(isFiles && isWhole && source === piped[0]) && !isTame(rootsOf(source), folder, place, name))
    return false;
  return runsReader(program.text, [...rest, LISTED], [], folder, place);
}

/** The files that redirections write. */
export const writesOf = ({ redirects }: Pick<Simple, "redirects">): Word[] =>
  redirects.flatMap(({ op, to }) =>
    op.includes(">") && !(to.exact && /^\/dev\/(?:null|stdout|stderr)$/.test(to.text)) ? [to] : [],
  );

/** The files that redirections read. */
export const inputsOf = ({ redirects }: Pick<Simple, "redirects">): Word[] =>
  redirects.flatMap(({ op, to }) => (op === "<" || op === "<>" ? [to] : []));

/** Whether a line in the small grammar only reads in folders that may be read. */
export function onlyReads(commands: readonly Simple[], place: Place): boolean {
  const folders = new Folders(place);
  return commands.every((command) => {
    const holds = folders.all(
      (folder) =>
        (command.words.length === 0 ? command.assigns.length === 0 : isReader(command, folder, place)) &&
        inputsOf(command).every((word) => wordIsReadable(word, folder, place)),
    );
    folders.after(command);
    return holds && writesOf(command).length === 0;
  });
}

/** Whether a whole line changes nothing, wherever it reads: such calls may run side by side. */
export function changesNothing(line: string): boolean {
  const commands = readPlain(line);
  const everywhere: Place = { workspace: "/", home: "/" };
  return (
    commands !== null &&
    !commands.some(({ words }) => words[0]?.text === "cd") &&
    onlyReads(commands, everywhere)
  );
}
