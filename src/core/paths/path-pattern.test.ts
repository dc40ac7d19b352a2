/** Path patterns: what is a sign and what is a letter, and how long a match may take. */
import { expect, it } from "vitest";
import { escapedPath, pathPattern, spelledPath } from "./path-pattern.ts";

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
  ["app/[id]/x", "app/[id]/x", "app/[d]/x"],
  ["app/[id]/x", "app/d/x", "app/id/x"],
  ["app/[...slug]/**", "app/[...slug]/a/b", "app/slug/a"],
  ["**/[[id]]/*", "a/[[id]]/x", "a/[[id]/x"],
  ["{slug}/x", "{slug}/x", "slugs/x"],
  ["a[!b]/x", "a[!b]/x", "ab/x"],
  ["?.ts", "😀.ts", "😀😀.ts"],
  ["😀.ts", "😀.ts", "x.ts"],
])("%s fits %s and not %s", (pattern, fits, other) => {
  const found = pathPattern(pattern);
  expect([found.test(fits), found.test(other)]).toEqual([true, false]);
});

it.each([
  ["{\\}", "{}", "x"],
  ["{a,\\}}", "}", "{a,}"],
  ["{a,b", "{a,b", "a"],
  ["*{a,b}*c", "xbyc", "xcyb"],
  ["**/{a,b/**}", "x/b/y/z", "x/c"],
  ["{,a}b", "b", "ba"],
  ["**/", "a/b/", "a/b"],
  ["\\😀", "😀", "\\"],
  ["", "", "a"],
  ["?", "\n", "/"],
])("%s fits %j and not %j", (pattern, fits, other) => {
  const found = pathPattern(pattern);
  expect([found.test(fits), found.test(other)]).toEqual([true, false]);
});

it.each([
  ["**/a/".repeat(30), "a/".repeat(1_000)],
  ["*a".repeat(30), "a".repeat(2_000)],
  ["{a,aa}".repeat(30), "a".repeat(200)],
])("ends soon for %s", (pattern, path) => {
  expect(pathPattern(`${pattern}b`).test(path)).toBe(false);
});

it.each(["app/[id]/{a,b}/c*?.ts", "a\\b", "(group)/x", "plain"])(
  "the pattern for exactly %s fits it alone",
  (path) => {
    const escaped = escapedPath(path);
    expect(pathPattern(escaped).test(path)).toBe(true);
    expect(["app/i/a/cxx.ts", "ab", "group/x"].some((other) => pathPattern(escaped).test(other))).toBe(false);
    expect(spelledPath(escaped)).toBe(path);
  },
);
