/** Reads one settings file. A fault is reported with its line; then nothing of the file counts. */
import { existsSync } from "node:fs";
import { PROJECT_FILE_MAX, readRegular, whyNotRead } from "../adapters/small-files.ts";
import { checkData, whyUnread } from "../core/plain-data.ts";
import { settingsLayer } from "../core/settings/fields.ts";
import type { SettingsLayer } from "../core/settings/settings.ts";
import { fault, inside, unknownKey } from "./settings-faults.ts";

/** The problems of one file that are reported; a person with more begins with these. */
const PROBLEMS_MAX = 20;

/** `shown`: the name in messages, which are added to `problems`. */
export async function settingsIn(path: string, shown: string, problems: string[]): Promise<SettingsLayer> {
  if (!existsSync(path)) return {};
  const faulty = (problem: string): SettingsLayer => {
    problems.push(problem);
    return {};
  };
  let text: string;
  try {
    text = readRegular(path, PROJECT_FILE_MAX).replace(/^\uFEFF/, "");
  } catch (error) {
    return faulty(`${shown}: ${whyNotRead(error)}.`);
  }
  const jsonc = await import("jsonc-parser");
  const line = (offset: number): string => `${shown}:${text.slice(0, offset).split("\n").length}`;
  const errors: import("jsonc-parser").ParseError[] = [];
  let tree: import("jsonc-parser").Node | undefined;
  let value: unknown;
  try {
    tree = jsonc.parseTree(text, errors, { allowTrailingComma: true, allowEmptyContent: true });
    const named = tree && protoIn(tree);
    if (named) return faulty(`${line(named.offset)}: the key "__proto__" is not allowed.`);
    value = tree ? jsonc.getNodeValue(tree) : {};
    checkData(value);
  } catch (error) {
    return faulty(`${shown}: ${whyUnread(error)}.`);
  }
  const [broken] = errors;
  if (broken) {
    const what = jsonc.printParseErrorCode(broken.error).replace(/([a-z])([A-Z])/g, "$1 $2");
    return faulty(
      `${line(broken.offset)}: is not valid JSON: ${what.toLowerCase()}. Comments and trailing commas are fine.`,
    );
  }
  const read = settingsLayer().safeParse(withoutSchema(value));
  if (read.success) return read.data;
  const at = (place: readonly PropertyKey[]): string => {
    const node = tree && jsonc.findNodeAtLocation(tree, place as (string | number)[]);
    return line((node?.parent?.type === "property" ? node.parent.offset : node?.offset) ?? 0);
  };
  const faults = read.error.issues.flatMap((issue): (() => string)[] =>
    issue.code === "unrecognized_keys"
      ? issue.keys.map((key) => () => `${at([...issue.path, key])}: ${unknownKey(key, issue)}`)
      : [() => `${at(issue.path)}: ${fault(issue, inside(value, issue.path))}`],
  );
  problems.push(...faults.slice(0, PROBLEMS_MAX).map((said) => said()));
  const more = faults.length - PROBLEMS_MAX;
  if (more > 0) problems.push(`${shown}: ${more} more faults.`);
  return {};
}

/** The parser's own objects would take it for their prototype and hide it. */
function protoIn(tree: import("jsonc-parser").Node): import("jsonc-parser").Node | undefined {
  const open = [tree];
  for (let node = open.pop(); node; node = open.pop()) {
    if (node.type === "property" && node.children?.[0]?.value === "__proto__") return node;
    for (const child of node.children ?? []) open.push(child);
  }
  return undefined;
}

/** `$schema` is for editors. */
function withoutSchema(value: unknown): unknown {
  if (value === null || typeof value !== "object" || Array.isArray(value)) return value;
  const { $schema, ...rest } = value as Record<string, unknown>;
  return rest;
}
