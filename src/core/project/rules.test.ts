/** These tests check which files of rules enter a prompt. */
import { expect, it } from "vitest";
import { rulesSection } from "./rules.ts";

const HEAD = "Rules of this project, by its people; follow them:";
const file = (text: string, name = "AGENTS.md") => ({ file: name, text });
const shown = (text: string, name = "AGENTS.md") => `<project file="${name}">\n${text}\n</project>`;

it.each([
  ["no files", [], ""],
  ["an empty file", [file(" \n")], ""],
  ["a file that only refers to another", [file("@AGENTS.md\n", "CLAUDE.md")], ""],
  ["a rule", [file(" Be kind.\n")], `${HEAD}\n${shown("Be kind.")}`],
  ["a rule below a reference", [file("@a.md\nBe kind.")], `${HEAD}\n${shown("@a.md\nBe kind.")}`],
  [
    "the same rules twice",
    [file("Be kind."), file("Be kind.\n", "CLAUDE.md")],
    `${HEAD}\n${shown("Be kind.")}`,
  ],
  ["two files", [file("a"), file("b", "CLAUDE.md")], `${HEAD}\n${shown("a")}\n${shown("b", "CLAUDE.md")}`],
  ["a file as long as allowed", [file("x".repeat(16_000))], `${HEAD}\n${shown("x".repeat(16_000))}`],
  [
    "a longer file",
    [file("x".repeat(16_001))],
    `${HEAD}\n${shown(`${"x".repeat(16_000)}\n[… cut off; AGENTS.md has the rest]`)}`,
  ],
])("shows %s", (_, files, section) => expect(rulesSection(files)).toBe(section));
