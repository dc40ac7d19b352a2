/**
 * The layering, as a test: what each part of src/ may import, how long a file may be and which names it may not have. A breach
 * fails with the rule it broke. The test reads the syntax tree, so it ignores comments and strings.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import ts from "typescript";
import { describe, expect, it } from "vitest";

const ROOT = resolve(import.meta.dirname, "..");
const SRC = join(ROOT, "src");

type Layer = { readonly layers: readonly string[]; readonly packages: RegExp };

const NOTHING_ELSE: readonly string[] = [];
const LAYERS: Readonly<Record<string, Layer>> = {
  core: { layers: NOTHING_ELSE, packages: /^(zod|croner|unbash)$/ },
  ports: { layers: ["core"], packages: /^zod$/ },
  tools: {
    layers: ["core", "ports"],
    packages: /^(zod|node:(path|fs|fs\/promises|os|url))$/,
  },
  runtime: { layers: ["core", "ports"], packages: /^node:(path|crypto|events|timers\/promises)$/ },
  adapters: { layers: ["core", "ports"], packages: /./ },
};
/** These construct everything, so they may import from every layer. */
const FREE = new Set(["apps", "index"]);
/** Layers in which an import path must be a plain string, so that this test can see it. */
const LITERAL_IMPORTS_ONLY = new Set(["core", "ports", "tools", "runtime"]);

const BANNED_NAMES = /^(utils?|helpers?|common|managers?|services?|base|types)$/i;
const MAX_LINES = 300;
const MAX_TEST_LINES = 500;

/** The faults of one file of src/; `file` is its path below src/, with forward slashes. */
function layerFaults(file: string, text: string): string[] {
  if (isTest(file)) return [];
  const layer = layerOf(file);
  const rule = LAYERS[layer];
  const { imports, computed, impure } = read(file, text);
  const targets = imports
    .filter((spec) => spec.startsWith("."))
    .map((spec) => relative(SRC, resolve(SRC, dirname(file), spec)).replaceAll("\\", "/"));
  const faults = targets.flatMap((target) => roomFaults(file, target));
  if (FREE.has(layer)) return faults;
  if (!rule) return [`src/${layer} is not a layer`];
  for (const spec of imports)
    if (!spec.startsWith(".") && !rule.packages.test(spec))
      faults.push(`${layer} may not use the package "${spec}"`);
  for (const target of targets) {
    if (target.startsWith("..")) faults.push(`${layer} may not import from outside src: "${target}"`);
    else if (layerOf(target) !== layer && !rule.layers.includes(layerOf(target)))
      faults.push(`${layer} may not import ${layerOf(target)}: "${target}"`);
  }
  if (computed && LITERAL_IMPORTS_ONLY.has(layer)) faults.push(`${layer} may import only by a plain string`);
  if (layer === "core") faults.push(...impure.map((what) => `core is pure: no ${what}`));
  return faults;
}

/** Adapters share by files directly in src/adapters, not by each other's folders; of the apps only the host uses tools. */
function roomFaults(file: string, target: string): string[] {
  const [layer, room = "", inner] = file.split("/");
  const [other, targetRoom = "", targetInner] = target.split("/");
  if (layer === "adapters" && other === "adapters" && targetInner !== undefined)
    return inner !== undefined && room === targetRoom
      ? []
      : [`${file} may not import another adapter: "${target}"`];
  if (layer === "apps" && other === "tools" && room !== "host")
    return [`of the apps only host may import tools: "${target}"`];
  return [];
}

/** The faults of a file's size and name, in any folder. */
function shapeFaults(file: string, text: string): string[] {
  const lines = text.replace(/\n$/, "").split("\n").length;
  const limit = isTest(file) || file.startsWith("test/") ? MAX_TEST_LINES : MAX_LINES;
  const words = file.split("/").flatMap((part) => part.split(/[-_.]/));
  return [
    ...(lines > limit ? [`${lines} lines; more than ${limit} is two files`] : []),
    ...words
      .filter((word) => BANNED_NAMES.test(word))
      .map((word) => `"${word}" says nothing: name what it holds`),
  ];
}

const isTest = (file: string): boolean => file.endsWith(".test.ts") || file.endsWith(".test.tsx");
/** "core/task.ts" is in core, "ports.ts" in ports, "index.ts" in index. */
const layerOf = (file: string): string => file.split("/")[0]!.replace(/\.tsx?$/, "");

