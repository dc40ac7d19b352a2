/** These tests check how often a store is looked at while nothing happens, and after something has. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { soon } from "../../../../test/fixtures/soon.ts";
import { WakeHub } from "../wake-hub.ts";
import { SignalFiles } from "./signals.ts";

const POLL_MS = 40;

/** Commits of others are a number that the test counts up, as SQLite does. Their notices never come. */
function watched(queue: () => string = () => ""): {
  readonly files: SignalFiles;
  readonly hub: WakeHub;
  readonly looks: number[];
  readonly commit: () => void;
} {
  const folder = mkdtempSync(join(tmpdir(), "ekiden-signals-"));
  const looks: number[] = [];
  const hub = new WakeHub();
  let version = 0;
  const files = new SignalFiles({
    path: join(folder, "team.db"),
    pollMs: POLL_MS,
    hub,
    version: () => {
      looks.push(performance.now());
      return version;
    },
    query: (text) => (text.includes("landings") ? [{ queue: queue() }] : []),
  });
  onTestFinished(async () => {
    await files.close();
    rmSync(folder, { recursive: true, force: true });
  });
  files.begin();
  files.start();
  return { files, hub, looks, commit: () => (version += 1) };
}

/** The shortest time between two of the next looks. A timer is never early, so a busy machine only makes it longer. */
async function shortestGap(looks: readonly number[], count: number): Promise<number> {
  const from = looks.length;
  await soon(() => expect(looks.length).toBeGreaterThan(from + count));
  const gaps = looks.slice(from + 1).map((at, i) => at - (looks[from + i] ?? 0));
  return Math.min(...gaps);
}

/** Polls until it looks seldom. */
const calm = (looks: readonly number[]): Promise<void> =>
  soon(() => expect(looks.length).toBeGreaterThan(24));

it("looks seldom after a while in which nobody wrote", async () => {
  const { looks } = watched();
  await calm(looks);
  expect(await shortestGap(looks, 4)).toBeGreaterThan(3 * POLL_MS);
});

it("looks often again when this process has written", async () => {
  const { files, looks } = watched();
  await calm(looks);
  files.publish("main", new Set(["board"]));
  const from = looks.length;
  await soon(() => expect(looks.length).toBeGreaterThan(from + 2)); // the watcher sees the notice of this process, too
  expect(await shortestGap(looks, 15)).toBeLessThan(3 * POLL_MS);
});

it("looks often again when it finds what another process has written, of which no notice came", async () => {
  const { looks, commit } = watched();
  await calm(looks);
  commit();
  const from = looks.length;
  await soon(() => expect(looks.length).toBeGreaterThan(from + 1));
  expect(await shortestGap(looks, 15)).toBeLessThan(3 * POLL_MS);
});

it("tells all teams that another process has changed the queue of landings, and nothing of other commits", async () => {
  let queue = "1.0";
  const { hub, commit, looks } = watched(() => queue);
  let woken = 0;
  onTestFinished(hub.watch("main", "landings", () => (woken += 1)));
  commit();
  const from = looks.length;
  await soon(() => expect(looks.length).toBeGreaterThan(from + 2));
  expect(woken).toBe(0);
  queue = "1.1";
  commit();
  await soon(() => expect(woken).toBe(1));
});
