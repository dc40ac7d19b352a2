/**
 * Notices an agent that repeats itself. A round is one reply with the results of its calls; a cycle is up to `LONGEST_CYCLE` rounds
 * that come again and again in the same order. Times, ids and random characters do not tell results apart (`volatile.ts`).
 *
 * | kind     | what repeats                                                        | told after | ended after       |
 * |----------|---------------------------------------------------------------------|------------|-------------------|
 * | repeated | the same calls with the same results, or the same text              | 3 cycles   | 5 more rounds     |
 * | polling  | the same calls; their results differ                                | 5 cycles   | never             |
 * | ticking  | the same calls; only digits of their results differ, and none rises | with it    | 20 rounds         |
 * | flood    | calls about the team, or texts, in which only digits differ         | 5 cycles   | 20 rounds         |
 * | tasks    | new tasks and nothing else, whatever their texts                    | 20 rounds  | 40 rounds         |
 * | growing  | the last call or text, with something added at one place            | 8 rounds   | 20 rounds         |
 * | failing  | calls that fail, are refused or have a wrong input                  | 15 rounds  | 40 rounds         |
 * | talking  | mail, notes and other calls about the team, or texts                | 20 rounds  | 40 rounds         |
 *
 * A cycle of more than `SHORT_CYCLE` rounds is told after 2 cycles. An agent that was ended for words, a flood or tasks, and gained nothing since,
 * has half as many rounds the next time: the answers of others would give it all of them again. Rounds that gain something (`gains.ts`) neither tick nor, where they
 * change a file, grow: honest work may differ in digits alone. Only `turnsPerStint` limits a poll: its answer may really change.
 */

import { type Mail, type Kind as MailKind, words } from "../board/mail.ts";
import { callsOf, textOf } from "../conversation/chat.ts";
import { PERSON } from "../ids.ts";
import { oneLine } from "../text/one-line.ts";
import { digest, type Gain, Gains, type Round, type Step } from "./gains.ts";
import { blurred, settled } from "./volatile.ts";

export type LoopVerdict =
  | { readonly kind: "fine" }
  /** A note for the agent. */
  | { readonly kind: "told"; readonly text: string }
  /** `text`: its acts, without a subject: the evidence. `floods`: it put tasks on the board, or mailed others. */
  | { readonly kind: "ended"; readonly text: string; readonly floods: boolean };

type Kind = "repeated" | "polling" | "ticking" | "flood" | "tasks" | "growing" | "failing" | "talking";
type Keys = { readonly [K in Kind]: string | null };
type Limit = {
  readonly periods: number;
  /** Told after so many cycles. */
  readonly cycles: number;
  /** Ended after so many rounds. */
  readonly ended: (period: number) => number;
  readonly advice: string;
};

const LONGEST_CYCLE = 16;
/** Longer cycles are noticed one cycle earlier: three of them cost too much. */
const SHORT_CYCLE = 4;
const [NEVER, ENDED_LEAST] = [Number.POSITIVE_INFINITY, 3];
const ENDS = "If you go on like this, your turn is ended.";
const WAITING =
  "Each question costs a model call. A background command mails you when it ends. For a file or a time, start a command in the background that waits for it. Then call idle: that costs nothing.";

const LIMITS: Readonly<Record<Kind, Limit>> = {
  repeated: {
    periods: LONGEST_CYCLE,
    cycles: 3,
    ended: (period) => 3 * period + 5,
    advice: `Nothing changes by it. Do something else, say what is in your way, or call idle. ${ENDS}`,
  },
  polling: { periods: LONGEST_CYCLE, cycles: 5, ended: () => NEVER, advice: WAITING },
  ticking: {
    periods: LONGEST_CYCLE,
    cycles: NEVER,
    ended: (period) => Math.max(20, 3 * period + 5),
    advice: "",
  },
  flood: {
    periods: LONGEST_CYCLE,
    cycles: 5,
    ended: (period) => Math.max(20, 3 * period + 5),
    advice: `Only numbers change. Put what is left into one reply with several calls, or end your turn. ${ENDS}`,
  },
  tasks: {
    periods: 1,
    cycles: 20,
    ended: () => 40,
    advice: `Put the tasks that are left into one reply with several calls, then end your turn. ${ENDS}`,
  },
  growing: {
    periods: 1,
    cycles: 8,
    ended: () => 20,
    advice: `Each time you only add to what you did before. Say what you want to reach, and do it in one step. ${ENDS}`,
  },
  failing: {
    periods: 1,
    cycles: 15,
    ended: () => 40,
    advice: `None of these calls did anything. Find out why, do something else, or say what is in your way. ${ENDS}`,
  },
  talking: {
    periods: 1,
    cycles: 20,
    ended: () => 40,
    advice: `Words change nothing in the project. Do the work, or call idle. ${ENDS}`,
  },
};
const KINDS = Object.keys(LIMITS) as Kind[];

