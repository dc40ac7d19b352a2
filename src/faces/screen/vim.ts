/**
 * The keys of vim for the editor: Esc leads to the normal mode, where letters move and change. What they do to the text is computed here; what
 * concerns more than the text (history, undo) becomes keys of the editor.
 */
import { matchesKey } from "@earendil-works/pi-tui";
import { graphemes, motion, reach, wordAt } from "./vim-motions.ts";

/** `col` counts as strings do. */
export type Text = { readonly lines: readonly string[]; readonly line: number; readonly col: number };
/** The text anew, or keys for the editor. */
export type Done = Text | { readonly keys: readonly string[] };

const UP = "\x1b[A";
const DOWN = "\x1b[B";
const UNDO = "\x1f";
const NOTHING: Done = { keys: [] };

const LINES = /^([1-9]\d*)?([dcy])([1-9]\d*)?\2$/;
const WORD = /^([1-9]\d*)?([dcy])([ia])w$/;
const MOVE = /^([1-9]\d*)?(?:([dcy])([1-9]\d*)?)?(gg|[hjklweb0^$G]|[fFtT].)$/su;
const PLAIN = /^([1-9]\d*)?([xXDCYsSiaIAoOpPu~.]|r.)$/su;
const BEGUN = /^([1-9]\d*)?([dcy]([1-9]\d*)?[ia]?)?[fFtTgr]?$/;
const COUNT = /^(?:[1-9]\d*)?(?:[dcy][1-9]\d*|[1-9]\d*)$/;
/** Counts above this are a slip of the finger. */
const COUNT_MAX = 999;

/** Commands that are short for an operator with a motion. */
const SHORT: Readonly<Record<string, string>> = {
  ...{ x: "dl", X: "dh", D: "d$", C: "c$", s: "cl", S: "cc", Y: "yy" },
};

export class Vim {
  isOn = false;
  private isNormal = false;
  private begun = "";
  private register = { text: "", isLines: false };
  /** The last change, for a repetition. */
  private last = "";

  /** For the last line of the screen. */
  get mode(): string {
    return this.isOn && this.isNormal ? `-- NORMAL --${this.begun === "" ? "" : ` ${this.begun}`}` : "";
  }

  /** Null where the key is for others. */
  takes(data: string, text: Text): Done | null {
    if (!this.isOn) return null;
    const isEmpty = text.lines.join("\n") === "";
    if (matchesKey(data, "escape")) return this.escape(text, isEmpty);
    if (matchesKey(data, "enter")) {
      this.isNormal = false;
      this.begun = "";
      return null;
    }
    if (!this.isNormal || !/^\P{Cc}$/u.test(data)) return null;
    if (isEmpty && this.begun === "" && /[/!@?]/.test(data)) {
      this.isNormal = false;
      return null;
    }
    const typed = this.begun + data;
    const isCommand = !COUNT.test(typed) && [LINES, WORD, MOVE, PLAIN].some((one) => one.test(typed));
    this.begun = !isCommand && (COUNT.test(typed) || BEGUN.test(typed)) ? typed : "";
    return isCommand ? this.run(typed, text) : NOTHING;
  }

  private escape(text: Text, isEmpty: boolean): Done | null {
    if (this.begun !== "") {
      this.begun = "";
      return NOTHING;
    }
    // On an empty line, and in the normal mode, it does what it does without vim.
    if (this.isNormal || isEmpty) return null;
    this.isNormal = true;
    const { cells, at } = here(text);
    return put(text, cells, at - 1);
  }

  private run(typed: string, text: Text): Done {
    const [, plainTimes, plain] = PLAIN.exec(typed) ?? [];
    if (plain !== undefined && Object.hasOwn(SHORT, plain))
      return this.run(`${plainTimes ?? ""}${SHORT[plain]}`, text);
    if (/^\d*(?:d|[pPr~])/.test(typed)) this.last = typed;
    if (plain !== undefined) return this.plain(plain, countOf(plainTimes), text);
    const [, linesTimes, linesOp, linesMore] = LINES.exec(typed) ?? [];
    if (linesOp !== undefined)
      return this.onLines(linesOp, text.line, text.line + countOf(linesTimes, linesMore) - 1, text);
    const { cells, at } = here(text);
    const [, , wordOp, around] = WORD.exec(typed) ?? [];
    if (wordOp !== undefined) return this.onCells(wordOp, ...wordAt(cells, at, around === "a"), text);
    const [, times, op, more, key = ""] = MOVE.exec(typed) ?? [];
    const count = countOf(times, more);
    if (/^[jk]$/.test(key) && op === undefined) return { keys: Array(count).fill(key === "j" ? DOWN : UP) };
    if (/^(?:[jkG]|gg)$/.test(key)) {
      const { line, lines } = text;
      const end = key === "G" ? lines.length : 1;
      const to = { j: line + count, k: line - count }[key] ?? ((times ?? more) ? count : end) - 1;
      return op === undefined ? first(text, to) : this.onLines(op, line, to, text);
    }
    const to = motion(cells, at, key, count);
    if (to === null) return NOTHING;
    if (op === undefined) return /[web]/.test(key) ? walk(text, key, count) : put(text, cells, to);
    return this.onCells(op, ...reach(cells, at, key, count, op, to), text);
  }

