/** The words with which the model `runbook` ends a task, made from what its calls answered. */
import { cutEnd, cutStart } from "../../core/text/valid.ts";

const RESULT_LINES = 20;
const RESULT_CHARACTERS = 2_000;

/** The error first, then where it came from and what the sandbox has to do with it, then the end of the output. */
export function blockFailure(failure: string, output: string, where: string): string {
  const [denial] = output.split("\n").filter((line) => /^\[sandbox: .*\]$/.test(line));
  const lines = output.split("\n").filter((line) => line.trim() !== "" && !/^\[.*\]$/.test(line));
  const error = cutEnd(lines.at(-1)?.trim() ?? "", 200);
  const head = `${failure}${error ? `: ${error}` : ""} (${where})${denial ? ` ${denial}` : ""}`;
  return lines.length > 1 ? `${head}\n${tail(output)}` : head;
}

/** The reason why a task could not be completed: its error first, without the advice to the model that follows the evidence. */
export function refusal(text: string): string {
  const [head = ""] = text.split("\n", 1);
  const [, check] = CHECK.exec(head) ?? [];
  const advice = check ? -1 : text.lastIndexOf("\n\n");
  const isAdvised = advice !== -1 && text.slice(advice).includes("It is still yours");
  const evidence = isAdvised ? text.slice(0, advice) : text;
  const [first = "", ...more] = evidence.split("\n").filter((line) => !ADVICE.test(line));
  const last = more.findLast((line) => !/^(\[.*\])?$/.test(line.trim())) ?? more.at(-1);
  if (check) return [`${check}: ${last?.trim() ?? ""}`, ...(more.length > 1 ? more : [])].join("\n");
  const what = first.replace(REFUSED, "").trim();
  const error = (/ on the merged tree:?/.test(evidence) && last?.trim()) || what;
  const all = [what, ...more].join("\n");
  return error === all ? all : `${error}\n${all}`;
}

/** The text before the reason in the first line, a check that fails, and the notes behind the output of a gate or a check. */
const REFUSED = /^#\d+ is not completed, it cannot land \(refused \d of \d times\)\. /;
const CHECK = /^#\d+ is not completed: (its check .* fails):$/;
const ADVICE =
  /^(It is still yours|It has changed files of the worktree: |The work was made before \d+ commit)/;

export function tail(text: string): string {
  const lines = text.trimEnd().split("\n").slice(-RESULT_LINES).join("\n");
  return lines.length > RESULT_CHARACTERS ? `…${cutStart(lines, RESULT_CHARACTERS)}` : lines;
}
