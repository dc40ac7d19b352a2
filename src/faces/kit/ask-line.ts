/** Asks a question before anything else is on the terminal, until a line answers it. */
import type { Terminal } from "./terminal.ts";

/** `read`: undefined asks again. Null: the input has ended. */
export async function askLine<T>(
  err: Terminal,
  question: string,
  read: (line: string) => T | undefined,
): Promise<T | null> {
  const { createInterface } = await import("node:readline/promises");
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  const closed = new Promise<null>((resolve) => lines.once("close", () => resolve(null)));
  try {
    for (;;) {
      const line = await Promise.race([lines.question(err.paint("warn", question)), closed]);
      if (line === null) return null;
      const answer = read(line.trim());
      if (answer !== undefined) return answer;
    }
  } finally {
    lines.close();
  }
}
