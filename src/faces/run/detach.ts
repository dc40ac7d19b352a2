/** `run --detach` and `resume --detach`: the team works on in a process of its own, and this one ends. */
import { systemClock } from "../../adapters/clock.ts";
import { badInput, EkidenError, orElse } from "../../core/errors.ts";
import type { Name } from "../../core/ids.ts";
import { withTeam } from "../../project/open.ts";
import { againLine } from "../kit/again-line.ts";
import type { Invocation } from "../kit/invocation.ts";
import { hasLead, logFile, saidIn, startOwn } from "../kit/own-process.ts";

const LOOK_MS = 200;
const WAIT_MS = 30_000;
/** Tells a run that its person is at another terminal. */
export const DETACHED = "EKIDEN_DETACHED";

/** Returns when the team works, or its run is over already. @throws EkidenError `bad_input` with what the run said when it could not begin */
export async function detach(call: Invocation): Promise<number> {
  // The person can only be asked here.
  await call.trust();
  const { team } = await call.settings();
  if (await isLed(call))
    throw new EkidenError(
      "already_started",
      `the team is already running. ${againLine(call, team, "top")} watches it, ${againLine(call, team, "stop")} ends it.`,
    );
  const given = process.argv.slice(2);
  const words = given.toSpliced(given.indexOf("--detach"), 1);
  const { pid, log, said } = await begin(call, team, words);
  const line = (command: string): string => againLine(call, team, command);
  call.done({
    data: { team, pid, log },
    text:
      said ??
      `the team works in process ${pid}. To watch it: ${line("top")} or ${line("web")}. Questions: ${line("requests")}. To end it: ${line("stop")}. It prints to ${log}`,
  });
  return 0;
}

/** A run with these words. `said`: its output, if it is over already. */
async function begin(
  call: Invocation,
  team: Name,
  words: readonly string[],
): Promise<{ readonly pid: number; readonly log: string; readonly said: string | null }> {
  const log = logFile(call.cwd, `run-${team}`);
  const run = startOwn({ cwd: process.cwd(), env: { ...call.env, [DETACHED]: "1" } }, words, log);
  const { pid = 0 } = run.child;
  for (let waited = 0; waited < WAIT_MS; waited += LOOK_MS) {
    await systemClock.sleep(LOOK_MS);
    if (run.ended !== null) {
      const said = saidIn(log);
      if (run.ended !== 0) throw badInput(said || `the run ended with code ${run.ended}.`);
      return { pid, log, said: said || "it is done already" };
    }
    if (await isLed(call)) break;
  }
  return { pid, log, said: null };
}

const isLed = (call: Invocation): Promise<boolean> =>
  orElse(withTeam(call, "look", hasLead), "not_found", false);
