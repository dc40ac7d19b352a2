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
import { callsOf, type Entry } from "./conversation/chat.ts";
import { type Change, FileChanges, type FileWrite, type Found } from "./file-changes.ts";
import { hashOf } from "./hash.ts";
import { Moves } from "./moves.ts";
import { NewLines, type Newness } from "./new-lines.ts";
import { writesIn } from "./patch.ts";
import { inOurNames } from "./tool-names.ts";
import { shownCall } from "./views/shown-call.ts";
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
/** Answers whose figures rise without an end that can be seen, from one lasting change to the next: a clock rises for ever. */
const RISES_MAX = 60;
/** Findings of a member outside of files, from one lasting change to the next: words that a command makes up are new each time. */
const FINDINGS_MAX = 60;

const best = (gains: readonly Gain[]): Gain =>
  gains.reduce((most, gain) => (COST[gain] < COST[most] ? gain : most), "nothing");

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
  private rises = 0;
  /** By member. */
  private readonly findings = new Map<string, number>();

  of(steps: readonly Step[], who = ""): Gain {
    this.files.tick();
    const gain = best(steps.map((step) => this.gainOf(step, who)));
    if (gain === "lasting") this.lasted();
    return gain;
  }

  /** All findings count as new again. Files keep their contents. */
  forget(): void {
    this.asked.clear();
    this.known.clear();
    this.lines.clear();
    this.findings.clear();
  }

  /** A file was found with this content. Any member or command may have written it. */
  found(path: string, content: string): Found {
    const lines = this.files.found(path, content);
    if (lines.changed + lines.grown > 0) {
      this.changes += 1;
      this.lasted();
    }
    return lines;
  }

  private lasted(): void {
    this.rises = 0;
    this.findings.clear();
  }

  private gainOf(step: Step, who: string): Gain {
    if (step.isError) return "nothing";
    if (!step.traits.writes) return step.traits.looks ? this.look(step, who) : "nothing";
    const gain = best(writesOf(step.input).map((write) => OF_CHANGE[this.files.judge(write)]));
    if (gain === "lasting" || gain === "step") this.changes += 1;
    return gain;
  }

  private look({ tool, input, text }: Step, who: string): Gain {
    const question = `${who} ${tool} ${JSON.stringify(input)}`;
    const place = placeOf(input);
    const before = this.asked.get(digest(question));
    const asked = before ?? { moves: new Moves(), changes: this.changes };
    this.asked.set(digest(question), asked);
    const isAfterChange = asked.changes < this.changes;
    asked.changes = this.changes;
    const moved = asked.moves.of(text);
    const isNewPlace = place !== null && this.isNew(`${who} ${tool} at ${place}`);
    const learned = this.learn(who, text, question, place !== null);
    if (isNewPlace && !before) return "found";
    if (learned === "new" && !before) return this.finding(who);
    if (moved === "nearer") return "found";
    if (before && isAfterChange) return "step";
    if (moved === "further" || (!before && learned === "risen")) return this.risen();
    return learned === "new" ? "watched" : "nothing";
  }

  private finding(who: string): Gain {
    const count = (this.findings.get(who) ?? 0) + 1;
    this.findings.set(who, count);
    return count <= FINDINGS_MAX ? "found" : "nothing";
  }

  private risen(): Gain {
    this.rises += 1;
    return this.rises <= RISES_MAX ? "step" : "nothing";
  }

  /** The best that a line of the answer is. An echo of what was asked is nothing new. */
  private learn(who: string, text: string, question: string, isFile: boolean): Newness {
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
    if (seen.has("new")) return "new";
    // In a file digits tell lines apart. One such line may be the one that says which lines these are.
    if (isFile && (seen.get("risen") ?? 0) + (seen.get("other") ?? 0) > 1) return "new";
    return seen.has("risen") ? "risen" : "known";
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
