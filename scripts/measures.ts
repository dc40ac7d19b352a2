/**
 * `npm run check -- --measures`: the size and the structure of the source, without its tests. The limits are in `test/measures.test.ts`.
 * Imports count in every form: of values, of types, and those that are made later.
 */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, posix, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import ts from "typescript";

const SRC = resolve(import.meta.dirname, "../src");
const LONG_FUNCTION = 60;

export type Source = ReadonlyMap<string, string>;
type Imports = ReadonlyMap<string, readonly string[]>;

/** Text by path below `src`, with forward slashes. */
export function sourceOf(folder = SRC): Source {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((file) => file.replaceAll("\\", "/"))
    .filter((file) => /\.(tsx?|css)$/.test(file) && !/\.test\.tsx?$/.test(file));
  return new Map(files.sort().map((file) => [file, readFileSync(join(folder, file), "utf8")]));
}

export function importsOf(source: Source): Imports {
  const all = [...source].map(([file, text]): [string, string[]] => {
    const { importedFiles } = ts.preProcessFile(text, true, true);
    const targets = importedFiles
      .filter(({ fileName }) => fileName.startsWith("."))
      .map(({ fileName }) => posix.join(dirname(file), fileName));
    return [file, [...new Set(targets)].filter((target) => target !== file && source.has(target))];
  });
  return new Map(all);
}

/** Groups of files in which each imports each other over any number of files; the largest first. (Tarjan's algorithm.) */
export function circlesOf(imports: Imports): string[][] {
  const [index, low] = [new Map<string, number>(), new Map<string, number>()];
  const stack: string[] = [];
  const found: string[][] = [];
  const visit = (file: string): void => {
    index.set(file, index.size);
    low.set(file, index.get(file) as number);
    stack.push(file);
    for (const next of imports.get(file) ?? []) {
      if (!index.has(next)) visit(next);
      if (stack.includes(next)) low.set(file, Math.min(low.get(file) as number, low.get(next) as number));
    }
    if (low.get(file) !== index.get(file)) return;
    const group = stack.splice(stack.indexOf(file));
    if (group.length > 1) found.push(group.sort());
  };
  for (const file of imports.keys()) if (!index.has(file)) visit(file);
  return found.sort((a, b) => b.length - a.length);
}

/** Folders below `faces` that are no face: every face may import these, and each of them only those before it. */
const ROOMS: readonly string[] = ["kit", "commands"];
/** Opens the faces: it may import each of them, and none may import it. */
const ENTRY = "entry";

function mayImport(face: string, other: string): boolean {
  if (face === ENTRY) return true;
  const room = ROOMS.indexOf(other);
  return room !== -1 && (!ROOMS.includes(face) || room < ROOMS.indexOf(face));
}

/** A face is a folder or a file below `faces`. "screen → line": how many files of the first import the second, where they may not. */
export function facePairs(imports: Imports): Record<string, number> {
  const pairs: Record<string, number> = {};
  const faceOf = (file: string): string | undefined => /^faces\/([^/]+)/.exec(file)?.[1];
  for (const [file, targets] of imports) {
    const face = faceOf(file);
    if (face === undefined) continue;
    const others = targets.map(faceOf).filter((other) => other !== undefined && other !== face);
    for (const other of new Set(others as string[]))
      if (!mayImport(face, other)) pairs[`${face} → ${other}`] = (pairs[`${face} → ${other}`] ?? 0) + 1;
  }
  return pairs;
}

const linesIn = (text: string): number => text.split("\n").length - 1;

/** Lines by top folder; a file directly in `src` is a folder of its own. */
export function linesByFolder(source: Source): Record<string, number> {
  const lines: Record<string, number> = {};
  for (const [file, text] of source) {
    const folder = file.split("/")[0] ?? "";
    lines[folder] = (lines[folder] ?? 0) + linesIn(text);
  }
  return lines;
}

/** The number of files directly in each folder, the largest first. */
export function flatFolders(source: Source): (readonly [folder: string, files: number])[] {
  const files = new Map<string, number>();
  for (const file of source.keys()) files.set(dirname(file), (files.get(dirname(file)) ?? 0) + 1);
  return [...files].sort(([, a], [, b]) => b - a);
}

/** "file:line" of each function of so many lines or more. */
export function longFunctions(source: Source): string[] {
  const found: string[] = [];
  for (const [file, text] of source) {
    if (file.endsWith(".css")) continue;
    const tree = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
    const lineAt = (at: number): number => tree.getLineAndCharacterOfPosition(at).line + 1;
    const visit = (node: ts.Node): void => {
      if (ts.isFunctionLike(node) && "body" in node && node.body) {
        const [from, to] = [lineAt(node.getStart()), lineAt(node.end)];
        if (to - from + 1 >= LONG_FUNCTION) found.push(`${file}:${from}`);
      }
      ts.forEachChild(node, visit);
    };
    visit(tree);
  }
  return found;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const source = sourceOf();
  const imports = importsOf(source);
  const circles = circlesOf(imports);
  const lines = linesByFolder(source);
  const pairs = Object.entries(facePairs(imports));
  const total = Object.values(lines).reduce((sum, one) => sum + one, 0);
  const by = Object.entries(lines).sort(([, a], [, b]) => b - a);
  console.log(`lines without tests        ${total}: ${by.map(([folder, n]) => `${folder} ${n}`).join(", ")}`);
  console.log(
    `circles                    ${circles.length}, of ${circles.map((one) => one.length).join(", ")} files`,
  );
  console.log(
    `pairs of faces             ${pairs.length}: ${pairs.map(([pair, n]) => `${pair} (${n})`).join(", ")}`,
  );
  console.log(`functions of ${LONG_FUNCTION} lines      ${longFunctions(source).length}`);
  const [folder, most] = flatFolders(source)[0] ?? ["", 0];
  console.log(`files flat in one folder   ${most} (${folder})`);
}
