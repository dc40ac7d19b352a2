import { expect, it } from "vitest";
import { meantAnswer, whyNoOption } from "./question.ts";

const asked = (...labels: string[]) => ({
  question: "Which?",
  options: labels.map((label) => ({ label, description: "" })),
});

it.each([
  ["1", "red"],
  ["2", "blue"],
  ["Blue", "blue"],
  ["7 of each", "7 of each"],
])("takes %j for %j", (typed, meant) => {
  expect([whyNoOption(asked("red", "blue"), typed), meantAnswer(asked("red", "blue"), typed)]).toEqual([
    null,
    meant,
  ]);
});

it.each(["7", "0", " 12 ", "#3", "3."])("%j is the number of no option", (typed) => {
  expect(whyNoOption(asked("red", "blue"), typed)).toMatch(
    /^there is no option \d+\. The options: 1 \(red\), 2 \(blue\)\./,
  );
});

it("takes any number where options are numbers", () => {
  expect(whyNoOption(asked("2 workers", "4 workers"), "7")).toBeNull();
});
