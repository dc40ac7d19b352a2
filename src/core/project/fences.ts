/** Fenced code blocks in Markdown: which lines are inside one, and the shell scripts among them. Pure. */

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

export type Script = { readonly text: string; readonly timeoutMs: number | null };

/** True for the fences that the runbook model runs. */
export const isShell = ({ info }: Fence): boolean => /^(sh|bash|shell)(\s|$)/i.test(info);

/** The fenced `sh`, `bash` and `shell` blocks of a text, in order, with `timeout=60s` (or `500ms`, `2m`, `90`: seconds) of their info string. */
export const scriptsIn = (text: string): Script[] =>
  fencesIn(text.split(/\r?\n/))
    .filter(isShell)
    .map((fence) => ({ text: fence.lines.join("\n"), timeoutMs: timeoutOf(fence) ?? null }))
    .filter((script) => script.text.trim() !== "");

/** Milliseconds; null without the option, undefined when its value is not a time. */
export function timeoutOf({ info }: Fence): number | null | undefined {
  const value = /(?:^|\s)timeout=(\S*)/.exec(info)?.[1];
  if (value === undefined) return null;
  const [, number, unit = "s"] = /^(\d+(?:\.\d+)?)(ms|s|m|h)?$/.exec(value) ?? [];
  const ms = Number(number) * (UNIT_MS[unit] ?? Number.NaN);
  return ms > 0 ? ms : undefined;
}

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };
