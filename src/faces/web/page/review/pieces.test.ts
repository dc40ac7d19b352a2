import fc from "fast-check";
import { expect, it } from "vitest";
import { FUZZ } from "../../../../../test/fixtures/fuzz.ts";
import { filesIn, type PatchLine } from "../../../../core/text/diff.ts";
import { spellHidden } from "../../../../core/text/hidden.ts";
import { type Piece, piecesOf } from "./pieces.ts";

const said = (pieces: readonly Piece[]): string =>
  pieces.map(({ kind, text, isMarked }) => `${kind && `<${kind}>`}${isMarked ? `[${text}]` : text}`).join("");

it("marks the words that differ, and colours a comment over several lines as it was and as it is", () => {
  const [file] = filesIn(
    [
      "diff --git a/a.ts b/a.ts",
      "--- a/a.ts",
      "+++ b/a.ts",
      "@@ -1,4 +1,4 @@",
      " /* one",
      "-two */ const price = 1;",
      "+two */ const cost = 1;",
      "-let all = different;",
      "+return 7 + nothing(like, it);",
    ].join("\n"),
  );
  expect(piecesOf(file as NonNullable<typeof file>).map(said)).toEqual([
    "",
    "<comment>/* one",
    "<comment>two */ <word>const [price] = <number>1;",
    "<comment>two */ <word>const [cost] = <number>1;",
    "<word>let all = different;",
    "<word>return <number>7 + nothing(like, it);",
  ]);
});

it("keeps every character of every line", () => {
  const line = fc.record({
    sign: fc.constantFrom("+", "-", " ", "@" as const),
    text: fc.string({ unit: "grapheme" }).map((text) => text.replaceAll("\n", "")),
    number: fc.constant(1),
  });
  fc.assert(
    fc.property(fc.array(line), fc.constantFrom("a.ts", "a.md", "a.py"), (rows, path) => {
      const lines: readonly PatchLine[] = rows;
      expect(piecesOf({ path, lines }).map((all) => all.map(({ text }) => text).join(""))).toEqual(
        lines.map(({ text }) => spellHidden(text)),
      );
    }),
    FUZZ,
  );
});
