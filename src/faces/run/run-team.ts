/** Shared by `run` and `resume`: hosts a team until it has concluded, is interrupted, or runs out of a budget. */

import { systemClock } from "../../adapters/clock.ts";
import { messageOf } from "../../core/errors.ts";
import { planFirstOf } from "../../core/plan/hold.ts";
import type { Embedded } from "../../core/project/runbook.ts";
import type { Settings } from "../../core/settings/settings.ts";
import { jsonLine } from "../../core/text/hidden.ts";
import { openHost } from "../../host/host.ts";
import type { Outcome } from "../../host/outcome.ts";
import type { Work } from "../../host/start-work.ts";
import type { HostOptions, TeamHost } from "../../host/team-host.ts";
import type { Cursor } from "../../ports/index.ts";
import { rememberTeam } from "../../project/known-teams.ts";
import type { ProjectTrust } from "../../project/trust/weigh.ts";
import { follow, withDetails } from "../../team/queries/journal.ts";
import { RunSummary, type Summary } from "../../team/queries/summary.ts";
import { againLine } from "../kit/again-line.ts";
import type { Invocation } from "../kit/invocation.ts";
import { opening } from "../kit/opening.ts";
import { ignoreUnhandled, interruptible, keepYoungSmall, START_MS } from "../kit/run-guards.ts";
import { wantsScreen } from "../kit/wanted.ts";
import { chooseLead } from "./choose-lead.ts";
import type { Display, Displays, PageOfRun } from "./displays.ts";
import { limitQuestions } from "./limit-questions.ts";
import { RunDoor } from "./run-door.ts";

/** A run that is being read along. */
export type Watched = {
  readonly call: Invocation;
  readonly host: TeamHost;
  readonly display: Display;
  readonly isFull: boolean;
  readonly door: RunDoor;
  readonly summary: RunSummary;
  readonly report: string | undefined;
  readonly settings: Settings;
  /** Whether somebody can answer at a terminal or at the page of the run. */
  readonly isWatched: () => boolean;
};

/**
 * `embedded`: the runbook model will do when no other is configured. `report`: the file that the work is to write. `web`: the page
 * is served as long as the run lasts, and then for who reads it.
 */
export type RunOptions = {
  readonly displays: Displays;
  readonly embedded?: Embedded;
  readonly report?: string | undefined;
  readonly web?: boolean;
  readonly forge?: HostOptions["forge"];
};

/** Resolves with the exit code. */
export async function hostTeam(call: Invocation, work: Work, options: RunOptions): Promise<number> {
  const isNew = !("resume" in work || "runbook" in work);
  const configured = isNew ? await chosen(call) : await call.settings();
  const trust = await call.trust();
  const isFull = wantsScreen(call);
  const display = await options.displays[isFull ? "screen" : "lines"](call);
  try {
    return await hostOn(call, work, options, { configured, trust, display, isFull });
  } finally {
    await display.stop();
  }
}

async function chosen(call: Invocation): Promise<Settings> {
  const settings = await chooseLead(call);
  if (settings.worktrees !== "auto" || !call.err.isTTY) return settings;
  return await (await import("./choose-workspaces.ts")).chooseWorkspaces(call, settings);
}

type Prepared = {
  readonly configured: Settings;
  readonly trust: ProjectTrust;
  readonly display: Display;
  readonly isFull: boolean;
};

async function hostOn(
  call: Invocation,
  work: Work,
  options: RunOptions,
  { configured, trust, display, isFull }: Prepared,
): Promise<number> {
  // Somebody at the page, or at another terminal, answers permission questions; else nobody would be asked.
  const isElsewhere = options.web || call.env.EKIDEN_DETACHED === "1";
  const permissionsTo = configured.permissionsTo ?? (isElsewhere ? "person" : undefined);
  const settings = { ...configured, permissionsTo };
  const door = new RunDoor();
  const host = await openHost({
    ...{ settings, cwd: call.cwd, env: call.env, trust, interactive: false },
    embedded: options.embedded ?? false,
    resume: "resume" in work,
    forge: options.forge,
    planFirst: planFirstOf(configured, display.asks),
    asks: display.asks || ((): boolean => door.isWatched),
    ...door.told(display.told),
    // Also with --json: the journal on stdout cannot tell it while the store is away.
    onNotice: (text) => {
      display.say(isFull ? text : `ekiden: ${text}`);
      door.notice(text);
    },
  });
  const unheard = ignoreUnhandled(call);
  const isWatched = (): boolean => display.asks || isElsewhere || door.isWatched;
  const watched: Watched = {
    ...{ call, host, display, isFull, settings, isWatched, door },
    ...{ summary: new RunSummary(), report: options.report },
  };
  const release = interruptible(
    host,
    (text) => tell(watched, text),
    againLine(call, host.store.team, "resume"),
  );
  try {
    return await atWork(watched, work, options, release);
  } finally {
    release();
    await door.close();
    await host.close();
    unheard();
  }
}

