/**
 * The folder in which each command of a line runs, in the order of the line. Behind `cd src &&` it is `src`; behind `cd src;` it may be the
 * one before, too. Where a target is not known, and where a line changes what `cd` means, any folder of the line counts and none is sure.
 */
import { type Command, type Line, withInner } from "./command.ts";
import { FOLDERS_MAX, type Folders, foldersOf } from "./folders.ts";
import { SHELLS } from "./launchers.ts";
import { type Place, pathsOf, physical } from "./places.ts";
import { programOf, type Word, writesOf } from "./plain.ts";
import type { Step, Steps } from "./steps.ts";

/** Without folders it is never reached. */
type State = { readonly folders: ReadonlySet<string>; readonly sure: boolean };
type Outcome = { readonly ok: State; readonly failed: State };

const STEPS_MAX = 20_000;
const NEVER: State = { folders: new Set(), sure: true };
const same = (state: State): Outcome => ({ ok: state, failed: state });

const MOVES = /^(?:cd|pushd|popd)$/;
/** They start processes of their own, which change no folder of this one. */
const STARTS =
  /^(?:env|exec|xargs|find|sudo|doas|nohup|nice|ionice|timeout|setsid|stdbuf|flock|su|runuser|script|git|p?npm|npx|yarn)$/;
