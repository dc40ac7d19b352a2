/**
 * An agent outside of this program as a teammate. It joins with its first call and leaves when it is gone, or when it was silent for
 * a while and has no task: a task must not be claimed for an agent that is not there.
 */
import { type EkidenError, isEkidenError, messageOf } from "../../core/errors.ts";
import { HARNESS, LEAD, type Name, teammateName } from "../../core/ids.ts";
import { awaitTeam } from "../worker/await-team.ts";
import type { WorkerEnd, WorkerOptions } from "../worker/options.ts";
import { openWorker, type Worker } from "../worker/worker.ts";
import { aboutOf, GuestModel, newsOf, type Turn } from "./guest-model.ts";

export type GuestOptions = Pick<WorkerOptions, "settings" | "cwd" | "env" | "role" | "tell" | "trust"> & {
  readonly name: Name;
  /** A name that is taken gets a number. */
  readonly mayNumber: boolean;
  /** The time that a call waits for something to say. */
  readonly waitMs: number;
  /** After this time without a call, a member without a task leaves. */
  readonly absentMs?: number;
  /** After this time more, also one with a task: nothing tells that its client has ended. Default: it stays. */
  readonly holdMs?: number;
};

export type Said = { readonly text: string; readonly isError: boolean };

const ABSENT_MS = 120_000;
const WAKE_MS = 10_000;
const NAMES_MAX = 20;
const IDLE_MOST = 3;

const NOTHING = "Nothing to do yet. Call wait_for_work again to keep waiting.";
const NO_PROSPECT =
  "Nothing to do: no task of the board can become yours, and no lead is at work that could add one. You may end here; a later wait_for_work joins again.";

export class Guest {
  private readonly options: GuestOptions;
  private readonly absentMs: number;
  private model = new GuestModel();
  private worker: Worker | null = null;
  private name: Name;
  /** It has not been told yet who it is. */
  private isNew = true;
  /** The call whose result was told while the member rested. */
  private told = "";
  private end: WorkerEnd | null = null;
  private isOver = new AbortController();
  private wasAbsent = false;
  private absent: NodeJS.Timeout | undefined;
  /** Calls are answered one after the other: they are the turns of one member. */
  private last: Promise<unknown> = Promise.resolve();
  private readonly closed = new AbortController();

  constructor(options: GuestOptions) {
    this.options = options;
    this.name = options.name;
    this.absentMs = options.absentMs ?? ABSENT_MS;
  }

  /** Continues with the member: returns its next task, mail, or that there is nothing yet. */
  wait(input: object, signal: AbortSignal): Promise<Said> {
    return this.queued(async () => {
      const refused = await this.join(signal);
      if (refused) return refused;
      // A member that was taken over begins with a turn in which nothing is new.
      for (let nth = 0; nth < IDLE_MOST; nth += 1) {
        const { turn } = this.model;
        if (turn && !turn.isRead && this.newsIn(turn).length > 0) break;
        turn?.call("idle", input);
        if (!(await this.model.next(this.options.waitMs, this.until(signal)))) break;
      }
      const said = await this.heard(signal, NOTHING, 0);
      if (said.text !== NOTHING || (await this.hasProspect())) return said;
      return { ...said, text: NO_PROSPECT };
    });
  }

  /** One call of a tool of the member. */
  call(tool: string, input: unknown, signal: AbortSignal): Promise<Said> {
    return this.queued(async () => {
      const refused = await this.join(signal);
      if (refused) return refused;
      const turn = this.model.turn ?? (await this.wake(signal));
      if (!turn) return this.gone() ?? error(`${this.name} is busy. Call wait_for_work for what comes next.`);
      const before = turn.isRead ? "" : this.read(turn, ["text"]).text;
      const said = await this.answered(turn.call(tool, input), tool, signal);
      return before === "" ? said : { ...said, text: `${said.text}\n\n${before}` };
    });
  }

  /** Its task goes back to the board. */
  async close(): Promise<void> {
    this.closed.abort();
    clearTimeout(this.absent);
    await this.last.catch(() => {});
    this.worker?.endNow();
    await this.worker?.close();
  }

  private queued(step: () => Promise<Said>): Promise<Said> {
    const done = this.last.then(async () => {
      clearTimeout(this.absent);
      try {
        return await step();
      } catch (caught) {
        return error(messageOf(caught));
      } finally {
        if (!this.closed.signal.aborted)
          this.absent = setTimeout(() => void this.leaveIfIdle().catch(() => {}), this.absentMs);
      }
    });
    this.last = done;
    return done;
  }

  /** Waits for the member's next turn and returns what is new in it. */
  private async heard(signal: AbortSignal, otherwise: string, ms = this.options.waitMs): Promise<Said> {
    const turn = await this.model.next(ms, this.until(signal));
    // A client that has given up the call does not read the answer.
    if (turn && !signal.aborted) return this.read(turn);
    return this.gone() ?? { text: otherwise, isError: false };
  }

  /** The result of a call: in the next turn, or at once where the member waits after the call and has no turn, as for a plan. */
  private async answered(id: string, tool: string, signal: AbortSignal): Promise<Said> {
    const over = new AbortController();
    const limit = AbortSignal.any([over.signal, this.until(signal)]);
    const rested = this.resultAtRest(id, limit).catch(() => null); // the store is away: the next turn waits for it
    const heard = this.model.next(this.options.waitMs, limit).then(() => null);
    const result = await Promise.race([heard, rested.then((found) => found ?? heard)]);
    over.abort();
    return (
      result ?? (await this.heard(signal, `${tool} is still at work. wait_for_work returns its result.`, 0))
    );
  }

