/**
 * Notices an agent that repeats itself. A round is one reply with the results of its calls; a cycle is up to `LONGEST_CYCLE` rounds
 * that come again and again in the same order.
 *
 * | kind     | what repeats                                                                    | told after | ended after |
 * |----------|---------------------------------------------------------------------------------|------------|-------------|
 * | repeated | the same calls with the same results (`volatile.ts`), or the same text          | 3 cycles   | 6 cycles    |
 * | polling  | the same calls while their results change                                       | 5 cycles   | never       |
 *
 * Watching is no repetition: a command that sleeps, a look at a job, rounds that are `POLL_MS` apart, and an elapsed time that rises.
 * What no repetition shows is a matter of money and of judgement (`look.ts`).
 */
import { type Mail, type Kind as MailKind, words } from "../board/mail.ts";
import { callsOf, textOf } from "../conversation/chat.ts";
import { PERSON } from "../ids.ts";
import { hashOf } from "../text/hash.ts";
import { oneLine } from "../text/one-line.ts";
import { lineOf, type Round, type Step } from "./steps.ts";
import { blurred, elapsedIn, settled } from "./volatile.ts";

export type LoopVerdict =
  | { readonly kind: "fine" }
  /** A note for the agent. */
  | { readonly kind: "told"; readonly text: string }
  /** `text`: its acts, without a subject: the evidence. */
  | { readonly kind: "ended"; readonly text: string };

const LONGEST_CYCLE = 9;
/** Rounds that are so far apart are a poll. */
const POLL_MS = 20_000;
/** An elapsed time that rises by less may be that of a test which is run again. */
const RISE_MS = 1_000;

type Kind = "repeated" | "polling";
/** The cycles after which it is told and ended. */
const LIMITS: Readonly<Record<Kind, { told: number; ended: number; advice: string }>> = {
  repeated: {
    told: 3,
    ended: 6,
    advice:
      "Nothing changes by it. Do something else, say what is in your way, or call idle. If you continue like this, your turn is ended.",
  },
  polling: {
    told: 5,
    ended: Number.POSITIVE_INFINITY,
    advice:
      "Each question costs a model call. A background command mails you when it ends. For a file or a time, start a command in the background that waits for it. Then call idle: that costs nothing.",
  },
};
const KINDS = Object.keys(LIMITS) as Kind[];
type Keys = { readonly [K in Kind]: string | null };

const WAITS = /\b(?:sleep|wait|watch)\b/;
const SLEEPS = /\bsleep\s+[1-9]/;
/** A line that only names such a word, or sleeps for a moment in a loop of its own, waited if its round took so long. */
const WAITED_MS = 1_000;
function waits(step: Step, ms: number): boolean {
  const line = lineOf(step) ?? "";
  return step.traits.watches || SLEEPS.test(line) || (ms >= WAITED_MS && WAITS.test(line));
}

/** One for each agent. It keeps keys of rounds, not their texts. */
export class LoopDetector {
  /** By kind and period: the length in rounds of what repeats now. */
  private readonly runs = new Map<string, number>();
  private readonly last: Keys[] = [];
  private readonly known = new Set<string>();
  /** By calls: the elapsed time that their last results named, and how often it rose and fell. */
  private readonly elapsed = new Map<string, { ms: number; rose: number; fell: number }>();
  /** By calls without white space: as they were last made. */
  private readonly asked = new Map<string, string>();
  private told = false;
  private before = Number.POSITIVE_INFINITY;
  /**
   * The last calls were made for the first time: each end of a background command is news then, however alike they are. An agent that starts
   * the same command again and again hears nothing new of it.
   */
  private asksNew = true;

  /** Another task or attempt, or news: the next rounds answer that. */
  begin(): void {
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
    if (news) this.begin();
    return news;
  }

  /** `steps`: the calls of the round. `now`: when it ended, in milliseconds. */
  observe(round: Round, steps: readonly Step[], now: number): LoopVerdict {
    const keys = this.keysOf(round, steps, now - this.before);
    this.before = now;
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

  /** The shortest cycle counts. The others are followed too, as equal rounds may be a part of one. */
  private judge(kind: Kind, keys: Keys, round: Round): LoopVerdict {
    const { told, ended, advice } = LIMITS[kind];
    let shortest = 0;
    for (let period = 1; period <= LONGEST_CYCLE; period += 1) {
      const name = `${kind} ${period}`;
      const again = keys[kind] !== null && this.last.at(-period)?.[kind] === keys[kind];
      if (again) this.runs.set(name, (this.runs.get(name) ?? period) + 1);
      else this.runs.delete(name);
      if (again && shortest === 0) shortest = period;
    }
    const run = this.runs.get(`${kind} ${shortest}`) ?? 0;
    const cycles = shortest === 0 ? 0 : Math.floor(run / shortest);
    if (cycles < told) return { kind: "fine" };
    const text = describe(round, cycles, shortest);
    return cycles >= ended ? { kind: "ended", text } : { kind: "told", text: `You ${text} ${advice}` };
  }

  private keysOf(round: Round, steps: readonly Step[], ms: number): Keys {
    if (steps.length === 0) {
      const text = round.flatMap((entry) => (entry.kind === "said" ? [textOf(entry.message)] : [])).join();
      return { repeated: `text ${settled(text)}`, polling: null };
    }
    const asked = JSON.stringify(steps.map(({ tool, input }) => [tool, input]));
    const got = steps.map(({ text }) => text).join("\n");
    const polling = digest(asked);
    const isWatching = ms >= POLL_MS || steps.some((step) => waits(step, ms));
    const rises = this.rises(polling, elapsedIn(got));
    const calls = digest(bare(asked));
    // Where only white space differs, figures in the results are sizes.
    const isSpace = (this.asked.get(calls) ?? polling) !== polling;
    this.asked.set(calls, polling);
    const said = isSpace ? blurred(got) : settled(got);
    return { repeated: isWatching ? null : digest(`${calls} ${said} ${rises}`), polling };
  }

  /** The number of times that the elapsed time of these calls rose; 0 where it falls as often, as that of a test which is run again. */
  private rises(calls: string, ms: number): number {
    const known = this.elapsed.get(calls) ?? { ms, rose: 0, fell: 0 };
    this.elapsed.set(calls, known);
    if (ms >= known.ms + RISE_MS) known.rose += 1;
    if (ms < known.ms) known.fell += 1;
    known.ms = ms;
    return known.rose > 2 * known.fell ? known.rose : 0;
  }
}

const digest = (text: string): string => `${text.length} ${hashOf(text)}`;

/** JSON without the white space in its texts. */
const bare = (json: string): string => json.replace(/\s+|\\[nrt]/g, "");

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

function describe(round: Round, cycles: number, period: number): string {
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
  return `${what} ${cycles} times in a row${others}.${got}`;
}
