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

type Paths = ReadonlySet<string>;
type State = {
  /** Empty: it is never reached. */
  readonly folders: Paths;
  readonly sure: boolean;
  /** For `cd -`; null: not known. */
  readonly before: Paths | null;
  /** For `popd`, the last one first; null: not known. */
  readonly stack: readonly Paths[] | null;
};
type Outcome = { readonly ok: State; readonly failed: State };

const ROUNDS_MAX = 4;
const STEPS_MAX = 20_000;
const NEVER: State = { folders: new Set(), sure: true, before: null, stack: null };
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
  if (!line.sound || every.some(isOdd)) return () => unsure;
  const flow = new Flow(line, place);
  const from: State = { folders: new Set([place.workspace]), sure: true, before: null, stack: [] };
  try {
    flow.run(line.steps, from, false);
  } catch (error) {
    if (error instanceof TooMany) return () => unsure;
    throw error;
  }
  if (flow.isLost) return () => unsure;
  return (command) => {
    const { folders = NEVER.folders, sure = false } = flow.states.get(command) ?? {};
    return sure && folders.size > 0 ? { all: [...folders], sure } : unsure;
  };
}

const isOdd = (command: Command): boolean =>
  CHANGES.test(programOf(command)) ||
  command.within.some((name) => OWN_NAMES.test(name) || MOVES.test(programOf(command))) ||
  [...command.assigns.map(({ name }) => name), ...command.words.map(({ text }) => text)].some((text) =>
    VARIABLES.test(text),
  );

class TooMany extends Error {}

class Flow {
  readonly states = new Map<Command, State>();
  private readonly line: Line;
  private readonly place: Place;
  /** Where `break` and `continue` leave the loop that is walked. */
  private jumps = { out: NEVER, next: NEVER };
  /** A jump out of several loops is not followed. */
  isLost = false;
  /** Nothing so far can have removed a folder. */
  private calm = true;
  /** Steps that are still walked: loops in loops repeat theirs. */
  private left = STEPS_MAX;

  constructor(line: Line, place: Place) {
    this.line = line;
    this.place = place;
  }

  run(steps: Steps, from: State, inLoop: boolean): Outcome {
    let outcome: Outcome = { ok: from, failed: NEVER };
    for (const [i, step] of steps.entries())
      outcome = this.step(step, i === 0 ? from : joined(outcome.ok, outcome.failed), inLoop);
    return outcome;
  }

  private step(step: Step, from: State, inLoop: boolean): Outcome {
    this.left -= 1;
    if (this.left < 0) throw new TooMany();
    switch (step.kind) {
      case "run": {
        const command = this.line.commands[step.at];
        return command ? this.command(command, from, inLoop) : same({ ...from, sure: false });
      }
      case "list":
        return this.list(step, from, inLoop);
      case "apart":
        this.run(step.steps, from, false);
        return same(from);
      case "later":
        this.run(step.steps, { ...from, sure: false }, false);
        return same(from);
      case "not": {
        const { ok, failed } = this.run(step.steps, from, inLoop);
        return same(joined(ok, failed));
      }
      case "choice": {
        let all = from;
        for (const branch of step.branches) {
          const { ok, failed } = this.run(branch, all, inLoop);
          all = joined(all, joined(ok, failed));
        }
        return same(all);
      }
      case "if": {
        const outcomes: Outcome[] = [];
        let rest = from;
        for (const [condition, then] of step.clauses) {
          const { ok, failed } = this.run(condition, rest, inLoop);
          outcomes.push(this.run(then, ok, inLoop));
          rest = failed;
        }
        outcomes.push(this.run(step.last, rest, inLoop));
        return {
          ok: outcomes.map(({ ok }) => ok).reduce(joined),
          failed: outcomes.map(({ failed }) => failed).reduce(joined),
        };
      }
      case "loop":
        return this.loop(step, from);
    }
  }

  private list({ parts, operators }: Extract<Step, { kind: "list" }>, from: State, inLoop: boolean): Outcome {
    let outcome = this.run(parts[0] ?? [], from, inLoop);
    for (const [i, part] of parts.slice(1).entries()) {
      const { ok, failed } = outcome;
      const isAnd = operators[i] === "&&";
      const next = this.run(part, isAnd ? ok : failed, inLoop);
      outcome = isAnd
        ? { ok: next.ok, failed: joined(failed, next.failed) }
        : { ok: joined(ok, next.ok), failed: next.failed };
    }
    return outcome;
  }

