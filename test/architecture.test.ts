/**
 * The layering, as a test: what each part of src/ may import, how long a file may be and which names it may not have. A breach
 * fails with the rule it broke. The test reads the syntax tree, so it ignores comments and strings.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import { TOOL_NAMES } from "../src/core/tool-names.ts";

const ROOT = resolve(import.meta.dirname, "..");
const SRC = join(ROOT, "src");

type Layer = { readonly layers: readonly string[]; readonly packages: RegExp };

const NOTHING_ELSE: readonly string[] = [];
const NO_PACKAGE = /(?!)/;
const LAYERS: Readonly<Record<string, Layer>> = {
  core: { layers: NOTHING_ELSE, packages: /^(zod|croner|unbash)$/ },
  ports: { layers: ["core"], packages: /^zod$/ },
  tools: {
    layers: ["core", "ports"],
    packages: /^(zod|node:(path|fs|fs\/promises|os|url))$/,
  },
  runtime: { layers: ["core", "ports"], packages: /^node:(path|crypto|events|timers\/promises)$/ },
  adapters: { layers: ["core", "ports"], packages: /./ },
  project: { layers: ["core", "ports", "adapters"], packages: /./ },
  team: { layers: ["core", "ports", "adapters", "runtime", "project"], packages: /./ },
  // Only the host gives members their tools and runs them.
  host: { layers: ["core", "ports", "adapters", "runtime", "tools", "project", "team"], packages: /./ },
  faces: { layers: ["core", "ports", "adapters", "project", "team", "host"], packages: /./ },
  index: { layers: ["core", "ports", "adapters", "host"], packages: NO_PACKAGE },
};
/** Layers that may read files beside `src`, such as package.json. */
const OUTSIDE = new Set(["host", "faces", "index"]);
/** Layers in which an import path must be a plain string, so that this test can see it. */
const LITERAL_IMPORTS_ONLY = new Set(["core", "ports", "tools", "runtime"]);

/** Where a function makes a regular expression from a value, and why no text of a model or a project can be in it as a pattern. */
const MADE_PATTERNS: Readonly<Record<string, string>> = {
  "core/text/secrets.ts":
    "every character of a known secret that means something is escaped, so nothing in it repeats",
  "core/text/code-parts.ts": "it takes one of three constants",
  "core/project/mcp-schema.ts": "only compiled, and matches nothing",
};

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
  if (!rule) return [`src/${layer} is not a layer`];
  for (const spec of imports)
    if (!spec.startsWith(".") && !rule.packages.test(spec))
      faults.push(`${layer} may not use the package "${spec}"`);
  for (const target of targets) {
    if (target.startsWith("..")) {
      if (!OUTSIDE.has(layer)) faults.push(`${layer} may not import from outside src: "${target}"`);
    } else if (layerOf(target) !== layer && !rule.layers.includes(layerOf(target)))
      faults.push(`${layer} may not import ${layerOf(target)}: "${target}"`);
  }
  if (computed && LITERAL_IMPORTS_ONLY.has(layer)) faults.push(`${layer} may import only by a plain string`);
  if (layer === "core") faults.push(...impure.map((what) => `core is pure: no ${what}`));
  return faults;
}

/** Adapters share by files directly in src/adapters, not by each other's folders. */
function roomFaults(file: string, target: string): string[] {
  const [layer, room = "", inner] = file.split("/");
  const [other, targetRoom = "", targetInner] = target.split("/");
  if (layer === "adapters" && other === "adapters" && targetInner !== undefined)
    return inner !== undefined && room === targetRoom
      ? []
      : [`${file} may not import another adapter: "${target}"`];
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
/** "core/board/task.ts" is in core, "ports.ts" in ports, "index.ts" in index. */
const layerOf = (file: string): string => file.split("/")[0]!.replace(/\.tsx?$/, "");

const trees = new Map<string, ts.SourceFile>();
/** Several rules read the same files: parsing is most of what they cost. */
function treeOf(file: string, text: string): ts.SourceFile {
  const key = `${file}\n${text}`;
  const tree = trees.get(key) ?? ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  trees.set(key, tree);
  return tree;
}

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
    const what = layerOf(file) === "core" && impurity(node);
    if (what) impure.push(what);
    ts.forEachChild(node, visit);
  };
  visit(treeOf(file, text));
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