/** Every import of a file, in whatever form, and every reach for the clock, dice, console, process or network. */
function read(file: string, text: string): { imports: string[]; computed: boolean; impure: string[] } {
  const imports: string[] = [];
  const impure: string[] = [];
  let computed = false;
  const take = (spec: ts.Node | undefined): void => {
    if (spec && ts.isStringLiteralLike(spec)) imports.push(spec.text);
    else computed = true;
  };
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node)) take(node.moduleSpecifier);
    else if (ts.isExportDeclaration(node) && node.moduleSpecifier) take(node.moduleSpecifier);
    else if (ts.isImportTypeNode(node))
      take(ts.isLiteralTypeNode(node.argument) ? node.argument.literal : undefined);
    else if (ts.isExternalModuleReference(node)) take(node.expression);
    else if (ts.isCallExpression(node) && isImportCall(node.expression)) take(node.arguments[0]);
    const what = impurity(node);
    if (what) impure.push(what);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true));
  return { imports, computed, impure };
}

function isImportCall(called: ts.Expression): boolean {
  return (
    called.kind === ts.SyntaxKind.ImportKeyword || (ts.isIdentifier(called) && called.text === "require")
  );
}

const IMPURE_GLOBALS =
  /^(console|process|globalThis|global|performance|crypto|fetch|set(Timeout|Interval|Immediate)|queueMicrotask)$/;

function impurity(node: ts.Node): string | undefined {
  if (ts.isNewExpression(node) && node.expression.getText() === "Date" && !node.arguments?.length)
    return "new Date()";
  if (ts.isCallExpression(node) && node.expression.getText() === "Date") return "Date()";
  if (ts.isPropertyAccessExpression(node)) {
    const path = node.getText();
    if (path === "Date.now" || path === "Math.random") return path;
  }
  if (ts.isIdentifier(node) && IMPURE_GLOBALS.test(node.text) && isReference(node)) return node.text;
  return undefined;
}

/** Whether a name stands for a value, rather than being the name of a property, a parameter, a type or a local. */
function isReference(node: ts.Identifier): boolean {
  const parent = node.parent;
  if (ts.isPropertyAccessExpression(parent)) return parent.expression === node;
  if (ts.isElementAccessExpression(parent)) return true;
  if (ts.isShorthandPropertyAssignment(parent)) return true;
  return ts.isExpression(parent) || (ts.isVariableDeclaration(parent) && parent.initializer === node);
}

function filesBelow(folder: string): string[] {
  const top = join(ROOT, folder);
  if (!existsSync(top)) return [];
  return readdirSync(top, { recursive: true, encoding: "utf8" })
    .map((file) => file.replaceAll("\\", "/"))
    .filter((file) => /\.tsx?$/.test(file) && !file.includes("node_modules/"));
}

it.each(filesBelow("src"))("src/%s keeps to its layer", (file) => {
  expect(layerFaults(file, readFileSync(join(SRC, file), "utf8"))).toEqual([]);
});

const ours = ["src", "test", "bench", "examples", "scripts"].flatMap((folder) =>
  filesBelow(folder).map((file) => `${folder}/${file}`),
);
it.each(ours)("%s is short and well named", (file) => {
  expect(shapeFaults(file, readFileSync(join(ROOT, file), "utf8"))).toEqual([]);
});

