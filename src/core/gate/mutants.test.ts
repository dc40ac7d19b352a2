import { expect, it } from "vitest";
import { leakOf, type MutantKind, mutantsOf, sampleOf, withMutant } from "./mutants.ts";

const faults = (path: string, line: string): Partial<Record<MutantKind, string>> =>
  Object.fromEntries(mutantsOf(path, line, new Set([1])).map(({ kind, after }) => [kind, after.trim()]));

it.each([
  ["a.ts", "  if (a === b) {", { swapped: "if (a !== b) {", negated: "if (!(a === b)) {" }],
  ["a.ts", "  return a + b;", { constant: "return 0;" }],
  ["a.ts", "  const next = at + 1;", { "off by one": "const next = at - 1;" }],
  ["a.ts", "  list.push(one);", { dropped: "" }],
  ["a.py", "    if a < b:", { swapped: "if a >= b:", negated: "if not (a < b):" }],
  ["a.py", "    total += price", { dropped: "" }],
  [
    "a.go",
    "\tfor i := 0; i < n; i++ {",
    { swapped: "for i := 0; i >= n; i++ {", "off by one": "for i := 1; i < n; i++ {" },
  ],
  ["a.ts", "// if (a === b) return 1;", {}],
  ["a.ts", 'import { a } from "b";', {}],
  ["a.ts", "  }", {}],
  ["a.ts", "  return null;", {}],
  ["a.test.ts", "  if (a === b) {", {}],
  ["README.md", "if (a === b) {", {}],
])("%s: %s", (path, line, wanted) => {
  expect(faults(path, line)).toEqual(wanted);
});

it("puts a fault into its line alone, and takes the same sample again, of many lines first", () => {
  const text = "let a = 1;\nif (a > 2) go(a);\nreturn a;\n";
  const all = mutantsOf("a.js", text, new Set([1, 2, 3]));
  const found = all.find(({ line }) => line === 3);
  if (!found) throw new Error("no fault in line 3");
  expect(withMutant(text, found)).toBe("let a = 1;\nif (a > 2) go(a);\nreturn 0;\n");
  const hash = (of: string): string => String(of.length).padStart(4, "0");
  expect(sampleOf(all, 3, hash)).toEqual(sampleOf([...all].reverse(), 3, hash));
  expect(new Set(sampleOf(all, 3, hash).map(({ line }) => line)).size).toBe(3);
});

it("tells the leak with its bounds", () => {
  const { leak, low, high } = leakOf(46, 14);
  expect(leak).toBeCloseTo(0.233, 3);
  expect(low).toBeCloseTo(0.144, 2);
  expect(high).toBeCloseTo(0.355, 2);
  expect(leakOf(0, 0)).toEqual({ leak: 0, low: 0, high: 1 });
});
