import fc from "fast-check";
import { expect, it } from "vitest";
import { FUZZ } from "../../../test/fixtures/fuzz.ts";
import { codeParts, languageOf } from "./code-parts.ts";

const kinds = (text: string, language: string) =>
  codeParts(text, language)
    .filter(({ kind }) => kind !== "")
    .map(({ kind, text: part }) => `${kind} ${part}`);

it("tells comments, texts, numbers and words of a language apart", () => {
  expect(kinds('const a = "x // y"; // why 1\nreturn 42', "ts")).toEqual([
    "word const",
    'text "x // y"',
    "comment // why 1",
    "word return",
    "number 42",
  ]);
  expect(kinds("if x: # no\n  y = 'a#b'", "py")).toEqual(["word if", "comment # no", "text 'a#b'"]);
  expect(kinds("cat $# 3", "sh")).toEqual(["number 3"]);
  expect(kinds("-- all\nSELECT a", "sql")).toEqual(["comment -- all", "word SELECT"]);
  expect(kinds("const a = 1", "")).toEqual([]);
});

it("loses nothing, whatever the text, and reads a hostile one in little time", () => {
  fc.assert(
    fc.property(fc.string(), fc.constantFrom("ts", "py", "sql", "", "unknown"), (text, language) => {
      expect(
        codeParts(text, language)
          .map((part) => part.text)
          .join(""),
      ).toBe(text);
    }),
    FUZZ,
  );
  for (const text of ["/*".repeat(15_000), '"\\'.repeat(15_000), "`".repeat(29_999), "#".repeat(30_000)])
    expect(
      codeParts(text, "ts")
        .map((part) => part.text)
        .join(""),
    ).toBe(text);
});

it("knows a language by the ending of a file", () => {
  expect([languageOf("src/a.test.ts"), languageOf("Makefile")]).toEqual(["ts", ""]);
});
