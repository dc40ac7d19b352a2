/** A line of the person's own: the first line that a command prints. It is run now and then, never twice at once, and never waited for. */

import { type ChildProcess, spawn } from "node:child_process";
import { sendSignal } from "../../adapters/process-table.ts";
import { oneLine } from "./style.ts";

const EVERY_MS = 3_000;
const LIMIT_MS = 2_000;
const KEPT = 2_000;

export class StatusLine {
  text = "";
  private readonly place: { readonly cwd: string; readonly env: NodeJS.ProcessEnv; changed(): void };
  private child: ChildProcess | null = null;
  private began = 0;
  command = "";

  constructor(place: StatusLine["place"]) {
    this.place = place;
  }

  /** `about`: the input of the command, as JSON. */
  tick(about: () => object, now = Date.now()): void {
    if (this.command === "" || this.child !== null || now - this.began < EVERY_MS) return;
    this.began = now;
    this.run(JSON.stringify(about()));
  }

  close(): void {
    this.command = "";
    this.end();
  }

  private run(input: string): void {
    const { cwd, env, changed } = this.place;
    // A group of its own, so that all of it can be ended.
    const child = spawn("/bin/sh", ["-c", this.command], {
      cwd,
      env,
      detached: true,
      stdio: ["pipe", "pipe", "ignore"],
    });
    this.child = child;
    let printed = "";
    let isLate = false;
    const limit = setTimeout(() => {
      isLate = true;
      this.end();
    }, LIMIT_MS);
    const done = (text: string): void => {
      clearTimeout(limit);
      this.child = null;
      if (text !== this.text) changed();
      this.text = text;
    };
    child.on("error", (error) => done(`status line: ${oneLine(error.message)}`));
    child.on("exit", (code) => {
      // A process that it started may hold its output open.
      child.stdout.destroy();
      const first = oneLine(printed.split("\n")[0] ?? "");
      done(
        isLate
          ? `status line: no end after ${LIMIT_MS / 1_000} s`
          : code === 0
            ? first
            : `status line: exit code ${code}`,
      );
    });
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      printed = (printed + text).slice(0, KEPT);
    });
    child.stdin.on("error", () => {});
    child.stdin.end(input);
  }

  private end(): void {
    const { pid, exitCode, signalCode } = this.child ?? {};
    // The number of one that has ended may be that of another program by now.
    if (pid !== undefined && exitCode === null && signalCode === null) sendSignal(-pid, "SIGKILL");
  }
}
