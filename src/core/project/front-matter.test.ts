import { expect, it } from "vitest";
import { cpuMs } from "../../../test/fixtures/cpu.ts";
import { splitFrontMatter } from "./front-matter.ts";

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
