import { expect, it } from "vitest";
import { does, toDo } from "./verbs.ts";

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
