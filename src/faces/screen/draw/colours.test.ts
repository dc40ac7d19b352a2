import { expect, it } from "vitest";
import { name } from "../../../../test/fixtures/stage.ts";
import { colourOf } from "./colours.ts";

it("gives four members four colours, none of them red or yellow, and keeps them", () => {
  const names = ["lead", "alice", "bob", "carol"].map(name);
  const colours = names.map(colourOf);
  expect(new Set(colours).size).toBe(4);
  expect(colours).not.toContain("red");
  expect(colours).not.toContain("yellow");
  expect(names.toReversed().map(colourOf)).toEqual(colours.toReversed());
});
