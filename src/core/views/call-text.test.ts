import { expect, it } from "vitest";
import { callText } from "./call-text.ts";

it.each([
  [{ command: "npm test" }, "npm test"],
  [{ task: 3, result: "done" }, "#3: done"],
  [{ text: "hello" }, "hello"],
  [{ question: "Which colour?", options: ["Red", "Green"] }, "Which colour?"],
  [{ prompt: "Read the tests", read_only: true }, "Read the tests"],
  [{ url: "https://example.org", offset: 10 }, "https://example.org"],
  [{ request: "1fc4", approve: false, feedback: "too wide" }, "1fc4: too wide"],
  [{}, ""],
  [{ old: "a", new: "b" }, '{"old":"a","new":"b"}'],
  [
    {
      todos: [
        { content: "Read", status: "completed" },
        { content: "Change", status: "in_progress" },
      ],
    },
    "1 of 2 done, now: Change",
  ],
  [{ todos: [null, 7] }, "0 of 2 done"],
  ["text", "text"],
  [null, ""],
])("says in a line what %j is about", (input, text) => {
  expect(callText({ input })).toBe(text);
});
