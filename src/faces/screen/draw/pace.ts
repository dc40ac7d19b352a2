/**
 * Measures how far a terminal is behind. Each frame may carry a question (DSR) that the terminal answers when it has come to it, over whatever lies
 * between. Frames wait while too much is unanswered, so that a key is never behind seconds of output. A terminal that has never answered, or has
 * stopped to, is not waited for.
 */
const ASK = "\x1b[5n";
const ANSWER = "\x1b[0n";
/** Bytes that a terminal may be behind while frames are drawn. */
const BEHIND_MAX = 1_000;
/** For frames that a key asks for. */
const BEHIND_FOR_KEYS = 2_000;
const SILENT_MS = 5_000;
/** A program that ends at once must not leave an answer to the shell. */
const FIRST_MS = 500;

export class Pace {
  /** Bytes up to each question that is not answered, oldest first. */
  private asked: { readonly bytes: number; readonly at: number }[] = [];
  private written = 0;
  private answered = 0;
  /** Null until the terminal has shown whether it answers. */
  private answers: boolean | null = null;
  private began: number | null = null;

  /** The bytes to write for a frame. */
  frame(output: string, now: number): string {
    this.written += output.length;
    this.drop(now);
    this.began ??= now;
    const isFirst = this.asked.length === 0 && now - this.began >= FIRST_MS;
    if (this.answers !== true && !isFirst) return output;
    this.written += ASK.length;
    this.asked.push({ bytes: this.written, at: now });
    return output + ASK;
  }

  /** Whether a frame may be drawn now. */
  allows(forKey: boolean, now: number): boolean {
    this.drop(now);
    return this.answers !== true || this.behind <= (forKey ? BEHIND_FOR_KEYS : BEHIND_MAX);
  }

  /** Whether the input was an answer. */
  takes(data: string): boolean {
    if (data !== ANSWER) return false;
    const oldest = this.asked.shift();
    this.answered = oldest?.bytes ?? this.answered;
    this.answers = true;
    return true;
  }

  /** Whether an answer is still to come, from a terminal that answers. */
  get waits(): boolean {
    return this.answers === true && this.asked.length > 0;
  }

  private get behind(): number {
    return this.asked.length === 0 ? 0 : this.written - this.answered;
  }

  private drop(now: number): void {
    const oldest = this.asked[0];
    if (!oldest || now - oldest.at < SILENT_MS) return;
    this.asked = [];
    this.answers = false;
  }
}