  private async resultAtRest(id: string, signal: AbortSignal): Promise<Said | null> {
    const { store } = this.worker as Worker;
    for (;;) {
      const mark = store.wake.mark();
      const member = await store.roster.member(this.name);
      if (this.model.turn || signal.aborted) return null;
      if (member && member.activity.phase !== "work") {
        const entries = await store.transcript.current(this.name);
        const entry = entries.findLast((one) => one.kind === "result" && one.result.id === id);
        if (entry?.kind === "result") {
          this.told = id;
          return entry.result;
        }
      }
      await store.wake.changed(mark, ["journal"], this.options.waitMs, signal);
    }
  }

  private read(turn: Turn, types: readonly string[] = ["result", "text"]): Said {
    turn.isRead = true;
    const news = this.newsIn(turn).filter(({ type }) => types.includes(type));
    const isError = news.some((part) => part.type === "result" && part.isError);
    const about = this.isNew ? aboutOf(turn.request) : [];
    this.isNew = false;
    return { text: [...about, ...news.map(({ text }) => text)].join("\n\n") || "Continue.", isError };
  }

  private newsIn({ request }: Turn): ReturnType<typeof newsOf> {
    const isKnown = (part: ReturnType<typeof newsOf>[number]): boolean =>
      part.type === "result" && (part.tool === "idle" || part.id === this.told);
    return newsOf(request).filter((part) => !isKnown(part));
  }

  /** An idle member has no turn until it hears something. */
  private async wake(signal: AbortSignal): Promise<Turn | null> {
    const note = { kind: "note", text: "You continue." } as const;
    await this.worker?.store.mail.send(HARNESS, { to: this.name, body: note, urgent: true });
    return await this.model.next(WAKE_MS, this.until(signal));
  }

  private until(signal: AbortSignal): AbortSignal {
    return AbortSignal.any([signal, this.isOver.signal, this.closed.signal]);
  }

  /** Null when the member is in the team. */
  private async join(signal: AbortSignal): Promise<Said | null> {
    if (this.worker) return this.gone();
    const { settings: all, cwd } = this.options;
    // Its notes and its summaries are its own affair.
    const own = { model: "mcp", memory: false, contextTokens: undefined };
    const { fallbackModel: _, lead: __, ...settings } = { ...all, ...own };
    let why = "";
    const told = (text: string): void => {
      why = text;
    };
    // A signal of AbortSignal.timeout may be collected before its time when only AbortSignal.any refers to it.
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), this.options.waitMs);
    const limit = AbortSignal.any([late.signal, signal, this.closed.signal]);
    const isThere = await awaitTeam(settings, cwd, told, limit).finally(() => clearTimeout(timer));
    if (!isThere) return { text: `${why} ${NOTHING}`, isError: false };
    this.model = new GuestModel();
    this.isNew = true;
    const { model } = this;
    const fixed = { count: 1, namesMustBeFree: true, openModel: async () => model };
    const options = { ...this.options, ...fixed, settings };
    this.wasAbsent = false;
    this.worker = await this.opened((name) => openWorker({ ...options, names: [name] }));
    this.isOver = new AbortController();
    this.end = null;
    void this.worker.done.then((end) => {
      this.end = end;
      this.isOver.abort();
    });
    return null;
  }

  private async opened(open: (name: Name) => Promise<Worker>): Promise<Worker> {
    const { name, mayNumber } = this.options;
    for (let nth = 1; ; nth += 1) {
      this.name = nth === 1 ? name : teammateName(`${name}-${nth}`);
      try {
        return await open(this.name);
      } catch (caught) {
        if (!mayNumber || nth === NAMES_MAX || !isEkidenError(caught, "name_taken")) throw caught;
      }
    }
  }

  /** Once: that the member has left. The next call joins again. */
  private gone(): Said | null {
    if (!this.end) return null;
    const { reason, error: why } = this.end;
    const { name, worker } = this;
    this.worker = null;
    this.end = null;
    void worker?.close();
    return {
      text: `${name} has left the team${words(reason, why)}. ${reason === "drained" || this.wasAbsent ? "wait_for_work joins again." : "End here, unless you are asked to join again."}`,
      isError: false,
    };
  }

  /** A lead that runs may add tasks at any time. */
  private async hasProspect(): Promise<boolean> {
    const { store } = this.worker as Worker;
    return (await store.board.hasProspect(this.name)) || (await store.roster.member(LEAD))?.host != null;
  }

  private async leaveIfIdle(): Promise<void> {
    const { worker, name } = this;
    if (!worker) return;
    const isUnread = this.model.turn?.isRead === false;
    if (isUnread || !(await worker.store.board.mine(name))) return worker.drain(0);
    const { holdMs } = this.options;
    if (holdMs === undefined || this.closed.signal.aborted) return;
    clearTimeout(this.absent);
    this.absent = setTimeout(() => {
      this.wasAbsent = true;
      worker.endNow();
    }, holdMs);
  }
}

const error = (text: string): Said => ({ text, isError: true });

function words(reason: WorkerEnd["reason"], error: EkidenError | undefined): string {
  if (error) return `: ${error.message}`;
  if (reason === "budget") return ": the budget is used up";
  return reason === "over" ? ": it was asked to stop" : "";
}
