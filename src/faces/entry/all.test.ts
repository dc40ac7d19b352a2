/** The tables of commands: each command is in one of them, and the conversation knows which ones it does not have. */
import { expect, it } from "vitest";
import { nameOf } from "../commands/entry.ts";
import { OUTSIDE, SHARED } from "../commands/table.ts";
import { COMMANDS } from "./all.ts";

it("names the commands that a conversation does not have", () => {
  const names = COMMANDS.map(nameOf);
  expect(new Set(names).size).toBe(names.length);
  expect([...OUTSIDE, ...SHARED.map(nameOf)].sort()).toEqual([...names].sort());
});
