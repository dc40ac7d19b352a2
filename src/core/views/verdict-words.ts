/** What a review, and a look at long work, have said. */
import type { FactOf } from "../event.ts";
import type { Tone } from "./view.ts";

export const REVIEWED: Readonly<
  Record<FactOf<"task.reviewed">["verdict"], (task: number, text: string) => readonly [string, Tone]>
> = {
  approved: (task) => [`reviewed #${task} and approved it`, "good"],
  remarks: (task, text) => [`reviewed #${task} and has remarks: ${text}`, "warn"],
  none: (task, text) => [`reviewed #${task} without a verdict: ${text}`, "warn"],
};

export const JUDGED: Readonly<Record<FactOf<"work.judged">["verdict"], readonly [string, Tone]>> = {
  "go on": ["it goes on", "dim"],
  hint: ["it got a hint", "warn"],
  split: ["it should be split", "warn"],
  stop: ["it is stopped", "bad"],
  none: ["no verdict, so it goes on", "dim"],
};
