import { expect, it } from "vitest";
import { answerWord, readAnswer } from "./answer.ts";

it.each([
  ["y", "yes", ""],
  [" YES ", "yes", ""],
  ["ok", "yes", ""],
  ["Allow", "yes", ""],
  ["all", "all", ""],
  ["a", "always", ""],
  ["always bash(npm *)", "always", "bash(npm *)"],
  ["s bash(ls)", "session", "bash(ls)"],
  ["n", "no", ""],
  ["", "no", ""],
  ["n use git rm", "no", "use git rm"],
  ["No, use git rm", "no", "use git rm"],
  ["deny: it is not ours\nat all ", "no", "it is not ours\nat all"],
])("reads %j", (line, word, text) => {
  expect(readAnswer(line)).toEqual({ word, text });
});

it.each([
  "yes but only x",
  "ok, continue",
  "nothing",
  "maybe",
  "yess",
  "always later",
  "what is that?",
  "/no",
])("does not guess %j", (line) => {
  expect(readAnswer(line)).toBeNull();
});

it("takes an always for a yes where no rule would allow the call", () => {
  expect(["a", "session", "n"].map((line) => readAnswer(line, false)?.word)).toEqual(["yes", "yes", "no"]);
});

it("knows the words of a command line", () => {
  expect(["approve", "reject", "constructor", ""].map(answerWord)).toEqual(["yes", "no", null, null]);
});
