/**
 * Commands that run other commands (`env`, `sudo`, `xargs`, `find -exec`, `bash -c`, `eval` …), opened, so that rules see the
 * command that really runs. An option that is not listed here makes what follows unknown: its value could be the command.
 */
import { INTERPRETERS, LAUNCHERS, SHELLS, wrappers } from "./launchers.ts";
import { type Options, widthOf } from "./options.ts";
import { programOf, type Simple, type Word } from "./plain.ts";
import { readTree, type Script } from "./tree.ts";

export type Command = Simple & {
  /** False when the program cannot be known. */
  readonly known: boolean;
  /** The commands it runs in turn. */
  readonly inner: readonly Command[];
  /** Commands that it may run: they count for rules that refuse or ask, and for nothing else. */
  readonly guesses: readonly Command[];
  /** It does nothing but run the inner commands. */
  readonly transparent: boolean;
};

export type Line = Omit<Script, "commands"> & { readonly commands: readonly Command[] };

type Scope = {
  readonly values: ReadonlyMap<string, string>;
  readonly depth: number;
  /** The rest of the work that a line may take, shared by all lines that it runs in turn. */
  readonly budget: { left: number };
};

/** A character that is read counts one, a command and each of its words as below. More than any line that people write. */
const BUDGET = 500_000;
const COMMAND_COST = 100;
const WORD_COST = 20;

/** Every command of a shell line, with the commands that each runs in turn. */
export function readLine(source: string): Line {
  return read(source, { values: new Map(), depth: 0, budget: { left: BUDGET } }, false);
}

function read(source: string, { values, depth, budget }: Scope, isPosix: boolean): Line {
  budget.left -= source.length;
  const script = readTree(budget.left > 0 ? source : "", values, isPosix);
  const commands = script.commands.map((simple) => open(simple, { values: script.values, depth, budget }));
  const sound = script.sound && budget.left > 0;
  return { ...script, commands, sound, plain: script.plain && sound };
}

/** A command and all it runs, itself first. */
export const withInner = (command: Command): Command[] => [
  command,
  ...[...command.inner, ...command.guesses].flatMap(withInner),
];

const DEPTH_MAX = 8;
const MYSTERY: Word = { text: "…", exact: false };
const UNKNOWN: Command = {
  words: [MYSTERY],
  assigns: [],
  redirects: [],
  operator: "",
  piped: [],
  within: [],
  known: false,
  inner: [],
  guesses: [],
  transparent: false,
};
const NOTHING: readonly Command[] = [];

function open(simple: Simple, scope: Scope): Command {
  const [first] = simple.words;
  const known = first === undefined || (first.exact && first.glob === undefined);
  scope.budget.left -= COMMAND_COST + WORD_COST * simple.words.length;
  const inner = scope.depth > DEPTH_MAX || scope.budget.left <= 0 ? [UNKNOWN] : innerOf(simple, scope);
  const wrapper = wrappers().get(programOf(simple));
  const transparent = wrapper ? wrapper.kind.startsWith("plain") : /^(?:ba|da)?sh$/.test(programOf(simple));
  return { ...simple, known, inner, guesses: guessesOf(simple, scope), transparent };
}

function guessesOf(simple: Simple, scope: Scope): readonly Command[] {
  const name = programOf(simple);
  const args = simple.words.slice(1);
  if (scope.budget.left <= 0 || scope.depth > DEPTH_MAX) return NOTHING;
  if (INTERPRETERS.test(name)) return interpreter(simple, args);
  const isExec = /^p?npm$|^yarn$/.test(name) && /^(?:exec|x|dlx)$/.test(args[0]?.text ?? "");
  return isExec || LAUNCHERS.test(name) ? anywhere(args, simple, scope) : NOTHING;
}

/** The number of words that are tried as the start of a command. */
const STARTS_MAX = 8;

/** The commands that could begin at one of these words. */
const anywhere = (args: readonly Word[], simple: Simple, scope: Scope): readonly Command[] =>
  args
    .slice(0, STARTS_MAX)
    .map((_, at) => command(args.slice(at), simple, { ...scope, depth: scope.depth + DEPTH_MAX / 2 }));

