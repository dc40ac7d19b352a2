/** Reaches the process that runs the team of a conversation, and starts it where there is none. It outlives its faces. */
import { setTimeout as sleep } from "node:timers/promises";
import { EkidenError, type ErrorCode } from "../../core/errors.ts";
import { type Reached, reach } from "../../host/attach/attached-host.ts";
import { errorOf, socketPath } from "../../host/attach/wire.ts";
import type { Invocation } from "../kit/invocation.ts";
import { logFile, type OwnProcess, saidIn, startOwn } from "../kit/own-process.ts";

/** Between two looks for a process that has just been started. */
const LOOK_MS = 15;

/** A run that stands still is not waited for: the team is then taken over. */
const FROZEN_MS = 3_000;
/** Another process may be faster, and gone again: a few times, and no more. */
const STARTS_MAX = 5;

/** @throws EkidenError what the process said when it could not run the team */
export async function reachTeam(call: Invocation, signal?: AbortSignal): Promise<Reached> {
  const settings = await call.settings();
  const path = socketPath(settings, call.cwd);
  const runs = socketPath(settings, call.cwd, "run");
  const log = logFile(call.cwd, `host-${settings.team}`);
  // The last value of an option counts.
  const words = ["host", ...(call.words ?? given()), "--cwd", call.cwd, "--team", settings.team];
  let own: OwnProcess | null = null;
  for (let starts = 0; ; ) {
    const found = (await reach(path)) ?? (own === null ? await reach(runs, FROZEN_MS) : null);
    if (found && "line" in found) return found;
    if (found && found.refused.retry !== true) throw errorOf(found.refused);
    signal?.throwIfAborted();
    // One that is about to end has the team still.
    if (!found && own === null) {
      own = startOwn({ cwd: process.cwd(), env: call.env }, words, log);
      starts += 1;
    }
    if (!found && own !== null && own.ended !== null) {
      if (own.ended !== 0 || starts >= STARTS_MAX) throw faultIn(log, own.ended);
      own = null;
    }
    await sleep(LOOK_MS);
  }
}

/** The command line as it was typed. */
export const given = (): readonly string[] => process.argv.slice(process.argv[2] === "talk" ? 3 : 2);

function faultIn(log: string, code: number): EkidenError {
  const said = saidIn(log).replace(/^ekiden: /, "");
  return new EkidenError(codeFor(code), said || `the process of the team ended with code ${code}.`);
}

/** So that this process ends with the same code. */
const codeFor = (code: number): ErrorCode =>
  code === 3 ? "model_missing" : code === 4 ? "budget" : code === 5 ? "store_unavailable" : "bad_input";