const times = (text: string, what: RegExp): number => [...text.matchAll(what)].length;
/** Whether a property is tried with other values each time: then a red run says nothing about the change. */
const rollsFreely = (text: string): boolean =>
  times(text, /\bfc\.assert\(/g) > times(text, /[{ ](\.\.\.)?FUZZ,/g);

it("properties are tried with the same values each time (test/fixtures/fuzz.ts)", () => {
  const tests = ours.filter((file) => isTest(file) && file !== "test/architecture.test.ts");
  expect(tests.filter((file) => rollsFreely(readFileSync(join(ROOT, file), "utf8")))).toEqual([]);
  expect(rollsFreely("fc.assert(fc.property(fc.nat(), (n) => n >= 0));")).toBe(true);
  expect(rollsFreely("fc.assert(fc.property(fc.nat(), (n) => n >= 0), { ...FUZZ, numRuns: 9 });")).toBe(
    false,
  );
});

describe("the rules themselves", () => {
  it.each([
    ["core/a.ts", `import { z } from "zod"; import type { B } from "./b.ts"; export * from "./c/d.ts";`],
    ["core/a.ts", `// Date.now() and import "node:fs"\nconst text = "new Date() console.log";`],
    ["core/a.ts", `const d = new Date(5); type T = { process: string }; const x = (t: T) => t.process;`],
    ["ports.ts", `import { A } from "./core/a.ts";`],
    ["ports/store.ts", `import { A } from "../core/a.ts"; import { B } from "./model.ts";`],
    ["tools/a.ts", `import "node:fs/promises"; import "node:os"; import "../ports/store.ts";`],
    ["runtime/a.ts", `import { setTimeout } from "node:timers/promises";`],
    ["adapters/a/b.ts", `import "postgres"; const x = await import(name); import "../../core/a.ts";`],
    ["adapters/a/b.ts", `import "./c.ts"; import "../a/d.ts"; import "../clock.ts";`],
    ["adapters/clock.ts", `import "./process-table.ts";`],
    ["apps/main.ts", `import "../runtime/a.ts"; import "../adapters/a/b.ts"; import "../../package.json";`],
    ["apps/host/a.ts", `import "../../tools/a.ts";`],
    ["index.ts", `export * from "./runtime/a.ts";`],
    ["core/a.test.ts", `import "vitest"; import "../adapters/a.ts"; Date.now();`],
  ])("accept %s: %s", (file, text) => {
    expect(layerFaults(file, text)).toEqual([]);
  });

  it.each([
    ["core/a.ts", `import "node:path";`],
    ["core/a.ts", `import type { A } from "../ports/a.ts";`],
    ["core/a.ts", `import { A } from "../ports.ts";`],
    ["core/a.ts", `type A = import("../runtime/a.ts").A;`],
    ["core/a.ts", `export type { A } from "vitest";`],
    ["core/a.ts", `const now = Date.now;`],
    ["core/a.ts", `const now = new Date();`],
    ["core/a.ts", `const n = Math.random();`],
    ["core/a.ts", `console.log(1);`],
    ["core/a.ts", `const home = process.env;`],
    ["core/a.ts", `const { env } = process;`],
    ["core/a.ts", `await import(name);`],
    ["core/a.ts", `import data from "../../package.json";`],
    ["ports/a.ts", `import "postgres";`],
    ["ports/a.ts", `import "../tools/a.ts";`],
    ["tools/a.ts", `import "node:child_process";`],
    ["tools/a.ts", `import "../runtime/a.ts";`],
    ["tools/a.ts", `import "../adapters/a.ts";`],
    ["runtime/a.ts", `import "zod";`],
    ["runtime/a.ts", `import "node:fs";`],
    ["runtime/a.ts", `await import("../tools/a.ts");`],
    ["runtime/a.ts", "await import(`../adapters/a.ts`);"],
    ["runtime/a.ts", `import\n  { x }\n  from '../apps/a.ts';`],
    ["adapters/a.ts", `import "../tools/a.ts";`],
    ["adapters/a.ts", `export * from "../runtime/a.ts";`],
    ["adapters/a/b.ts", `import "../c/d.ts";`],
    ["adapters/a/b.ts", `await import("../c/index.ts");`],
    ["adapters/a.ts", `import type { B } from "./c/d.ts";`],
    ["apps/commands/a.ts", `import "../../tools/a.ts";`],
    ["apps/main.ts", `import "../tools/index.ts";`],
    ["adapters/a.ts", `import "../index.ts";`],
    ["shared/a.ts", ""],
  ])("refuse %s: %s", (file, text) => {
    expect(layerFaults(file, text)).toHaveLength(1);
  });

  it("refuse long files and names that say nothing", () => {
    expect(shapeFaults("src/core/a.ts", "\n".repeat(300))).toEqual([]);
    expect(shapeFaults("src/core/a.ts", "\n".repeat(301))).toHaveLength(1);
    expect(shapeFaults("src/core/a.test.ts", "\n".repeat(500))).toEqual([]);
    expect(shapeFaults("test/system/a.ts", "\n".repeat(501))).toHaveLength(1);
    for (const name of [
      "utils",
      "helpers",
      "common",
      "session-manager",
      "service",
      "base",
      "types",
      "types/a",
    ]) {
      expect(shapeFaults(`src/core/${name}.ts`, "")).toHaveLength(1);
    }
    expect(shapeFaults("src/core/database.ts", "")).toEqual([]);
  });
});
