/** A Jupyter notebook as people read it: its cells, and the beginnings of their outputs. */

import { parseJson } from "../../core/plain-data.ts";
import { plainText } from "../../core/text/plain-text.ts";
import { cutEnd } from "../../core/text/valid.ts";

const OUTPUT_CHARS = 1_000;
const OUTPUT_LINES = 20;
/** Outputs of one cell. */
const OUTPUTS = 10;

type Fields = Readonly<Record<string, unknown>>;

/** Null for what is no notebook. */
export function notebookText(json: string): string | null {
  const cells = cellsOf(json);
  if (!cells) return null;
  return cells
    .map((cell, i) => `[cell ${i + 1}: ${word(cell.cell_type)}]\n${joined(cell.source)}${outputsOf(cell)}`)
    .join("\n\n");
}

function cellsOf(json: string): readonly Fields[] | null {
  try {
    const { cells, nbformat } = fieldsOf(parseJson(json));
    return Array.isArray(cells) && typeof nbformat === "number" ? cells.map(fieldsOf) : null;
  } catch {
    return null;
  }
}

function outputsOf({ outputs }: Fields): string {
  const all = listOf(outputs);
  const shown = all.slice(0, OUTPUTS).map((output) => `\n[output]\n${cut(outputText(fieldsOf(output)))}`);
  return shown.join("") + (all.length > OUTPUTS ? `\n[${all.length - OUTPUTS} more outputs]` : "");
}

function outputText({ text, data, ename, evalue }: Fields): string {
  if (text !== undefined) return joined(text);
  if (ename !== undefined) return `${word(ename)}: ${word(evalue)}`;
  const forms = fieldsOf(data);
  const plain = forms["text/plain"];
  const others = Object.keys(forms).filter((form) => form !== "text/plain");
  return [...(plain === undefined ? [] : [joined(plain)]), ...others.map((form) => `(${form})`)].join("\n");
}

const cut = (text: string): string => {
  const plain = plainText(text.slice(0, 4 * OUTPUT_CHARS)).trimEnd();
  const lines = plain.split("\n", OUTPUT_LINES).join("\n");
  const shown = lines.length > OUTPUT_CHARS ? cutEnd(lines, OUTPUT_CHARS) : lines;
  return shown.length < plain.length ? `${shown} [… ${text.length} characters]` : plain;
};
const fieldsOf = (value: unknown): Fields =>
  typeof value === "object" && value !== null ? (value as Fields) : {};
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const word = (value: unknown): string => (typeof value === "string" ? value : "");
/** A text, or its lines with their ends. */
const joined = (value: unknown): string => (Array.isArray(value) ? value.map(word).join("") : word(value));
