/**
 * Every simple command of a shell line outside the small grammar, found in the tree that `unbash` reads: in lists, loops, functions,
 * substitutions, here-documents. It serves rules that refuse or ask, so it must miss nothing that runs; a part that it cannot follow makes
 * the script unsound. Loaded only when a line needs it.
 */
import { parse } from "unbash";
import { type Simple, UNREADABLE } from "./plain.ts";
import type { Steps } from "./steps.ts";
import { TreeReader } from "./tree-walk.ts";

export type Script = {
  readonly commands: readonly Simple[];
  /** False when commands may have been missed. */
  readonly sound: boolean;
  /** False when an expansion may also assign or evaluate. */
  readonly expandsOnly: boolean;
  /** In the small grammar, so that the shell certainly sees the same words. */
  readonly plain: boolean;
  /** The order in which they run. */
  readonly steps: Steps;
  /** The values that the line assigned to variables. */
  readonly values: ReadonlyMap<string, string>;
};

/** Longer texts are not read at all. */
const SOURCE_MAX = 100_000;
const DEPTH_MAX = 100;
/** Text that would be a command where a value is evaluated once more. */
const HIDES = /\$\(|`|\\[x0-7uU]|\b(?:read|mapfile|readarray)\b/;
/** dash, which is often `sh`, reads these otherwise. */
const BASH_ONLY = /&>|<<<|\$['"[]|\[\[|\(\(|\{[^}]*[,.][^}]*\}|\|&|[<>]\(|\bfunction\b|\+=|\w=\(/;

export function readTree(
  source: string,
  values: ReadonlyMap<string, string> = new Map(),
  isPosix = false,
): Script {
  const reader = new TreeReader(source, new Map([["IFS", " "], ...values]));
  try {
    if (source.length > SOURCE_MAX || nests(source)) reader.fault = true;
    else reader.script(parse(source));
  } catch (error) {
    // Expressions that are nested deeper than the stack.
    if (!(error instanceof RangeError)) throw error;
    reader.fault = true;
  }
  const hidden = reader.evaluates && HIDES.test(source);
  const sound = !reader.fault && !hidden && !UNREADABLE.test(source) && !(isPosix && BASH_ONLY.test(source));
  return {
    commands: reader.found,
    steps: reader.steps,
    sound,
    expandsOnly: !reader.evaluates,
    plain: sound && reader.plain,
    values: reader.values,
  };
}

/** Whether brackets are nested deeper than anybody writes: reading is recursive. Brackets in quotes count, too. */
function nests(source: string): boolean {
  let depth = 0;
  for (const [char] of source.matchAll(/[(){}]/g)) {
    depth += char === "(" || char === "{" ? 1 : -1;
    if (depth > DEPTH_MAX) return true;
  }
  return false;
}
