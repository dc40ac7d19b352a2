/**
 * The output of a command: head and tail in memory, all of it in a file as soon as it is more than that. Writing is synchronous
 * on purpose: chunks stay in order, memory stays flat without back-pressure, and the file is whole when the command has ended.
 */
import { closeSync, mkdirSync, openSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import type { OutputQuota } from "../../core/sandbox/output-quota.ts";

type Limits = { readonly max: number; readonly quota: OutputQuota };

export class Output {
  totalBytes = 0;
  /** Bytes that are in no file, because a quota was used up. */
  droppedBytes = 0;
  /** The file, once there is one. */
  spooledTo: string | null = null;
  private readonly keep: number;
  private readonly path: string;
  /** Everything, while it fits; then the head alone. */
  private head: Buffer[] = [];
  private over = false;
  private tail: Buffer[] = [];
  private tailBytes = 0;
  private file: number | null = null;
  private written = 0;
  private trouble = "";
  private readonly max: number;
  private readonly quota: OutputQuota;
  private readonly onOutput: (chunk: Buffer) => void;

  /** `onOutput` gets everything, at once. */
  constructor(
    keepBytes: number,
    path: string,
    {
      max,
      quota,
      onOutput = () => {},
    }: Limits & { readonly onOutput?: ((chunk: Buffer) => void) | undefined },
  ) {
    this.keep = Math.max(2, keepBytes);
    this.path = path;
    this.max = max;
    this.quota = quota;
    this.onOutput = onOutput;
  }

  add(chunk: Buffer): void {
    this.onOutput(chunk);
    this.totalBytes += chunk.length;
    if (!this.over) this.head.push(chunk);
    if (this.totalBytes <= this.keep) return;
    if (!this.over) this.overflow();
    else {
      this.write(chunk);
      this.keepTail(chunk);
    }
  }

  /** The text that is kept, with a line in place of what is not. Ends the writing. */
  finish(): string {
    this.close();
    const head = Buffer.concat(this.head);
    if (this.totalBytes <= this.keep) return printable(head);
    const tail = Buffer.concat(this.tail);
    const from = Math.max(0, tail.length - this.half);
    const shownHead = head.subarray(0, cutBefore(head, head.length));
    const shownTail = tail.subarray(cutAfter(tail, from));
    const left = this.totalBytes - shownHead.length - shownTail.length;
    const middle = `\n[… ${left} bytes left out${this.trouble} …]\n`;
    return `${printable(shownHead)}${middle}${printable(shownTail)}`;
  }

  close(): void {
    if (this.file !== null) closeSync(this.file);
    this.file = null;
  }

  private get half(): number {
    return Math.floor(this.keep / 2);
  }

  private overflow(): void {
    const all = Buffer.concat(this.head);
    this.over = true;
    try {
      mkdirSync(dirname(this.path), { recursive: true, mode: 0o700 });
      this.file = openSync(this.path, "wx", 0o600);
      this.spooledTo = this.path;
    } catch (error) {
      this.trouble = `, and not kept: ${error instanceof Error ? error.message : String(error)}`;
    }
    this.write(all);
    this.head = [Buffer.from(all.subarray(0, this.half))];
    this.keepTail(all.subarray(this.half));
  }

  private write(chunk: Buffer): void {
    if (this.droppedBytes > 0) this.droppedBytes += chunk.length;
    if (this.file === null) return;
    const length = this.quota.take(Math.min(chunk.length, this.max - this.written));
    try {
      for (let at = 0; at < length; ) at += writeSync(this.file, chunk, at, length - at);
      this.written += length;
      if (length === chunk.length) return;
      this.droppedBytes += chunk.length - length;
      this.trouble = `; the file ends after ${this.written} bytes, the most that is kept`;
      this.close();
    } catch (error) {
      this.trouble = `; the file is not whole: ${error instanceof Error ? error.message : String(error)}`;
      this.close();
    }
  }

  private keepTail(chunk: Buffer): void {
    // A copy: a slice would keep the whole 64 kB chunk alive.
    this.tail.push(chunk.length > this.half ? Buffer.from(chunk.subarray(-this.half)) : chunk);
    this.tailBytes += this.tail.at(-1)?.length ?? 0;
    for (
      let first = this.tail[0];
      first && this.tailBytes - first.length >= this.half;
      first = this.tail[0]
    ) {
      this.tail.shift();
      this.tailBytes -= first.length;
    }
  }
}

/** Text that any store can hold: no NUL, broken UTF-8 replaced. */
const printable = (bytes: Buffer): string => bytes.toString("utf8").replaceAll("\0", "\u2400");

const isContinuation = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80;

/** The last place at or before `at` where no character is cut in two. */
function cutBefore(bytes: Buffer, at: number): number {
  let start = at - 1;
  while (start > 0 && at - start < 4 && isContinuation(bytes[start])) start -= 1;
  const lead = bytes[start] ?? 0;
  const length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
  return start + length > at ? start : at;
}

/** The first place at or after `at` where a character begins. */
function cutAfter(bytes: Buffer, at: number): number {
  let start = at;
  while (start < bytes.length && start - at < 4 && isContinuation(bytes[start])) start += 1;
  return start;
}
