/** One of the processes that run test files side by side. It is replaced when it is silent for too long: a fault may hang it. */
import { type ChildProcess, fork } from "node:child_process";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Line, ORDER, type Order } from "./protocol.ts";

export class Lane {
  private readonly root: string;
  private readonly options: object;
  private readonly order: string;
  private readonly report: string;
  private child: Promise<ChildProcess> | null = null;

  constructor(root: string, name: string, options: object) {
    this.root = root;
    this.order = join(root, `order-${name}.json`);
    this.report = join(root, `report-${name}.jsonl`);
    this.options = options;
  }

  /** Runs one test file and calls `hear` with each line of its report. False when it was ended after `ms` without a line. */
  async run(
    test: string,
    order: Omit<Order, "report">,
    ms: number,
    hear: (line: Line) => void,
  ): Promise<boolean> {
    writeFileSync(this.order, JSON.stringify({ ...order, report: this.report } satisfies Order));
    rmSync(this.report, { force: true });
    this.child ??= this.start();
    const child = await this.child;
    let heard = 0;
    let since = Date.now();
    const listen = (): void => {
      const lines = existsSync(this.report) ? readFileSync(this.report, "utf8").split("\n").slice(0, -1) : [];
      if (lines.length > heard) since = Date.now();
      for (const line of lines.slice(heard)) hear(JSON.parse(line) as Line);
      heard = lines.length;
    };
    const isDone = await new Promise<boolean>((resolve) => {
      const timer = setInterval(() => {
        listen();
        if (Date.now() - since > ms) settle(false);
      }, 100);
      const settle = (done: boolean): void => {
        clearInterval(timer);
        child.off("message", onDone).off("exit", onExit);
        resolve(done);
      };
      const onDone = (): void => settle(true);
      const onExit = (): void => settle(false);
      child.on("message", onDone).once("exit", onExit);
      child.send(test);
    });
    listen();
    if (!isDone) await this.close();
    return isDone;
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
    const options = {
      ...this.options,
      env: { XDG_CONFIG_HOME: join(this.root, "config"), [ORDER]: this.order },
    };
    const child = fork(join(import.meta.dirname, "driver.ts"), [this.root, JSON.stringify(options)], {
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
