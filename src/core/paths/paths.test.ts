/** Paths and text patterns: what is a sign and what is a letter. */
import { expect, it } from "vitest";
import { isWithin, relativeTo, resolvePath, textPattern } from "./paths.ts";

it.each([
  ["git", "git", "git log"],
  ["git diff *", "git diff", "git different"],
  ["git diff *", "git diff a", "git log"],
  ["git:*", "git", "github"],
  ["git:*", "git log", "git:log"],
  ["npm run *:fix", "npm run a:fix", "npm run a:fixed"],
  ["a*", "a", "ba"],
  ["*a", "a", "ab"],
  ["**", "", null],
  ["*a*", "ab", "b"],
  ["a*b*c", "abc", "acb"],
  ["a*bc*d", "abcd", "abd"],
  ["*ab*ab*", "abab", "ab"],
  ["*ab*ab*", "xabab", "xab"],
  ["*ab*b", "abb", "ab"],
  ["ab*bc", "abbc", "abc"],
])("the text pattern %j fits %j and not %j", (pattern, fits, other) => {
  const found = textPattern(pattern);
  expect([found.test(fits), other !== null && found.test(other)]).toEqual([true, false]);
});

it.each([
  ["/a/b", "c", "/a/b/c"],
  ["/a/b", "/c", "/c"],
  ["/a/b", "../c/./d//", "/a/c/d"],
  ["/a", "../../..", "/"],
])("from %s, %s is %s", (folder, path, whole) => expect(resolvePath(folder, path)).toBe(whole));

it.each([
  ["/a", "/a", true, "."],
  ["/a", "/a/b/c", true, "b/c"],
  ["/a", "/ab", false, "/ab"],
  ["/a/b", "/a", false, "/a"],
  ["/", "/ab/c", true, "ab/c"],
  ["/", "/", true, "."],
])("of %s, %s is a part: %s, written %s", (folder, path, within, relative) => {
  expect([isWithin(folder, path), relativeTo(folder, path)]).toEqual([within, relative]);
});