/** The faults of all files, each with the name of its file, so that one failed test names everything there is to mend. */
const faultsOf = (files: readonly string[], folder: string, faults: typeof shapeFaults): string[] =>
  files.flatMap((file) =>
    faults(file, readFileSync(join(folder, file), "utf8")).map((fault) => `${file}: ${fault}`),
  );

it("the files of src keep to their layers", () => {
  expect(faultsOf(filesBelow("src"), SRC, layerFaults)).toEqual([]);
});

/** Whether a function of this file makes a regular expression from a value: a crafted text could then keep the process busy for ever. */
function makesPatterns(file: string, text: string): boolean {
  let makes = false;
  const isConstant = (node: ts.Node | undefined): boolean =>
    node === undefined || ts.isStringLiteralLike(node) || ts.isRegularExpressionLiteral(node);
  const visit = (node: ts.Node, inFunction: boolean): void => {
    const inside = inFunction || ts.isFunctionLike(node);
    if ((ts.isNewExpression(node) || ts.isCallExpression(node)) && node.expression.getText() === "RegExp")
      makes ||= inside && !isConstant(node.arguments?.[0]);
    // A text that is given to these becomes a pattern, too. Names of constants are in capitals.
    if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) {
      const [given] = node.arguments;
      const takes = /^(?:match|matchAll|search)$/.test(node.expression.name.text);
      if (takes && given && (ts.isTemplateExpression(given) || /^[a-z]\w*$/.test(given.getText())))
        makes = true;
    }
    ts.forEachChild(node, (child) => visit(child, inside));
  };
  visit(treeOf(file, text), false);
  return makes;
}

it("no regular expression is made from input", () => {
  const made = filesBelow("src").filter(
    (file) => !isTest(file) && makesPatterns(file, readFileSync(join(SRC, file), "utf8")),
  );
  expect(made.sort()).toEqual(Object.keys(MADE_PATTERNS).sort());
  for (const text of ["(x) => new RegExp(x)", "(x) => RegExp(`a${x}`)", "(x, y) => x.match(y)"])
    expect(makesPatterns("a.ts", text), text).toBe(true);
  for (const text of ["const A = new RegExp(`${B}`, 'g')", "(x) => x.match(/a/)", "(x) => x.match(KEYS)"])
    expect(makesPatterns("a.ts", text), text).toBe(false);
});

/** Files that may name a tool: those that call tools as a model does, and one whose record is the call itself. */
const NAMES_TOOLS: Readonly<Record<string, RegExp>> = {
  // the names in rules, and in other harnesses
  "core/tool-names.ts": /./,
  "core/tool-values.ts": /./,
  "core/conversation/todo.ts": /^todo_write$/,
  "core/settings/models.ts": /^apply_patch$/, // the name of a form of edits
  "core/settings/shapes.ts": /^apply_patch$/,
  "adapters/models/runbook.ts": /./,
  "adapters/models/runbook-conversation.ts": /./,
  "host/guests/guest.ts": /^idle$/,
  // words for people about facts of all versions, which hold the name alone
  "core/views/verbs.ts": /./,
  // the vendors' own tools
  "adapters/models/messages/request.ts": /^web_search$/,
  "adapters/models/vendors/openai.ts": /^web_search$/,
};
/** Programs of the same names. */
const PROGRAMS = new Set(["faces/doctor/checks.ts", "adapters/shell/programs.ts"]);

/** Texts that are the name of a tool. A name that is also a word counts where a name is compared with it. */
function namedTools(file: string, text: string): string[] {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node) && TOOL_NAMES.includes(node.text)) {
      const { parent } = node;
      const other = ts.isBinaryExpression(parent)
        ? (parent.left === node ? parent.right : parent.left).getText()
        : "";
      const isWord = !/_|^(?:bash|grep|glob)$/.test(node.text);
      if (!isWord || /(?:^|[.?])(?:tool|tool\.name|called)$/.test(other)) found.push(node.text);
    }
    ts.forEachChild(node, visit);
  };
  visit(treeOf(file, text));
  return found;
}

