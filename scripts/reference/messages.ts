/** The sentences that a person may read, found in the code: those of errors, of results, of notices, and of the page. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { cell } from "./declared.ts";

/** Calls whose arguments are shown, and fields that are. */
const CALLS = new Set(
  "badInput notFound notPermitted EkidenError say note warn tell tellOnce print fault write paint line".split(
    " ",
  ),
);
const FIELDS = new Set("text about empty title hint fault label words question remedy why".split(" "));
/** What models read stands in prompts.md and tools.md. */
const FOR_MODELS = /^src\/(tools|runtime|core\/(guidance|conversation|plan))\//;
/** Files of which each sentence is shown. */
const WHOLE = /^src\/core\/views\/sentence/;
const WORDS_MIN = 3;

type Said = { readonly folder: string; readonly file: string; readonly text: string };

/** A text with its holes as "…"; null for what is no sentence. */
function sentence(node: ts.Node): string | null {
  const text = ts.isStringLiteralLike(node)
    ? node.text
    : ts.isTemplateExpression(node)
      ? `${node.head.text}${node.templateSpans.map(({ literal }) => `…${literal.text}`).join("")}`
      : null;
  if (text === null || /^(select|insert|update|delete|create|begin|pragma) /i.test(text.trim())) return null;
  return (text.match(/\p{L}{2,}/gu) ?? []).length >= WORDS_MIN && text.includes(" ") ? text.trim() : null;
}

const nameOf = (node: ts.Expression): string =>
  ts.isIdentifier(node) ? node.text : ts.isPropertyAccessExpression(node) ? node.name.text : "";

function isShown(node: ts.Node): boolean {
  for (let at: ts.Node = node; at.parent; at = at.parent) {
    const { parent } = at;
    if (ts.isCallExpression(parent) || ts.isNewExpression(parent))
      return at !== parent.expression && CALLS.has(nameOf(parent.expression));
    if (ts.isPropertyAssignment(parent)) return ts.isIdentifier(parent.name) && FIELDS.has(parent.name.text);
    if (ts.isJsxAttribute(parent)) return ["title", "placeholder", "label"].includes(parent.name.getText());
    if (ts.isJsxExpression(parent)) return true;
    if (ts.isBlock(parent) || ts.isSourceFile(parent)) return false;
  }
  return false;
}

function saidIn(file: string, code: string): Said[] {
  const source = ts.createSourceFile(file, code, ts.ScriptTarget.Latest, true);
  const folder = file.split("/").slice(1, 3).join("/");
  const found: Said[] = [];
  const visit = (node: ts.Node): void => {
    const text = ts.isJsxText(node)
      ? node.text.replace(/\s+/g, " ").trim()
      : WHOLE.test(file) || isShown(node)
        ? sentence(node)
        : null;
    if (text && (text.match(/\p{L}{2,}/gu) ?? []).length >= WORDS_MIN)
      found.push({ folder, file: file.replace(/^src\//, ""), text });
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** A table for each folder below `src`, in the order of the code. */
export function messages(root: string): string[] {
  const files = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" }).sort();
  const said = files
    .map((file) => `src/${file}`)
    .filter((file) => /\.tsx?$/.test(file) && !/\.test\.tsx?$/.test(file) && !FOR_MODELS.test(file))
    .flatMap((file) => saidIn(file, readFileSync(join(root, file), "utf8")));
  return [...new Set(said.map(({ folder }) => folder))].map((folder) => {
    const rows = said
      .filter((one) => one.folder === folder)
      .map(({ text, file }) => `| ${cell(text)} | ${file.slice(folder.length + 1) || file} |`);
    return `## ${folder}\n\n| message | in |\n|---|---|\n${rows.join("\n")}`;
  });
}
