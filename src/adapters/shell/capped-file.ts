/**
 * Keeps the output file of a background command small. The command writes the file by itself, so that nothing is lost when
 * this process dies; so this looks at the size now and then and cuts off what is too much.
 */
import { fstatSync, ftruncateSync } from "node:fs";
import type { OutputQuota } from "../../core/sandbox/output-quota.ts";

/** A disk takes about this much in a millisecond; the next look comes before the quota can be exceeded by much. */
const BYTES_PER_MS = 1024 ** 2;
const SOONEST_MS = 50;
const LATEST_MS = 1_000;

export class CappedFile {
  /** Bytes cut off so far, at least: output between a look and its cut is not counted. */
  dropped = 0;
  private readonly file: number;
  private readonly max: number;
  private readonly quota: OutputQuota;
  private counted = 0;
  private timer: NodeJS.Timeout | undefined;

  /** `file` must have been opened for appending, so that the command keeps writing at the end; it stays the caller's. */
  constructor(file: number, max: number, quota: OutputQuota) {
    this.file = file;
    this.max = max;
    this.quota = quota;
    this.look();
  }

  /** Cuts once more and stops looking. */
  finish(): void {
    clearTimeout(this.timer);
    this.cut();
  }

  private look(): void {
    this.cut();
    const room = Math.min(this.max - this.counted, this.quota.left);
    const wait = Math.min(Math.max(SOONEST_MS, room / BYTES_PER_MS), LATEST_MS);
    this.timer = setTimeout(() => this.look(), wait).unref();
  }

  private cut(): void {
    try {
      const { size } = fstatSync(this.file);
      if (size > this.counted) this.counted += this.quota.take(Math.min(size, this.max) - this.counted);
      if (size <= this.counted) return;
      ftruncateSync(this.file, this.counted);
      this.dropped += size - this.counted;
    } catch {
      // a full or vanished disk; the next look tries again
    }
  }
}
