/**
 * Draws the screen: the alternate screen of the terminal, always as many lines as it has rows. Only lines that changed are
 * written, in one write between the marks of synchronized output. A key is drawn at once, everything else in frames.
 */
import {
  CURSOR_MARKER,
  isKeyRelease,
  ProcessTerminal,
  type TUI,
  truncateToWidth,
  visibleWidth,
} from "@earendil-works/pi-tui";
import { BEGIN, END, ENTER, LEAVE } from "../terminal/alternate.ts";
import { CALLS_OFF, CALLS_ON } from "./calls.ts";
import { takeFirstFrame } from "./first-frame.ts";

/** Between frames that no key asked for. */
const FRAME_MS = 50;
/** Clicks and the wheel, with places of any size. */
const MOUSE_ON = "\x1b[?1000h\x1b[?1006h";
const MOUSE_OFF = "\x1b[?1006l\x1b[?1000l";
const RESET = "\x1b[0m\x1b]8;;\x07";

export type Picture = (width: number, height: number) => readonly string[];

/** As much of a `TUI` as the editor of the library uses: it asks for the size of the terminal and for a new frame. */
export type Drawn = Pick<TUI, "terminal" | "requestRender">;

export class Canvas implements Drawn {
  readonly terminal = new ProcessTerminal();
  private readonly picture: Picture;
  private readonly onKey: (data: string) => void;
  private drawn: readonly string[] = [];
  private size = "";
  private timer: NodeJS.Timeout | null = null;
  private last = 0;
  private open = false;

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
    if (!takeFirstFrame()) process.stdout.write(ENTER);
    this.terminal.start(this.take, this.onResize);
    process.stdout.write(MOUSE_ON + CALLS_ON);
    this.drawn = [];
    this.size = this.sizeNow;
    this.draw();
  }

  leave(): void {
    process.off("SIGCONT", this.onContinue);
    process.off("exit", this.restore);
    this.restore();
  }

  /** Ctrl-Z: the terminal as it was, and the whole process group stops, as the terminal itself would do it. */
  suspend(): void {
    this.restore();
    process.kill(0, "SIGTSTP");
  }

  /** Draws in the next frame. */
  requestRender(): void {
    if (this.timer || !this.open) return;
    const wait = Math.max(0, FRAME_MS - (performance.now() - this.last));
    this.timer = setTimeout(() => this.draw(), wait);
  }

  /** Everything anew: the terminal may show something else. */
  redraw(): void {
    this.drawn = [];
    this.size = "";
    this.draw();
  }

  private readonly take = (data: string): void => {
    if (isKeyRelease(data)) return;
    this.onKey(data);
    this.draw();
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
  };

  private get sizeNow(): string {
    return `${this.terminal.columns}x${this.terminal.rows}`;
  }

  private draw(): void {
    if (this.timer) clearTimeout(this.timer);
    this.timer = null;
    if (!this.open) return;
    this.last = performance.now();
    const { columns, rows } = this.terminal;
    const fresh = this.size !== this.sizeNow;
    this.size = this.sizeNow;
    const lines = this.picture(columns, rows).slice(0, rows);
    let cursor = "";
    let output = fresh ? "\x1b[2J" : "";
    const shown = Array.from({ length: rows }, (_, row) => {
      let line = lines[row] ?? "";
      const at = line.indexOf(CURSOR_MARKER);
      if (at >= 0) {
        cursor = `\x1b[${row + 1};${visibleWidth(line.slice(0, at)) + 1}H`;
        line = line.replaceAll(CURSOR_MARKER, "");
      }
      if (fresh || line !== this.drawn[row]) {
        const fitting = visibleWidth(line) > columns ? truncateToWidth(line, columns, "") : line;
        output += `\x1b[${row + 1};1H\x1b[2K${fitting}${fitting === "" ? "" : RESET}`;
      }
      return line;
    });
    this.drawn = shown;
    // The cursor itself is drawn by the editor; its place is where an input method opens its window.
    if (output !== "" || cursor !== "") process.stdout.write(`${BEGIN}${output}${cursor}${END}`);
  }
}
