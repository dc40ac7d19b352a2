/**
 * `unit`, `adapters` and `git`: beside the source; adapters depend on Node, so they run on both of its versions. `git` starts git
 * thousands of times, so `npm run check` leaves it out. The rooms of `test`:
 * real stores, processes and terminals, as forks because some tests kill, chdir or load native addons. `platform` (bubblewrap, networks,
 * the shells) and `web` (Chromium) do not depend on the version of Node. `chaos`: long and random, so `npm run chaos` only.
 * The files of a project share processes (`isolate: false`), which import the source once: each import costs a second of processor
 * time. So fixtures keep no hook at their top level, and a test puts back what it changes of its process. But a start of a program copies
 * the page tables of its process, which takes 1 ms from a small one and 15 from one of 250 MB: so there are several rooms, and the tables of
 * loops, which make processes large, share none.
 * The limits are there to end what hangs, on a machine that is busy with other things: no test is made to come near its own.
 */
import { join } from "node:path";
import { defineConfig } from "vitest/config";
import { LongFirst } from "./test/order.ts";

/** They need agent programs of other vendors: see the heads of the files. */
const PROGRAMS = process.env.EKIDEN_AGENT_PROGRAMS ? [] : ["test/e2e/agents/real-*.test.ts"];
const NOT_HERE = ["test/{architecture,circles,measures,papers}.test.ts", "test/chaos/**", ...PROGRAMS];
const OTHERS = {
  platform: ["test/hostile/**/*.test.ts", "test/e2e/**/{machines,sandbox}*.test.ts"],
  web: ["test/e2e/**/web*.test.ts"],
  landing: ["test/e2e/landing/[!m]*.test.ts"],
  terminal: ["test/e2e/{commands,screen}/*.test.ts"],
  tables: ["test/e2e/models/money-*.test.ts"],
};
const ROOMS = { ...OTHERS, system: ["test/**/*.test.ts"] };

export default defineConfig({
  test: {
    pool: "forks",
    isolate: false,
    // Each project and each run transforms the same sources.
    experimental: { fsModuleCache: true, fsModuleCachePath: "node_modules/.vitest-modules" },
    // Three leave two cores some room. With four, no core was ever idle, a whole run took no less, and tests that wait timed out.
    maxWorkers: 3,
    sequence: { sequencer: LongFirst },
    passWithNoTests: true,
    globalSetup: ["test/samples.ts"],
    // Tests record their agreements and stores here, not in the configuration of the person who runs them.
    env: { XDG_CONFIG_HOME: join(import.meta.dirname, "node_modules/.vitest-config") },
    teardownTimeout: 60_000,
    expect: { poll: { timeout: 60_000, interval: 20 } },
    projects: [
      {
        extends: true,
        test: {
          name: "unit",
          include: ["src/**/*.test.ts", "test/{architecture,circles,measures,papers}.test.ts"],
          exclude: ["src/adapters/**"],
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        extends: true,
        test: {
          name: "adapters",
          include: ["src/adapters/**/*.test.ts"],
          exclude: ["src/adapters/git/**"],
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        extends: true,
        test: {
          name: "git",
          include: ["src/adapters/git/**/*.test.ts"],
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      ...Object.entries(ROOMS).map(([name, include]) => ({
        extends: true as const,
        test: {
          name,
          include: [...include],
          exclude: [...NOT_HERE, ...(name === "system" ? Object.values(OTHERS).flat() : [])],
          isolate: name === "tables",
          globalSetup: ["test/global-setup.ts"],
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      })),
      {
        extends: true,
        test: {
          name: "chaos",
          isolate: true,
          include: ["test/chaos/**/*.test.ts"],
          globalSetup: ["test/global-setup.ts"],
          testTimeout: 300_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
});
