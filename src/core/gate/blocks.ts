/** The parts of a file that a change replaces at once. Pure. */
import type { PatchFile } from "../text/diff.ts";

/** Lines that follow each other and are replaced at once, with the lines around them. */
export type Block = {
  readonly removed: readonly string[];
  readonly added: readonly string[];
  readonly above: readonly string[];
  readonly below: readonly string[];
  /** Of the first line, in the present file. */
  readonly line: number;
  /** Blocks of one hunk are near each other. */
  readonly hunk: number;
};

/** Longer lines are data or generated code. */
export const LINE_MAX = 2_000;
const AROUND = 3;

export function blocksOf(file: PatchFile): Block[] {
  const blocks: Block[] = [];
  let hunk = 0;
  for (let at = 0; at < file.lines.length; ) {
    const from = at;
    if (file.lines[at]?.sign === "@") hunk += 1;
    const isPart = (nth: number): boolean => ["+", "-"].includes(file.lines[nth]?.sign ?? "");
    while (isPart(at)) at += 1;
    if (at === from) {
      at += 1;
      continue;
    }
    const part = file.lines.slice(from, at);
    const of = (sign: string): string[] =>
      part.filter((one) => one.sign === sign).map((one) => one.text.slice(0, LINE_MAX));
    const rest = file.lines.slice(at, at + AROUND);
    const end = rest.findIndex((one) => one.sign !== " ");
    const below = rest.slice(0, end === -1 ? AROUND : end).map((one) => one.text);
    const above = file.lines
      .slice(Math.max(0, from - AROUND), from)
      .filter((one) => one.sign === " ")
      .map((one) => one.text);
    const first = part.find((one) => one.sign === "+") ?? part[0];
    blocks.push({ removed: of("-"), added: of("+"), above, below, line: first?.number ?? 0, hunk });
  }
  return blocks;
}
