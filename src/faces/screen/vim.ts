/** The keys of vim for the editor: Esc leads to the normal mode, where letters move and change. They become the keys of the editor. */
import { matchesKey } from "@earendil-works/pi-tui";

const UP = "\x1b[A";
const DOWN = "\x1b[B";
const RIGHT = "\x1b[C";
const LEFT = "\x1b[D";
const START = "\x01";
const END = "\x05";
const KILL = "\x0b";
const DELETE = "\x1b[3~";
const NEW_LINE = "\x0a";
const LINE = [START, KILL];

/** The meaning of a key in normal mode: keys of the editor, and whether insert mode follows. */
type Means = { readonly keys: readonly string[]; readonly inserts?: true };

const NORMAL: Readonly<Record<string, Means>> = {
  h: { keys: [LEFT] },
  j: { keys: [DOWN] },
  k: { keys: [UP] },
  l: { keys: [RIGHT] },
  w: { keys: ["\x1bf"] },
  e: { keys: ["\x1bf"] },
  b: { keys: ["\x1bb"] },
  "0": { keys: [START] },
  $: { keys: [END] },
  x: { keys: [DELETE] },
  D: { keys: [KILL] },
  dd: { keys: [...LINE, DELETE] },
  dw: { keys: ["\x1bd"] },
  db: { keys: ["\x17"] },
  p: { keys: ["\x19"] },
  u: { keys: ["\x1f"] },
  i: { keys: [], inserts: true },
  a: { keys: [RIGHT], inserts: true },
  I: { keys: [START], inserts: true },
  A: { keys: [END], inserts: true },
  C: { keys: [KILL], inserts: true },
  cc: { keys: LINE, inserts: true },
  cw: { keys: ["\x1bd"], inserts: true },
  s: { keys: [DELETE], inserts: true },
  o: { keys: [END, NEW_LINE], inserts: true },
  O: { keys: [START, NEW_LINE, UP], inserts: true },
};

export class Vim {
  isOn = false;
  private isNormal = false;
  private begun = "";

  /** For the last line of the screen. */
  get mode(): string {
    return this.isOn && this.isNormal ? `-- NORMAL --${this.begun === "" ? "" : ` ${this.begun}`}` : "";
  }

  /** The keys for the editor; null where the key is for others. */
  keysOf(data: string, isEmpty: boolean): readonly string[] | null {
    if (!this.isOn) return null;
    if (matchesKey(data, "escape")) {
      // On an empty line, and in the normal mode, it does what it does without vim.
      if (this.isNormal || isEmpty) return null;
      this.isNormal = true;
      return [LEFT];
    }
    if (matchesKey(data, "enter")) {
      this.isNormal = false;
      this.begun = "";
      return null;
    }
    if (!this.isNormal || !/^[ -~]$/.test(data)) return null;
    if (isEmpty && /[/!@?]/.test(data)) {
      this.isNormal = false;
      return null;
    }
    const word = this.begun + data;
    const means = Object.hasOwn(NORMAL, word) ? NORMAL[word] : undefined;
    this.begun = means || this.begun !== "" || !/[dc]/.test(data) ? "" : data;
    if (means?.inserts) this.isNormal = false;
    return means?.keys ?? [];
  }
}