it("nothing judges, shows or shortens a call by the name of its tool", () => {
  const faults = filesBelow("src")
    .filter((file) => !isTest(file) && !/^tools\//.test(file) && !PROGRAMS.has(file))
    .flatMap((file) =>
      namedTools(file, readFileSync(join(SRC, file), "utf8"))
        .filter((name) => NAMES_TOOLS[file]?.test(name) !== true)
        .map(
          (name) =>
            `src/${file} names the tool "${name}": let the tool declare what is needed (src/ports/tool.ts)`,
        ),
    );
  expect(faults).toEqual([]);
  for (const text of [
    'call.tool === "bash"',
    'new Set(["write_file"])',
    'call.tool === "task"',
    '"idle" !== tool',
    'switch (x) { case "read_file": }',
  ])
    expect(namedTools("a.ts", text), text).toHaveLength(1);
  for (const text of ['phase === "idle"', 'x = "a write_file b"', '// "bash"'])
    expect(namedTools("a.ts", text), text).toEqual([]);
});

const ours = ["src", "test", "bench", "examples", "scripts"].flatMap((folder) =>
  filesBelow(folder).map((file) => `${folder}/${file}`),
);
it("what faces print for programs goes through the one function that escapes it", () => {
  const printed = filesBelow("src").filter(
    (file) =>
      file.startsWith("faces/") &&
      !isTest(file) &&
      /\.(?:write|say|log)\([^;]*?JSON\.stringify/.test(readFileSync(join(SRC, file), "utf8")),
  );
  expect(printed).toEqual([]);
});

it("files are short and well named", () => {
  expect(faultsOf(ours, ROOT, shapeFaults)).toEqual([]);
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

/** Test files share processes: a hook of a module that is imported once would run for the first of them only. */
const HOOK = /^(?:before|after)(?:All|Each)\(/m;

it("hooks are in test files, and in functions that these call", () => {
  const shared = ours.filter((file) => !isTest(file));
  expect(shared.filter((file) => HOOK.test(readFileSync(join(ROOT, file), "utf8")))).toEqual([]);
  expect(["afterAll(() => {});", "  afterAll(() => {});"].map((line) => HOOK.test(line))).toEqual([
    true,
    false,
  ]);
});

/** A newcomer may have no bubblewrap, and continuous integration has one. The tests with agent programs run only there. */
const NEEDS_SANDBOX = /(?:SANDBOX|sandbox): "required"|"--sandbox", "required"/;

it("tests that require the sandbox are left out where there is none", () => {
  const texts = ours
    .filter((file) => isTest(file) && !/\/(?:architecture|real-\w+)\.test\.ts$/.test(file))
    .map((file) => [file, readFileSync(join(ROOT, file), "utf8")] as const)
    .filter(([, text]) => NEEDS_SANDBOX.test(text));
  expect(texts.filter(([, text]) => !text.includes("bubblewrapOrSkip")).map(([file]) => file)).toEqual([]);
  expect(texts.length).toBeGreaterThan(3);
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
    ["faces/main.ts", `import "../host/a.ts"; import "../adapters/a/b.ts"; import "../../package.json";`],
    ["host/features/a.ts", `import "../../tools/a.ts"; import "../../team/queries/b.ts";`],
    ["team/a.ts", `import "../project/a.ts"; import "../runtime/a.ts";`],
    ["project/a.ts", `import "../adapters/a/b.ts"; import "env-paths";`],
    ["index.ts", `export * from "./host/a.ts";`],
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
    ["runtime/a.ts", `import\n  { x }\n  from '../host/a.ts';`],
    ["adapters/a.ts", `import "../tools/a.ts";`],
    ["adapters/a.ts", `export * from "../runtime/a.ts";`],
    ["adapters/a/b.ts", `import "../c/d.ts";`],
    ["adapters/a/b.ts", `await import("../c/index.ts");`],
    ["adapters/a.ts", `import type { B } from "./c/d.ts";`],
    ["faces/commands/a.ts", `import "../../tools/a.ts";`],
    ["faces/main.ts", `await import("../runtime/a.ts");`],
    ["host/a.ts", `import type { A } from "../faces/a.ts";`],
    ["team/a.ts", `import "../host/a.ts";`],
    ["project/a.ts", `import "../team/a.ts";`],
    ["project/a.ts", `import "../../package.json";`],
    ["index.ts", `export * from "./faces/a.ts";`],
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
