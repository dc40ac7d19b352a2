/** Shell commands that change nothing, and so need no question. A command or an option that is not listed asks. */
import { isWithin, resolvePath } from "../paths.ts";
import type { Word } from "./syntax.ts";
import { type Command, programOf, readShellLine, withInner } from "./wrappers.ts";

/** Gets the arguments; true when they keep it from changing anything. */
type Check = (args: readonly string[]) => boolean;
type Reader = {
  readonly harmless: Check;
  /** Which arguments are no paths: all of them, or the first operand (a pattern, a program). */
  readonly textArgs?: "all" | "first";
};

const always: Check = () => true;
const without =
  (...options: readonly RegExp[]): Check =>
  (args) =>
    !args.some((arg) => options.some((option) => option.test(arg)));

const READERS = new Map<string, Reader>();
const reads = (names: string, harmless: Check = always, textArgs?: "all" | "first"): void => {
  for (const name of names.split(" ")) READERS.set(name, { harmless, ...(textArgs && { textArgs }) });
};

reads(
  "ls cat head tail wc stat du df basename dirname realpath readlink cut nl tac rev column comm cmp paste fold expand cd",
);
reads("md5sum sha1sum sha256sum sha512sum b2sum cksum od hexdump strings diff test [ [[");
reads(
  "pwd true false : whoami id uname seq sleep wait exit type which nproc arch uptime printenv groups tty",
  always,
  "all",
);
reads("echo", always, "all");
reads("printf", without(/^-v/), "all");
reads("command", (args) => /^-[vV]$/.test(args[0] ?? ""), "all");
reads(
  "set",
  (args) => args.every((arg) => /^(?:[-+][eux]+o?|[-+]o|pipefail|errexit|nounset|xtrace)$/.test(arg)),
  "all",
);
reads("hostname env", (args) => args.length === 0);
reads("date", without(/^-(?!I)\w*s|^--set|^\d/), "all");
reads("file", without(/^-\w*[Cm]|^--(?:compile|magic)/));
reads("tree", without(/^-\w*o|^--output/));
reads("sort", without(/^-\w*[oTS]|^--(?:output|compress-program|temporary-directory)/));
reads("uniq xxd", (args) => args.filter((arg) => !arg.startsWith("-")).length <= 1);
reads("tr", always, "all");
reads("jq", without(/^--(?:from-file|rawfile|slurpfile|argfile)|^-\w*[fL]/), "first");
reads("grep egrep fgrep", without(/^-\w*f|^--file/), "first");
reads("rg", without(/^--(?:pre|hostname-bin|file|ignore-file)|^-\w*[fz]|^--search-zip/), "first");
reads(
  "sed",
  (args) => args[0] === "-n" && /^\d+(?:,(?:\d+|\$))?p$/.test(args[1] ?? "") && without(/^-/)(args.slice(2)),
  "first",
);
reads("find", without(/^-(?:delete|fprint|fprint0|fprintf|fls|files0-from)$/));
reads("git", git);

const GIT_READS =
  /^(?:status|log|show|diff|blame|shortlog|describe|rev-parse|rev-list|ls-files|ls-tree|cat-file|merge-base|grep|count-objects|name-rev)$/;
const GIT_LISTS: Readonly<Record<string, RegExp>> = {
  branch: /^(?:-[avr]+|--(?:list|all|remotes|show-current|contains|merged|no-merged)|-vv)$/,
  tag: /^(?:-l|--list)$/,
  remote: /^(?:-v|--verbose)$/,
  stash: /^list$/,
  worktree: /^list$/,
  config: /^(?:--get|--list|-l)$/,
};

/** Options of git itself may name programs to run (`-c core.pager=…`), so none but these. */
function git(args: readonly string[]): boolean {
  const [verb = "", ...rest] = args[0] === "--no-pager" || args[0] === "-P" ? args.slice(1) : args;
  if (GIT_READS.test(verb))
    return without(/^--(?:output|ext-diff|textconv|open-files-in-pager|filters|contents|no-index)|^-O/)(rest);
  const list = GIT_LISTS[verb];
  if (!list) return false;
  return rest.length === 0
    ? verb === "branch" || verb === "tag" || verb === "remote"
    : list.test(rest[0] ?? "") &&
        (verb !== "branch" || rest.every((arg) => list.test(arg) || /^(?:HEAD|main|master)$/.test(arg)));
}

const VERSIONS =
  /^(?:node|npm|npx|yarn|pnpm|bun|deno|python3?|pip3?|ruby|go|cargo|rustc|java|gcc|g\+\+|clang|make|cmake|git|docker|tsc|bash|rg)$/;
/** Variables that change how a program prints, not what it does. */
const HARMLESS_VARIABLE = /^(?:LANG|LC_\w+|TZ|NO_COLOR|FORCE_COLOR|COLUMNS|CI|TERM|NODE_ENV)$/;

/** Whether a command itself changes nothing and reads only `inside`; what it runs in turn is judged for itself. */
export function isReader(command: Command, inside: (path: string) => boolean): boolean {
  const [, ...words] = command.words;
  const name = command.words[0]?.text.replace(/^\/(?:usr\/)?bin\//, "") ?? "";
  const args = words.map(({ text }) => text);
  if (!command.known || command.assigns.some((assign) => !HARMLESS_VARIABLE.test(assign.name))) return false;
  if (VERSIONS.test(name) && args.length === 1 && /^(?:--version|-v|-V|version)$/.test(args[0] ?? ""))
    return true;
  const reader = READERS.get(name);
  if (!reader?.harmless(args)) return false;
  // An expansion may become an option, or a path anywhere.
  if (words.some((word) => !word.exact) && reader.textArgs !== "all") return false;
  return pathsIn(words, reader).every(inside);
}

function pathsIn(words: readonly Word[], { textArgs }: Reader): string[] {
  if (textArgs === "all") return [];
  const given = words.some(({ text }) => /^-\w*e$|^--regexp/.test(text));
  let skip = textArgs === "first" && !given;
  return words.flatMap(({ text }) => {
    const value =
      /^-[^=]*=(.*)$/s.exec(text)?.[1] ??
      (text.startsWith("-") ? /^-\w*?([/~].*|\.\.(?:\/.*)?)$/s.exec(text)?.[1] : text);
    if (skip && !text.startsWith("-")) {
      skip = false;
      return [];
    }
    return value === undefined ? [] : [value];
  });
}

/** `real`: where a path leads through symbolic links. */
export function isInside(
  path: string,
  folder: string,
  readable: readonly string[],
  real: (path: string) => string = (same) => same,
): boolean {
  if (/^[~$]/.test(path)) return false;
  if (/^\/dev\/(?:null|stdin|zero|tty)$/.test(path)) return true;
  const full = resolvePath(folder, path);
  return [full, real(full)].every((one) =>
    readable.some((root) => isWithin(root, one) || isWithin(real(root), one)),
  );
}

/** Whether a whole line changes nothing, wherever it reads: such calls may run side by side. */
export function changesNothing(line: string): boolean {
  const { commands, sound } = readShellLine(line);
  return (
    sound &&
    commands
      .flatMap(withInner)
      .every((command) => isReader(command, () => true) && writesOf(command).length === 0) &&
    !commands.some((command) => programOf(command) === "cd" || command.operator === "&")
  );
}

/** The files that redirections write. */
export const writesOf = ({ redirects }: Command): Word[] =>
  redirects.flatMap(({ op, to }) =>
    op.includes(">") && !(to.exact && /^\/dev\/(?:null|stdout|stderr|tty|fd\/\d+)$/.test(to.text))
      ? [to]
      : [],
  );
