/**
 * A team whose terminal is frozen, killed and, with its host, asleep: it works on, and a new terminal shows the same. EKIDEN_FREEZE_MS=60000 lets it
 * take as long as the promise says; then the longest time without a fact is that of the promise, too.
 */
import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it, onTestFinished } from "vitest";
import { processesOf } from "../../../src/adapters/process-table.ts";
import type { Event } from "../../../src/core/event.ts";
import { tried } from "../../../src/core/tried.ts";
import { runs, says, startModelServer } from "../../fixtures/model-server/index.ts";
import { project } from "../../fixtures/project.ts";
import type { InTerminal } from "../../fixtures/pty.ts";
import { soon } from "../../fixtures/soon.ts";

const FREEZE_MS = Number(process.env.EKIDEN_FREEZE_MS ?? 4_000);
const HOUR_MS = 3_600_000;
const SHIFTED = resolve(import.meta.dirname, "../../fixtures/shifted-clock.cjs");
const MEMBERS = ["alice", "bob", "carol"];
const TURNS = 10;

it("works on while its terminal is frozen, killed, and the machine asleep", {
  timeout: 600_000,
}, async () => {
  const place = project();
  const clock = join(place.home, "clock");
  writeFileSync(clock, "0");
  const server = await startModelServer({
    anthropic: ({ system, nth }) =>
      system.startsWith('You are "lead"') ? says("I see.") : runs(`echo ${nth} > part-${nth}; sleep 0.1`),
  });
  onTestFinished(() => server.close());
  await place.add(...MEMBERS.map((who) => ({ subject: `Work beside ${who}` })));
  const { journal } = await place.store();
  const env = {
    ...{ ...server.env, TEST_CLOCK: clock, EKIDEN_SANDBOX: "off" },
    NODE_OPTIONS: `--require ${SHIFTED}`,
  };
  const args = [...MEMBERS.flatMap((who) => ["--teammate", who]), "--permission-mode", "bypass"];
  const open = (): Promise<InTerminal> =>
    place.open([...args, "--model", "anthropic/claude-sonnet-5-5"], { columns: 110, rows: 30, env });
  onTestFinished(async () => void (await place.run(["stop", "--now"], { env })));
  const facts = async (from = journal.from(0)): Promise<Event[]> =>
    (await journal.read(from, { limit: 1_000_000 })).events;
  /** Each member has taken so many turns more. */
  const worksOn = async (): Promise<void> => {
    const from = await journal.end();
    await soon(async () => {
      const turns = (await facts(from)).filter((fact) => fact.type === "turn.taken");
      for (const one of MEMBERS)
        expect(turns.filter(({ who }) => who === one).length).toBeGreaterThanOrEqual(TURNS);
    });
  };
  const atWork = (terminal: InTerminal): Promise<string> =>
    terminal.shows(/alice +#\d +\S[\s\S]*bob +#\d +\S[\s\S]*carol +#\d +\S/);
  const first = await open();
  await atWork(first);
  await worksOn();
  const from = Date.now();

  // The window takes nothing; then the program in it does not run at all.
  first.pty.pause();
  await sleep(FREEZE_MS);
  await worksOn();
  process.kill(first.pty.pid, "SIGSTOP");
  await worksOn();
  process.kill(first.pty.pid, "SIGKILL");
  await worksOn();

  const second = await open();
  await atWork(second);
  const to = Date.now();
  const times = (await facts()).map(({ at }) => at).filter((at) => at >= from && at <= to);
  const longest = Math.max(...times.slice(1).map((at, i) => at - (times[i] ?? at)));
  if (process.env.EKIDEN_FREEZE_MS) {
    process.stdout.write(`the longest time without a fact: ${longest} ms\n`);
    expect(longest).toBeLessThanOrEqual(1_000);
  }

  // The lid is closed: nothing of it runs, and an hour later the clock says so.
  const asleep = processesOf(`HOME=${place.home}\0`);
  expect(asleep.length).toBeGreaterThanOrEqual(2);
  // A command of a member may have ended meanwhile.
  for (const pid of asleep) tried(() => process.kill(pid, "SIGSTOP"), false);
  await sleep(FREEZE_MS / 4);
  writeFileSync(clock, String(HOUR_MS));
  for (const pid of asleep) tried(() => process.kill(pid, "SIGCONT"), false);
  await worksOn();
  await atWork(second);
  const third = await open();
  await atWork(third);
  const log = await facts();
  // The same members, still at the same tasks.
  for (const type of ["task.released", "task.failed"])
    expect(log.filter((one) => one.type === type)).toEqual([]);
  expect(log.filter(({ type }) => type === "task.claimed")).toHaveLength(MEMBERS.length);
});
