/**
 * No file of src/ imports a value that needs the file itself: such files cannot be read, tested or loaded one after the other. And a
 * start of a team loads nothing that only a later moment needs.
 */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, posix, resolve } from "node:path";
import ts from "typescript";
import { expect, it } from "vitest";

const SRC = resolve(import.meta.dirname, "../src");

type Imports = ReadonlyMap<string, readonly string[]>;

/** The files that a file imports values from when it is loaded. An import of types, or inside a function, is none. */
function valuesOf(file: string, text: string): string[] {
  const { statements } = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  return statements.flatMap((node) => {
    const isTypes = ts.isImportDeclaration(node)
      ? isTypeImport(node.importClause)
      : ts.isExportDeclaration(node)
        ? node.isTypeOnly
        : true;
    const from =
      ts.isImportDeclaration(node) || ts.isExportDeclaration(node) ? node.moduleSpecifier : undefined;
    return !isTypes && from && ts.isStringLiteral(from) && from.text.startsWith(".")
      ? [posix.join(dirname(file), from.text)]
      : [];
  });
}

function isTypeImport(clause: ts.ImportClause | undefined): boolean {
  if (!clause || clause.name) return false;
  const named = clause.namedBindings;
  return (
    clause.isTypeOnly ||
    (!!named && ts.isNamedImports(named) && named.elements.every((one) => one.isTypeOnly))
  );
}

/** Each way that leads from a file back to itself, once. */
function circlesIn(imports: Imports): string[] {
  const done = new Set<string>();
  const found: string[] = [];
  const follow = (file: string, way: readonly string[]): void => {
    const at = way.indexOf(file);
    if (at >= 0) found.push([...way.slice(at), file].join(" → "));
    if (at >= 0 || done.has(file)) return;
    for (const next of imports.get(file) ?? []) follow(next, [...way, file]);
    done.add(file);
  };
  for (const file of imports.keys()) follow(file, []);
  return found;
}

const files = readdirSync(SRC, { recursive: true, encoding: "utf8" })
  .map((file) => file.replaceAll("\\", "/"))
  .filter((file) => /\.tsx?$/.test(file) && !/\.test\.tsx?$/.test(file));

const importsOfSource = (): Imports =>
  new Map(files.map((file) => [file, valuesOf(file, readFileSync(join(SRC, file), "utf8"))]));

/** Large, and loaded with the first call, question or connection that needs it. That of a forge: never without the setting. */
const LATER = [
  /^core\/shell\/(?:command|tree|tree-walk)\.ts$/,
  /^faces\/(?:screen\/(?!draw\/first-frame)|web\/|line\/|doctor\/)|^adapters\/(?:mcp|telemetry)\//,
  /^(?:core|adapters|host)\/forge\/|^adapters\/store\/forge\.ts$|^faces\/(?:entry\/forge|commands\/forge-list)\.ts$/,
];

it("a start of a team loads no module of a later moment", () => {
  const imports = importsOfSource();
  const from = new Map<string, string>();
  const follow = (file: string, by: string): void => {
    if (from.has(file)) return;
    from.set(file, by);
    for (const next of imports.get(file) ?? []) follow(next, file);
  };
  for (const entry of ["faces/entry/main.ts", "faces/entry/cli.ts", "faces/entry/run.ts"]) follow(entry, "");
  expect(from.size).toBeGreaterThan(200);
  const later = [...from].filter(([file]) => LATER.some((one) => one.test(file)));
  expect(later.map(([file, by]) => `${by} → ${file}`)).toEqual([]);
});

it("no values go in a circle", () => {
  const imports = importsOfSource();
  expect([...imports.values()].flat().length).toBeGreaterThan(1_000);
  expect(circlesIn(imports)).toEqual([]);
});

it("finds a circle of values, and none of types or of what is loaded later", () => {
  const circles = (a: string, b: string): string[] =>
    circlesIn(
      new Map([
        ["x/a.ts", valuesOf("x/a.ts", a)],
        ["x/b.ts", valuesOf("x/b.ts", b)],
      ]),
    );
  expect(circles('import { b } from "./b.ts";', 'export { a } from "../x/a.ts";')).toEqual([
    "x/a.ts → x/b.ts → x/a.ts",
  ]);
  expect(circles('import { type B, b } from "./b.ts";', 'import "./a.ts";')).toHaveLength(1);
  expect(circles('import { b } from "./b.ts";', 'import type { A } from "./a.ts";')).toEqual([]);
  expect(circles('import { type B } from "./b.ts";', 'import { a } from "./a.ts";')).toEqual([]);
  expect(circles('import { b } from "./b.ts";', 'const a = await import("./a.ts");')).toEqual([]);
});
