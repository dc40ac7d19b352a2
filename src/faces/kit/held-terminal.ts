/**
 * A note that this process has changed the modes of its terminal. One that was killed leaves its note, and a terminal that shows nothing that is
 * typed: the next process on that terminal sets its modes right before it keeps them. Linux only, where a terminal has a name.
 */

import { mkdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import envPaths from "env-paths";
import { isAlive } from "../../adapters/process-table.ts";

/** Null where the terminal has no name, or no note can be kept. */
function noteOf(): string | null {
  try {
    const tty = readlinkSync("/proc/self/fd/0");
    if (!tty.startsWith("/dev/")) return null;
    return join(envPaths("ekiden", { suffix: "" }).log, "terminals", tty.slice(5).replaceAll("/", "-"));
  } catch {
    return null;
  }
}

/** Waits for the end of a process. */
const AFTER = 'while kill -0 "$1"; do sleep 0.02; done; exec stty sane';

/** To be called before the terminal is put into raw mode for the first time. */
export function mendTerminal(): void {
  const note = noteOf();
  if (note === null) return;
  try {
    const pid = Number(readFileSync(note, "utf8"));
    if (isAlive(pid)) return;
    rmSync(note);
    // Loaded here, because it costs a millisecond and is hardly ever needed.
    const { spawn, spawnSync } = process.getBuiltinModule("node:child_process");
    const { stdout } = spawnSync("stty", ["-a"], { stdio: ["inherit", "pipe", "ignore"], encoding: "utf8" });
    if (!/(?:^|\s)-icanon\b/.test(stdout)) return;
    // Node sets the modes at its end as they were at its start, so they can only be set right behind it.
    process.once("exit", () => {
      const args = ["-c", AFTER, "sh", String(process.pid)];
      spawn("sh", args, { stdio: ["inherit", "ignore", "ignore"], detached: true }).unref();
    });
  } catch {
    // There is no note: the last one left in order.
  }
}

export function noteHeld(): void {
  const note = noteOf();
  if (note === null) return;
  try {
    mkdirSync(join(note, ".."), { recursive: true, mode: 0o700 });
    writeFileSync(note, String(process.pid), { mode: 0o600 });
  } catch {
    // Without it only a terminal of a killed process stays as it is.
  }
}

export function noteFree(): void {
  const note = noteOf();
  if (note !== null) rmSync(note, { force: true });
}
