/** "Always": a rule is added to the person's own settings for the project, and nothing else of the file changes, comments and layout included. */
import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { PROJECT_FILE_MAX, readRegular, replaceFile } from "../../adapters/small-files.ts";
import { messageOf } from "../../core/errors.ts";
import { personalFile } from "../../project/own-folders.ts";

/** One after the other: two answers at once must both be in the file. */
let last: Promise<unknown> = Promise.resolve();

/** Null when the file has the rule now; else the reason why it has not. */
export function allowForGood(project: string, rule: string): Promise<string | null> {
  const next = last.then(() => add(personalFile(project), rule)).catch(messageOf);
  last = next;
  return next;
}

async function add(path: string, rule: string): Promise<string | null> {
  const jsonc = await import("jsonc-parser");
  const found = existsSync(path) ? readRegular(path, PROJECT_FILE_MAX) : "";
  const text = found.trim() === "" ? "{\n}\n" : found;
  const errors: import("jsonc-parser").ParseError[] = [];
  const settings = jsonc.parseTree(text, errors, { allowTrailingComma: true });
  if (errors.length > 0 || settings?.type !== "object")
    return "the file is not a valid JSON object; ekiden doctor says where.";
  const allow = jsonc.findNodeAtLocation(settings, ["allow"]);
  if (allow && allow.type !== "array") return "its `allow` is not a list.";
  if (allow?.children?.some(({ value }) => value === rule)) return null;
  const quoted = JSON.stringify(rule);
  const added = allow
    ? append(text, allow, quoted, jsonc.stripComments)
    : append(text, settings, `"allow": [${quoted}]`, jsonc.stripComments);
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  replaceFile(path, added);
  return null;
}

type Node = { readonly offset: number; readonly length: number; readonly children?: readonly Node[] };

/** Adds a member behind the last one of an object or a list. The parser's own edit would move that one's comment to the new one. */
function append(text: string, node: Node, member: string, uncommented: (text: string) => string): string {
  const close = node.offset + node.length - 1;
  const last = node.children?.at(-1);
  const end = last ? last.offset + last.length : node.offset + 1;
  const comma = last && !uncommented(text.slice(end, close)).includes(",") ? "," : "";
  const [line, , indent = ""] = /(\r?\n)([ \t]*)$/.exec(text.slice(end, close)) ?? [];
  if (line === undefined) {
    const at = comma === "" ? close : end;
    return `${text.slice(0, at)}${comma}${last ? " " : ""}${member}${text.slice(at)}`;
  }
  const at = close - line.length;
  return `${text.slice(0, end)}${comma}${text.slice(end, at)}\n${indent}  ${member}${text.slice(at)}`;
}
