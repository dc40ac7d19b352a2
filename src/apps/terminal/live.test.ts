import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { systemClock } from "../../adapters/clock.ts";
import { openStore } from "../../adapters/store/index.ts";
import type { Name } from "../../core/ids.ts";
import { Live } from "./live.ts";
import type { Terminal } from "./terminal.ts";

const giveBack: (() => unknown)[] = [];
afterEach(async () => {
  for (const one of giveBack.splice(0).reverse()) await one();
});

it("never clears the terminal from where it stands, and leaves behind what was said last, also at once", async () => {
  const dir = mkdtempSync(join(tmpdir(), "ekiden-live-"));
  giveBack.push(() => rmSync(dir, { recursive: true, force: true }));
  const store = await openStore({
    url: `sqlite:${join(dir, "team.db")}`,
    team: "default" as Name,
    clock: systemClock,
    leaseMs: 15_000,
    maxAttempts: 3,
  });
  giveBack.push(() => store.close());
  const frames: string[] = [];
  const term: Terminal = {
    isTTY: true,
    colour: false,
    width: () => 40,
    write: (text) => void frames.push(text),
    paint: (_tone, text) => text,
  };
  const before = new Set(process.listeners("exit"));
  const live = await Live.open(term, store);
  giveBack.push(() => live.stop());
  await expect.poll(() => frames.length).toBeGreaterThan(0);
  live.say("interrupted");
  const atExit = process.listeners("exit").filter((listener) => !before.has(listener));
  expect(atExit).toHaveLength(1);
  atExit[0]?.(0);
  expect(frames.at(-1)).toContain("\x1b[Kinterrupted\n\x1b[J\x1b[?25h");
  for (const frame of frames) expect(frame).not.toContain("\r\x1b[J\x1b[K");
});
