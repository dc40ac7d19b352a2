/** `ekiden run`: a team works on a goal or a runbook until the board is done. */
import { readFileSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { EkidenError } from "../../core/errors.ts";
import { quote } from "../../core/ids.ts";
import { parseRunbook, type Runbook } from "../../core/project/runbook.ts";
import type { Invocation } from "../invocation.ts";
import { hostTeam } from "../run-team.ts";

export async function run(call: Invocation, args: readonly string[]): Promise<number> {
  const [file] = args;
  if (args.length === 1 && file !== undefined && /\.(md|markdown)$/i.test(file))
    return hostTeam(call, { runbook: readRunbook(call, file) });
  if (args.length === 1 && file !== undefined) refuseFile(call, file);
  const goal = args.join(" ").trim();
  if (goal === "")
    throw new EkidenError(
      "bad_input",
      'the goal is empty. Say what is to be done, such as: ekiden run "Fix the failing tests"',
    );
  return hostTeam(call, { goal });
}

/** The name of a file is no goal: a team would be paid for guessing what to do with it. @throws EkidenError `bad_input` */
function refuseFile(call: Invocation, file: string): void {
  const stat = isName(file) ? statSync(resolve(call.cwd, file), { throwIfNoEntry: false }) : undefined;
  if (stat?.isFile())
    throw new EkidenError(
      "bad_input",
      `${quote(file)} is a file, but not a runbook: that is a Markdown file, NAME.md. To use its text as the goal: ekiden run "$(cat ${/^[\w./-]+$/.test(file) ? file : quote(file)})"`,
    );
}

/** Whatever is longer or has lines is a goal, and might be too much for the file system to look for. */
const isName = (text: string): boolean => text.length <= 255 && !/[\n\0]/.test(text);

function readRunbook(call: Invocation, file: string): Runbook {
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
