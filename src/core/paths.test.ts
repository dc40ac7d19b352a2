/** Path patterns: what is a sign and what is a letter. */
import { expect, it } from "vitest";
import { isWithin, pathPattern, relativeTo, resolvePath, textPattern } from "./paths.ts";

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
  ["\\*", "*", "*x"],
  ["\\*b", "*b", "*"],
  ["a\\", "a\\", "a"],
  ["**/x", "x", "ax"],
  ["a**b", "a/x/b", "a/x/c"],
  ["a***/y", "ab/y", "ay"],
  ["src/**", "src/a/b", "src"],
  ["a/**/**/b", "a/b", "ab"],
  ["{a,b},c", "b,c", "b"],
  ["{a,b}{c,d}", "bd", "b{c,d}"],
  ["{a{b,c}d,e}", "e", "acd,e"],
  ["{a{b,c}d,e}", "acd", "ab"],
  ["[^a]b", "cb", "/b"],
  ["[]a]b", "]b", "bb"],
  ["[a-c]", "b", "-"],
  ["[ab]c", "bc", "b"],
  ["[ab]]c", "a]c", "ac"],
  ["[a", "[a", "a"],
  ["a.b", "a.b", "axb"],
  ["?.ts", "😀.ts", "😀😀.ts"],
  ["😀.ts", "😀.ts", "x.ts"],
])("%s fits %s and not %s", (pattern, fits, other) => {
  const found = pathPattern(pattern);
  expect([found.test(fits), found.test(other)]).toEqual([true, false]);
});

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
