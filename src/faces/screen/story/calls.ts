/**
 * Calls a person who looks elsewhere: the bell and a notification of the terminal, or a command of the person, when a question comes
 * or a long work has ended. The title of the terminal says at all times how many questions wait.
 */
import { spawn } from "node:child_process";
import type { Settings } from "../../../core/settings/settings.ts";
import { clean } from "../../kit/terminal.ts";

const BELL = "\x07";
const TITLE_PUSH = "\x1b[22;2t";
const TITLE_POP = "\x1b[23;2t";
/** The terminal tells when its window is entered and left. */
const FOCUS_ON = "\x1b[?1004h";
const FOCUS_OFF = "\x1b[?1004l";
const FOCUS_IN = "\x1b[I";
const FOCUS_OUT = "\x1b[O";

export const CALLS_ON = TITLE_PUSH + FOCUS_ON;
export const CALLS_OFF = FOCUS_OFF + TITLE_POP;

/** Terminals that know this notification (OSC 777) and not the one that most others know (OSC 9). */
const KNOWS_777 = /^(?:rxvt|foot)/;
const LENGTH_MAX = 200;
const COMMAND_MS = 10_000;
/** After less work nobody has looked away. */
const LONG_MS = 15_000;

type Place = { readonly name: string; readonly cwd: string; readonly env: NodeJS.ProcessEnv };

export class Calls {
  /** As the setting `notify` says it. */
  how: Settings["notify"] = "terminal";
  private readonly place: Place;
  private readonly write: (text: string) => void;
  /** A terminal that does not tell is taken for one that nobody looks at. */
  private isSeen = false;
  private count = 0;
  private title = "";
  private busySince: number | null = null;

  constructor(place: Place, write: (text: string) => void) {
    this.place = place;
    this.write = write;
  }

  /** Whether the input was a report of the terminal about its focus. */
  takes(data: string): boolean {
    if (data !== FOCUS_IN && data !== FOCUS_OUT) return false;
    this.isSeen = data === FOCUS_IN;
    return true;
  }

  /** `count`: the questions that wait. `newest` is told when there is one more than before. */
  waiting(count: number, newest: string): void {
    if (count > this.count) this.call(newest);
    this.count = count;
    this.showTitle();
  }

  /** Whether members work or wait for the person now; said when a long work has ended. */
  working(isBusy: boolean, now: number): void {
    if (isBusy) this.busySince ??= now;
    else {
      if (this.busySince !== null && now - this.busySince >= LONG_MS) this.call("nobody works any more");
      this.busySince = null;
    }
    this.showTitle();
  }

  private showTitle(): void {
    const waits = this.count > 0 ? `(${this.count}) waits for you · ` : this.busySince === null ? "" : "… ";
    const title = `${waits}${this.place.name} · ekiden`;
    if (title !== this.title) this.write(`\x1b]2;${plain(title)}${BELL}`);
    this.title = title;
  }

  private call(text: string): void {
    if (this.isSeen || this.how === "off") return;
    const words = plain(`${this.place.name}: ${text}`);
    if (this.how !== "terminal") this.run(this.how, words);
    else {
      const isOther = KNOWS_777.test(this.place.env.TERM ?? "");
      const notification = isOther ? `\x1b]777;notify;Ekiden;${words}` : `\x1b]9;Ekiden, ${words}`;
      this.write(notification + BELL + BELL);
    }
  }

  /** Its output would stand on the screen, and its failure must not end anything. */
  private run(command: string, words: string): void {
    const { cwd, env } = this.place;
    const child = spawn("/bin/sh", ["-c", command], {
      ...{ cwd, stdio: "ignore", timeout: COMMAND_MS },
      env: { ...env, EKIDEN_NOTICE: words },
    });
    child.on("error", () => {}).unref();
  }
}

/** One short line without anything that a terminal acts on. */
const plain = (text: string): string =>
  clean(text)
    .replace(/[\s;]+/g, " ")
    .slice(0, LENGTH_MAX);