function innerOf(simple: Simple, scope: Scope): readonly Command[] {
  const name = programOf(simple);
  const args = simple.words.slice(1);
  const wrapper = wrappers().get(name);
  if (wrapper) return unwrap(name, wrapper, simple, args, scope);
  if (SHELLS.test(name)) return shell(name, simple, args, scope);
  switch (name) {
    case "eval":
      return script(args, scope);
    case "trap":
      return script(args.filter(({ text }) => text !== "--").slice(0, 1), scope);
    case "alias":
      return args.flatMap((arg) => script([{ ...arg, text: arg.text.replace(/^\w+=/, "") }], scope));
    case "find":
      return findCommands(simple, args, scope);
    case "su":
    case "runuser":
    case "script": {
      const at = args.findIndex(({ text }) => /^(?:-\w*c|--command)$/.test(text));
      return at === -1 ? NOTHING : script(args.slice(at + 1, at + 2), scope);
    }
    case "git":
      return args.some(({ text }) =>
        /^(?:-c)?alias\.|^--config-env|^(?:bisect|filter-branch)$|^--exec|^foreach$/.test(text),
      ) ||
        (args.some(({ text }) => text === "rebase") && args.some(({ text }) => text.startsWith("-x")))
        ? [
            ...script(
              [{ text: args.map(({ text }) => text.replace(/^[^!]*!/, "")).join(" "), exact: false }],
              scope,
            ),
          ]
        : NOTHING;
    case "hash":
    case "enable":
      return args.some(({ text }) => /^-\w*[pf]/.test(text)) ? [UNKNOWN] : NOTHING;
    case ".":
    case "source":
      return args[0]?.exact && !/^\/dev|^\/proc/.test(args[0].text) ? NOTHING : [UNKNOWN];
    default:
      return NOTHING;
  }
}

/** Text that is run as a line of its own. */
function script(words: readonly Word[], scope: Scope, isPosix = false): readonly Command[] {
  const line = read(joined(words), { ...scope, depth: scope.depth + 1 }, isPosix);
  return line.sound && words.every(({ exact }) => exact) ? line.commands : [...line.commands, UNKNOWN];
}

const joined = (words: readonly Word[]): string => words.map(({ text }) => text).join(" ");

/** Words that are run as a command. */
const command = (words: readonly Word[], simple: Simple, scope: Scope): Command =>
  open({ ...simple, words, assigns: [], redirects: [] }, { ...scope, depth: scope.depth + 1 });

const ASSIGNMENT = /^[A-Za-z_]\w*=/;

function unwrap(
  name: string,
  wrapper: Options,
  simple: Simple,
  args: readonly Word[],
  scope: Scope,
): readonly Command[] {
  let at = 0;
  let replaces = "{}";
  for (; at < args.length; at += 1) {
    const { text = "", exact = false } = args[at] ?? {};
    if (text === "--" || !text.startsWith("-")) break;
    if (name === "command" && /^-[vV]+$/.test(text)) return NOTHING;
    if (name === "env" && /^(?:-\w*S|--split-string)/.test(text))
      return [
        ...script([{ text: joined(args.slice(at)).replace(/^-\S*S|^\S*=/, ""), exact: false }], scope),
        UNKNOWN,
      ];
    if (text === "-I") replaces = args[at + 1]?.text ?? replaces;
    // A program that gives rights takes a value only behind an option alone: people read `sudo -bg rm` as `rm`.
    const isMixed = text.length > 2 && [...text].some((letter) => wrapper.short.includes(`${letter}:`));
    const isListed = exact && !(wrapper.kind.startsWith("opaque") && isMixed);
    const width = isListed ? widthOf(text, wrapper) : 0;
    // The command could begin at any of the words that follow.
    if (width === 0) return [...anywhere(args.slice(at + 1), simple, scope), UNKNOWN];
    at += width - 1;
  }
  if (args[at]?.text === "--") at += 1;
  if (wrapper.kind.endsWith("1")) at += 1;
  const assigns: Simple["assigns"][number][] = [];
  if (name === "env" || name === "sudo")
    for (; ASSIGNMENT.test(args[at]?.text ?? ""); at += 1) {
      const word = args[at] ?? MYSTERY;
      const [, name = "", text = ""] = /^(\w+)=(.*)$/s.exec(word.text) ?? [];
      assigns.push({ name, value: { ...word, text } });
    }
  const words = args.slice(at);
  if (name === "flock" && words[0]?.text === "-c") return script(words.slice(1, 2), scope);
  // Nothing to run: `env` prints the environment, `exec` only redirects, `xargs` echoes.
  if (words.length === 0) return name === "sudo" || name === "doas" ? [UNKNOWN] : NOTHING;
  if (name !== "xargs") return [{ ...command(words, simple, scope), assigns }];
  const here = simple.redirects.filter(({ op }) => op.startsWith("<<")).map(({ to }) => to);
  const [source] = simple.piped;
  const said = source && /^(?:echo|printf)$/.test(programOf(source)) ? source.words.slice(1) : here;
  const filled = words.map((word) => (word.text.includes(replaces) ? { ...word, exact: false } : word));
  return [command([...filled, ...said, MYSTERY], simple, scope)];
}

