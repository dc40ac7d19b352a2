/** What a check, a review, and a look at long work have said. */
import { reasonWords } from "../board/reason.ts";
import type { Obstacle } from "../board/worktree.ts";
import type { FactOf } from "../event.ts";
import { didWords, doesHarm } from "../plan/check-did.ts";
import type { CheckOutcome, Refuser } from "../plan/task-check.ts";
import { span, type Tone } from "./view.ts";

export const REVIEWED: Readonly<
  Record<FactOf<"task.reviewed">["verdict"], (task: number, text: string) => readonly [string, Tone]>
> = {
  approved: (task) => [`reviewed #${task} and approved it`, "good"],
  remarks: (task, text) => [`reviewed #${task} and has remarks: ${text}`, "warn"],
  none: (task, text) => [`reviewed #${task} without a verdict: ${text}`, "warn"],
};

export const JUDGED: Readonly<Record<FactOf<"work.judged">["verdict"], readonly [string, Tone]>> = {
  "go on": ["it continues", "dim"],
  hint: ["it got a hint", "warn"],
  split: ["it should be split", "warn"],
  stop: ["it is stopped", "bad"],
  none: ["no verdict, so it continues", "dim"],
};

const CHECKED: Readonly<Record<CheckOutcome, readonly [string, Tone]>> = {
  green: ["green", "plain"],
  red: ["red", "warn"],
  late: ["ended at its limit", "warn"],
  none: ["not run", "warn"],
};
const REFUSERS: Readonly<Record<Refuser, string>> = {
  hook: "a hook",
  check: "its check",
  review: "its review",
};
const isRefuser = (why: Obstacle | Refuser): why is Refuser => why in REFUSERS;

export const CHECK_SENTENCES = {
  "task.checked": ({ by, task, when, command, outcome, ms, ...did }: FactOf<"task.checked">) => {
    const [words, tone] = doesHarm(did) ? (["doing harm", "bad"] as const) : CHECKED[outcome];
    const undo =
      did.changed || did.beside ? `. To take back what was done for #${task}: ekiden undo ${task}` : "";
    const more = `${didWords(did)}${undo}`;
    const text = `${when === "claim" ? "begins" : "ends"} #${task} with its check ${words}: ${command} (${span(ms)})${more}`;
    const usual = when === "claim" ? "dim" : tone;
    return [by, text, more === "" ? usual : doesHarm(did) ? tone : "warn"] as const;
  },
  "task.reopened": ({ by, task, why, evidence }: FactOf<"task.reopened">) => {
    const refused = isRefuser(why)
      ? `was refused the completion of #${task} by ${REFUSERS[why]}`
      : `could not land #${task} (${reasonWords(why)})`;
    return [by, `${refused} and works on it again: ${evidence}`, "warn"] as const;
  },
};
