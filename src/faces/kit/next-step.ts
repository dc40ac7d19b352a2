/** What the person can do when a run has ended. Read at the end only. */
import { endWords } from "../../core/board/reason.ts";
import { oneLine } from "../../core/text/one-line.ts";
import { cutEnd } from "../../core/text/valid.ts";
import type { Outcome } from "../../host/outcome.ts";

/** `isStep`: of a runbook, whose steps the board has as they were when it was run. */
export type Failure = { readonly id: number; readonly reason: string; readonly isStep?: boolean };

const NAMED = 3;
const REASON_MAX = 100;
/** Ids in the line that tries them again. */
const AGAIN_MAX = 20;

/** "Failed: #1 no key · #2 no key. In full: ekiden tasks ID. Try again: ekiden retry 1 2 && ekiden resume" */
function failedLine(failures: readonly Failure[], line: Line): string {
  const named = failures.slice(0, NAMED);
  const reasons = named.map(({ id, reason }) => `#${id} ${cutEnd(oneLine(reason), REASON_MAX)}`.trimEnd());
  const more = failures.length - named.length;
  const what = [...reasons, ...(more > 0 ? [`${more} more`] : [])].join(" · ");
  const ids = failures.length > AGAIN_MAX ? ["ID"] : failures.map(({ id }) => id);
  const full = line(`tasks ${failures.length === 1 ? named[0]?.id : "ID"}`);
  return `Failed: ${what.replace(/\.$/, "")}. In full: ${full}. Try again: ${line(`retry ${ids.join(" ")}`)} && ${line("resume")}${failures.some(({ isStep }) => isStep) ? `. With other steps: change the file of the runbook, then ${line("run FILE")}` : ""}`;
}

/** The next step of the person; the feed says how the run ended. */
export function nextStep(
  { reason, failed, cancelled, unfinished, error, why, goOn, proposed, untaken = [] }: Outcome,
  line: Line,
  failures: readonly Failure[] = [],
): string {
  switch (reason) {
    case "interrupted":
      return ""; // said when it was asked for
    case "budget":
    case "turns":
    case "calls":
    case "progress":
    case "loop":
    case "deadline":
      return `Stopped: ${why ?? endWords(reason)} To see what was done: ${line("log")}. To continue: ${resumeLine(goOn, line)}`;
    case "model":
    case "concluded":
      if (failed > 0) return failedLine(failures, line);
      if (unfinished === 0 && !error) return "";
      if (proposed)
        return `What is left waits for pull requests: ${line("forge --list")}. To continue: ${line("forge")}.`;
      if (untaken.length > 0)
        return `Nobody can take ${untaken[0]}${untaken.length > 1 ? ` ${untaken.length - 1} more wait like it.` : ""}`;
      return `To see what is left: ${line("tasks")}. To continue: ${line("resume")}${cancelled > 0 ? `, after ${line("retry ID")} for a cancelled task that others wait for` : ""}.`;
    default:
      return reason satisfies never;
  }
}

/** A command line for the same team. */
type Line = (words: string) => string;

/** `goOn`: options, or a variable for this one run. */
function resumeLine(goOn: string | undefined, line: Line): string {
  if (goOn === undefined) return line("resume");
  return goOn.startsWith("-") ? `${line("resume")} ${goOn}` : `${goOn} ${line("resume")}`;
}
