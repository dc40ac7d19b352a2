/**
 * Which tests run which functions: a probe at the beginning of each function notes its key. A fault in a function is shown to the
 * tests that run the function and to no other.
 */
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import ts from "typescript";

/** The file of a function and a digest of its text, so that a kept key holds as long as the function; "FILE:" outside of all functions. */
export type Key = string;

type Function = { readonly key: Key; readonly start: number; readonly end: number };
type Probe = { readonly at: number; readonly text: string };

export const PROBE = "__ekidenReached";

/** Path of a file that the probes write to, one JSON line for each test file. */
export const REACH_FILE = "reach.jsonl";

export class Probes {
  private readonly functions: Function[] = [];
  private readonly probes: Probe[] = [];
  private readonly file: string;

  constructor(file: string, source: string) {
    this.file = file;
    const tree = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true);
    const visit = (node: ts.Node): void => {
      if (ts.isFunctionLike(node) && "body" in node && node.body) this.add(node, node.body as ts.Node, tree);
      ts.forEachChild(node, visit);
    };
    visit(tree);
  }

  /** The source with the probes in it. */
  probed(source: string): string {
    let text = source;
    for (const { at, text: probe } of [...this.probes].sort((a, b) => b.at - a.at))
      text = text.slice(0, at) + probe + text.slice(at);
    return text;
  }

  keyAt(start: number): Key {
    const around = this.functions.filter((one) => one.start <= start && start < one.end);
    return around.sort((a, b) => b.start - a.start)[0]?.key ?? `${this.file}:`;
  }

  private add(node: ts.Node, body: ts.Node, tree: ts.SourceFile): void {
    const start = body.getStart(tree);
    const digest = createHash("sha256").update(node.getText(tree)).digest("base64url").slice(0, 16);
    const key = `${this.file}:${digest}`;
    const note = `globalThis.${PROBE}?.(${JSON.stringify(key)})`;
    this.functions.push({ key, start: node.getStart(tree), end: node.getEnd() });
    if (ts.isBlock(body)) this.probes.push({ at: start + 1, text: `${note};` });
    else this.probes.push({ at: start, text: `(${note}, ` }, { at: body.getEnd(), text: ")" });
  }
}

/** A set-up file for vitest: writes what each test file reached. */
export const setupFile = (report: string): string => `
import { appendFileSync } from "node:fs";
import { afterAll, expect } from "vitest";
const reached = new Set();
globalThis.${PROBE} = (key) => reached.add(key);
const test = expect.getState().testPath ?? globalThis.__vitest_worker__?.filepath;
afterAll(() => appendFileSync(${JSON.stringify(report)}, JSON.stringify({ test, keys: [...reached] }) + "\\n"));
`;

/** Of each key: the tests that reach it. */
export function readReach(report: string, root: string): Map<Key, Set<string>> {
  const found = new Map<Key, Set<string>>();
  const lines = existsSync(report) ? readFileSync(report, "utf8").trim().split("\n") : [];
  for (const line of lines) {
    const { test, keys } = JSON.parse(line) as { test: string; keys: Key[] };
    for (const key of keys) {
      const tests = found.get(key) ?? new Set();
      found.set(key, tests.add(test.replace(`${root}/`, "")));
    }
  }
  return found;
}
