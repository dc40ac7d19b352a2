/**
 * Rates the gain of a round of calls. A lasting change is progress; a new finding counts less, and a result seen before counts nothing. The
 * limits on repetitions and on calls without progress are built on this.
 *
 * | gain     | the round                                                                     | counts as a call without progress |
 * |----------|-------------------------------------------------------------------------------|-----------------------------------|
 * | lasting  | put a content into a file that was never there before, and that stays         | none: the count begins again      |
 * | found    | read another file or a new line, or saw a figure come nearer to its end       | a quarter                         |
 * | step     | counted on in a file or an answer, or tried again what it tried before a change | half                            |
 * | watched  | asked the same again and got another answer, or copied a file                 | nine tenths                       |
 * | nothing  | failed, was refused, mailed, talked, or got what it knew                      | whole                             |
 */
import { callsOf, type Entry } from "../conversation/chat.ts";
import { writesIn } from "../patch.ts";
import { hashOf } from "../text/hash.ts";
import { inOurNames } from "../tool-names.ts";
import { shownCall } from "../views/shown-call.ts";
import { type Change, FileChanges, type FileWrite, type Found } from "./file-changes.ts";
import { Moves } from "./moves.ts";
import { NewLines, type Newness } from "./new-lines.ts";
import { settled } from "./volatile.ts";

/** An agent's reply and the results of its calls, as they are stored. */
export type Round = readonly Entry[];

/** The purpose of a tool. It decides what its calls can gain. */
export type ToolTraits = {
  readonly aboutTeam: boolean;
  readonly createsTasks: boolean;
  readonly completes: boolean;
  /** It shows something that is not the team's: a file, the output of a command. */
  readonly looks: boolean;
  readonly writes: boolean;
};

/** A call with its result. */
export type Step = {
  readonly tool: string;
  readonly input: unknown;
  readonly text: string;
  readonly isError: boolean;
  readonly traits: ToolTraits;
};

export function stepsOf(round: Round, traits: (tool: string) => ToolTraits): Step[] {
  const results = new Map(
    round.flatMap((entry) => (entry.kind === "result" ? [[entry.result.id, entry.result] as const] : [])),
  );
  return round.flatMap((entry) =>
    entry.kind === "said"
      ? callsOf(entry.message).map((call) => {
          const { tool, input } = inOurNames(call);
          const { text, isError } = results.get(call.id) ?? { text: "", isError: true };
          return { tool, input, text, isError, traits: traits(tool) };
        })
      : [],
  );
}

export type Gain = "lasting" | "found" | "step" | "watched" | "nothing";

/** The share of a call without progress that a round counts. */
export const COST: Readonly<Record<Gain, number>> = {
  lasting: 0,
  found: 0.25,
  step: 0.5,
  watched: 0.9,
  nothing: 1,
};

const OF_CHANGE: Readonly<Record<Change, Gain>> = {
  lasting: "lasting",
  counted: "step",
  copied: "watched",
  nothing: "nothing",
};
/**
 * Calls that a member is let off, from one lasting change to the next, for what may be made up: words of a command are new each time, and a
 * clock rises for ever. Other files, figures that come to their end and a number that is counted on in a file again and again are not limited.
 */
const LET_OFF_MAX = 40;

/** `isLimited`: it may be made up. */
type Rated = { readonly gain: Gain; readonly isLimited: boolean };
const rated = (gain: Gain, isLimited = false): Rated => ({ gain, isLimited });
const best = (all: readonly Rated[]): Rated =>
  all.reduce((most, one) => (COST[one.gain] < COST[most.gain] ? one : most), rated("nothing"));

/** A question that was asked before. `changes`: the number of changes of files when it was last asked. */
type Asked = { readonly moves: Moves; changes: number };

/** One for all rounds that are compared with each other. */
export class Gains {
  readonly files = new FileChanges();
  private readonly asked = new Map<string, Asked>();
  private readonly known = new Set<string>();
  /** By member: a finding that one knows is new for another. */
  private readonly lines = new Map<string, NewLines>();
  private changes = 0;
  /** By member: calls that it was let off. */
  private readonly letOff = new Map<string, number>();
  /** Members whose last call counted on in a file. */
  private readonly counting = new Set<string>();

  of(steps: readonly Step[], who = ""): Gain {
    this.files.tick();
    if (!steps.every(({ traits }) => traits.writes)) this.counting.delete(who);
    const { gain, isLimited } = best(steps.map((step) => this.rate(step, who)));
    if (gain === "lasting") this.letOff.clear();
    return isLimited ? this.limited(gain, who) : gain;
  }

