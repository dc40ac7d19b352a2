import { expect, it } from "vitest";
import { cpuMs } from "../../../test/fixtures/cpu.ts";
import { looseHead, splitFrontMatter } from "./front-matter.ts";

it.each([
  ["---\nname: a\n---\nBody\n", "name: a", "Body"],
  ["---\r\nname: a\r\n---\r\n\r\nBody\r\nmore", "name: a", "Body\nmore"],
  ["\uFEFF---\nname: a\n---", "name: a", ""],
  ["---\n---\nBody", "", "Body"],
  [
    "---  \na: |\n  --- not the end\nb: 1\n--- \nBody\n---\nmore",
    "a: |\n  --- not the end\nb: 1",
    "Body\n---\nmore",
  ],
  ["Body only", null, "Body only"],
  ["---\nnever closed\n", null, "---\nnever closed"],
  ["\n---\nname: a\n---\n", null, "---\nname: a\n---"],
  ["----\na: 1\n----\n", null, "----\na: 1\n----"],
  ["", null, ""],
])("splits %j", (text, head, body) => {
  expect(splitFrontMatter(text)).toEqual({ head, body });
});

it("stays fast on a long head that is never closed", () => {
  const text = `---\n${"-- \n".repeat(50_000)}`;
  expect(splitFrontMatter(text).head).toBeNull();
  expect(cpuMs(() => splitFrontMatter(text))).toBeLessThan(500);
});

it.each([
  ["name: a\ndescription: Use when: the user asks", { name: "a", description: "Use when: the user asks" }],
  [
    "name: rev\ndescription: Use it.\\n\\n<example>\\nuser: hi: you\\n</example>\ntools: Read, Bash(git log:*)\ncolor: red",
    {
      name: "rev",
      description: "Use it.\n\n<example>\nuser: hi: you\n</example>",
      tools: "Read, Bash(git log:*)",
      color: "red",
    },
  ],
  [
    'name: "b"\ndescription: x: y\n  and more\ntools:\n  - Read\n  - Grep\n',
    { name: "b", description: "x: y and more", tools: ["Read", "Grep"] },
  ],
  ["name: [unclosed\ndescription: x", null],
  ['name: "a', null],
  ["- a\n- b", null],
  ["name: a\nname: b", null],
  ["tools: x: y", null],
  ["just words", null],
  ["description: x: y", { description: "x: y" }],
  ["name: a\nmore: x: y", { name: "a", more: "x: y" }],
  ["name: a\nnot indented", null],
  ["name: a\ntools:\n  - Read\n  and more", null],
])("reads %j line by line where it is no YAML", (head, data) => {
  expect(looseHead(head)).toEqual(data);
});
