/**
 * Keeps what is typed during a run from being echoed into the live status. Only Ctrl-C and Ctrl-Z are heard, and passed on to
 * the whole process group as the terminal itself would.
 */
import { textIn } from "../../adapters/small-files.ts";

const CTRL_C = 3;
const CTRL_Z = 26;

export class Keyboard {
  private held = false;

  hold(): void {
    if (this.held || !isForeground()) return;
    this.held = true;
    process.stdin.setRawMode(true).on("data", this.onKeys).resume();
    process.on("SIGCONT", this.onContinue);
  }

  release(): void {
    if (!this.held) return;
    this.held = false;
    process.stdin.off("data", this.onKeys).setRawMode(false).pause();
    process.off("SIGCONT", this.onContinue);
  }

  private readonly onKeys = (keys: Buffer): void => {
    for (const key of keys) {
      if (key === CTRL_C) process.kill(0, "SIGINT");
      if (key !== CTRL_Z) continue;
      process.stdin.setRawMode(false);
      process.kill(0, "SIGTSTP");
    }
  };

  private readonly onContinue = (): void => {
    if (this.held && isForeground()) process.stdin.setRawMode(true);
  };
}

/** Whether the terminal is ours. A process in the background that touches its settings is stopped by the kernel. */
function isForeground(): boolean {
  // After the name in parentheses: state, parent, group, session, terminal, the terminal's foreground group.
  const [, , group, , , foreground] = textIn("/proc/self/stat")
    .replace(/^.*\) /s, "")
    .split(" ");
  return process.stdin.isTTY === true && group !== undefined && group === foreground;
}
