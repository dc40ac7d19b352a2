import { expect, it } from "vitest";
import { does, noOf, toDo } from "./verbs.ts";

it("says what a call does, and what it would do", () => {
  expect([toDo("edit_file", "a.ts"), does("edit_file", "a.ts")]).toEqual(["edit a.ts", "edits a.ts"]);
  expect([does("fetch_url", "https://a.example"), does("grep", "TODO")]).toEqual([
    "fetches https://a.example",
    "searches for TODO",
  ]);
  expect([toDo("bash", ""), does("idle", "")]).toEqual(["run a command", "rests"]);
  expect([toDo("mcp_db_query", ""), does("mcp_db_query", "")]).toEqual([
    "use mcp_db_query",
    "uses mcp_db_query",
  ]);
});

it("tells the person's no in the person's words", () => {
  const said = (named: string, why: string): string =>
    `The person said no to ${named}${why}. Do it another way, or ask what they want.`;
  expect(noOf(said("edit_file (a.ts)", ": use single quotes"))).toBe("you said no: use single quotes");
  expect(noOf(`bash: ${said("bash (f(x): y)", ": why (so)?")}`)).toBe("you said no: why (so)?");
  expect(noOf(said("fetch_url", ""))).toBe("you said no");
  expect(noOf("It failed. The person said no to nothing.")).toBe(null);
});
