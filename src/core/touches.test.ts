import { expect, it } from "vitest";
import { overlapping } from "./touches.ts";

it.each([
  ["src/a.ts", "src/a.ts"],
  ["./src/a.ts", "src/a.ts"],
  ["src", "src/core/a.ts"],
  ["src/", "src/a.ts"],
  ["src/*.ts", "src/a.ts"],
  ["src/a*.ts", "src/*b.ts"],
  ["src/**", "src/core/deep/a.ts"],
  ["**/*.ts", "src/core/a.ts"],
  ["**/*.ts", "src/core"],
  ["src/**/a.ts", "src/a.ts"],
  ["src/?.ts", "src/a.ts"],
  ["src/{a,b}.ts", "src/a.ts"],
  ["**", "anything/at/all.md"],
])("%s and %s may name the same file", (a, b) => {
  expect(overlapping([a], ["elsewhere/x.md", b])).toBe(true);
  expect(overlapping([b], [a])).toBe(true);
});

it.each([
  ["src/a.ts", "src/b.ts"],
  ["src", "src2/a.ts"],
  ["src/*.ts", "src/core/a.ts"],
  ["src/*.ts", "src/a.md"],
  ["**/*.ts", "docs/a.md"],
  ["docs/**", "src/**"],
  ["src/?.ts", "src/ab.ts"],
])("%s and %s never do", (a, b) => {
  expect(overlapping([a], [b])).toBe(false);
  expect(overlapping([b], [a])).toBe(false);
});

it("nothing overlaps with no patterns", () => {
  expect(overlapping([], ["src"])).toBe(false);
});
