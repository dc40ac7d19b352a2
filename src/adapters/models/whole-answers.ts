/**
 * JSON in the place of a stream, which gateways send for errors and where they do not stream: it becomes the events of the same
 * reply, so that the reader of its protocol reads it, or an error in its own words. A stream of events never begins as JSON does.
 */
const MARK = Buffer.from("\uFEFF");

/** Takes the pieces of an answer, and knows by its first character which of the two it is. */
export class WholeAnswer {
  private kind: "events" | "json" | null = null;
  private held: Buffer[] = [];

  /** The bytes that are to be read as events now. */
  take(chunk: Buffer): Buffer | null {
    if (this.kind === "events") return chunk;
    this.held.push(chunk);
    if (this.kind === "json") return null;
    const all = Buffer.concat(this.held);
    // Less than a mark says nothing yet.
    if (all.length < MARK.length && MARK.subarray(0, all.length).equals(all)) return null;
    const text = all.subarray(0, MARK.length).equals(MARK) ? all.subarray(MARK.length) : all;
    const first = /\S/.exec(text.toString("latin1"))?.[0];
    if (first === undefined) return null;
    this.kind = first === "{" || first === "[" ? "json" : "events";
    this.held = [text];
    return this.kind === "json" ? null : text;
  }

  get isEvents(): boolean {
    return this.kind === "events";
  }

  get isJson(): boolean {
    return this.kind === "json";
  }

  /** To be called at the end: the events of an answer in JSON. @throws Error, also for an answer that is an error */
  async end(): Promise<string> {
    const { eventsOf } = await import("./whole-events.ts");
    return eventsOf(Buffer.concat(this.held).toString("utf8"));
  }
}

/** The text of an answer as its events. */
export async function* asEvents(text: AsyncIterable<string | Buffer>): AsyncGenerator<string> {
  const whole = new WholeAnswer();
  for await (const chunk of text) {
    if (whole.isEvents) yield String(chunk);
    else {
      const events = whole.take(Buffer.from(chunk));
      if (events) yield events.toString("utf8");
    }
  }
  if (whole.isJson) yield await whole.end();
}
