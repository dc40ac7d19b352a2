/** `ekiden run`: a team works on a goal or a runbook until the board is done. */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { EkidenError } from "../../core/errors.ts";
import { quote } from "../../core/ids.ts";
import { parseRunbook, type Runbook } from "../../core/project/runbook.ts";
import type { Call } from "../call.ts";
import { hostTeam } from "../hosting.ts";

export async function run(call: Call, args: readonly string[]): Promise<number> {
  const [file] = args;
  if (args.length === 1 && file !== undefined && /\.(md|markdown)$/i.test(file))
    return hostTeam(call, { runbook: readRunbook(call, file) });
  const goal = args.join(" ").trim();
  if (goal === "")
    throw new EkidenError(
      "bad_input",
      'the goal is empty. Say what is to be done, such as: ekiden run "Fix the failing tests"',
    );
  return hostTeam(call, { goal });
}

function readRunbook(call: Call, file: string): Runbook {
  let text: string;
  try {
    text = readFileSync(resolve(call.cwd, file), "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const why =
      code === "ENOENT" ? "does not exist" : code === "EISDIR" ? "is a folder" : `cannot be read (${code})`;
    throw new EkidenError(
      "not_found",
      `the runbook ${quote(file)} ${why}. Give a Markdown file, relative to ${call.cwd}.`,
    );
  }
  return parseRunbook(text, file);
}
