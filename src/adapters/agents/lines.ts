/** Reads what an agent program prints, a line of JSON each. Nothing that it prints may fill the memory of this process. */
import { Transform, type TransformCallback } from "node:stream";

/** Bytes of a line: a file is handed over in one message. */
const LINE_MAX = 24 * 1024 * 1024;
const NEW_LINE = 10;

/**
 * Passes whole lines on. Programs log to stdout now and then, so what is no message is left out. It fails at a line that does not end:
 * what follows cannot be read.
 */
export class Lines extends Transform {
  private readonly isMessage: (line: string) => boolean;
  private parts: Buffer[] = [];
  private size = 0;

  /** `isMessage`: whether a line is passed on. */
  constructor(isMessage: (line: string) => boolean) {
    super();
    this.isMessage = isMessage;
  }

  override _transform(chunk: Buffer, _: BufferEncoding, done: TransformCallback): void {
    let from = 0;
    for (let at = chunk.indexOf(NEW_LINE); at !== -1; at = chunk.indexOf(NEW_LINE, from)) {
      this.keep(chunk.subarray(from, at));
      this.passOn();
      from = at + 1;
    }
    this.keep(chunk.subarray(from));
    const isTooLong = this.size > LINE_MAX;
    done(isTooLong ? new Error(`it wrote a line of more than ${LINE_MAX / 1024 / 1024} MB`) : null);
  }

  override _flush(done: TransformCallback): void {
    this.passOn();
    done();
  }

  private keep(part: Buffer): void {
    this.size += part.length;
    if (part.length > 0) this.parts.push(part);
  }

  private passOn(): void {
    const text = Buffer.concat(this.parts).toString();
    this.parts = [];
    this.size = 0;
    if (this.isMessage(text)) this.push(`${text.trimEnd()}\n`);
  }
}

/** A message of JSON-RPC in its right form: one in another form would end the connection. */
export function isRpc(line: string): boolean {
  if (!line.startsWith("{")) return false;
  try {
    const { jsonrpc, id, method, ...more } = JSON.parse(line) as Record<string, unknown>;
    const isNamed = id === undefined || id === null || typeof id === "string" || typeof id === "number";
    const isAnswer = method === undefined && id !== undefined && ("result" in more || "error" in more);
    return jsonrpc === "2.0" && isNamed && (typeof method === "string" || isAnswer);
  } catch {
    return false;
  }
}
