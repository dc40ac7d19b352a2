/**
 * Counts the use of the members of this process: the budgets of the team and of each member here, those of each chain of work in
 * `brakes.ts`.
 */

import type { Member, Seat } from "../../core/board/member.ts";
import { Budget, type More, type RunStart } from "../../core/budget.ts";
import type { Name } from "../../core/ids.ts";
import { choicesOf } from "../../core/settings/choices.ts";
import type { Cursor } from "../../ports/index.ts";
import { Brakes } from "./brakes.ts";
import type { JudgeParts } from "./judge.ts";
import { Pause } from "./pause.ts";
import type { Limits, Over, Used } from "./spent.ts";

type Acts = {
  /** The team has reached a limit; called at every further turn. */
  readonly onOver: (over: Over) => void;
  readonly onMemberOver: (who: Name) => void;
  /** Somebody is there who may allow more: told once, instead of `onOver`, and the members wait. */
  readonly onUsedUp?: ((text: string) => void) | undefined;
};

/** The part that a face of the team shows and changes. Written out: the types of the library would otherwise hold all that the class uses. */
export type Allowance = {
  /** US dollars and tokens that were spent in the team's life, and that may be spent. */
  readonly limits: Limits;
  /** The members wait until more is allowed. */
  readonly isUsedUp: boolean;
};

export class Spending implements Allowance {
  /** On while a limit is used up and somebody may allow more. */
  readonly pause = new Pause();
  private readonly parts: JudgeParts;
  private readonly acts: Acts;
  private readonly brakes: Brakes;
  private budget: Budget;
  private start: RunStart = { turns: 0, usd: 0 };
  /** Notes that members have not heard yet. */
  private readonly toTell = new Map<Name, string>();

  constructor(parts: JudgeParts, acts: Acts) {
    this.parts = parts;
    this.acts = acts;
    this.budget = new Budget(parts.settings);
    this.brakes = new Brakes(parts, {
      reached: (over) => this.reached(over),
      warn: (text) => this.warn(null, text),
      tell: (who, note) => this.toTell.set(who, note),
      paid: (who, used) => this.count(who, used),
    });
  }

  /** `isNew`: a run begins, unless an earlier one is gone on with that was stopped. `store` notes that, with the work of the run. */
  async open(isNew: boolean, store = this.parts.store.journal.note): Promise<void> {
    const { journal, roster } = this.parts.store;
    const members = await roster.members();
    const last = await this.lastRun();
    this.start = last.start;
    this.budget = new Budget(this.parts.settings, members, last.start);
    const begins = isNew || last.end === "concluded";
    const how = choicesOf(this.parts.settings);
    await store(begins ? [{ type: "run.began", ...this.budget.beginRun(), how }] : []);
    this.brakes.begin(await journal.end());
  }

  /** A member begins to run here. */
  joined(who: Name, seat: Seat): void {
    this.brakes.seats.set(who, seat);
  }

  /** Limits of the team that are used up before any turn. */
  check(): Over | null {
    return overOf(this.budget);
  }

  /** The same, with what members of other processes have used by now, and with the runs that those have begun. */
  async checkAll(members: readonly Member[]): Promise<Over | null> {
    const check = (): Over | null => overOf(new Budget(this.parts.settings, members, this.start));
    if (!check()) return null;
    this.start = (await this.lastRun()).start;
    this.budget = new Budget(this.parts.settings, members, this.start);
    return check();
  }

  /** US dollars and tokens that were spent in the team's life, and that may be spent. */
  get limits(): Limits {
    const { usd, tokens } = this.budget.used;
    return { usd, tokens, ...this.budget.most };
  }

  get isUsedUp(): boolean {
    return this.pause.isOn;
  }

  /** Returns the limit that is used up even so. */
  allowMore(more: More): Over | null {
    this.budget.allowMore(more);
    this.brakes.begin();
    return this.goOn();
  }

  /** Whether the members wait until more is allowed. */
  waits(over: Over): boolean {
    const { onUsedUp } = this.acts;
    if (!onUsedUp) return false;
    if (this.pause.isOn) return true;
    this.pause.begin();
    this.warn(null, over.text);
    onUsedUp(over.text);
    return true;
  }

  private goOn(): Over | null {
    const over = this.check();
    if (!over) this.pause.end();
    return over;
  }

  private reached(over: Over): void {
    if (!this.waits(over)) this.acts.onOver(over);
  }

  heardPerson(): void {
    this.brakes.begin();
    this.toTell.clear();
    this.goOn();
  }

  /** A note for a member, once, behind its next calls. */
  noteFor(who: Name): string | null {
    const note = this.toTell.get(who) ?? null;
    this.toTell.delete(who);
    return note;
  }

  /**
   * One call of a member or its subagent. The member waits for the promise, so that it makes no further call while it is decided whether it may;
   * it rests where that is "rest".
   */
  async book(who: Name, used: Used): Promise<"rest" | undefined> {
    this.count(who, used);
    return await this.brakes.book(who, used).catch(() => undefined); // the store is away: later calls are counted
  }

  /** The lead's turn ended. */
  leadRested(): void {
    this.brakes.leadRested();
  }

  private count(who: Name, { tokens, usd }: Used): void {
    for (const verdict of this.budget.spend(who, tokens, usd)) {
      if (verdict.kind === "warning") this.warn(verdict.who, verdict.text);
      else if (verdict.who !== null) this.acts.onMemberOver(verdict.who);
      else this.reached({ reason: verdict.what, text: verdict.text, goOn: verdict.goOn });
    }
  }

  private warn(who: Name | null, text: string): void {
    void this.parts.store.journal.warn(who, text).catch(() => {});
  }

  private async lastRun() {
    const { journal } = this.parts.store;
    let start = { turns: 0, usd: 0 };
    let end = "";
    for await (const { events } of journal.pages("" as Cursor, ["run.began", "team.finished"]))
      for (const event of events) {
        if (event.type === "run.began") start = { turns: event.turns, usd: event.usd };
        if (event.type === "team.finished") end = event.reason;
      }
    return { start, end };
  }
}

function overOf(budget: Budget): Over | null {
  for (const verdict of budget.check())
    if (verdict.kind === "over" && verdict.who === null)
      return { reason: verdict.what, text: verdict.text, goOn: verdict.goOn };
  return null;
}
