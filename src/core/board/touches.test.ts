import { expect, it } from "vitest";
import { cpuMs } from "../../../test/fixtures/cpu.ts";
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
  ["src", "src"],
  ["src", "src/**/*.md"],
  ["a/**", "a"],
  ["a/**/**", "a"],
  ["a.ts/", "a.ts/b"],
  [".github", ".github/ci.yml"],
  ["a/**/b.ts", "**/c/b.ts"],
  ["a/**/c/x.ts", "a/b/**/x.ts"],
  ["src/*", "src/a"],
  ["src/a*c*e.ts", "src/ab*de.ts"],
  ["src/**a.ts", "src/a.ts"],
  ["src/a**.ts", "src/*.ts"],
  ["src/a?.ts", "src/?b.ts"],
  ["src/😀*.ts", "src/😀a.ts"],
  ["src/?.ts", "src/😀.ts"],
  ["src/[ab]", "src/c"],
  ["src\\a.ts", "src/a.ts"],
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
  ["src/?.ts", "src/.ts"],
  ["src/a.ts", "src/a.tsx"],
  ["src/a*", "src/b*"],
  ["src/*a.ts", "src/*b.ts"],
  ["src/a*c.ts", "src/ac.tsx"],
  ["src/*ab*.ts", "src/ba.ts"],
  ["a.ts", "a.ts/b.ts"],
  ["a/b.ts", "a/**/c.ts"],
  ["a/**/b/c.ts", "a/b.ts"],
  ["a/b/*.ts", "a/*.ts"],
])("%s and %s never do", (a, b) => {
  expect(overlapping([a], [b])).toBe(false);
  expect(overlapping([b], [a])).toBe(false);
});

it("nothing overlaps with no patterns", () => {
  expect(overlapping([], ["src"])).toBe(false);
});

it("compares patterns with many ** at once", () => {
  const deep = "**/a/".repeat(12);
  const ms = cpuMs(() => expect(overlapping([`${deep}x.ts`], [`${deep}y.ts`])).toBe(false));
  expect(ms).toBeLessThan(1_000);
});
