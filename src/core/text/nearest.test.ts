import { expect, it } from "vitest";
import { didYouMean, nearest } from "./nearest.ts";

it.each([
  ["status", ["status"], "status"],
  ["STATUS", ["Status"], "Status"],
  // One edit of each sort: another letter, one more, one less, two that changed places.
  ["stabus", ["status"], "status"],
  ["sttatus", ["status"], "status"],
  ["tatus", ["status"], "status"],
  ["statu", ["status"], "status"],
  ["satatus", ["status"], "status"],
  ["tsatus", ["status"], "status"],
  ["statsu", ["status"], "status"],
  // A word of up to five letters may differ by one edit, one of six to eight by two.
  ["ab", ["abc"], "abc"],
  ["ab", ["abcd"], null],
  ["abcd", ["badc"], null],
  ["abcde", ["abxye"], null],
  ["abcdef", ["badcef"], "badcef"],
  ["abcdef", ["abxyef"], "abxyef"],
  ["abcdef", ["abxyzf"], null],
  ["abcdef", ["abcdefgh"], "abcdefgh"],
  ["abcdef", ["abcdefghi"], null],
  ["abcdef", ["abcd"], "abcd"],
  ["abcdef", ["fedcba"], null],
  ["abcdefgh", ["abcdexyz"], null],
  ["abcdefghi", ["abcdefxyz"], "abcdefxyz"],
  // Half of a swap is not a swap.
  ["xabz", ["xbcz"], null],
  ["abx", ["bcx"], null],
  ["", ["a"], "a"],
  ["", ["ab"], null],
  ["a", [], null],
  // The nearest counts, then the first.
  ["abcdef", ["abcdxy", "abcdex", "abcdey"], "abcdex"],
  ["abcdef", ["abcdex", "abcdxy"], "abcdex"],
  ["abcdef", ["abxyef", "abcdxy"], "abxyef"],
])("%j among %j: %j", (word, known, expected) => {
  expect(nearest(word, known)).toBe(expected);
});

it("asks only when there is something to propose", () => {
  expect(didYouMean("statsu", ["status"])).toBe(' Did you mean "status"?');
  expect(didYouMean("x", ["status"])).toBe("");
});
