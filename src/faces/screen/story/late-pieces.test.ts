/** Pieces that come behind their stored reply, cut anywhere. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { FUZZ } from "../../../../test/fixtures/fuzz.ts";
import { LatePieces } from "./late-pieces.ts";

const words = fc.stringMatching(/^[ab]{1,6}( [ab]{1,6}){0,4}$/);
const cut = (text: string, at: number, size: number): string[] =>
  text.slice(at).match(new RegExp(`[\\s\\S]{1,${size}}`, "g")) ?? [];

it("keeps out what was read already, and lets every other text through", () => {
  fc.assert(
    fc.property(words, words, fc.nat(30), fc.integer({ min: 1, max: 7 }), (said, next, seen, size) => {
      const late = new LatePieces();
      const at = Math.min(seen, said.length);
      late.expect(said, `\n${said.slice(0, at)}`);
      expect(
        cut(said, at, size)
          .map((piece) => late.fresh(piece))
          .join(""),
      ).toBe("");
      expect(late.fresh(next)).toBe(next);
    }),
    FUZZ,
  );
});

it("gives back a text that begins as the late one would", () => {
  const late = new LatePieces();
  late.expect("I look at it.", "");
  expect(["\nI look", " at them."].map((piece) => late.fresh(piece))).toEqual(["", "I look at them."]);
  late.expect("One.", "One");
  expect([".\n", "Two"].map((piece) => late.fresh(piece))).toEqual(["", "Two"]);
});

it("keeps out the pieces of several replies that were read before any of them came", () => {
  const late = new LatePieces();
  for (const said of ["I call one.", "I call two.", "I call three."]) late.expect(said, "");
  const come = ["I call", " one.", "\n", "I call two.I", " call", " three.", "I call", " four."];
  expect(come.map((piece) => late.fresh(piece)).join("")).toBe("I call four.");
});

it("gives up replies whose pieces never come", () => {
  const late = new LatePieces();
  for (const said of ["I call one.", "I call two."]) late.expect(said, "");
  expect(["I call", " for", " help."].map((piece) => late.fresh(piece)).join("")).toBe("I call for help.");
  late.expect("Lost.", "");
  late.expect("I see.", "I");
  expect([" see.", " More."].map((piece) => late.fresh(piece)).join("")).toBe(" More.");
});
