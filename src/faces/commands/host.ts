/**
 * `ekiden host`: runs a team without a terminal, for the terminals that attach to it. `ekiden` starts it. It ends when nothing is left to
 * do and nobody looks on.
 */

import { systemClock } from "../../adapters/clock.ts";
import { IDLE } from "../../core/board/lifecycle.ts";
import type { Member } from "../../core/board/member.ts";
import { planFirstOf } from "../../core/plan/hold.ts";
import { Door } from "../../host/attach/door.ts";
import { replacement } from "../../host/attach/place.ts";
import { faultOf, socketPath } from "../../host/attach/wire.ts";
import type { TeamHost } from "../../host/team-host.ts";
import { rememberTeam } from "../../project/known-teams.ts";
import { refuseMember } from "../../project/member-shell.ts";
import { sqlitePath } from "../../project/store-address.ts";
import { untrusted } from "../../project/trust/untrusted.ts";
import { isStore } from "../../project/trust/weigh.ts";
import { exitCodeOf } from "../kit/exit-code.ts";
import { ignoreUnhandled, keepYoungSmall, onSignals, START_MS } from "../kit/run-guards.ts";
import type { Run } from "./entry.ts";

const LOOK_MS = 500;
/** A person who changes terminals is not away, and a member that has just ended a turn may get mail. */
const ALONE_MS = 5_000;

export const run: Run = async (call) => {
  refuseMember(call.env, "A team is run by a person, not by a command of a member.");
  const settings = await call.settings();
  const trust = await call.trust();
  if (trust.waiting.some(isStore)) throw untrusted(trust);
  const door = await Door.open(socketPath(settings, call.cwd));
  if (door === null) {
    call.say("another process on this machine already runs the team");
    return 0;
  }
  const unheard = ignoreUnhandled(call);
  let host: TeamHost | undefined;
  let release = (): void => {};
  try {
    // Loaded while the face waits for the answer of the door.
    const { openHost } = await import("../../host/host.ts");
    host = await openHost({
      ...{ settings, trust, cwd: call.cwd, env: call.env, interactive: true },
      ...door.told,
      asks: true,
      planFirst: planFirstOf(settings, true),
    });
    const opened = host;
    const file = sqlitePath(settings.store, call.cwd);
    const isStoreGone = file === null ? () => false : replacement(file);
    release = onSignals(() => void opened.interrupt());
    rememberTeam(call.cwd, settings);
    const started = opened.start({ interactive: true });
    door.serve(opened, started, call.flags);
    await started;
    setTimeout(() => void keepYoungSmall(), START_MS).unref();
    const outcome = await Promise.race([
      opened.done,
      unneeded(opened, () => door.isReplaced || isStoreGone(), door),
    ]);
    return outcome === null ? 0 : exitCodeOf(outcome);
  } catch (error) {
    door.refuse(faultOf(error));
    throw error;
  } finally {
    door.refuse({ ...ENDING, retry: true });
    await host?.close();
    await door.close();
    release();
    unheard();
  }
};

const ENDING = { code: "tool_failed", message: "the process of the team is about to end." } as const;

/**
 * Resolves when nobody looks on and nothing is left to do, when another process has taken the place of this one, or when somebody has
 * removed the store: this process would answer for a team that is not there.
 */
async function unneeded(host: TeamHost, isOver: () => boolean, door: Door): Promise<null> {
  for (let quietSince = Date.now(); ; ) {
    await systemClock.sleep(LOOK_MS);
    if (isOver()) return null;
    if (door.alone === 0 || (await isBusy(host).catch(() => true))) quietSince = Date.now();
    else if (Math.min(door.alone, Date.now() - quietSince) >= ((await hasStopped(host)) ? 0 : ALONE_MS))
      return null;
  }
}

/** Somebody has asked all members to stop. */
const hasStopped = async ({ store }: TeamHost): Promise<boolean> =>
  (await store.roster.members()).every(({ activity }) => activity.phase === "shutdown");

/** Also what waits for a person, a job or a time of day needs its process. */
async function isBusy({ store, spending }: TeamHost): Promise<boolean> {
  const [members, running, crons] = [
    await store.roster.members(),
    await store.jobs.running(null),
    await store.crons.list(),
  ];
  // Used up: the members wait for a person, who starts a process again.
  return running > 0 || crons.length > 0 || (!spending.isUsedUp && members.some(isAtWork));
}

const isAtWork = ({ host, activity }: Member): boolean => {
  if (host === null || activity.phase === "shutdown") return false;
  if (activity.phase === "work") return true;
  // Interrupted by the person, it waits for a message.
  if (activity.reason === "interrupted") return false;
  return IDLE[activity.reason].hasWork;
};
