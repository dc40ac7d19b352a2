/** `ekiden worker`: runs teammates of a team in this process until it is told to leave. */
import { systemClock } from "../../adapters/clock.ts";
import { badInput, messageOf } from "../../core/errors.ts";
import { quote, teammateName } from "../../core/ids.ts";
import { jsonLine } from "../../core/text/hidden.ts";
import { concerns } from "../../core/views/search.ts";
import { tally } from "../../core/views/sentence.ts";
import { awaitTeam } from "../../host/worker/await-team.ts";
import { type Health, serveHealth } from "../../host/worker/health.ts";
import type { WorkerEnd } from "../../host/worker/options.ts";
import { numbered } from "../../host/worker/places.ts";
import { openWorker, type Worker } from "../../host/worker/worker.ts";
import { follow } from "../../team/queries/journal.ts";
import { type Invocation, wholeNumber } from "../kit/invocation.ts";
import { News } from "../kit/news.ts";
import { hasLead } from "../kit/own-process.ts";
import { newsLines } from "../kit/print.ts";
import { onSignals } from "../kit/run-guards.ts";
import { clean } from "../kit/terminal.ts";
import type { Run } from "./entry.ts";

type Options = {
  withRun?: boolean;
  count?: string;
  as?: string;
  role?: string;
  health?: string;
  drain?: string;
};

const PLACES_MAX = 100;
/** Kubernetes kills a process 30 s after it asked it to end. */
const DRAIN_S = 25;

export const run: Run<Options> = async (call, _args, options) => {
  const settings = await call.settings();
  const count = options.count === undefined ? 1 : wholeNumber("--count", options.count);
  if (count > PLACES_MAX)
    throw badInput(`--count ${count} is more than ${PLACES_MAX}. Start several workers.`);
  const names = options.as === undefined ? null : numbered(teammateName(options.as), count);
  const role = options.role?.trim() ?? "";
  const drainMs = wholeNumber("--drain", options.drain ?? String(DRAIN_S)) * 1_000;
  const tell = (text: string): void => {
    if (call.json) call.out.write(jsonLine({ at: Date.now(), type: "worker.said", text }));
    else call.say(text);
  };

  let worker: Worker | null = null;
  let cutOff = false;
  const leaving = new AbortController();
  const release = onSignals((nth) => {
    if (nth > 2 || (nth > 1 && !worker)) process.exit(130);
    if (nth === 2) {
      cutOff = true;
      return worker?.endNow();
    }
    leaving.abort();
    if (worker)
      tell(
        `Draining: takes no new tasks; tasks in progress have ${drainMs / 1_000} s (again: ends at once).`,
      );
    worker?.drain(drainMs);
  });
  const health = (): Health => worker?.health ?? { live: true, state: "waiting" };
  const server = options.health === undefined ? null : await serveHealth(port(options.health), health);
  try {
    if (!(await awaitTeam(settings, call.cwd, tell, leaving.signal))) {
      tell("Ended: there was no team to work for.");
      return 0;
    }
    const { cwd, env } = call;
    worker = await openWorker({ settings, cwd, env, count, names, role, tell, trust: await call.trust() });
    if (leaving.signal.aborted) worker.drain(drainMs);
    const reading = new AbortController();
    if (options.withRun) void leaveWithRun(worker, drainMs, reading.signal);
    const reader = readAlong(call, worker, reading.signal);
    const end = await worker.done;
    reading.abort();
    await reader;
    const code = conclude(end, tell);
    return cutOff ? 130 : code;
  } finally {
    release();
    server?.close();
    await worker?.close();
  }
};

const RUN_LOOK_MS = 3_000;
/** A run that is taken over by another process is without a lead for a moment. */
const LEADERLESS_LOOKS = 4;

/** Also after the process that has started this one was killed. */
async function leaveWithRun(worker: Worker, drainMs: number, signal: AbortSignal): Promise<void> {
  for (let without = 0; without < LEADERLESS_LOOKS; ) {
    await systemClock.sleep(RUN_LOOK_MS, signal).catch(() => {});
    if (signal.aborted) return;
    // A store that is down is no end of a run.
    without = (await hasLead(worker.store).catch(() => true)) ? 0 : without + 1;
  }
  worker.drain(drainMs);
}

/** The news of the members that run here, and the ends of the team's runs. */
async function readAlong(call: Invocation, worker: Worker, signal: AbortSignal): Promise<void> {
  const news = new News();
  try {
    for await (const events of follow(worker.store, worker.since, signal))
      for (const event of events) {
        const isEnd = event.type === "team.finished";
        if (!isEnd && ![...worker.known].some((name) => concerns(event, name))) continue;
        if (call.json) call.out.write(jsonLine(event));
        else if (isEnd) call.say(`The team's run has ended (${tally(event)}). Waiting for more work.`);
        else if (!call.quiet) {
          const said = news.of(event);
          if (said) call.err.write(`${newsLines(call.err, event.at, said).join("\n")}\n`);
        }
      }
  } catch (error) {
    if (!signal.aborted) call.say(clean(`cannot follow the journal: ${messageOf(error)}`));
  }
}

function conclude({ reason, error, why }: WorkerEnd, tell: (text: string) => void): number {
  switch (reason) {
    case "drained":
      tell("Left: nothing was unfinished here.");
      return 0;
    case "cut":
      tell("Left before its tasks were finished. They go back to the board.");
      if (error) throw error;
      return 0;
    case "over":
      tell("Left: all members here have stopped.");
      if (error) throw error;
      return 0;
    case "budget":
      tell(`Left: ${why ?? "the budget is used up."}`);
      return 4;
    default:
      return reason satisfies never;
  }
}

function port(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) > 0 && Number(text) < 65_536) return Number(text);
  throw badInput(`--health ${quote(text)} is not a port from 1 to 65535.`);
}
