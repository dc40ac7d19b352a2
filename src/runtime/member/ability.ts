/**
 * Whether a member can work at all. A stint with a task in which no call succeeds says nothing about the task: twice in a row with different
 * tasks, or three times with one, it is the fault of the member. So is an error of the program that is its model. The member then rests,
 * for growing times, until a call succeeds. No words are read for this.
 */
import type { Claimed } from "../../core/board/task.ts";
import { type Instant, instant, later, type TaskId } from "../../core/ids.ts";
import { cutEnd } from "../../core/text/valid.ts";
import type { Besides } from "../../ports/index.ts";
import type { Agent, TurnOutcome } from "../agent/agent.ts";

const FIRST_REST_MS = 30_000;
const LONGEST_REST_MS = 1_800_000;
const [TASKS, STINTS] = [2, 3];
const IDLE_HAVE_MS = 60_000;
/** Characters of its last words that are kept. */
const WORDS_KEPT = 300;

/** `until`: when its login may be used again. `isKnown`: somebody has said it, so that nothing else is wrong. */
export type Limit = { readonly until: Instant; readonly isKnown: boolean };
type Stint = { worked: boolean; broke: boolean; limit?: Limit };
type Claim = Pick<Claimed, "id" | "attempt">;

export class Ability {
  private readonly agent: Pick<Agent, "clock" | "activity">;
  /** The stint that continues, or has ended and was not judged yet. */
  private stint: Stint | null = null;
  /** The tasks of the stints without a successful call since the last one that had any, in order. */
  private barren: TaskId[] = [];
  /** The last claim for which a call succeeded. */
  private workedOn: Claim | null = null;
  private rests = 0;
  private until: Instant = instant(0);
  private words = "";
  /** Tasks that it gave back: for others, where there are any. Whether that lasts, also when it can work again. */
  private readonly left = new Map<TaskId, boolean>();
  private leftAt: Instant = instant(0);

  constructor(agent: Pick<Agent, "clock" | "activity">) {
    this.agent = agent;
  }

  /** @throws EkidenError `stale_seat` */
  async took({ worked, text }: Pick<TurnOutcome, "worked" | "text">): Promise<void> {
    this.stint ??= { worked: false, broke: false };
    if (text.trim() !== "") this.words = text;
    if (!worked) return;
    this.stint.worked = true;
    this.barren = [];
    for (const [task, lasts] of this.left) if (!lasts) this.left.delete(task);
    await this.agent.activity.canWork();
  }

  /** The program that is its model failed, or its login has met a limit. */
  broke(words: string, limit?: Limit): void {
    this.stint = { worked: this.stint?.worked ?? false, broke: true, ...(limit && { limit }) };
    this.words = words;
  }

  /** The limit that its stint has met. */
  get limit(): Limit | undefined {
    return this.stint?.limit;
  }

  /** A stint has ended that was not judged yet. */
  get hasStint(): boolean {
    return this.stint !== null;
  }

  /**
   * What the stint that has ended shows, with those before it. `claim`: what it should have worked on. `unwilling`: a call for this claim
   * succeeded, and now the member ends its turns without finishing it, so the attempt counts.
   */
  judge(claim: Claim | null): "able" | "unwilling" | "unable" {
    const { stint } = this;
    this.stint = null;
    if (!stint) return "able";
    if (stint.worked) this.workedOn = claim;
    if (stint.worked && !stint.broke) this.rests = 0;
    if (stint.broke) return "unable";
    if (claim === null || stint.worked) return "able";
    const { id, attempt } = claim;
    this.barren.push(id);
    const same = this.barren.filter((one) => one === id).length;
    if (new Set(this.barren).size < TASKS && same < STINTS) return "able";
    return this.workedOn?.id === id && this.workedOn.attempt === attempt ? "unwilling" : "unable";
  }

  /** `lasts`: an attempt counted. One member alone shall not use up all attempts of a task that others can try. */
  leave(task: TaskId, lasts: boolean): void {
    this.left.set(task, lasts);
    this.leftAt = this.agent.clock.now();
  }

  /**
   * The tasks that others should have. Those that wait for tasks have it for a minute only: two members that left the same task would
   * wait for each other for ever.
   */
  get besides(): Besides {
    return { ids: [...this.left.keys()], idle: this.agent.clock.now() - this.leftAt < IDLE_HAVE_MS };
  }

  get lastWords(): string {
    return cutEnd(this.words.trim(), WORDS_KEPT);
  }

  /** @throws EkidenError `stale_seat` */
  async rest(limit?: Limit): Promise<void> {
    const { clock, activity } = this.agent;
    if (limit) {
      this.until = limit.until;
      return await activity.cannotWork(this.lastWords, limit.isKnown ? "at_limit" : "cannot_work");
    }
    this.until = later(clock.now(), Math.min(LONGEST_REST_MS, FIRST_REST_MS * 2 ** this.rests));
    this.rests += 1;
    await activity.cannotWork(this.lastWords);
  }

  /** Milliseconds of its rest that are left. */
  get restMs(): number {
    return this.until - this.agent.clock.now();
  }
}
