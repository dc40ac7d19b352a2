/**
 * Counts the use of the members of this process: budgets, and the limit on calls without progress. It looks for progress that no call shows (files
 * that commands wrote, landed changes, completed tasks of the person) only when that limit comes near.
 */

import type { Member } from "../core/board/member.ts";
import { ROOTS } from "../core/board/task-depth.ts";
import { Budget, type More, type RunStart } from "../core/budget.ts";
import type { Name } from "../core/ids.ts";
import type { Step } from "../core/progress/gains.ts";
import { ProgressLimit, type ProgressVerdict } from "../core/progress/progress-limit.ts";
import type { Cursor } from "../ports/index.ts";
import { Families } from "./families.ts";
import type { Parts } from "./parts.ts";
import { Pause } from "./pause.ts";
import { StandingFiles } from "./standing-files.ts";
import { WrittenFiles } from "./written-files.ts";

/** The usage of one model call. `steps`: its calls with their results; without it the call is not counted as one without progress. */
export type Used = { readonly tokens: number; readonly usd: number; readonly steps?: readonly Step[] };

/** A limit of the team is reached. `goOn`: the words that raise it, before or behind `ekiden resume`. */
export type Over = {
  readonly reason: "budget" | "turns" | "calls" | "progress";
  readonly text: string;
  readonly goOn: string;
};

export type Limits = {
  readonly usd: number;
  readonly tokens: number;
  /** Infinity: no limit. */
  readonly mostUsd: number;
  readonly mostTokens: number;
};

type SpendingParts = Pick<Parts, "settings" | "store" | "workspace" | "clock">;
type Acts = {
  /** The team has reached a limit; called at every further turn. */
  readonly onOver: (over: Over) => void;
  readonly onMemberOver: (who: Name) => void;
  /** Somebody is there who may allow more: told once, instead of `onOver`, and the members wait. */
  readonly onUsedUp?: ((text: string) => void) | undefined;
};

/** Completed tasks that are looked at for one of the person. */
const LOOKED_MAX = 200;

/** The part that a face of the team shows and changes. Written out: the types of the library would otherwise hold all that the class uses. */
export type Allowance = {
  /** US dollars and tokens that were spent in the team's life, and that may be spent. */
  readonly limits: Limits;
  /** The members wait until more is allowed. */
  readonly isUsedUp: boolean;
  /** Returns the limit that is used up even so. */
  allowMore(more: More): Over | null | Promise<Over | null>;
};

export class Spending implements Allowance {
  /** On while a limit is used up and somebody may allow more. */
  readonly pause = new Pause();
  private readonly parts: SpendingParts;
  private readonly acts: Acts;
  private budget: Budget;
  private limit: ProgressLimit;
  private cursor = "" as Cursor;
  private start: RunStart = { turns: 0, usd: 0 };
  private readonly standing: StandingFiles;
  private written: WrittenFiles;
  private readonly families: Families;
  private looking: Promise<void> | null = null;
  /** Members that have not heard yet that the limit comes near. */
  private readonly toTell = new Map<Name, string>();
  private readonly members = new Set<Name>();

  constructor(parts: SpendingParts, acts: Acts) {
    this.parts = parts;
    this.acts = acts;
    this.budget = new Budget(parts.settings);
    this.limit = new ProgressLimit(parts.settings.callsWithoutProgress);
    this.standing = new StandingFiles(parts.workspace);
    this.written = new WrittenFiles(parts.workspace, parts.clock);
    this.families = new Families(parts.store, parts.settings.callsPerTask);
  }

  /** `isNew`: a run begins, unless an earlier one is gone on with that was stopped. */
  async open(isNew: boolean): Promise<void> {
    const { settings, store, workspace, clock } = this.parts;
    const { journal, roster } = store;
    const members = await roster.members();
    const last = await this.lastRun();
    this.start = last.start;
    this.budget = new Budget(settings, members, last.start);
    // A run that was stopped for want of progress gets half of the limit, so that going on again and again is no way around it.
    const used = !isNew && last.end === "progress" ? settings.callsWithoutProgress / 2 : 0;
    this.limit = new ProgressLimit(settings.callsWithoutProgress, used);
    if (isNew || last.end === "concluded")
      await journal.note([{ type: "run.began", ...this.budget.beginRun() }]);
    this.cursor = await journal.end();
    this.written = new WrittenFiles(workspace, clock); // what is there already is nobody's work
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
    this.families.begin();
    this.limit.settle();
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
    this.budget.newGoal();
    this.families.begin();
    this.limit.settle();
    this.toTell.clear();
    this.goOn();
  }

