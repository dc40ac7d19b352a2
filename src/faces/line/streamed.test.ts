import fc from "fast-check";
import { expect, it } from "vitest";
import { FUZZ } from "../../../test/fixtures/fuzz.ts";
import { Streamed } from "./streamed.ts";

const shown = (pieces: readonly string[], width: number): string => {
  const streamed = new Streamed(() => width);
  return pieces.map((piece) => streamed.take(piece)).join("") + streamed.end();
};

it("breaks between words, wherever the pieces end", () => {
  expect(shown(["the qui", "ck bro", "wn fox\n", "and", " so on"], 10)).toBe(
    "the quick\nbrown fox\nand so on",
  );
  expect(shown(["  indented", " words"], 12)).toBe("  indented\nwords");
  expect(shown(["日本語 のタ", "スク"], 8)).toBe("日本語\nのタスク");
});

it("shows whole words at once, and holds back only a beginning", () => {
  const streamed = new Streamed(() => 20);
  expect([streamed.take("one tw"), streamed.take("o thr"), streamed.end()]).toEqual(["one", " two", " thr"]);
});

it("leaves code, what is wider than the terminal, and what goes into a file as they are", () => {
  const code = "```sh\nmake all the things now\n```\n";
  expect(shown([`${code}and this is text`], 12)).toBe(`${code}and this is\ntext`);
  expect(shown(["aaaaaaaaaaaaaaaa", "b c"], 8)).toBe("aaaaaaaaaaaaaaaab c");
  expect(shown(["the quick brown fox"], Number.POSITIVE_INFINITY)).toBe("the quick brown fox");
});

it("loses nothing but blanks where it breaks, and no row ends within a word that fits into one", () => {
  const pieces = fc.array(fc.stringMatching(/^[a-z \n]{0,9}$/), { maxLength: 12 });
  fc.assert(
    fc.property(pieces, fc.integer({ min: 2, max: 30 }), (list, width) => {
      const text = shown(list, width);
      expect(text.replace(/\s/g, "")).toBe(list.join("").replace(/\s/g, ""));
      for (const line of text.split("\n"))
        for (const word of line.matchAll(/\S+/g)) {
          const [first, last] = [word.index, word.index + word[0].length - 1];
          if (word[0].length < width) expect(Math.floor(first / width)).toBe(Math.floor(last / width));
        }
    }),
    FUZZ,
  );
});
