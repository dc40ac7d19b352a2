import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { systemClock } from "../../adapters/clock.ts";
import { openStore } from "../../adapters/store/index.ts";
import { type HostId, LEAD, type Name, PERSON } from "../../core/ids.ts";
import type { Terminal } from "../kit/terminal.ts";
import { Live } from "./live.ts";

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
  // The lead waits while more teammates work than there is room for.
  await store.roster.open("h" as HostId, "here", process.pid);
  const profile = { role: "", model: "", prompt: "", needsPlan: false } as const;
  for (const name of [LEAD, ...Array.from({ length: 40 }, (_, i) => `worker-${i}` as Name)]) {
    const kind = name === LEAD ? "lead" : "teammate";
    const seat = await store.roster.join({ ...profile, name, kind }, "h" as HostId, PERSON);
    if (name === LEAD) await store.roster.setActivity(seat, { phase: "idle", reason: "awaiting_messages" });
  }
  const live = await Live.open(term, store);
  giveBack.push(() => live.stop());
  await expect.poll(() => frames.length).toBeGreaterThan(0);
  expect(frames.at(-1)).toMatch(/○ lead .*worker-0.*and \d+ more/s);
  live.say("interrupted");
  const atExit = process.listeners("exit").filter((listener) => !before.has(listener));
  expect(atExit).toHaveLength(1);
  atExit[0]?.(0);
  expect(frames.at(-1)).toContain("\x1b[Kinterrupted\n\x1b[J\x1b[?25h");
  for (const frame of frames) expect(frame).not.toContain("\r\x1b[J\x1b[K");
});
