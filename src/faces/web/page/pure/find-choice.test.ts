import { expect, it } from "vitest";
import { type Choice, found } from "./find-choice.ts";

const choice = (text: string, kind = "task", more = ""): Choice => ({ text, kind, more, run: () => {} });

it("finds by all words, the beginning of the name first", () => {
  const choices = [
    choice("#1 Repaint the board"),
    choice("#2 The board of the shop"),
    choice("Board", "view"),
    choice("alice", "member", "painter"),
  ];
  const names = (text: string): string[] => found(choices, text).map((one) => one.text);
  expect(names("board")).toEqual(["Board", "#1 Repaint the board", "#2 The board of the shop"]);
  expect(names("board shop")).toEqual(["#2 The board of the shop"]);
  expect(names("PAINT")).toEqual(["#1 Repaint the board", "alice"]);
  expect(names("#2")).toEqual(["#2 The board of the shop"]);
  expect(names("nothing like it")).toEqual([]);
  expect(names("")).toHaveLength(4);
});
