/**
 * The size and the structure of the source, as limits. A limit is lowered when the source falls below it, and raised only by a decision in
 * docs/decisions that says what for. `npm run check -- --measures` prints the figures.
 */
import { describe, expect, it } from "vitest";
import {
  circlesOf,
  facePairs,
  flatFolders,
  importsOf,
  linesByFolder,
  longFunctions,
  sourceOf,
} from "../scripts/measures.ts";

/** Lines without tests, by folder below `src`. */
const LINES: Readonly<Record<string, number>> = {
  ...{ core: 22_330, ports: 1_450, runtime: 5_270, tools: 3_395, adapters: 31_355 },
  ...{ project: 1_740, team: 3_640, host: 9_945, faces: 34_860, "index.ts": 40 },
};
/** Pairs of faces of which a file of the first imports the second, with the number of such files. They go to nothing. */
const FACES: Readonly<Record<string, number>> = {};
/** The sizes of groups of files that import each other, also for types or later. */
const CIRCLES: readonly number[] = [4, 4, 3, 2, 2, 2];
const LONG_FUNCTIONS = 15;
const FLAT = 25;

const source = sourceOf();
const imports = importsOf(source);

it("no folder has more lines than its budget", () => {
  const over = Object.entries(linesByFolder(source)).filter(
    ([folder, lines]) => lines > (LINES[folder] ?? 0),
  );
  expect(Object.fromEntries(over)).toEqual({});
});

it("no face imports another one, but for those that still do", () => {
  const more = Object.entries(facePairs(imports)).filter(([pair, files]) => files > (FACES[pair] ?? 0));
  expect(Object.fromEntries(more)).toEqual({});
});

it("files go in no larger or further circles", () => {
  const sizes = circlesOf(imports).map((group) => group.length);
  expect(sizes.length).toBeLessThanOrEqual(CIRCLES.length);
  expect(sizes.filter((size, nth) => size > (CIRCLES[nth] ?? 0))).toEqual([]);
});

it("functions and folders become no larger", () => {
  expect(longFunctions(source).length).toBeLessThanOrEqual(LONG_FUNCTIONS);
  expect(flatFolders(source)[0]?.[1]).toBeLessThanOrEqual(FLAT);
});

describe("the measures", () => {
  const files = new Map([
    ["faces/a/one.ts", 'import type { B } from "../b/two.ts";\nexport const one = 1;\n'],
    ["faces/b/two.ts", 'export const later = () => import("../../core/c.ts");\n'],
    ["core/c.ts", `import "../faces/a/one.ts";\nexport function long(): void {\n${"  \n".repeat(60)}}\n`],
    ["core/d.ts", 'import { one } from "../faces/a/one.ts";\nexport const d = one;\n'],
  ]);
  it("count imports of types and later ones, lines, pairs of faces and long functions", () => {
    const found = importsOf(files);
    expect(circlesOf(found)).toEqual([["core/c.ts", "faces/a/one.ts", "faces/b/two.ts"]]);
    expect(facePairs(found)).toEqual({ "a → b": 1 });
    expect(linesByFolder(files)).toEqual({ faces: 3, core: 65 });
    expect(longFunctions(files)).toEqual(["core/c.ts:2"]);
    expect(flatFolders(files)[0]).toEqual(["core", 2]);
  });
});
