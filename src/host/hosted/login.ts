/**
 * One login of an agent program or a provider on this machine, shared by the members that work with it. When its limit is reached, none of
 * them is started or prompted before it ends; then one tries (a program with a small prompt), and the others follow it.
 *
 * | state     | a member wants to prompt        | its program says that the limit is reached           | a call or the small prompt succeeds |
 * |-----------|---------------------------------|------------------------------------------------------|-------------------------------------|
 * | open      | goes                            | words alone: once more in a new session; else closed | open                                |
 * | closed    | rests until the limit ends      | closed for the later time                            | open                                |
 * | over      | the first one tries, others rest | closed again                                        | open                                |
 */
import type { RunningAgent } from "../../adapters/agents/agent.ts";
import { EkidenError, type ErrorCode, isEkidenError } from "../../core/errors.ts";
import { type Instant, later } from "../../core/ids.ts";
import { noticeIn } from "../../core/limits/notices.ts";
import { isOver, type LoginWindow, type Notice, type WindowKind } from "../../core/limits/window.ts";
import type { Clock, Store } from "../../ports/index.ts";
import type { AgentRequests } from "./agent-requests.ts";

/** A time in full minutes may be any moment of that minute. */
const MINUTE_MS = 60_000;
/** Clocks differ. */
const MARGIN_MS = 5_000;
/** Processes that share an account do not all come back in the same moment. */
const JITTER_MS = 55_000;
/** Others look again after the one that tries. */
const BEHIND_MS = 5_000;
/** Where nobody says when it ends, and where a notice stays after the time that it named. */
const [UNKNOWN_MS, LONGEST_UNKNOWN_MS] = [60_000, 1_800_000];

export type LoginParts = {
  readonly store: Pick<Store, "logins">;
  readonly clock: Clock;
  readonly program: string;
  readonly login: string;
  readonly machine: string;
  /** In [0, 1): spreads the processes that share it. Default 0. */
  readonly random?: () => number;
};

/** The model of a member that tries first. */
type Trying = { readonly requests: Pick<AgentRequests, "takeWords" | "isCut">; stop(): Promise<void> };

export class Login {
  private readonly parts: LoginParts;
  /** Null while it is open. */
  private until: Instant | null = null;
  private why = "";
  private code: ErrorCode = "model_overloaded";
  /** Somebody has said when it opens. */
  private isKnown = true;
  private trying: object | null = null;
  /** Words alone said that the limit is reached: some say so and work. */
  private isSuspected = false;
  private unknown = 0;
  private readonly told = new Map<WindowKind, Notice>();

  constructor(parts: LoginParts) {
    this.parts = parts;
  }

  /** What an earlier process of the team has heard. */
  async open(): Promise<void> {
    const { store, clock, program, login, machine } = this.parts;
    for (const one of await store.logins.list()) {
      const isOwn = one.program === program && one.login === login && one.machine === machine;
      if (!isOwn || one.resetsAt === undefined || one.resetsAt <= clock.now()) continue;
      this.told.set(one.kind, one);
      if (!isOver(one)) continue;
      this.until = this.wakeAt(one.resetsAt);
      this.why = "its limit was reached before";
    }
  }

  /** Before a prompt of `who`. "try": it may send a small prompt first. @throws EkidenError: its member rests */
  enter(who: object): "go" | "try" {
    if (this.until === null) return "go";
    const now = this.parts.clock.now();
    if (now < this.until) throw this.closed(this.until);
    if (this.trying !== null && this.trying !== who) throw this.closed(later(now, BEHIND_MS));
    this.trying = who;
    return "try";
  }

  /** `who` tries no more, whatever came of it. */
  left(who: object): void {
    if (this.trying === who) this.trying = null;
  }

  /** The program of `who` did something, so no limit is reached; one that was prompted before it was closed shows nothing. */
  worked(who: object): void {
    if (this.until !== null && this.trying !== who) return;
    this.isSuspected = false;
    this.unknown = 0;
    this.trying = null;
    if (this.until === null) return;
    this.until = null;
    for (const one of this.told.values()) if (isOver(one)) this.note({ kind: one.kind, source: "work" });
  }

  /** The last word about each of its windows. */
  get windows(): readonly Notice[] {
    return [...this.told.values()];
  }

