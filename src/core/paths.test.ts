/** Path patterns: what is a sign and what is a letter. */
import { expect, it } from "vitest";
import { pathPattern } from "./paths.ts";

it.each([
  ["a}b", "a}b", "ab"],
  ["a,b", "a,b", "a"],
  ["{a,b}c", "bc", "{a,b}c"],
  ["{a", "{a", "a"],
  ["*.ts", "x.ts", "d/x.ts"],
  ["**/x", "a/b/x", "a/bx"],
  ["a?c", "abc", "a/c"],
  ["[!a]b", "cb", "ab"],
  ["[a]b", "ab", "cb"],
  ["\\*", "*", "a"],
])("%s fits %s and not %s", (pattern, fits, other) => {
  const found = pathPattern(pattern);
  expect([found.test(fits), found.test(other)]).toEqual([true, false]);
});
