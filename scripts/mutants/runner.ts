/** Runs test files in a process of its own, which is replaced when it hangs: a fault may loop for ever. */
import { type ChildProcess, fork } from "node:child_process";
import { join } from "node:path";
import type { Answer, Order } from "./driver.ts";

export class Runner {
  private readonly root: string;
  readonly options: object;
  private child: Promise<ChildProcess> | null = null;

  constructor(root: string, options: object) {
    this.root = root;
    this.options = options;
  }

  /** Null when it took longer than `ms`. */
  async run(order: Order, ms: number): Promise<Answer | null> {
    this.child ??= this.start();
    const child = await this.child;
    const answer = await new Promise<Answer | null>((resolve) => {
      const timer = setTimeout(() => resolve(null), ms);
      const settle = (value: Answer | null): void => {
        clearTimeout(timer);
        child.off("message", settle).off("exit", onExit);
        resolve(value);
      };
      const onExit = (): void => settle(null);
      child.on("message", settle).once("exit", onExit);
      child.send(order);
    });
    if (answer === null) await this.close();
    return answer;
  }

  async close(): Promise<void> {
    const child = await this.child;
    this.child = null;
    if (child?.exitCode !== null || child.pid === undefined) return;
    const gone = new Promise((done) => child.once("exit", done));
    process.kill(-child.pid, "SIGKILL");
    await gone;
  }

  private start(): Promise<ChildProcess> {
    const child = fork(join(import.meta.dirname, "driver.ts"), [this.root, JSON.stringify(this.options)], {
      cwd: this.root,
      detached: true,
      stdio: ["ignore", "ignore", "ignore", "ipc"],
    });
    return new Promise((resolve, reject) => {
      child.once("message", () => resolve(child));
      child.once("exit", () => reject(new Error("vitest did not start")));
    });
  }
}