  /** All findings count as new again. Files keep their contents. */
  forget(): void {
    this.asked.clear();
    this.known.clear();
    this.lines.clear();
    this.letOff.clear();
  }

  /** A file was found with this content. Any member or command may have written it. */
  found(path: string, content: string): Found {
    const lines = this.files.found(path, content);
    if (lines.changed + lines.grown > 0) this.changes += 1;
    return lines;
  }

  /** What was found is worth so many calls. */
  giveBack(calls: number): void {
    for (const [who, letOff] of this.letOff) this.letOff.set(who, Math.max(0, letOff - calls));
  }

  private rate(step: Step, who: string): Rated {
    if (step.isError) return rated("nothing");
    if (!step.traits.writes) return step.traits.looks ? this.look(step, who) : rated("nothing");
    const { gain } = best(writesOf(step.input).map((write) => rated(OF_CHANGE[this.files.judge(write)])));
    if (gain === "lasting" || gain === "step") this.changes += 1;
    const isFirst = gain === "step" && !this.counting.has(who);
    if (gain === "step") this.counting.add(who);
    return rated(gain, isFirst);
  }

  private look({ tool, input, text }: Step, who: string): Rated {
    const question = `${who} ${tool} ${JSON.stringify(input)}`;
    const place = placeOf(input);
    const before = this.asked.get(digest(question));
    const asked = before ?? { moves: new Moves(), changes: this.changes };
    this.asked.set(digest(question), asked);
    const isAfterChange = asked.changes < this.changes;
    asked.changes = this.changes;
    const moved = asked.moves.of(text);
    const isNewPlace = place !== null && this.isNew(`${who} ${tool} at ${place}`);
    const { learned, isPage } = this.learn(who, text, question, place !== null);
    if (((isNewPlace || isPage) && !before) || moved === "nearer") return rated("found");
    if (learned === "new" && !before) return rated("found", true);
    const isStep = (before && isAfterChange) || moved === "further" || (!before && learned === "risen");
    if (isStep) return rated("step", true);
    return rated(learned === "new" ? "watched" : "nothing", true);
  }

  /** The gain, as long as the member is not let off too many calls. */
  private limited(gain: Gain, who: string): Gain {
    const letOff = (this.letOff.get(who) ?? 0) + 1 - COST[gain];
    if (letOff > LET_OFF_MAX) return "nothing";
    this.letOff.set(who, letOff);
    return gain;
  }

  /** The best that a line of the answer is. An echo of what was asked is nothing new. `isPage`: a part of a file, of which most was not read before. */
  private learn(
    who: string,
    text: string,
    question: string,
    isFile: boolean,
  ): { learned: Newness; isPage: boolean } {
    const known = this.lines.get(who) ?? new NewLines();
    this.lines.set(who, known);
    const said = new Set(wordsOf(question));
    const seen = new Map<Newness, number>();
    for (const line of settled(text).split("\n")) {
      const words = wordsOf(line);
      if (words.every((word) => said.has(word))) continue;
      const newness = known.of(words.filter((word) => /\d/.test(word) || !said.has(word)).join(" "));
      seen.set(newness, (seen.get(newness) ?? 0) + 1);
    }
    const count = (newness: Newness): number => seen.get(newness) ?? 0;
    // In a file digits tell lines apart. One such line may be the one that says which lines these are.
    const inDigits = isFile ? count("risen") + count("other") : 0;
    const fresh = count("new") + Math.max(0, inDigits - 1);
    const learned = fresh > 0 ? "new" : count("risen") > 0 ? "risen" : "known";
    return { learned, isPage: isFile && fresh > count("known") };
  }

  private isNew(text: string): boolean {
    const key = digest(text);
    if (this.known.has(key)) return false;
    this.known.add(key);
    return true;
  }
}

/** A text is kept as its length and a hash. */
export const digest = (text: string): string => `${text.length} ${hashOf(text)}`;

/** The file that a call reads as a whole or in part; null for a search. */
function placeOf(input: unknown): string | null {
  const { path, pattern } = (input ?? {}) as { path?: unknown; pattern?: unknown };
  return typeof path === "string" && pattern === undefined ? path : null;
}

const wordsOf = (text: string): string[] =>
  (text.match(/[\p{L}\d<>]+(?:\.\d+)?/gu) ?? []).map((word) => word.toLowerCase());

function writesOf(input: unknown): FileWrite[] {
  const { patch } = (input ?? {}) as { patch?: unknown };
  if (typeof patch === "string") return writesIn(patch);
  const shown = shownCall({ tool: "", input });
  if (shown.kind === "write") return [{ path: shown.path, content: shown.content }];
  return shown.kind === "edit" ? [{ path: shown.path, old: shown.old, new: shown.new }] : [];
}
