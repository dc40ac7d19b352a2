/** The messages of an agent program, a line of JSON each. */
import { createInterface } from "node:readline";
import { PassThrough, type Readable } from "node:stream";

/** Programs log to stdout now and then: what is no message is left out. */
export function messagesIn(stdout: Readable): Readable {
  const messages = new PassThrough();
  const lines = createInterface({ input: stdout, crlfDelay: Number.POSITIVE_INFINITY });
  lines.on("line", (line) => {
    if (isMessage(line)) messages.write(`${line}\n`);
  });
  lines.once("close", () => messages.end());
  return messages;
}

function isMessage(line: string): boolean {
  if (!line.startsWith("{")) return false;
  try {
    const { jsonrpc } = JSON.parse(line) as { jsonrpc?: unknown };
    return jsonrpc === "2.0";
  } catch {
    return false;
  }
}
