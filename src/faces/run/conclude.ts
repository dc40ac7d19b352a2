/** The last lines of a run: its totals, what failed, and what the person can do next. Read at the end only. */

import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { jsonLine } from "../../core/text/hidden.ts";
import { tally } from "../../core/views/sentence.ts";
import { counted } from "../../core/views/view.ts";
import type { Outcome } from "../../host/outcome.ts";
import { summaryText } from "../../team/queries/summary.ts";
import { againLine } from "../kit/again-line.ts";
import { exitCodeOf } from "../kit/exit-code.ts";
import { nextStep } from "../kit/next-step.ts";
import { interrupted } from "../kit/run-guards.ts";
import { clean } from "../kit/terminal.ts";
import type { PageOfRun } from "./displays.ts";
import type { Watched } from "./run-team.ts";

export async function conclude(watched: Watched, outcome: Outcome): Promise<number> {
  const { call } = watched;
  if (outcome.elsewhere) {
    call.say(
      `The team continues in another process; to end it: ${againLine(call, watched.host.store.team, "stop")}`,
    );
    // The last line of a stream says how it ended, also where the journal has no such line.
    const { completed, failed, cancelled, unfinished, reason } = outcome;
    const end = { type: "team.finished", completed, failed, cancelled, unfinished, reason };
    if (call.json) call.out.write(jsonLine({ at: Date.now(), ...end }));
  }
  if (!call.json) {
    // After an interruption the last words of the lead conclude nothing.
    if (outcome.text.trim() !== "" && outcome.reason !== "interrupted")
      call.out.write(`${clean(outcome.text).trimEnd()}\n`);
    if (!outcome.elsewhere && !call.quiet) await sayTotals(watched, outcome);
    const line = (words: string): string => againLine(call, watched.host.store.team, words);
    // On the full screen it was said, and went with it.
    const wasShown = outcome.reason === "interrupted" && watched.isFull;
    const failures =
      outcome.failed === 0
        ? []
        : (await watched.host.store.board.tasks()).flatMap((task) =>
            task.status === "failed"
              ? [{ id: task.id, reason: task.reason, isStep: task.runbook !== undefined }]
              : [],
          );
    const next = wasShown ? `To continue: ${line("resume")}.` : nextStep(outcome, line, failures);
    if (next !== "") call.say(next);
  }
  if (outcome.error) call.err.write(`ekiden: ${clean(outcome.error.message)}\n`);
  return exitCodeOf(outcome);
}

/** Who has watched reads the outcome on the page; who has stopped the run wants its end. `release`: lets signals end this process again. */
export async function stay(
  page: PageOfRun,
  { call }: Watched,
  { reason, elsewhere }: Outcome,
  release: () => void,
): Promise<void> {
  if (reason === "interrupted" || elsewhere) return;
  release();
  if (!call.quiet) call.err.write("The page stays until its last tab is closed. Ctrl-C ends it.\n");
  await Promise.race([page.left(call.err.isTTY), interrupted()]);
}

async function sayTotals(watched: Watched, outcome: Outcome): Promise<void> {
  const { call } = watched;
  const summary = await watched.summary.figures(call.cwd, watched.report, await watched.host.changed());
  const { completed, failed, cancelled, unfinished } = outcome;
  const tasks = completed + failed + cancelled + unfinished > 0 ? `tasks: ${tally(outcome)} · ` : "";
  call.say(`${tasks}${summaryText(summary)}`);
  for (const { to, count } of outcome.unread ?? [])
    call.say(
      `Not read: ${counted(count, "note")} to ${to}. To see them: ${againLine(call, watched.host.store.team, `inbox ${to}`)}`,
    );
  if (summary.report && existsSync(resolve(call.cwd, summary.report))) call.say(`Read ${summary.report}`);
  else if (outcome.text.trim() !== "" && outcome.reason !== "interrupted")
    call.say(`To read the last words again: ${againLine(call, watched.host.store.team, "inbox person")}`);
}