/** Text on the command line or from a pipe is a program that cannot be judged; a script file is an ordinary program. */
function interpreter(simple: Simple, args: readonly Word[]): readonly Command[] {
  const isFed = args.some(({ text }) => /^-\w*[ceErpx]|^--(?:eval|print|exec)|^eval$/.test(text));
  const isAwk = /awk$/.test(programOf(simple));
  const reads =
    args.some(({ text }) => text.startsWith("/dev/")) ||
    simple.piped.length > 0 ||
    simple.redirects.some(({ op }) => op.startsWith("<"));
  const hasFile = args.some(({ text }) => /^(?!-|\/dev\/|\/proc\/)/.test(text));
  if (isAwk) return args.some(({ text }) => /system|[|>]|getline|@/.test(text)) ? [UNKNOWN] : NOTHING;
  return isFed || (reads && !hasFile) ? [UNKNOWN] : NOTHING;
}

/** `sh -c '…'`, `sh file`, `sh <<< '…'`, `… | sh`. */
function shell(name: string, simple: Simple, args: readonly Word[], scope: Scope): readonly Command[] {
  const isPosix = !/^(?:ba|z)sh$/.test(name);
  let isScript = false;
  let at = 0;
  for (; at < args.length; at += 1) {
    const { text = "", exact = false } = args[at] ?? {};
    if (!/^[-+]./.test(text)) break;
    if (!exact || /^--(?:rcfile|init-file)/.test(text)) return [UNKNOWN];
    if (text === "--") {
      at += 1;
      break;
    }
    if (/^-[a-z]*c[a-z]*$/i.test(text)) isScript = true;
    if (/^[-+]\w*[oO]$/.test(text)) at += 1;
  }
  const operand = args[at];
  if (isScript) return operand ? script([operand], scope, isPosix) : NOTHING;
  const options = args.slice(0, at).map(({ text }) => text);
  const isFile = operand && !/^\/(?:dev|proc)\//.test(operand.text) && operand.exact;
  if (isFile && !options.some((text) => /^-[a-z]*s/.test(text))) return NOTHING;
  if (options.some((text) => /^--(?:version|help)$/.test(text))) return NOTHING;
  const here = simple.redirects.find(({ op }) => op.startsWith("<<"));
  if (here) return script([here.to], scope, isPosix);
  const source = simple.piped[0];
  if (source && /^(?:echo|printf)$/.test(programOf(source))) {
    const spoken = source.words.slice(1).filter(({ text }) => !/^-[neE]+$/.test(text));
    // Escapes and formats are not followed.
    const isExact = programOf(source) === "echo" && !spoken.some(({ text }) => /\\/.test(text));
    return [...script(spoken, scope, isPosix), ...(isExact ? [] : [UNKNOWN])];
  }
  return [UNKNOWN];
}

function findCommands(simple: Simple, args: readonly Word[], scope: Scope): Command[] {
  const found: Command[] = [];
  for (let at = 0; at < args.length; at += 1) {
    if (!/^-(?:exec|ok)(?:dir)?$/.test(args[at]?.text ?? "")) continue;
    const end = args.findIndex(({ text }, i) => i > at && (text === ";" || text === "+"));
    const words = args.slice(at + 1, end === -1 ? undefined : end);
    // As an argument `{}` is a path below the start of the search; anywhere else it could be anything.
    const filled = words.map((word, i) =>
      word.text.includes("{}") && !(i > 0 && word.text === "{}") ? { ...word, exact: false } : word,
    );
    found.push(command(filled, simple, scope));
    if (end === -1) break;
    at = end;
  }
  return found;
}
