/** A bounded piece of `npm run fuzz`: words in all forms of quoting, as bash, dash and the judge read them. */
import { expect, it } from "vitest";
import { FUZZ, randomFrom } from "../fixtures/fuzz.ts";
import { misread, quotedWord } from "./quoting.ts";

/** Forms that a shell reads otherwise than one would think. */
const KNOWN = [
  "$'..\\x{2f}b'",
  "$'\\x{2e}env'",
  "$'a\\0b'c",
  "$'\\ca'",
  "$'\\c''",
  "$'\\u2f'",
  "$'\\457'",
  '$"a"',
  "'a'\\\nb",
  "{a,b}",
];

it("a word that is called exact is the word that bash and dash hand to a program", () => {
  const next = randomFrom(FUZZ.seed);
  const pick = <T>(items: readonly T[]): T => items[next(items.length)] as T;
  const { exact, faults } = misread([...KNOWN, ...Array.from({ length: 800 }, () => quotedWord(pick))]);
  expect(faults).toEqual([]);
  expect(exact).toBeGreaterThan(300);
});