  /** How much of its windows is used, as its program says it. */
  used(notices: readonly Notice[]): void {
    const now = this.parts.clock.now();
    for (const notice of notices) {
      const known = this.told.get(notice.kind);
      const isNew = known?.usedPercent !== notice.usedPercent || (known?.resetsAt ?? now) < now;
      if (isNew) this.note(notice);
      if (isOver(notice)) this.close(notice, "its limit is reached");
    }
  }

  /**
   * The texts of a prompt in which nothing was done, or of its error. Null: they mean no limit. An error with `again`: they may, so it is
   * asked once more in a new session; else its member rests.
   */
  heard(texts: readonly string[], who: object): EkidenError | null {
    const { clock } = this.parts;
    // Others have heard it meanwhile.
    if (this.until !== null && this.trying !== who && clock.now() < this.until)
      return this.closed(this.until);
    const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
    for (const text of texts) {
      const notice = noticeIn(text, clock.now(), zone);
      if (!notice) continue;
      const isFirst = !this.isSuspected;
      this.isSuspected = true;
      if (isFirst) return new EkidenError("model_overloaded", text, { details: { again: true } });
      this.note(notice);
      return this.closed(this.close(notice, text));
    }
    return null;
  }

  /** The provider refused a request of `who` because of the limit of this window. The error lets its member rest. */
  refused(kind: WindowKind, { code, message, details }: EkidenError, who: object): EkidenError {
    const now = this.parts.clock.now();
    // Others have heard it meanwhile.
    if (this.until !== null && this.trying !== who && now < this.until) return this.closed(this.until);
    const { retryAfterMs } = details;
    const resetsAt = retryAfterMs === undefined ? undefined : later(now, Math.ceil(retryAfterMs));
    const notice: Notice = { kind, usedPercent: 100, resetsAt, source: "answer" };
    this.code = code;
    this.note(notice);
    return this.closed(this.close(notice, message));
  }

  /** `who` sends a small prompt after the end of the limit. @throws EkidenError: the limit continues, and the member rests */
  async tryOut(who: Trying, program: Pick<RunningAgent, "prompt">, signal: AbortSignal): Promise<void> {
    const cut = (): void => void who.stop();
    signal.addEventListener("abort", cut);
    who.requests.isCut = true; // whatever it calls now belongs to no task
    await program.prompt(TRY).finally(() => {
      who.requests.isCut = false;
      signal.removeEventListener("abort", cut);
    });
    signal.throwIfAborted();
    const limit = this.heard([who.requests.takeWords()], who);
    if (limit !== null) throw limit;
    this.worked(who);
  }

  private close({ resetsAt }: Notice, why: string): Instant {
    const now = this.parts.clock.now();
    const wakes = resetsAt === undefined ? now : this.wakeAt(resetsAt);
    const known = wakes > now ? wakes : null;
    this.isKnown = known !== null;
    this.unknown += known === null ? 1 : 0;
    const unknown = later(now, Math.min(LONGEST_UNKNOWN_MS, UNKNOWN_MS * 2 ** (this.unknown - 1)));
    const until = known ?? unknown;
    if (this.until === null || until > this.until || this.trying !== null) this.until = until;
    this.why = why;
    this.trying = null;
    return this.until;
  }

  /** The member rests until then. */
  private closed(until: Instant): EkidenError {
    const { code, why, isKnown, parts } = this;
    const retryAfterMs = until - parts.clock.now();
    return new EkidenError(code, why, { details: { ownProgram: true, until, isKnown, retryAfterMs } });
  }

  private wakeAt(resetsAt: Instant): Instant {
    const margin = resetsAt % MINUTE_MS === 0 ? MINUTE_MS : MARGIN_MS;
    const jitter = Math.floor((this.parts.random?.() ?? 0) * JITTER_MS);
    return later(resetsAt, Math.max(margin, MARGIN_MS + jitter));
  }

  private note(notice: Notice): void {
    const { store, program, login, machine } = this.parts;
    this.told.set(notice.kind, notice);
    const window: LoginWindow = { program, login, machine, ...notice };
    void store.logins.note(window).catch(() => {}); // the store is away
  }
}

export const isLimit = (fault: unknown): fault is EkidenError =>
  isEkidenError(fault, "model_overloaded") && (fault.details.until ?? fault.details.again) !== undefined;

const TRY =
  "Your usage limit should be over. Answer with the word ok, and do nothing else: your work comes next.";