/** One for each agent. It keeps keys of rounds, not their texts in full, for as long as the agent has the same task. */
export class LoopDetector {
  private readonly gains = new Gains();
  /** By kind and period: the length in rounds of what repeats now. */
  private readonly runs = new Map<string, number>();
  private readonly last: Keys[] = [];
  private readonly known = new Set<string>();
  private progress = false;
  private told = false;
  /**
   * The last calls were made for the first time: each end of a background command is news then, however alike they are. An agent that starts
   * the same command again and again hears nothing new of it.
   */
  private asksNew = true;
  /** The number of times that it was ended for words, a flood or tasks since it last gained something. */
  private strikes = 0;
  /** The last call or text, and the number of those that were not made from the one before. */
  private before = "";
  private fresh = 0;

  get hasProgress(): boolean {
    return this.progress;
  }

  /** Whether a round since the last question gained something. */
  takeProgress(): boolean {
    const { progress } = this;
    this.progress = false;
    return progress;
  }

  /** Another task, or another attempt: all findings count as new again. */
  begin(): void {
    this.interrupted();
    this.gains.forget();
    [this.progress, this.strikes] = [false, 0];
  }

  /** Something new came in, so the next rounds answer that. */
  private interrupted(): void {
    this.last.length = 0;
  }

  /**
   * Whether mail says something that the agent has not heard before. Two members that send each other the same words, or words in
   * which only numbers differ, must not keep each other awake.
   */
  isNews(mail: Mail): boolean {
    const isAwaited = mail.body.kind === "job_done" && this.asksNew;
    const key = newsKey(mail, isAwaited ? exactly : undefined);
    return key === null || !this.known.has(key);
  }

  /** The agent read this mail. True when there was news among it. */
  read(mail: readonly Mail[]): boolean {
    const news = mail.some((letter) => this.isNews(letter));
    for (const letter of mail)
      for (const compared of [undefined, exactly]) this.known.add(newsKey(letter, compared) ?? "");
    if (news) this.interrupted();
    return news;
  }

  /** `steps`: the calls of the round. */
  observe(round: Round, steps: readonly Step[]): LoopVerdict {
    const gain = this.gains.of(steps);
    if (gain !== "nothing" || steps.some(completes)) [this.progress, this.strikes] = [true, 0];
    const keys = this.keysOf(round, steps, gain);
    if (keys.polling !== null) {
      this.asksNew = !this.known.has(keys.polling);
      this.known.add(keys.polling);
    }
    const verdicts = KINDS.map((kind) => this.judge(kind, keys, round));
    this.last.push(keys);
    if (this.last.length > LONGEST_CYCLE) this.last.shift();
    if (this.runs.size === 0) this.told = false;
    const ended = verdicts.find(({ kind }) => kind === "ended");
    if (ended) return ended;
    const told = this.told ? undefined : verdicts.find(({ kind }) => kind === "told");
    if (told) this.told = true;
    return told ?? { kind: "fine" };
  }

  /** The shortest cycle counts: equal rounds are no longer one. The others are followed too, as equal rounds may be a part of one. */
  private judge(kind: Kind, keys: Keys, round: Round): LoopVerdict {
    const { periods, cycles, ended, advice } = LIMITS[kind];
    let shortest = 0;
    for (let period = 1; period <= periods; period += 1) {
      const name = `${kind} ${period}`;
      const again = keys[kind] !== null && this.last.at(-period)?.[kind] === keys[kind];
      if (again) this.runs.set(name, (this.runs.get(name) ?? period) + 1);
      else this.runs.delete(name);
      if (again && shortest === 0) shortest = period;
    }
    const run = this.runs.get(`${kind} ${shortest}`) ?? 0;
    const floods = FLOODS.has(kind);
    const limit = floods ? Math.max(ENDED_LEAST, ended(shortest) / 2 ** this.strikes) : ended(shortest);
    if (run >= limit && floods) this.strikes += 1;
    if (run >= limit) return { kind: "ended", text: describe(round, run, shortest), floods };
    const most = shortest > SHORT_CYCLE ? Math.min(cycles, 2) : cycles;
    if (run === 0 || run < shortest * most) return { kind: "fine" };
    return { kind: "told", text: `You ${describe(round, run, shortest)} ${advice}` };
  }

