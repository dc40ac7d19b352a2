/** A diff as git prints it, by file, each line with its number in the file. Pure. */
export type PatchLine = {
  readonly sign: "+" | "-" | " " | "@";
  readonly text: string;
  /** The line of the present file; for a removed line, of the earlier one. Null for a row that is no line of the file. */
  readonly number: number | null;
};
export type PatchFile = {
  readonly path: string;
  /** "new", "deleted", "binary", "mode" or "". */
  readonly kind: string;
  readonly lines: readonly PatchLine[];
  readonly added: number;
  readonly removed: number;
};

/** Only a line feed ends a line: a file may hold other separators, with the head of a diff behind them. */
export function filesIn(diff: string): PatchFile[] {
  return `\n${diff}`
    .split(/\n(?=diff --git )/)
    .filter((part) => part.startsWith("diff --git "))
    .map(fileOf);
}

function fileOf(part: string): PatchFile {
  const lines: PatchLine[] = [];
  const rows = part.replace(/\n$/, "").split("\n");
  let [path, kind] = [pathOf(rows[0] ?? ""), ""];
  let [before, after, isHead, added, removed] = [0, 0, true, 0, 0];
  for (const row of rows.slice(1)) {
    const hunk = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/.exec(row);
    if (hunk) {
      [before, after, isHead] = [Number(hunk[1]), Number(hunk[2]), false];
      lines.push({ sign: "@", text: row.replace(/^@@.*?@@ ?/, ""), number: null });
    } else if (isHead) {
      const named = /^(?:\+\+\+|---) (.+)$/.exec(row)?.[1];
      if (named !== undefined) path = /^[ab]\/(.*)$/s.exec(unquoted(named))?.[1] ?? path;
      kind = kindOf(row) ?? kind;
    } else if (row.startsWith("+")) {
      lines.push({ sign: "+", text: row.slice(1), number: after });
      [after, added] = [after + 1, added + 1];
    } else if (row.startsWith("-")) {
      lines.push({ sign: "-", text: row.slice(1), number: before });
      [before, removed] = [before + 1, removed + 1];
    } else if (!row.startsWith("\\")) {
      lines.push({ sign: " ", text: row.slice(1), number: after });
      [before, after] = [before + 1, after + 1];
    }
  }
  return { path, kind, lines, added, removed };
}

/** Of "diff --git a/x b/x": both names are one here, so its half is the name. */
function pathOf(head: string): string {
  const names = head.slice("diff --git ".length);
  const half = names.slice((names.length + 1) / 2);
  return unquoted(half).replace(/^b\//, "");
}

function kindOf(row: string): string | undefined {
  if (row.startsWith("new file")) return "new";
  if (row.startsWith("deleted file")) return "deleted";
  if (row.startsWith("Binary files")) return "binary";
  return row.startsWith("old mode") ? "mode" : undefined;
}

const ESCAPES: Readonly<Record<string, string>> = {
  ...{ t: "\t", n: "\n", r: "\r", a: "\x07", b: "\b", f: "\f", v: "\v" },
};

/** A name in quotes as git writes it: bytes that are no plain text are octal. Bytes that are not UTF-8 become U+FFFD. */
function unquoted(name: string): string {
  const inner = /^"(.*)"$/.exec(name)?.[1];
  if (inner === undefined) return name.replace(/\t$/, "");
  const bytes = [...inner.matchAll(/\\([0-7]{3})|\\(.)|[^\\]+/gu)].flatMap(([all, octal, letter]) =>
    octal === undefined
      ? [...new TextEncoder().encode(letter === undefined ? all : (ESCAPES[letter] ?? letter))]
      : [Number.parseInt(octal, 8)],
  );
  return new TextDecoder().decode(new Uint8Array(bytes));
}
