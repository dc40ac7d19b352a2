/** (j) A command in the sandbox against a plain one, and what the sandbox adds to the first command of a process. */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createSandbox } from "../src/adapters/sandbox/index.ts";
import { createShell } from "../src/adapters/shell/index.ts";
import { alternate, figure, type Item, median } from "./measure.ts";

const p95 = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length * 0.95)] ?? 0;

/** A member thinks between two commands. Both kinds wait for so long that the spare for the next command is ready before one is timed. */
const PAUSE_MS = 400;

export const sandboxed: Item = async (quick) => {
  const base = mkdtempSync(join(tmpdir(), "ekiden-bench-sandbox-"));
  const workspace = join(base, "ws");
  mkdirSync(join(workspace, ".git/objects"), { recursive: true });
  mkdirSync(join(workspace, ".ekiden"));
  const open = () =>
    createSandbox({
      ...{ mode: "required", network: "off", workspace, stateFolder: join(base, "state") },
      ...{ cacheFolder: join(base, "cache"), ownFolders: [] },
    });
  const first = open();
  const status = await first.status();
  await first.close();
  if (!status.active) throw new Error(status.text);
  const plain = createShell({ outputDir: join(base, "output") });
  const sandbox = open();
  const confined = createShell({ outputDir: join(base, "output"), sandbox });
  const time = async (shell: typeof plain): Promise<number> => {
    const since = performance.now();
    await shell.run("true", { cwd: workspace, signal: new AbortController().signal, timeoutMs: 60_000 });
    return performance.now() - since;
  };
  try {
    // Proven before: a start pays for the look at the kept proof, and for the network namespace with the first command.
    const since = performance.now();
    await sandbox.status();
    const start = performance.now() - since;
    const firstMs = await time(confined);
    for (let i = 0; i < 10; i += 1) await Promise.all([time(plain), time(confined)]);
    const pairs = (count: number, pauseMs: number) => {
      const paused = async (shell: typeof plain): Promise<number> => {
        if (pauseMs > 0) await sleep(pauseMs);
        return await time(shell);
      };
      return alternate(
        count,
        () => paused(confined),
        () => paused(plain),
      );
    };
    const { a, b } = await pairs(quick ? 30 : 80, PAUSE_MS);
    const atOnce = await pairs(quick ? 50 : 300, 0);
    const [more, worse] = [median(a) - median(b), p95(a) - p95(b)];
    const item = "j";
    return [
      figure({
        item,
        name: "confined command",
        unit: "ms",
        value: median(a),
        floor: median(b),
        samples: a,
        note: `plain: p95 ${p95(b).toFixed(1)} ms`,
      }),
      figure({
        item,
        name: "confined command, more than plain",
        unit: "ms",
        value: more,
        budget: { of: "value", atMost: 3 },
        note: `p95: ${worse.toFixed(1)} ms more`,
      }),
      figure({
        item,
        name: "the same without a pause between commands",
        unit: "ms",
        value: median(atOnce.a) - median(atOnce.b),
        budget: { of: "value", atMost: 3 },
        note: `p95: ${(p95(atOnce.a) - p95(atOnce.b)).toFixed(1)} ms more`,
      }),
      figure({
        item,
        name: "start with a kept proof",
        unit: "ms",
        value: start,
        budget: { of: "value", atMost: 10 },
        note: `first command ${firstMs.toFixed(1)} ms`,
      }),
    ];
  } finally {
    await plain.close();
    await confined.close();
    await sandbox.close();
    rmSync(base, { recursive: true, force: true });
  }
};
