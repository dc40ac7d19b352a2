/** Byte order marks in streams of lines: programs on Windows and some of their libraries begin with one, and JSON does not take it. */
import { type Readable, Transform } from "node:stream";

const MARK = Buffer.from("\uFEFF");

/** Takes a mark away at the beginning of each line. */
export class UnmarkedLines {
  private isAtStart = true;
  private held: Buffer = Buffer.alloc(0);

  /** The bytes without marks. What may be a part of a mark comes with the next ones. */
  take(chunk: Buffer): Buffer {
    const bytes = this.held.length === 0 ? chunk : Buffer.concat([this.held, chunk]);
    this.held = Buffer.alloc(0);
    const kept: Buffer[] = [];
    let from = 0;
    for (let at = this.isAtStart ? 0 : startAfter(bytes, 0); at < bytes.length; at = startAfter(bytes, at)) {
      const begin = bytes.subarray(at, at + MARK.length);
      if (!MARK.subarray(0, begin.length).equals(begin)) continue;
      kept.push(bytes.subarray(from, at));
      from = at + begin.length;
      if (begin.length < MARK.length) this.held = begin;
    }
    if (bytes.length > 0) this.isAtStart = this.held.length > 0 || bytes.at(-1) === 10;
    return from === 0 ? bytes : Buffer.concat([...kept, bytes.subarray(from)]);
  }
}

/** The beginning of the next line behind `at`; behind the end where there is none. */
function startAfter(bytes: Buffer, at: number): number {
  const end = bytes.indexOf(10, at);
  return end === -1 ? bytes.length : end + 1;
}

/** The lines of a stream without marks. It ends with it. */
export function unmarked(source: Readable): Readable {
  const lines = new UnmarkedLines();
  return source.pipe(
    new Transform({
      transform(chunk: Buffer, _encoding, done) {
        done(null, lines.take(chunk));
      },
    }),
  );
}
