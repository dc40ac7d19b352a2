/** "Always": a rule is added to the project's settings, and nothing else of the file changes, comments and layout included. */
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { messageOf } from "../core/errors.ts";
import { projectFile } from "./settings.ts";

/** One after the other: two answers at once must both be in the file. */
let last: Promise<unknown> = Promise.resolve();

/** Null when the rule stands in the file now; else why it does not. */
export function allowForGood(project: string, rule: string): Promise<string | null> {
  const next = last.then(() => add(projectFile(project), rule)).catch(messageOf);
  last = next;
  return next;
}

async function add(path: string, rule: string): Promise<string | null> {
  const { applyEdits, modify, parse } = await import("jsonc-parser");
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return "{}\n";
    throw error;
  });
  const errors: import("jsonc-parser").ParseError[] = [];
  const settings: unknown = parse(text, errors, { allowTrailingComma: true, allowEmptyContent: true });
  if (errors.length > 0) return "the file is not valid JSON; ekiden doctor says where.";
  const allow = (settings as { allow?: unknown } | undefined)?.allow;
  if (allow !== undefined && !Array.isArray(allow)) return "its `allow` is not a list.";
  if (allow?.includes(rule)) return null;
  const formattingOptions = { insertSpaces: true, tabSize: 2, eol: "\n" };
  const edits =
    allow === undefined
      ? modify(text, ["allow"], [rule], { formattingOptions })
      : modify(text, ["allow", allow.length], rule, { formattingOptions, isArrayInsertion: true });
  await mkdir(dirname(path), { recursive: true });
  const fresh = `${path}.${process.pid}.new`;
  await writeFile(fresh, applyEdits(text, edits));
  await rename(fresh, path);
  return null;
}