/** They change what `cd` means, or run something at another time. */
const CHANGES = /^(?:alias|unalias|shopt|enable|trap)$/;
const VARIABLES = /^(?:CDPATH|HOME|OLDPWD|PWD|DIRSTACK)(?:\+?=|$)/;
const OWN_NAMES = /^(?:cd|pushd|popd|exit|break|continue|command|builtin)$/;
/** They remove no folder. */
const CALM = /^(?:cd|pushd|popd|pwd|echo|printf|ls|true|:|test|\[|\[\[|cat|head|tail)$/;

export function folderFlow(line: Line, place: Place): (command: Command) => Folders {
  const every = line.commands.flatMap(withInner);
  const all = foldersOf(every, place);
  if (!every.some((one) => MOVES.test(programOf(one)))) return () => all;
  const unsure = { all: all.all, sure: false };
  const flow = new Flow(line, place);
  if (!line.sound || every.some(isOdd) || !flow.isFollowed()) return () => unsure;
  return (command) => {
    const { folders, sure } = flow.states.get(command) ?? NEVER;
    return sure && folders.size > 0 ? { all: [...folders], sure } : unsure;
  };
}

const isOdd = (command: Command): boolean =>
  CHANGES.test(programOf(command)) ||
  command.within.some((name) => OWN_NAMES.test(name) || MOVES.test(programOf(command))) ||
  [...command.assigns.map(({ name }) => name), ...command.words.map(({ text }) => text)].some((text) =>
    VARIABLES.test(text),
  );

class Flow {
  readonly states = new Map<Command, State>();
  private readonly line: Line;
  private readonly place: Place;
  /** All states of the part that is walked: a jump may leave it in each of them. */
  private passed = NEVER;
  /** Nothing so far can have removed a folder. */
  private calm = true;
  /** Steps that are still walked: loops in loops repeat theirs. */
  private left = STEPS_MAX;

  constructor(line: Line, place: Place) {
    this.line = line;
    this.place = place;
  }

  /** False where that takes too many steps. */
  isFollowed(): boolean {
    this.run(this.line.steps, { folders: new Set([this.place.workspace]), sure: true });
    return this.left >= 0;
  }

  private run(steps: Steps, from: State): Outcome {
    let outcome: Outcome = { ok: from, failed: NEVER };
    for (const [i, step] of steps.entries())
      if (this.left >= 0) outcome = this.step(step, i === 0 ? from : joined(outcome.ok, outcome.failed));
    return outcome;
  }

  private step(step: Step, from: State): Outcome {
    this.left -= 1;
    switch (step.kind) {
      case "run": {
        const command = this.line.commands[step.at];
        return command ? this.command(command, from) : same({ ...from, sure: false });
      }
      case "list":
        return this.list(step, from);
      case "apart":
        this.run(step.steps, from);
        return same(from);
      case "later":
        this.run(step.steps, { ...from, sure: false });
        return same(from);
      case "maybe": {
        const once = this.some(step.steps, from);
        if (!step.again) return same(once);
        const twice = this.some(step.steps, once);
        const isStable = twice.folders.size === once.folders.size;
        return same(isStable ? twice : this.some(step.steps, { ...twice, sure: false }));
      }
    }
  }

  /** The states in which a part may be left after any of its steps. */
  private some(steps: Steps, from: State): State {
    const outside = this.passed;
    this.passed = from;
    let all = from;
    for (const step of steps) {
      if (this.left < 0) break;
      const { ok, failed } = this.step(step, all);
      all = [all, this.passed, ok, failed].reduce(joined);
    }
    this.passed = joined(outside, all);
    return all;
  }

  private list({ parts, operators }: Extract<Step, { kind: "list" }>, from: State): Outcome {
    let outcome = this.run(parts[0] ?? [], from);
    for (const [i, part] of parts.slice(1).entries()) {
      const { ok, failed } = outcome;
      const isAnd = operators[i] === "&&";
      const next = this.run(part, isAnd ? ok : failed);
      outcome = isAnd
        ? { ok: next.ok, failed: joined(failed, next.failed) }
        : { ok: joined(ok, next.ok), failed: next.failed };
    }
    return outcome;
  }

  private note(command: Command, state: State): void {
    this.states.set(command, joined(this.states.get(command) ?? NEVER, state));
  }

  private command(command: Command, from: State): Outcome {
    this.note(command, from);
    this.passed = joined(this.passed, from);
    if (from.folders.size === 0) return same(NEVER);
    const name = programOf(command);
    const args = command.words.slice(1);
    const isCalm = this.calm;
    this.calm &&= CALM.test(name) && writesOf(command).length === 0;
    const inner = withInner(command).slice(1);
    if (inner.length > 0) return this.inner(name, inner, from);
    if (!command.known || name === "source" || name === ".") return same({ ...from, sure: false });
    const program = command.words[0]?.text;
    if (program === "exit" && /^\d*$/.test(args.map(({ text }) => text).join(" "))) return same(NEVER);
    if (!MOVES.test(program ?? "")) return same(from);
    // Nobody keeps the folders of `cd -` and `popd`.
    const isFixed = program === "cd" || (args.length === 1 && !/^[-+]/.test(args[0]?.text ?? ""));
    return this.into(isFixed && program !== "popd" ? this.target(args, from) : undefined, from, isCalm);
  }

  /** The commands that one runs in turn: what they do is not followed step by step. */
  private inner(name: string, inner: readonly Command[], from: State): Outcome {
    const { all, sure } = foldersOf(inner, this.place, from.folders);
    const state = { folders: new Set(all), sure: from.sure && sure && inner.every(({ known }) => known) };
    for (const one of inner) this.note(one, state);
    return same(STARTS.test(name) || SHELLS.test(name) ? from : state);
  }

  /** Where `cd` leads; undefined: not known. `cd` takes `..` from the path as text, programs take it from the disk. */
  private target(args: readonly Word[], { folders }: State): ReadonlySet<string> | undefined {
    const { home, disk } = this.place;
    const first = args.findIndex(({ text }) => !/^-[LPe]+$/.test(text));
    const [to, ...more] = first === -1 ? [] : args.slice(args[first]?.text === "--" ? first + 1 : first);
    if (more.length > 0) return undefined;
    if (to === undefined) return home === undefined ? undefined : new Set([home]);
    if (to.glob !== undefined || to.text.startsWith("-")) return undefined;
    const made = new Set<string>();
    for (const folder of folders) {
      const path = pathsOf(to, folder, this.place)?.[0];
      if (path === undefined) return undefined;
      for (const by of [disk, undefined]) made.add(physical(path, folder, by));
    }
    return made.size > FOLDERS_MAX ? undefined : made;
  }

  /** It fails only where there is no such folder, or where one may have been removed by then. */
  private into(to: ReadonlySet<string> | undefined, from: State, isCalm: boolean): Outcome {
    if (to === undefined) return { ok: { ...from, sure: false }, failed: from };
    const { disk, confined } = this.place;
    const isThere =
      (isCalm || confined) && [...to].every((folder) => (disk?.entries(folder) ?? null) !== null);
    return { ok: { ...from, folders: to }, failed: isThere ? NEVER : from };
  }
}

function joined(one: State, other: State): State {
  if (one.folders.size === 0) return other;
  if (other.folders.size === 0) return one;
  const folders = new Set([...one.folders, ...other.folders]);
  return { folders, sure: one.sure && other.sure && folders.size <= FOLDERS_MAX };
}
