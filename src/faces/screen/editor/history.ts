/** The prompts of the person, across sessions: a file of the person's own with one JSON line a prompt, newest last. */

import { appendFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { makeFolder } from "../../../adapters/make-folder.ts";
import { replaceFile, textIn } from "../../../adapters/small-files.ts";
import { tried } from "../../../core/tried.ts";
import { userFolder } from "../../../project/own-folders.ts";

/** Prompts of one project that the editor offers; lines after which the file is cut. */
const OFFERED = 100;
const LINES_MAX = 5_000;
const LINES_KEPT = 2_000;

const historyFile = (): string => join(userFolder(), "history.jsonl");

type Line = { readonly cwd: string; readonly text: string };

/** Oldest first. A file that cannot be read is an empty one. */
export function readHistory(cwd: string): string[] {
  const lines = textIn(historyFile()).split("\n").filter(Boolean);
  if (lines.length > LINES_MAX) cutTo(lines.slice(-LINES_KEPT));
  return lines
    .flatMap((line) => parsed(line) ?? [])
    .filter((line) => line.cwd === cwd)
    .slice(-OFFERED)
    .map(({ text }) => text);
}

/** A history that cannot be kept must not disturb the conversation. */
export function keepInHistory(cwd: string, text: string): void {
  try {
    const path = historyFile();
    makeFolder(dirname(path), 0o700);
    appendFileSync(path, `${JSON.stringify({ cwd, text })}\n`, { mode: 0o600 });
  } catch {
    // Nothing is lost but the arrow key.
  }
}

/** Where it fails, the next start tries again. */
const cutTo = (lines: readonly string[]): void =>
  tried(() => replaceFile(historyFile(), `${lines.join("\n")}\n`), undefined);

function parsed(line: string): Line | null {
  try {
    const { cwd, text } = JSON.parse(line) as Partial<Line>;
    return typeof cwd === "string" && typeof text === "string" ? { cwd, text } : null;
  } catch {
    return null;
  }
}
