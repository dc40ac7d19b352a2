/**
 * Counts how often an agent program did not start, refused a prompt or ended in it. It is started again soon, a few times; then its member
 * has to rest (runtime/member/ability.ts), and each further failure ends a stint.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { EkidenError, isEkidenError, messageOf } from "../../core/errors.ts";

/** The waits before it is started again. */
const RESTART_MS = [1_000, 5_000];
/** Calls after which an end is a new fault. */
const HEALTHY = 10;

export class Failures {
  private inARow = 0;
  /** Since the last failure. */
  private calls = 0;

  /** A call succeeded; a few, or words, are no sign of health: some programs do one thing and end. `isWhole`: it ended its prompt itself. */
  worked(isWhole = false): void {
    this.calls += 1;
    if (isWhole || this.calls >= HEALTHY) this.inARow = 0;
  }

  get isRepeated(): boolean {
    return this.inARow > 1;
  }

  note(): void {
    this.inARow += 1;
    this.calls = 0;
  }

  /**
   * Resolves when it may be started again. `words`: what it said before. `remedy`: what may help. @throws the signal's reason, or EkidenError `model_overloaded`
   * with `ownProgram` when the member has to rest
   */
  async pause(thrown: unknown, words: string, remedy: string, signal: AbortSignal): Promise<void> {
    // A program that did not answer in time would need that time again.
    const isLate = isEkidenError(thrown, "tool_failed") && thrown.details.late === true;
    const waitMs = isLate ? undefined : RESTART_MS[this.inARow - 1];
    if (waitMs === undefined)
      throw new EkidenError(
        "model_overloaded",
        [words, messageOf(thrown), remedy].filter(Boolean).join("\n"),
        {
          ...{ cause: thrown, details: { ownProgram: true } },
        },
      );
    await sleep(waitMs, undefined, { signal }).catch(() => signal.throwIfAborted());
  }
}
