/** The list of tools that permission rules are checked against is whole. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { leadTools, teammateTools } from "../../test/fixtures/first-tools.ts";
import { parseRule, showRule } from "../core/permission/permission.ts";
import { TOOL_NAMES } from "../core/tool-names.ts";
import { fileTools } from "./index.ts";

it("names every tool that is defined here, and no other", () => {
  const sources = readdirSync(import.meta.dirname, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts"))
    .map((file) => readFileSync(join(import.meta.dirname, file), "utf8"));
  const defined = sources.flatMap((text) =>
    [...text.matchAll(/^\s*name: "([a-z_]+)",$/gm)].map(([, tool = ""]) => tool),
  );
  expect([...TOOL_NAMES].sort()).toEqual([...new Set([...defined, "todo_write"])].sort());
});

it("reads rules in the names of other harnesses, and refuses those about no tool", () => {
  expect(showRule(parseRule("deny", "Bash(rm *)"))).toBe("bash(rm *)");
  expect(showRule(parseRule("allow", "Edit"))).toBe("edit_file");
  for (const text of ["mcp__files", "mcp__files__read", "*", "write_*", "mcp__*"])
    expect(parseRule("allow", text).tool).toBe(text);
  expect(() => parseRule("deny", "bahs(rm *)")).toThrow(/names an unknown tool\. Did you mean "bash"\?/);
});

it("says of each call that may use files which ones", () => {
  const silent = [...leadTools, ...teammateTools, ...fileTools].filter(
    ({ access, subject, reads, writes, line }) =>
      (access === "read" || access === "write") && subject && !reads && !writes && !line,
  );
  expect(silent.map(({ name }) => name)).toEqual([]);
});
