/** Fenced code blocks in Markdown: which lines are inside one, and which blocks can be run. Pure. */

export type Fence = {
  /** 1-based lines of its first and last marker; `last` is null when it is never closed. */
  readonly first: number;
  readonly last: number | null;
  /** The text after the opening marker: the language, then options. */
  readonly info: string;
  readonly lines: readonly string[];
  /** The first line inside that would open another fence: the closing marker was probably forgotten. */
  readonly reopens: number | null;
};

/** Finds the fences of `lines`. Longer fences may hold shorter ones; the indent of the opening marker is removed. */
export function fencesIn(lines: readonly string[]): Fence[] {
  const fences: Fence[] = [];
  type Open = Omit<Fence, "last" | "lines" | "reopens"> & {
    readonly marker: string;
    readonly indent: number;
    readonly lines: string[];
    reopens: number | null;
  };
  let open: Open | null = null;
  const close = ({ first, info, lines, reopens }: Open, last: number | null): void => {
    fences.push({ first, last, info, lines, reopens });
  };
  lines.forEach((line, i) => {
    if (open) {
      const end = /^\s*(`{3,}|~{3,})\s*$/.exec(line)?.[1];
      if (end?.startsWith(open.marker)) {
        close(open, i + 1);
        open = null;
        return;
      }
      if (/^\s*(`{3,}|~{3,})[a-z]\w*(?:\s[^`]*)?$/i.exec(line)?.[1]?.startsWith(open.marker))
        open.reopens ??= i + 1;
      open.lines.push(line.slice(Math.min(open.indent, line.length - line.trimStart().length)));
      return;
    }
    const start = /^(\s*)(`{3,}(?=[^`]*$)|~{3,})\s*(.*)$/.exec(line);
    if (start) {
      const [, indent = "", marker = "", info = ""] = start;
      open = { marker, indent: indent.length, info: info.trim(), first: i + 1, lines: [], reopens: null };
    }
  });
  const unclosed = open as Open | null;
  if (unclosed) close(unclosed, null);
  return fences;
}

/** A block that can be run. `text`: the shell line that runs it. `source`: the block as it was written. */
export type Script = { readonly text: string; readonly source: string; readonly timeoutMs: number | null };

/** The ids of the calls by which the embedded model runs blocks begin with this. */
export const BLOCK_CALL = "run-";

/** The languages that can be run, and the program that reads a block of the language from its input; null for the shell itself. */
const INTERPRETERS: Readonly<Record<string, string | null>> = {
  sh: null,
  bash: null,
  shell: null,
  python: "python3 -",
  python3: "python3 -",
  py: "python3 -",
  node: "node -",
  js: "node -",
  javascript: "node -",
  mjs: "node --input-type=module -",
};

/** Undefined for a language that cannot be run. */
function interpreterOf({ info }: Fence): string | null | undefined {
  const language = /^\w+(?=\s|$)/.exec(info)?.[0].toLowerCase() ?? "";
  return Object.hasOwn(INTERPRETERS, language) ? INTERPRETERS[language] : undefined;
}

/** Whether the runbook model runs the block. */
export const isRunnable = (fence: Fence): boolean => interpreterOf(fence) !== undefined;

/** The blocks of a text that can be run, in order, with `timeout=60s` (or `500ms`, `2m`, `90`: seconds) of their info string. */
export const scriptsIn = (text: string): Script[] =>
  fencesIn(text.split(/\r?\n/)).flatMap((fence) => {
    const interpreter = interpreterOf(fence);
    const source = fence.lines.join("\n");
    if (interpreter === undefined || source.trim() === "") return [];
    return [{ text: shellLine(interpreter, source), source, timeoutMs: timeoutOf(fence) ?? null }];
  });

/** It holds nothing that can be run. */
export const isProse = (text: string): boolean => scriptsIn(text).length === 0;

function shellLine(interpreter: string | null, source: string): string {
  if (interpreter === null) return source;
  let mark = "END_OF_BLOCK";
  while (source.split("\n").includes(mark)) mark += "_";
  return `${interpreter} <<'${mark}'\n${source}\n${mark}`;
}

/** Milliseconds; null without the option, undefined when its value is not a time. */
export function timeoutOf({ info }: Fence): number | null | undefined {
  const value = /(?:^|\s)timeout=(\S*)/.exec(info)?.[1];
  if (value === undefined) return null;
  const [, number, unit = "s"] = /^(\d+(?:\.\d+)?)(ms|s|m|h)?$/.exec(value) ?? [];
  const ms = Number(number) * (UNIT_MS[unit] ?? Number.NaN);
  return ms > 0 ? ms : undefined;
}

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };
