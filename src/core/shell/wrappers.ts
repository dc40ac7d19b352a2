/**
 * Commands that run other commands (`env`, `sudo`, `xargs`, `find -exec`, `bash -c`, `eval` …), opened, so that rules see what
 * really runs. An option that is not known here makes what follows unknown: its value could be taken for the command.
 */
import { parseShell, type Simple, type Word } from "./syntax.ts";

export type Command = Simple & {
  /** False when nobody can tell which program it is. */
  readonly known: boolean;
  /** What it runs in turn. */
  readonly inner: readonly Command[];
  /** Running the inner commands is all that it does. */
  readonly transparent: boolean;
};

export type Line = { readonly commands: readonly Command[]; readonly sound: boolean };

const DEPTH_MAX = 8;

let latest: { readonly source: string; readonly line: Line } | null = null;

/** Every command of a shell line, with what each runs in turn. One call is judged from several sides: the line is kept. */
export function readShellLine(source: string): Line {
  if (latest?.source !== source) latest = { source, line: read(source, new Map(), 0) };
  return latest.line;
}

/** A command and all it runs, itself first. */
export const withInner = (command: Command): Command[] => [command, ...command.inner.flatMap(withInner)];

/** The program's name without its folder. */
export const programOf = ({ words }: Simple): string => words[0]?.text.replace(/^.*\//s, "") ?? "";

type Scope = { readonly values: ReadonlyMap<string, string>; readonly depth: number };

function read(source: string, values: ReadonlyMap<string, string>, depth: number): Line {
  const script = parseShell(source, values);
  const scope = { values: script.values, depth };
  const commands = script.commands.map((simple, i) => open(simple, scope, script.commands[i - 1]));
  return { commands, sound: script.sound };
}

type Opened = { readonly inner: readonly Command[]; readonly transparent: boolean };
const NOTHING: Opened = { inner: [], transparent: false };
const MYSTERY: Word = { text: "…", exact: false };
const UNKNOWN: Command = {
  words: [MYSTERY],
  assigns: [],
  redirects: [],
  operator: "",
  within: [],
  known: false,
  inner: [],
  transparent: false,
};

function open(simple: Simple, scope: Scope, before?: Simple): Command {
  const [first] = simple.words;
  const known = first === undefined || (first.exact && !first.glob);
  const opened =
    scope.depth > DEPTH_MAX ? { inner: [UNKNOWN], transparent: false } : look(simple, scope, before);
  return { ...simple, known, ...opened };
}

function look(simple: Simple, scope: Scope, before?: Simple): Opened {
  const name = programOf(simple);
  const args = simple.words.slice(1);
  const wrapper = WRAPPERS[name];
  if (wrapper) return unwrap(wrapper, simple, args, scope);
  if (SHELLS.test(name)) return shell(simple, args, scope, before);
  switch (name) {
    case "eval":
      return script(args, scope);
    case "trap":
      return { ...script(args.filter(({ text }) => text !== "--").slice(0, 1), scope), transparent: false };
    case "alias":
      return {
        inner: args.flatMap((arg) => script([{ ...arg, text: arg.text.replace(/^\w+=/, "") }], scope).inner),
        transparent: false,
      };
    case "find":
      return { inner: findCommands(simple, args, scope), transparent: false };
    case "su":
    case "runuser":
    case "script": {
      const at = args.findIndex(({ text }) => /^(?:-\w*c|--command)$/.test(text));
      return at === -1 ? NOTHING : { ...script(args.slice(at + 1, at + 2), scope), transparent: false };
    }
    case "watch":
    case "parallel":
      return { inner: [...script(args, scope).inner, UNKNOWN], transparent: false };
    default:
      return NOTHING;
  }
}

/** Text that is run as a line of its own. */
function script(words: readonly Word[], scope: Scope): Opened {
  const line = read(words.map(({ text }) => text).join(" "), scope.values, scope.depth + 1);
  const certain = line.sound && words.every(({ exact }) => exact);
  return { inner: certain ? line.commands : [...line.commands, UNKNOWN], transparent: true };
}

/** Words that are run as a command. */
const command = (words: readonly Word[], simple: Simple, scope: Scope): Command =>
  open({ ...simple, words, assigns: [], redirects: [] }, { ...scope, depth: scope.depth + 1 });

type Wrapper = {
  /** Options without a value, or with it in the same word. */
  readonly flags: RegExp;
  /** Options whose value is the next word. */
  readonly values?: RegExp;
  /** Words between the options and the command. */
  readonly operands?: number;
  /** It gives the command rights or surroundings that matter. */
  readonly opaque?: true;
};

const WRAPPERS: Readonly<Record<string, Wrapper>> = Object.assign(
  Object.create(null) as Record<string, Wrapper>,
  {
    env: {
      flags: /^(?:-|-[i0v]+|--ignore-environment|--null|--debug|-[uC].+|--(?:unset|chdir)=.*)$/,
      values: /^(?:-[uC]|--unset|--chdir)$/,
    },
    sudo: { flags: /^-[AbEHkKnPSsi]+$/, values: /^-[ugUpChDRTtr]$/, opaque: true },
    doas: { flags: /^-[nsL]+$/, values: /^-[uC]$/, opaque: true },
    chroot: { flags: /^--[a-z-]+=.*$/, operands: 1, opaque: true },
    strace: { flags: /^-[fFqrtTvxyCcdhik]+$/, values: /^-[eopPsuEabIOSUX]$/, opaque: true },
    busybox: { flags: /^$/, opaque: true },
    toybox: { flags: /^$/, opaque: true },
    nohup: { flags: /^$/ },
    builtin: { flags: /^$/ },
    command: { flags: /^-p$/ },
    exec: { flags: /^-[cl]+$/, values: /^-a$/ },
    setsid: { flags: /^(?:-[cfw]+|--(?:ctty|fork|wait))$/ },
    nice: { flags: /^(?:-n.+|-\d+|--adjustment=.*)$/, values: /^(?:-n|--adjustment)$/ },
    ionice: { flags: /^(?:-t|-[cn].+)$/, values: /^-[cn]$/ },
    stdbuf: { flags: /^(?:-[ioe].+|--\w+=.*)$/, values: /^(?:-[ioe]|--(?:input|output|error))$/ },
    time: { flags: /^-[apqv]+$/, values: /^-[fo]$/ },
    timeout: {
      flags: /^(?:-v|--foreground|--preserve-status|--verbose|-[ks].+|--(?:kill-after|signal)=.*)$/,
      values: /^(?:-[ks]|--kill-after|--signal)$/,
      operands: 1,
    },
    flock: {
      flags: /^(?:-[senuxoF]+|--(?:shared|exclusive|nonblock|nb|no-fork|close))$/,
      values: /^-[wE]$/,
      operands: 1,
    },
    xargs: {
      flags:
        /^(?:-[0rtpx]+|-[IiLlnPdEeas].+|-[ile]|--(?:null|no-run-if-empty|verbose|interactive|exit|open-tty)|--[a-z-]+=.*)$/,
      values: /^-[ILnPdEas]$/,
    },
  },
);

const ASSIGNMENT = /^[A-Za-z_]\w*=/;

function unwrap(wrapper: Wrapper, simple: Simple, args: readonly Word[], scope: Scope): Opened {
  const name = programOf(simple);
  const transparent = !wrapper.opaque;
  const unknown: Opened = { inner: [UNKNOWN], transparent };
  let at = 0;
  let replaces = name === "xargs" ? "{}" : "";
  for (; at < args.length; at += 1) {
    const { text = "", exact = false } = args[at] ?? {};
    const next = args[at + 1];
    if (text === "--" || !text.startsWith("-")) break;
    if (!exact) return unknown;
    if (name === "command" && /^-[vV]$/.test(text)) return NOTHING;
    if (name === "env" && /^(?:-\w*S|--split-string)/.test(text))
      return { inner: [...script(args.slice(at + 1), scope).inner, UNKNOWN], transparent };
    if (text === "-I" && next) replaces = next.text;
    if (wrapper.values?.test(text)) at += 1;
    else if (!wrapper.flags.test(text)) return unknown;
  }
  if (args[at]?.text === "--") at += 1;
  at += wrapper.operands ?? 0;
  const assigns: Word[] = [];
  if (name === "env" || name === "sudo")
    for (; at < args.length && ASSIGNMENT.test(args[at]?.text ?? ""); at += 1)
      assigns.push(args[at] ?? MYSTERY);
  const words = args.slice(at);
  if (name === "flock" && words[0]?.text === "-c") return script(words.slice(1, 2), scope);
  // Nothing to run: `env` prints the environment, `exec` only redirects, `xargs` echoes.
  if (words.length === 0) return name === "sudo" || name === "doas" ? unknown : NOTHING;
  const filled =
    name === "xargs"
      ? [...words.map((word) => (word.text.includes(replaces) ? { ...word, exact: false } : word)), MYSTERY]
      : words;
  const inner = command(filled, simple, scope);
  const named = assigns.map((word) => ({ name: /^\w+/.exec(word.text)?.[0] ?? "", value: word }));
  return { inner: [{ ...inner, assigns: named }], transparent };
}

const SHELLS = /^(?:ba|da|z|k|a|mk|fi)?sh$/;

/** `sh -c '…'`, `sh file`, `sh <<< '…'`, `… | sh`. */
function shell(simple: Simple, args: readonly Word[], scope: Scope, before?: Simple): Opened {
  let isScript = false;
  let at = 0;
  for (; at < args.length; at += 1) {
    const { text = "", exact = false } = args[at] ?? {};
    if (!/^[-+]./.test(text)) break;
    if (!exact || /^--(?:rcfile|init-file)/.test(text)) return { inner: [UNKNOWN], transparent: false };
    if (text === "--") {
      at += 1;
      break;
    }
    if (/^-[a-z]*c[a-z]*$/i.test(text)) isScript = true;
    if (/^[-+]\w*[oO]$/.test(text)) at += 1;
  }
  const operand = args[at];
  if (isScript) return operand ? script([operand], scope) : NOTHING;
  const options = args.slice(0, at).map(({ text }) => text);
  if (operand && !options.some((text) => /^-[a-z]*s/.test(text))) return NOTHING;
  if (options.some((text) => /^--(?:version|help)$/.test(text))) return NOTHING;
  const here = simple.redirects.find(({ op }) => op.startsWith("<<"));
  if (here) return script([here.to], scope);
  const [said, ...spoken] = before?.operator.startsWith("|") ? before.words : [];
  if (said && /^(?:echo|printf)$/.test(said.text))
    return script(
      spoken.filter(({ text }) => !/^-[neE]+$/.test(text)),
      scope,
    );
  return { inner: [UNKNOWN], transparent: false };
}

function findCommands(simple: Simple, args: readonly Word[], scope: Scope): Command[] {
  const found: Command[] = [];
  for (let at = 0; at < args.length; at += 1) {
    if (!/^-(?:exec|ok)(?:dir)?$/.test(args[at]?.text ?? "")) continue;
    const end = args.findIndex(({ text }, i) => i > at && (text === ";" || text === "+"));
    const words = args.slice(at + 1, end === -1 ? undefined : end);
    found.push(
      command(
        // As an argument `{}` is a path below where find began; as anything else it could be anything.
        words.map((word, i) =>
          word.text.includes("{}") && !(i > 0 && word.text === "{}") ? { ...word, exact: false } : word,
        ),
        simple,
        scope,
      ),
    );
    if (end === -1) break;
    at = end;
  }
  return found;
}