  /** A note for a member, once, behind its next calls. */
  noteFor(who: Name): string | null {
    const note = this.toTell.get(who) ?? null;
    this.toTell.delete(who);
    return note;
  }

  /** The member waits for the promise, so that it makes no further call while it is looked at whether it may. */
  book(who: Name, used: Used): Promise<void> | undefined {
    const family = this.families.book(who)?.catch(() => {});
    const counted = this.count(who, used);
    return family === undefined ? counted : family.then(() => counted);
  }

  private count(who: Name, { tokens, usd, steps }: Used): Promise<void> | undefined {
    this.members.add(who);
    for (const verdict of this.budget.spend(who, tokens, usd)) {
      if (verdict.kind === "warning") this.warn(verdict.who, verdict.text);
      else if (verdict.what === "calls") void this.checkCalls(verdict.text, verdict.goOn).catch(() => {});
      else if (verdict.who !== null) this.acts.onMemberOver(verdict.who);
      else this.reached({ reason: verdict.what, text: verdict.text, goOn: verdict.goOn });
    }
    const verdict = steps ? this.limit.take(who, steps) : "fine";
    if (steps) this.written.book(who, steps);
    if (steps?.some(({ traits }) => traits.looks || traits.writes))
      this.standing.look(this.limit.gains.files);
    if (verdict === "fine") return undefined;
    this.looking ??= this.nearLimit(verdict)
      .catch(() => {})
      .finally(() => {
        this.looking = null;
      });
    return this.looking;
  }

  private warn(who: Name | null, text: string): void {
    void this.parts.store.journal.warn(who, text).catch(() => {});
  }

  /** The person may have added tasks since they were last counted. */
  private async checkCalls(text: string, goOn: string): Promise<void> {
    const tasks = await this.parts.store.board.tasks();
    const roots = tasks.filter(({ createdBy }) => ROOTS.has(createdBy)).length;
    if (this.budget.hasUsedCalls(roots)) this.reached({ reason: "calls", text, goOn });
  }

  private async nearLimit(verdict: Exclude<ProgressVerdict, "fine">): Promise<void> {
    const { callsWithoutProgress } = this.parts.settings;
    if ((await this.hasProgress()) || verdict === "look") return;
    const said = this.limit.text;
    const goOn = `EKIDEN_CALLS_WITHOUT_PROGRESS=${2 * callsWithoutProgress}`;
    if (verdict === "over")
      return this.reached({
        reason: "progress",
        text: `${said}. The limit is ${callsWithoutProgress}.`,
        goOn,
      });
    const what = "no new content of a file, no landed change, no completed task of the person";
    this.warn(
      null,
      `${said}: ${what}. After ${Math.ceil(callsWithoutProgress / 2)} more the team is stopped.`,
    );
    const note = `The whole team has made ${said}: ${what}. If that goes on, the team is stopped soon. Finish what is begun, or say what is in the way and call idle.`;
    for (const who of this.members) this.toTell.set(who, note);
  }

  /** Looks for progress since the last look. */
  private async hasProgress(): Promise<boolean> {
    const lines = await this.written.look(this.limit.gains);
    if (await this.hasEnded()) {
      this.limit.settle();
      return true;
    }
    return this.limit.found(lines);
  }

  /** Whether commands of the member wrote new lines since the last question. */
  async hasWritten(who: Name): Promise<boolean> {
    await this.hasProgress();
    return this.written.take(who);
  }

  /** Whether a change landed or a task of the person was completed, by a member of any process. */
  private async hasEnded(): Promise<boolean> {
    const { board, journal } = this.parts.store;
    const types = ["task.landed", "task.proposed", "task.completed"] as const;
    let looked = 0;
    for await (const { events, cursor } of journal.pages(this.cursor, types)) {
      this.cursor = cursor;
      for (const event of events) {
        if (event.type === "task.landed" || event.type === "task.proposed") return true;
        if (event.type !== "task.completed" || looked >= LOOKED_MAX) continue;
        looked += 1;
        const task = await board.task(event.task);
        if (task && ROOTS.has(task.createdBy)) return true;
      }
    }
    return false;
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
