/**
 * What a round of calls gained. Progress is what lasts; what an agent found out counts less, and what it has seen before counts
 * nothing. The limits on repetitions and on calls without progress are built on this.
 *
 * | gain     | the round                                                                     | counts as a call without progress |
 * |----------|-------------------------------------------------------------------------------|-----------------------------------|
 * | lasting  | put a content into a file that was never there before                         | none: the count begins again      |
 * | found    | asked something new and learned something new, or saw a figure rise           | a quarter                         |
 * | step     | counted on in a place of a file, or tried again what it tried before a change | half                              |
 * | watched  | asked the same again and got another answer                                   | four fifths                       |
 * | nothing  | failed, was refused, mailed, talked, or got what it knew                      | whole                             |
 */
import { callsOf, type Entry } from "./conversation/chat.ts";
import { type Change, FileChanges, type FileWrite } from "./file-changes.ts";
import { hashOf } from "./hash.ts";
import { writesIn } from "./patch.ts";
import { inOurNames } from "./tool-names.ts";
import { shownCall } from "./views/shown-call.ts";
import { blurred, figures, settled } from "./volatile.ts";

/** An agent's reply and the results of its calls, as they are stored. */
export type Round = readonly Entry[];

/** What a tool is for, which decides what its calls can gain. */
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

/** How much of a call without progress a round is. */
export const COST: Readonly<Record<Gain, number>> = {
  lasting: 0,
  found: 0.25,
  step: 0.5,
  watched: 0.8,
  nothing: 1,
};

const BY_GAIN: readonly Change[] = ["lasting", "counted"];

/** Times that a figure of one question must rise before it counts, because a random one rises too, and may rise: a clock rises for ever. */
const RISES_MIN = 2;
const RISES_MAX = 300;

type Asked = {
  /** Values of the figures at the last look, by the form of the text. */
  readonly values: Map<string, number[]>;
  /** Places of figures that never fell, by the form of the text. */
  readonly rising: Map<string, Set<number>>;
  rises: number;
  /** The number of changes of files when it was last asked. */
  changes: number;
};

/** One for all rounds that are compared with each other. */
export class Gains {
  private readonly files = new FileChanges();
  private readonly asked = new Map<string, Asked>();
  private readonly known = new Set<string>();
  private changes = 0;

  /** `who`: what one member knows is new for another. */
  of(steps: readonly Step[], who = ""): Gain {
    const gains = steps.map((step) => this.gainOf(step, who));
    return gains.reduce((best, gain) => (COST[gain] < COST[best] ? gain : best), "nothing");
  }

  /** What was found out counts as new again. Files keep their contents. */
  forget(): void {
    this.asked.clear();
    this.known.clear();
  }

  /** What is in the files is settled. */
  settle(): void {
    this.files.settle();
  }

  /** A file has this content now. Any member or command may have written it. */
  wrote(write: FileWrite): boolean {
    const change = this.files.judge(write);
    if (change !== "nothing") this.changes += 1;
    return change === "lasting";
  }

  private gainOf(step: Step, who: string): Gain {
    if (step.isError) return "nothing";
    if (step.traits.writes) {
      const changes = writesOf(step.input).map((write) => this.files.judge(write));
      const change = BY_GAIN.find((one) => changes.includes(one)) ?? "nothing";
      if (change === "nothing") return "nothing";
      this.changes += 1;
      return change === "lasting" ? "lasting" : "step";
    }
    return step.traits.looks ? this.look(step, who) : "nothing";
  }

  private look({ tool, input, text }: Step, who: string): Gain {
    const question = `${who} ${tool} ${JSON.stringify(input)}`;
    const before = this.asked.get(digest(question));
    if (before) return this.lookAgain(before, question, text);
    const asked: Asked = { values: new Map(), rising: new Map(), rises: 0, changes: this.changes };
    this.asked.set(digest(question), asked);
    noteFigures(asked, text);
    this.isNew(`${question} ${blurred(text)}`);
    const place = placeOf(input);
    const answer = beyond(text, question);
    const isNew = [
      place !== null && this.isNew(`${who} ${tool} at ${place}`),
      answer !== "" && this.isNew(`${who} ${tool} got ${answer}`),
    ];
    return isNew.includes(true) ? "found" : "nothing";
  }

  private lookAgain(asked: Asked, question: string, text: string): Gain {
    const isAfterChange = asked.changes < this.changes;
    asked.changes = this.changes;
    const hasRisen = noteFigures(asked, text) && asked.rises > RISES_MIN && asked.rises <= RISES_MAX;
    const isNew = this.isNew(`${question} ${blurred(text)}`);
    if (hasRisen) return "found";
    if (isAfterChange) return "step";
    return isNew ? "watched" : "nothing";
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

/** What an answer says beyond its question: an echo of random words is nothing new. */
function beyond(text: string, question: string): string {
  const said = new Set(question.toLowerCase().match(/[\p{L}\d]+/gu));
  return (settled(text).match(/[\p{L}\d<>]+/gu) ?? [])
    .filter((word) => !said.has(word.toLowerCase()))
    .join(" ");
}

/** Whether a figure that has never fallen is higher than at the last look, which had a text of the same form. */
function noteFigures(asked: Asked, text: string): boolean {
  const form = digest(blurred(text));
  const now = figures(text);
  const before = asked.values.get(form);
  asked.values.set(form, now);
  if (!before) return false;
  const rising = asked.rising.get(form) ?? new Set(now.keys());
  asked.rising.set(form, rising);
  let hasRisen = false;
  for (const at of [...rising]) {
    const [was = 0, is = 0] = [before[at], now[at]];
    if (is < was) rising.delete(at);
    else if (is > was) hasRisen = true;
  }
  asked.rises = hasRisen ? asked.rises + 1 : 0;
  return hasRisen;
}

function writesOf(input: unknown): FileWrite[] {
  const { patch } = (input ?? {}) as { patch?: unknown };
  if (typeof patch === "string") return writesIn(patch);
  const shown = shownCall({ tool: "", input });
  if (shown.kind === "write") return [{ path: shown.path, content: shown.content }];
  return shown.kind === "edit" ? [{ path: shown.path, old: shown.old, new: shown.new }] : [];
}
