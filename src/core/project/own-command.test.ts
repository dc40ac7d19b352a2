import { expect, it } from "vitest";
import { expanded, makeOwnCommand } from "./own-command.ts";

const command = (body: string, data: unknown = {}) => makeOwnCommand(data, body, "fix", "/p/fix.md");

it("puts in what was typed, by all of it, by words, or at the end", () => {
  expect(expanded(command("Fix $ARGUMENTS now"), "a b", ["a", "b"])).toBe("Fix a b now");
  expect(expanded(command("Fix $2, not $1 or $3."), "a b", ["a", "b"])).toBe("Fix b, not a or .");
  expect(expanded(command("Fix it"), "a b", ["a", "b"])).toBe("Fix it\n\na b");
  expect(expanded(command("Fix it"), "", [])).toBe("Fix it");
  // Neither a price nor what was typed is a place.
  expect(expanded(command("It costs $10: $1"), "$2 $&", ["$2", "$&"])).toBe("It costs $10: $2");
});

it("describes itself by its head, else by its first line", () => {
  expect(command("# Title\n\nFix the tests.\nMore.").description).toBe("Fix the tests.");
  expect(command("x", { description: "Fixes\nall", "argument-hint": ["issue"] })).toMatchObject({
    ...{ description: "Fixes all", hint: "[issue]" },
  });
});

it("names what is wrong with a file", () => {
  expect(() => command(" \n")).toThrow("it has no text");
  expect(() => command("x", { description: 3 })).toThrow("description must be a text");
  expect(() => makeOwnCommand({}, "x", "a b", "/p/a b.md")).toThrow("its name must be");
});