  private onCells(op: string, from: number, to: number, text: Text): Done {
    const { cells } = here(text);
    if (to > from) this.register = { text: cells.slice(from, to).join(""), isLines: false };
    if (op === "y") return put(text, cells, from);
    const left = [...cells.slice(0, from), ...cells.slice(to)];
    const lines = text.lines.with(text.line, left.join(""));
    if (op === "c") this.isNormal = false;
    return put({ ...text, lines }, left, from, op === "c");
  }

  private onLines(op: string, at: number, until: number, text: Text): Done {
    const end = text.lines.length - 1;
    // There is no line in this direction.
    if ((at === end && until > end) || (at === 0 && until < 0)) return NOTHING;
    const [from, to] = [Math.max(0, Math.min(at, until)), clamp(Math.max(at, until), end)];
    this.register = { text: text.lines.slice(from, to + 1).join("\n"), isLines: true };
    if (op === "y") return { ...text, line: from };
    if (op === "c") this.isNormal = false;
    const kept = text.lines.toSpliced(from, to + 1 - from, ...(op === "c" ? [""] : []));
    const lines = kept.length === 0 ? [""] : kept;
    return first({ ...text, lines }, from);
  }

  private plain(command: string, count: number, text: Text): Done {
    const { cells, at } = here(text);
    const { line } = text;
    const insert = (done: Text): Text => {
      this.isNormal = false;
      return done;
    };
    switch (command[0]) {
      case "i":
        return insert(text);
      case "a":
        return insert(put(text, cells, at + 1, true));
      case "I":
        return insert(put(text, cells, motion(cells, at, "^", 1) ?? 0));
      case "A":
        return insert(put(text, cells, cells.length, true));
      case "o":
        return insert({ lines: text.lines.toSpliced(line + 1, 0, ""), line: line + 1, col: 0 });
      case "O":
        return insert({ lines: text.lines.toSpliced(line, 0, ""), line, col: 0 });
      case "u":
        return { keys: Array(count).fill(UNDO) };
      case ".":
        return this.last === "" ? NOTHING : this.run(this.last, text);
      case "p":
      case "P":
        return this.paste(command === "p", count, text);
      default: {
        const end = Math.min(cells.length, at + count);
        const changed = cells
          .slice(at, end)
          .map((cell) => (command === "~" ? otherCase(cell) : command.slice(1)));
        const all = cells.toSpliced(at, changed.length, ...changed);
        return put(
          { ...text, lines: text.lines.with(line, all.join("")) },
          all,
          command === "~" ? end : end - 1,
        );
      }
    }
  }

  private paste(isBehind: boolean, count: number, text: Text): Done {
    const { text: kept, isLines } = this.register;
    if (kept === "" && !isLines) return NOTHING;
    const { cells, at } = here(text);
    if (isLines) {
      const line = text.line + (isBehind ? 1 : 0);
      const added = Array<string>(count).fill(kept).join("\n").split("\n");
      return first({ ...text, lines: text.lines.toSpliced(line, 0, ...added) }, line);
    }
    const from = isBehind ? Math.min(cells.length, at + 1) : at;
    const added = graphemes(kept.repeat(count));
    const all = cells.toSpliced(from, 0, ...added);
    return put({ ...text, lines: text.lines.with(text.line, all.join("")) }, all, from + added.length - 1);
  }
}

/** The current line, and the place of the cursor in it. */
function here({ lines, line, col }: Text): { readonly cells: string[]; readonly at: number } {
  const cells = graphemes(lines[line] ?? "");
  return { cells, at: graphemes((lines[line] ?? "").slice(0, col)).length };
}

/** The cursor at a cell of the line; behind the last one only where text is typed next. */
function put(text: Text, cells: readonly string[], at: number, isTyped = false): Text {
  const most = isTyped ? cells.length : Math.max(0, cells.length - 1);
  return { ...text, col: cells.slice(0, clamp(at, most)).join("").length };
}

/** The first word of a line. */
function first(text: Text, wanted: number): Text {
  const line = clamp(wanted, text.lines.length - 1);
  const cells = graphemes(text.lines[line] ?? "");
  return put({ ...text, line }, cells, motion(cells, 0, "^", 1) ?? 0);
}

/** By words, also into other lines. */
function walk(text: Text, key: string, count: number): Text {
  let now = text;
  for (let i = 0; i < count; i += 1) {
    const { cells, at } = here(now);
    const to = motion(cells, at, key, 1) ?? at;
    const isDone =
      key === "b"
        ? /\S/.test(cells.slice(0, at).join(""))
        : /\S/.test(cells.slice(at + 1, key === "w" ? to + 1 : undefined).join("")) && to < cells.length;
    const line = now.line + (key === "b" ? -1 : 1);
    const next = graphemes(now.lines[line] ?? "");
    const begin = { b: next.length, e: -1, w: 0 }[key] ?? 0;
    if (isDone || now.lines[line] === undefined) now = put(now, cells, to);
    else now = put({ ...now, line }, next, motion(next, begin, key === "w" ? "^" : key, 1) ?? 0);
  }
  return now;
}

const clamp = (value: number, most: number): number => Math.max(0, Math.min(most, value));
const countOf = (...counts: readonly (string | undefined)[]): number =>
  Math.min(
    COUNT_MAX,
    counts.reduce((all, one) => all * Number(one ?? 1), 1),
  );
const otherCase = (cell: string): string =>
  cell === cell.toLowerCase() ? cell.toUpperCase() : cell.toLowerCase();
