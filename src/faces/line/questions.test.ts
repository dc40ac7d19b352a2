import { createInterface } from "node:readline";
import { PassThrough } from "node:stream";
import { afterEach, expect, it } from "vitest";
import { instant, type Name, PERSON, type RequestId } from "../../core/ids.ts";
import type { Ask, Request } from "../../ports/index.ts";
import type { Terminal } from "../kit/terminal.ts";
import { Output } from "./output.ts";
import { PromptQuestions } from "./questions.ts";

const close: (() => void)[] = [];
afterEach(() => {
  for (const one of close.splice(0)) one();
});

type Stage = {
  questions: PromptQuestions;
  given: string[][];
  shown(): string;
  put(by: string, ask: Ask): () => void;
};

function stage(): Stage {
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
  const given: string[][] = [];
  const screen = new Output(out);
  screen.attach(input);
  const questions = new PromptQuestions(screen, (...answer) => void given.push(answer), "ctrl-c");
  const put = (by: string, ask: Ask): (() => void) => {
    const over = new AbortController();
    const times = { at: instant(0), deadline: instant(9) };
    const request: Request = {
      id: `of ${by}` as RequestId,
      ask,
      by: by as Name,
      of: PERSON,
      ...times,
      ...OPEN,
    };
    questions.put(request, over.signal);
    return () => over.abort();
  };
  return { questions, given, put, shown: () => text };
}
const OPEN = { state: "open", answer: null } as const;
const call: Ask = { kind: "permission", tool: "bash", subject: "touch x" };

it("takes answers only for answers: commands and words for the lead go their own way meanwhile", () => {
  const { questions, given, put, shown } = stage();
  expect(questions.answer("y")).toBe(false);
  put("alice", call);
  put("bob", call);
  expect(["/tasks", "/quit", "what does alice do?"].map((line) => questions.answer(line))).toEqual([
    false,
    false,
    false,
  ]);
  expect(shown()).toContain("alice [y/n/a]> ");
  const before = shown().length;
  expect(questions.answer("")).toBe(true);
  expect(shown().slice(before)).toContain("alice wants to run touch x");
  expect(questions.answer("y")).toBe(true);
  expect(shown()).toContain("bob [y/n/a]> ");
  expect(questions.answer("No, use git rm")).toBe(true);
  expect(questions.answer("n")).toBe(false);
  expect(shown().slice(shown().lastIndexOf("bob [y/n/a]> ") + 13)).toContain("> ");
  expect(given).toEqual([
    ["of alice", "yes", ""],
    ["of bob", "no", "use git rm"],
  ]);
});

it("takes an always for a yes where no rule would allow the call, and a put-aside call is refused", () => {
  const { questions, given, put } = stage();
  put("alice", call);
  put("bob", { ...call, rule: "bash(touch x)" });
  put("carol", call);
  expect([questions.answer("a"), questions.answer("a"), questions.putAside()]).toEqual([true, true, true]);
  expect(given.map(([, word]) => word)).toEqual(["yes", "always", "no"]);
});

it("takes every line but commands as the answer to what a member asks, and leaves it for later", () => {
  const { questions, given, put, shown } = stage();
  const asked: Ask = {
    ...{ kind: "question", task: null, waits: true, question: "Which?" },
    options: [
      { label: "Red", description: "" },
      { label: "Green\u202e", description: "" },
    ],
  };
  put("alice", asked);
  const away = put("bob", asked);
  expect(shown()).toContain("alice asks you: Which?\r\n1. Red\r\n2. Green\\u{202e}".replaceAll("\r", ""));
  expect(questions.answer("/tasks")).toBe(false);
  expect(questions.answer("neither")).toBe(true);
  expect(shown()).toContain("bob [1/2]> ");
  away(); // answered elsewhere
  expect(questions.answer("2")).toBe(false);
  put("carol", asked);
  expect(questions.putAside()).toBe(true);
  expect(questions.answer("1")).toBe(false);
  expect(given).toEqual([["of alice", "neither", ""]]);
});