  private loop({ condition, until, body }: Extract<Step, { kind: "loop" }>, from: State): Outcome {
    const outside = this.jumps;
    let start = from;
    for (let round = 0; ; round += 1) {
      this.jumps = { out: NEVER, next: NEVER };
      const { ok, failed } = this.run(condition, start, true);
      const last = this.run(body, until ? failed : ok, true);
      const again = [from, start, last.ok, last.failed, this.jumps.next].reduce(joined);
      const isStable = keyOf(again) === keyOf(start);
      const end = joined(until ? ok : failed, this.jumps.out);
      if (!isStable && round <= ROUNDS_MAX) {
        start = round < ROUNDS_MAX ? again : { ...again, sure: false };
        continue;
      }
      this.jumps = outside;
      return same(end);
    }
  }

  private note(command: Command, state: State): void {
    this.states.set(command, joined(this.states.get(command) ?? NEVER, state));
  }

  private command(command: Command, from: State, inLoop: boolean): Outcome {
    this.note(command, from);
    if (from.folders.size === 0) return same(NEVER);
    const name = programOf(command);
    const args = command.words.slice(1);
    const isCalm = this.calm;
    this.calm &&= CALM.test(name) && writesOf(command).length === 0;
    const inner = withInner(command).slice(1);
    if (inner.length > 0) return this.inner(name, inner, from);
    if (!command.known || name === "source" || name === ".") return same({ ...from, sure: false });
    switch (command.words[0]?.text) {
      case "exit":
        return same(
          args.length === 0 || (args.length === 1 && /^\d+$/.test(args[0]?.text ?? "")) ? NEVER : from,
        );
      case "break":
      case "continue": {
        if (!inLoop) return same(from);
        this.isLost ||= args.length > 0;
        const to = name === "break" ? "out" : "next";
        this.jumps[to] = joined(this.jumps[to], from);
        return same(NEVER);
      }
      case "cd":
        return this.into(this.target(args, from), from, from.stack, isCalm);
      case "pushd": {
        const [top, ...rest] = from.stack ?? [];
        if (args.length === 0) return this.into(top, from, [from.folders, ...rest], isCalm);
        const to = args.some(({ text }) => /^[-+]/.test(text)) ? undefined : this.target(args, from);
        return this.into(to, from, from.stack && [from.folders, ...from.stack], isCalm);
      }
      case "popd": {
        const [top, ...rest] = args.length === 0 ? (from.stack ?? []) : [];
        return this.into(top, from, rest, isCalm);
      }
      default:
        return same(from);
    }
  }

  /** The commands that one runs in turn: what they do is not followed step by step. */
  private inner(name: string, inner: readonly Command[], from: State): Outcome {
    const { all, sure } = foldersOf(inner, this.place, from.folders);
    const isSure = from.sure && sure && inner.every(({ known }) => known);
    const state = { folders: new Set(all), sure: isSure, before: null, stack: null };
    for (const one of inner) this.note(one, state);
    return same(STARTS.test(name) || SHELLS.test(name) ? from : state);
  }

  /** Where `cd` leads; undefined: not known. `cd` takes `..` from the path as text, programs take it from the disk. */
  private target(args: readonly Word[], { folders, before }: State): Paths | undefined {
    const { home, disk } = this.place;
    const first = args.findIndex(({ text }) => !/^-[LPe]+$/.test(text));
    const [to, ...more] = first === -1 ? [] : args.slice(args[first]?.text === "--" ? first + 1 : first);
    if (more.length > 0) return undefined;
    if (to?.text === "-") return before ?? undefined;
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
  private into(to: Paths | undefined, from: State, stack: State["stack"], isCalm: boolean): Outcome {
    if (to === undefined) return { ok: { ...from, sure: false, before: null, stack: null }, failed: from };
    const { disk, confined } = this.place;
    const isThere =
      (isCalm || confined) && [...to].every((folder) => (disk?.entries(folder) ?? null) !== null);
    return { ok: { ...from, folders: to, before: from.folders, stack }, failed: isThere ? NEVER : from };
  }
}

function joined(one: State, other: State): State {
  if (one.folders.size === 0) return other;
  if (other.folders.size === 0) return one;
  const folders = union(one.folders, other.folders);
  const isPair = one.stack !== null && other.stack !== null && one.stack.length === other.stack.length;
  return {
    folders,
    sure: one.sure && other.sure && folders.size <= FOLDERS_MAX,
    before: one.before && other.before && union(one.before, other.before),
    stack: isPair ? (one.stack ?? []).map((paths, i) => union(paths, other.stack?.[i] ?? paths)) : null,
  };
}

const union = (one: Paths, other: Paths): Paths => new Set([...one, ...other]);

const keyOf = ({ folders, sure, before, stack }: State): string =>
  JSON.stringify([
    [...folders].sort(),
    sure,
    before && [...before].sort(),
    stack?.map((one) => [...one].sort()),
  ]);
