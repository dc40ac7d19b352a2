import { createInterface } from "node:readline";
import { PassThrough } from "node:stream";
import { afterEach, expect, it } from "vitest";
import type { Name } from "../../core/ids.ts";
import { readAnswer } from "../terminal/asking.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { Questions } from "./questions.ts";
import { ReplScreen } from "./screen.ts";

const close: (() => void)[] = [];
afterEach(() => {
  for (const one of close.splice(0)) one();
});

function stage(): { questions: Questions; shown(): string } {
  let text = "";
  const output = new PassThrough().on("data", (chunk) => (text += String(chunk)));
  const input = createInterface({ input: new PassThrough(), output, terminal: true, prompt: "> " });
  close.push(() => input.close());
  const out: Terminal = {
    isTTY: true,
    colour: false,
    width: () => 80,
    write: (said) => void output.write(said),
    paint: (_tone, said) => said,
  };
  return { questions: new Questions(new ReplScreen(out, input, true), (said) => said), shown: () => text };
}
const question = (who: string) => ({
  who: who as Name,
  tool: "bash",
  subject: "touch x",
  reason: "",
  rule: null,
});

it("takes answers only for answers: commands and words for the lead go their own way meanwhile", async () => {
  const { questions, shown } = stage();
  expect(questions.answer("y")).toBe(false);
  const alice = questions.ask(question("alice"));
  const bob = questions.ask(question("bob"));
  expect(["/tasks", "/quit", "what does alice do?"].map((line) => questions.answer(line))).toEqual([
    false,
    false,
    false,
  ]);
  expect(shown()).toContain("alice [y/n/a]> ");
  const before = shown().length;
  expect(questions.answer("")).toBe(true);
  expect(shown().slice(before)).toContain("alice wants to run bash: touch x");
  expect(questions.answer("y")).toBe(true);
  expect(await alice).toEqual({ word: "yes", text: "" });
  expect(shown()).toContain("bob [y/n/a]> ");
  expect(questions.answer("No, use git rm")).toBe(true);
  expect(await bob).toEqual({ word: "no", text: "use git rm" });
  expect(questions.answer("n")).toBe(false);
  expect(shown().slice(shown().lastIndexOf("bob [y/n/a]> ") + 13)).toContain("> ");
});

it("takes every line but commands as the answer to what a member asks, and leaves it for later", () => {
  const { questions, shown } = stage();
  const given: string[] = [];
  const asked = {
    question: "Which?",
    options: [
      { label: "Red", description: "" },
      { label: "Green\u202e", description: "" },
    ],
  };
  questions.person("alice", asked, (line) => given.push(line));
  const away = questions.person("bob", asked, (line) => given.push(line));
  expect(shown()).toContain("alice asks you: Which?\r\n1. Red\r\n2. Green\\u{202e}".replaceAll("\r", ""));
  expect(questions.answer("/tasks")).toBe(false);
  expect(questions.answer("neither")).toBe(true);
  expect(shown()).toContain("bob [1/2]> ");
  away(); // answered elsewhere
  expect(questions.answer("2")).toBe(false);
  questions.person("carol", asked, (line) => given.push(line));
  expect(questions.putAside()).toBe(true);
  expect(questions.answer("1")).toBe(false);
  expect(given).toEqual(["neither"]);
});

it.each([
  ["y", "yes", ""],
  [" YES ", "yes", ""],
  ["a", "always", ""],
  ["n", "no", ""],
  ["n use git rm", "no", "use git rm"],
])("reads %j", (line, word, text) => {
  expect(readAnswer(line)).toEqual({ word, text });
});

it.each(["yes but only x", "nothing", "always later", "what is that?"])("does not guess %j", (line) => {
  expect(readAnswer(line)).toBeNull();
});