function tell({ call, display }: Watched, text: string): void {
  if (!call.json) display.say(text);
}

/** `release`: lets signals end this process again. */
async function atWork(
  watched: Watched,
  work: Work,
  options: RunOptions,
  release: () => void,
): Promise<number> {
  const { call, host, display, settings, door } = watched;
  const reading = new AbortController();
  // Work that nobody waits for begins when the first request of the run is on its way, or when the run is over before.
  const isOnItsWay = Promise.race([systemClock.sleep(START_MS, reading.signal), host.done]);
  const reader = (call.err.isTTY ? Promise.resolve() : isOnItsWay).then(() =>
    readAlong(watched, host.since, reading.signal),
  );
  let page: PageOfRun | undefined;
  try {
    rememberTeam(call.cwd, settings); // also a run that is killed at once is listed
    await host.start(work);
    door.open(isOnItsWay, host, settings, call, reading.signal);
    // Its code is loaded while the first commands run: the run does not wait for its page.
    if (options.web) page = await options.displays.page(call, host.store);
    if (!call.quiet) tell(watched, (await opening(host, call.cwd, "--budget-usd")).join("\n"));
    setTimeout(keepYoungSmall, START_MS).unref();
    const outcome = await ended(host, reading, reader, display);
    const { conclude, stay } = await import("./conclude.ts");
    const code = await conclude(watched, outcome);
    if (page) await stay(page, watched, outcome, release);
    return code;
  } finally {
    reading.abort();
    await reader;
    await display.stop();
    await page?.close();
  }
}

const LINGER_MS = 2_000; // for the end of the journal

async function ended(
  host: TeamHost,
  reading: AbortController,
  reader: Promise<void>,
  display: Display,
): Promise<Outcome> {
  const outcome = await host.done;
  if (outcome.elsewhere) reading.abort();
  // PostgreSQL shows facts once no older transaction of the server is open: the last ones may be a moment late.
  const waited = new AbortController();
  await Promise.race([reader, systemClock.sleep(LINGER_MS, waited.signal)]);
  waited.abort();
  reading.abort();
  await reader;
  await display.stop();
  return outcome;
}

/** Follows the journal: JSON Lines on stdout, and what the display makes of it. */
async function readAlong(watched: Watched, from: Cursor, signal: AbortSignal): Promise<void> {
  const { call, host, display, summary, settings, isWatched } = watched;
  const limit = limitQuestions({ store: host.store, settings, isWatched, signal });
  try {
    await display.open(host);
    for await (const page of follow(host.store, from, signal)) {
      // Nothing comes after our team.finished, whatever the members write while they leave.
      const end = host.isEnding() ? page.findIndex((event) => event.type === "team.finished") : -1;
      const events = end === -1 ? page : page.slice(0, end + 1);
      summary.take(events);
      if (call.json)
        for (const [i, event] of (await withDetails(host.store, events)).entries())
          call.out.write(jsonLine(i === end ? { ...event, ...(await figures(watched)) } : event));
      await display.take(events);
      await limit(events);
      if (end !== -1) return;
    }
  } catch (error) {
    // Watching is not the work: a reader that fails must not end the team.
    call.say(`cannot follow the journal: ${messageOf(error)}`);
  }
}

const figures = async ({ call, host, summary, report }: Watched): Promise<Summary> =>
  await summary.figures(call.cwd, report, await host.changed());

/** The end of a run that had nothing to do: no host was opened and nothing was written. Returns the exit code. */
export function endedBefore(
  call: Invocation,
  counts: { readonly completed: number; readonly failed: number; readonly cancelled: number },
): number {
  const end = { type: "team.finished", ...counts, unfinished: 0, reason: "concluded" };
  if (call.json) call.out.write(jsonLine({ at: Date.now(), ...end }));
  return counts.failed > 0 ? 1 : 0;
}
