/**
 * The only writer of a member's activity. A member in the middle of a step may wait for a permission or for its provider: it is
 * shown as idle for that reason, and as at work when nothing is waited for any more. Writes happen in order, and only on a change.
 */
import type { IdleReason } from "../../core/board/lifecycle.ts";
import type { Activity, Seat } from "../../core/board/member.ts";
import type { Outgoing, Store } from "../../ports/index.ts";

export class ActivityWriter {
  private readonly roster: Store["roster"];
  private readonly seat: Seat;
  private phase: Activity = { phase: "work" };
  /** The reasons of the calls that wait in the middle of a step, one for each call. */
  private readonly waits: IdleReason[] = [];
  private shown: string;
  /** The last words of its model or program; null while it can work. */
  private inability: Extract<Activity, { phase: "idle" }> | null = null;
  /** Called when a call begins to wait. */
  onWait: () => void = () => {};
  private last: Promise<void> = Promise.resolve();

  /** `isNew`: shown as at work already. A member that was taken over may be shown as anything. */
  constructor({ roster }: Pick<Store, "roster">, seat: Seat, isNew = true) {
    this.roster = roster;
    this.seat = seat;
    this.shown = isNew ? "work" : "";
  }

  /** @throws EkidenError `stale_seat` */
  work(): Promise<void> {
    this.phase = { phase: "work" };
    return this.show();
  }

  /** `mail` is sent in the same step. @throws EkidenError `stale_seat` */
  idle(reason: IdleReason, mail: readonly Outgoing[]): Promise<void> {
    this.phase = { phase: "idle", reason };
    return this.show(mail);
  }

  /** Shown until `canWork`, also while it tries again. @throws EkidenError `stale_seat` */
  cannotWork(note: string, reason: IdleReason = "cannot_work"): Promise<void> {
    this.inability = { phase: "idle", reason, note };
    return this.show();
  }

  /** @throws EkidenError `stale_seat` */
  async canWork(): Promise<void> {
    if (this.inability === null) return;
    this.inability = null;
    await this.show();
  }

  get isUnable(): boolean {
    return this.inability !== null;
  }

  /** In the middle of a step, until the returned function is called. @throws EkidenError `stale_seat` */
  async waitFor(reason: IdleReason): Promise<() => Promise<void>> {
    const end = (): Promise<void> => {
      const at = this.waits.indexOf(reason);
      if (at !== -1) this.waits.splice(at, 1);
      return this.show();
    };
    this.waits.push(reason);
    try {
      await this.show();
      this.onWait();
    } catch (error) {
      await end().catch(() => {});
      throw error;
    }
    return end;
  }

  /** A call of the step waits for an answer. */
  get isWaiting(): boolean {
    return this.waits.length > 0;
  }

  private show(mail: readonly Outgoing[] = []): Promise<void> {
    const write = async (): Promise<void> => {
      const wait = this.phase.phase === "work" ? this.waits.at(-1) : undefined;
      const now: Activity = wait ? { phase: "idle", reason: wait } : this.phase;
      const activity: Activity = wait ? now : (this.inability ?? now);
      const key = activity.phase === "work" ? "work" : activity.reason;
      if (key === this.shown && mail.length === 0) return;
      await this.roster.setActivity(this.seat, activity, mail);
      this.shown = key;
    };
    const written = this.last.then(write);
    this.last = written.catch(() => {});
    return written;
  }
}
