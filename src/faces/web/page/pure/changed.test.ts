import { expect, it } from "vitest";
import { changed } from "./changed.ts";

const lines = (count: number, line: (n: number) => string): string =>
  `${Array.from({ length: count }, (_, n) => line(n)).join("\n")}\n`;
const signs = (before: string, after: string): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const { sign } of changed(before, after)) counts[sign] = (counts[sign] ?? 0) + 1;
  return counts;
};

it("shows a change of 5,000 lines as changed, not as new: no line that stayed is coloured", () => {
  const before = lines(5_000, (n) => (n % 2 ? `old ${n}` : `same ${n}`));
  const after = lines(5_000, (n) => (n % 2 ? `new ${n}` : `same ${n}`));
  const shown = changed(before, after);
  expect(signs(before, after)).toEqual({ " ": 2_500, "-": 2_500, "+": 2_500 });
  for (const { sign, text } of shown) expect(text.startsWith("same")).toBe(sign === " ");
});

it("does so where the same line, such as a blank one, is there thousands of times", () => {
  const before = lines(6_000, (n) => (n % 3 === 1 ? `old ${n}` : n % 3 === 2 ? "" : `same ${n}`));
  const after = before.replaceAll("old", "new");
  expect(signs(before, after)).toEqual({ " ": 4_000, "-": 2_000, "+": 2_000 });
});

it("in linear time, also where nothing stays or all is turned round", () => {
  const before = lines(10_000, (n) => `a ${n}`);
  expect(
    signs(
      before,
      lines(10_000, (n) => `b ${n}`),
    ),
  ).toEqual({ "-": 10_000, "+": 10_000 });
  const turned = changed(
    before,
    lines(10_000, (n) => `a ${9_999 - n}`),
  );
  expect(turned.filter(({ sign }) => sign === "-").length).toBe(9_999);
});

it("leaves out what is far from a change, and says how much", () => {
  const before = lines(100, (n) => `line ${n}`);
  expect(
    changed(before, before.replace("line 50\n", "line fifty\n")).map(({ sign, text }) => `${sign}${text}`),
  ).toEqual([
    "@47 lines unchanged",
    ...[" line 47", " line 48", " line 49", "-line 50", "+line fifty", " line 51", " line 52", " line 53"],
    "@46 lines unchanged",
  ]);
});
