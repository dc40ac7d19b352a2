/**
 * Draws the screen: the alternate screen of the terminal, always as many lines as it has rows. Only changes are written (rows.ts),
 * in one write between the marks of synchronized output. Keys are drawn at once, those of one read together, and everything else in
 * frames; both wait for a terminal that is behind (pace.ts).
 */
import {
  CURSOR_MARKER,
  isKeyRelease,
  ProcessTerminal,
  type TUI,
  truncateToWidth,
  visibleWidth,
} from "@earendil-works/pi-tui";
import { BEGIN, END, ENTER, LEAVE } from "../../kit/alternate.ts";
import { mendTerminal, noteFree, noteHeld } from "../../kit/held-terminal.ts";
import { CALLS_OFF, CALLS_ON } from "../story/calls.ts";
import { takeFirstFrame } from "./first-frame.ts";
import { Pace } from "./pace.ts";
import { changedRows, goTo, wholeRows } from "./rows.ts";

/** Between frames that no key asked for. */
const FRAME_MS = 50;
/** Clicks and the wheel, with places of any size. */
const MOUSE_ON = "\x1b[?1000h\x1b[?1006h";
const MOUSE_OFF = "\x1b[?1006l\x1b[?1000l";
/** A terminal that is behind is asked again. */
const BEHIND_MS = 250;
/** An answer of the terminal that comes later is typed into the shell. */
const LAST_ANSWER_MS = 300;

export type Picture = (width: number, height: number) => readonly string[];

/** As much of a `TUI` as the editor of the library uses: it asks for the size of the terminal and for a new frame. */
export type Drawn = Pick<TUI, "terminal" | "requestRender">;

export class Canvas implements Drawn {
  readonly terminal = new ProcessTerminal();
  private readonly picture: Picture;
  private readonly onKey: (data: string) => void;
  private drawn: readonly string[] = [];
  private cursor = "";
  private size = "";
  private timer: NodeJS.Timeout | null = null;
  private keys: NodeJS.Immediate | null = null;
  private last = 0;
  private open = false;
  private pace = new Pace();
  /** A frame waits for the terminal. */
  private isHeld = false;
  private isHeldForKey = false;
  private isQuiet = false;

  constructor(picture: Picture, onKey: (data: string) => void) {
    this.picture = picture;
    this.onKey = onKey;
  }

  enter(): void {
    if (this.open) return;
    this.open = true;
    process.off("exit", this.restore).once("exit", this.restore);
    process.off("SIGCONT", this.onContinue).on("SIGCONT", this.onContinue);
    // Without a moment of an empty screen where the first frame is shown already.
    if (!takeFirstFrame()) {
      mendTerminal();
      process.stdout.write(ENTER);
    }
    noteHeld();
    this.terminal.start(this.take, this.onResize);
    process.stdout.write(MOUSE_ON + CALLS_ON);
    this.drawn = [];
    this.size = this.sizeNow;
    this.pace = new Pace();
    this.draw();
  }

  leave(): void {
    process.off("SIGCONT", this.onContinue);
    process.off("exit", this.restore);
    this.restore();
  }

  /** What the terminal answers would be read as the words of the person by what asks next. */
  async leaveQuietly(): Promise<void> {
    await this.quiet();
    this.leave();
  }

  /** Resolves when the terminal has answered what it was asked, or does not answer. */
  async quiet(): Promise<void> {
    if (!this.open || !this.isAsked) return;
    if (this.timer) clearTimeout(this.timer);
    this.isQuiet = true;
    await new Promise<void>((resolve) => {
      const end = (): void => {
        clearTimeout(limit);
        process.stdin.off("data", heard);
        resolve();
      };
      const limit = setTimeout(end, LAST_ANSWER_MS);
      const heard = (): void => void (this.isAsked || end());
      process.stdin.on("data", heard); // behind the reader of the library, which takes the answers
    });
    this.isQuiet = false;
  }

  /** An answer is to come: to a frame, or to the library's question at the start about the keyboard. */
  private get isAsked(): boolean {
    const { kittyProtocolActive, modifyOtherKeysActive } = this.terminal;
    return this.pace.waits || !(kittyProtocolActive || modifyOtherKeysActive);
  }

  /** Ctrl-Z: the terminal as it was, and the whole process group stops, as the terminal itself would do it. */
  suspend(): void {
    void this.quiet().then(() => {
      this.restore();
      process.kill(0, "SIGTSTP");
    });
  }

  /** Draws in the next frame. */
  requestRender(): void {
    if (this.timer || !this.open) return;
    const wait = this.isHeld ? BEHIND_MS : Math.max(0, FRAME_MS - (performance.now() - this.last));
    this.timer = setTimeout(() => this.draw(), wait);
  }

  /** Everything again: the terminal may show something else. */
  redraw(): void {
    this.size = "";
    this.draw();
  }

  private readonly take = (data: string): void => {
    if (this.pace.takes(data)) {
      if (this.isHeld) this.draw(this.isHeldForKey);
      return;
    }
    if (isKeyRelease(data)) return;
    this.onKey(data);
    // Keys that come at once, such as a paste without marks, are drawn together.
    this.keys ??= setImmediate(() => {
      this.keys = null;
      this.draw(true);
    });
  };

  private readonly onResize = (): void => this.draw();

  private readonly onContinue = (): void => {
    this.restore();
    this.enter();
  };

  private readonly restore = (): void => {
    if (!this.open) return;
    this.open = false;
    if (this.timer) clearTimeout(this.timer);
    this.timer = null;
    this.terminal.stop();
    // The first frame has set it before `terminal` could see how it was.
    process.stdin.setRawMode(false);
    process.stdout.write(CALLS_OFF + MOUSE_OFF + LEAVE);
    noteFree();
  };

  private get sizeNow(): string {
    return `${this.terminal.columns}x${this.terminal.rows}`;
  }

  private draw(forKey = false): void {
    if (this.timer) clearTimeout(this.timer);
    this.timer = null;
    if (!this.open || this.isQuiet) return;
    const now = performance.now();
    this.isHeldForKey = forKey || (this.isHeld && this.isHeldForKey);
    this.isHeld = !this.pace.allows(this.isHeldForKey, now);
    if (this.isHeld) {
      this.requestRender();
      return;
    }
    this.last = now;
    const { columns, rows } = this.terminal;
    const fresh = this.size !== this.sizeNow;
    this.size = this.sizeNow;
    const lines = this.picture(columns, rows);
    let cursor = "";
    const shown = Array.from({ length: rows }, (_, row) => {
      const line = lines[row] ?? "";
      const at = line.indexOf(CURSOR_MARKER);
      const bare = at < 0 ? line : line.replaceAll(CURSOR_MARKER, "");
      if (at >= 0) cursor = goTo(row, visibleWidth(line.slice(0, at)));
      return visibleWidth(bare) > columns ? truncateToWidth(bare, columns, "") : bare;
    });
    const changed = fresh || this.drawn.length === 0 ? wholeRows(shown) : changedRows(this.drawn, shown);
    this.drawn = shown;
    const place = cursor === this.cursor && changed === "" ? "" : cursor;
    this.cursor = cursor;
    if (!fresh && changed === "" && place === "") return;
    // The cursor itself is drawn by the editor; its place is where an input method opens its window.
    const output = `${BEGIN}${fresh ? "\x1b[2J" : ""}${changed}${place}${END}`;
    process.stdout.write(this.pace.frame(output, now));
  }
}