  /** The same key for as long as each text is the one before with something added. */
  private growth(text: string): string {
    const compared = text.slice(0, COMPARED_MAX);
    if (!grows(this.before, compared)) this.fresh += 1;
    this.before = compared;
    return String(this.fresh);
  }

  private keysOf(round: Round, steps: readonly Step[], gain: Gain): Keys {
    const isIdle = gain === "nothing";
    if (steps.length === 0) {
      const text = round.flatMap((entry) => (entry.kind === "said" ? [textOf(entry.message)] : [])).join();
      const none = { polling: null, ticking: null, tasks: null, failing: null };
      const growing = this.growth(text);
      return { ...none, repeated: `text ${settled(text)}`, flood: blurred(text), growing, talking: "talk" };
    }
    const asked = JSON.stringify(steps.map(({ tool, input }) => [tool, input]));
    const got = JSON.stringify(steps.map(({ text }) => text));
    const traits = steps.map((step) => step.traits);
    const isTeam = traits.every(({ aboutTeam }) => aboutTeam) && !steps.some(completes);
    const growing = this.growth(asked);
    return {
      repeated: digest(`${asked} ${settled(got)}`),
      polling: digest(asked),
      ticking: isIdle ? digest(`${asked} ${blurred(got)}`) : null,
      flood: isTeam ? digest(blurred(asked)) : null,
      tasks: traits.every(({ createsTasks }) => createsTasks) ? "tasks" : null,
      growing:
        traits.some(({ writes }) => writes) && (gain === "lasting" || gain === "step") ? null : growing,
      failing: steps.every(({ isError }) => isError) ? "failing" : null,
      talking: isTeam ? "talk" : null,
    };
  }
}

const completes = ({ traits, isError }: Step): boolean => traits.completes && !isError;

const FLOODS: ReadonlySet<Kind> = new Set(["flood", "tasks", "talking"]);

/** Characters of a call or text that are compared. */
const COMPARED_MAX = 100_000;

/** Whether `after` is `before` with something added at one place. */
function grows(before: string, after: string): boolean {
  if (before === "" || after.length <= before.length) return false;
  let head = 0;
  while (before[head] === after[head]) head += 1;
  return after.endsWith(before.slice(head));
}

const exactly = (said: string): string => said;

/**
 * The part of a mail that is compared with earlier mail; without an entry its words without digits. A lead may have changed the board
 * itself, so a quiet board is news once. A stop request, and a question that a member must decide, is always news.
 */
const COMPARED: { readonly [K in MailKind]?: ((said: string) => string) | null } = {
  board_quiet: () => "",
  result: exactly,
  idle_notice: exactly,
  task_failed: exactly,
  cron: null,
  shutdown_request: null,
  shutdown_response: null,
  permission_request: null,
  question: null,
  question_answer: null,
  plan_request: null,
};

function newsKey(
  { from, body }: Mail,
  compared = Object.hasOwn(COMPARED, body.kind) ? COMPARED[body.kind] : blurred,
): string | null {
  const { kind } = body;
  return from !== PERSON && compared ? digest(`${from} ${kind} ${compared(words(body))}`) : null;
}

/** Characters of a call, a text and a result in the evidence. */
const SHOWN = 160;

function describe(round: Round, run: number, period: number): string {
  const said = round.flatMap((entry) => (entry.kind === "said" ? [entry.message] : []));
  const calls = said.flatMap(callsOf);
  const results = round.flatMap((entry) => (entry.kind === "result" ? [entry.result.text] : []));
  const text = said.map(textOf).join(" ");
  const what =
    calls.length > 0
      ? `called ${calls.map(({ tool, input }) => oneLine(`${tool} ${JSON.stringify(input)}`, SHOWN)).join(", ")}`
      : text === ""
        ? "gave an empty answer"
        : `answered "${oneLine(text, SHOWN)}" without a call`;
  const others = period > 1 ? ` in turn with ${period - 1} other ${period > 2 ? "replies" : "reply"}` : "";
  const last = results.at(-1);
  const got = last === undefined ? "" : ` The last result: ${oneLine(last, SHOWN)}`;
  return `${what} ${Math.floor(run / period)} times in a row${others}.${got}`;
}
