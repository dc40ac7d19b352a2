/**
 * Waits while the database is away, so that an outage delays the work and does not end it. Only stores whose opener wants it wait:
 * a command that reads once reports the error at once.
 */

import { setTimeout as pause } from "node:timers/promises";
import { EkidenError, isEkidenError } from "../../../core/errors.ts";
import { systemClock } from "../../clock.ts";

export type OutageWatch = {
  /** Called once for each outage, with its reason; `onBack` with its length. */
  readonly onAway: (why: string) => void;
  readonly onBack: (ms: number) => void;
  /** From here on errors are thrown as they come. */
  readonly giveUp: AbortSignal;
};

/** The connection was lost during a commit. `decide` reads back whether it took effect, and repeats the operation if it did not. */
export class UnknownCommit<T = unknown> extends EkidenError {
  readonly decide: () => Promise<T>;

  constructor(message: string, decide: () => Promise<T>, options: ErrorOptions) {
    super(
      "store_unavailable",
      `${message} It is not known whether the last change was stored: look before you repeat it.`,
      {
        ...options,
        details: { passing: true },
      },
    );
    this.decide = decide;
  }
}

/** An error that time or an operator can cure while this process runs: a server that starts, a full disk. */
export const isPassing = (error: unknown): error is EkidenError =>
  isEkidenError(error, "store_unavailable") && error.details.passing === true;

const FIRST_MS = 50;
const LONGEST_MS = 1_000;
/** A shorter outage is not worth a message. */
const SILENT_MS = 1_000;

/** One for each store that waits: all its operations wait together and the outage is told once. */
export class Outage {
  private readonly watch: OutageWatch;
  private since = 0;
  private waiting = 0;
  private told = false;

  constructor(watch: OutageWatch) {
    this.watch = watch;
  }

  /** Repeats a step that fails because the database is away. @throws its other errors, and every error after `giveUp` */
  async through<T>(step: () => Promise<T>): Promise<T> {
    try {
      return await step();
    } catch (error) {
      if (!isPassing(error)) throw error;
      return await this.wait(step, error);
    }
  }

  private async wait<T>(step: () => Promise<T>, first: EkidenError): Promise<T> {
    const { giveUp } = this.watch;
    if (this.waiting === 0) this.since = systemClock.uptime();
    this.waiting += 1;
    let error = first;
    try {
      for (let ms = FIRST_MS; ; ms = Math.min(2 * ms, LONGEST_MS)) {
        if (giveUp.aborted) throw error;
        this.tell(error);
        // The random part keeps waiting processes from asking a server that has just started all at once.
        await pause(ms * (0.5 + Math.random()), undefined, { signal: giveUp }).catch(() => {});
        try {
          const result = await (error instanceof UnknownCommit ? (error.decide() as Promise<T>) : step());
          this.back();
          return result;
        } catch (again) {
          if (!isPassing(again)) throw again;
          error = again;
        }
      }
    } finally {
      this.waiting -= 1;
    }
  }

  private tell(error: EkidenError): void {
    if (this.told || systemClock.uptime() - this.since < SILENT_MS) return;
    this.told = true;
    this.watch.onAway(error.message);
  }

  private back(): void {
    if (!this.told) return;
    this.told = false;
    this.watch.onBack(Math.round(systemClock.uptime() - this.since));
  }
}
