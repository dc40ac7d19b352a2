/** `ekiden mcp`: the board and the mailboxes as an MCP server on stdio. The agent that uses it is a teammate. */
import { EkidenError } from "../../core/errors.ts";
import { type Name, teammateName } from "../../core/ids.ts";
import { Guest } from "../../host/guests/guest.ts";
import { serve } from "../../host/guests/serve.ts";
import { type Invocation, wholeNumber } from "../invocation.ts";
import { onSignals } from "../run-guards.ts";

/** Many clients give up a call after 60 s. */
const WAIT_S = 45;
const DEFAULT_NAME = "guest" as Name;

export async function run(
  call: Invocation,
  _args: readonly string[],
  { as, role = "", wait = String(WAIT_S) }: { as?: string; role?: string; wait?: string },
): Promise<undefined> {
  for (const flag of ["model", "leadModel", "teammates"] as const)
    if (call.flags[flag] !== undefined)
      throw new EkidenError(
        "bad_input",
        `${flag === "teammates" ? "--teammates and --teammate have" : flag === "model" ? "--model has" : "--lead-model has"} no meaning for ekiden mcp: its one member is the agent that uses it.`,
      );
  const [settings, trust] = [await call.settings(), await call.trust()];
  if (process.stdin.isTTY)
    call.say(
      "Waits for MCP messages on stdin (Ctrl-C ends it). Agents start this command themselves: claude mcp add ekiden -- ekiden mcp",
    );
  const waitMs = wholeNumber("--wait", wait) * 1_000;
  const given = as === undefined ? null : teammateName(as);
  const release = onSignals(() => process.stdin.destroy());
  try {
    await serve(settings.team, settings.planDeadlineMs, (client) => {
      const name = given ?? nameOf(client);
      const { cwd, env } = call;
      const tell = (text: string): void => call.say(text);
      return new Guest({
        settings,
        cwd,
        env,
        name,
        mayNumber: given === null,
        role: role.trim(),
        tell,
        trust,
        waitMs,
      });
    });
  } finally {
    release();
  }
}

/** Clients give themselves names of any kind. */
function nameOf(client: string): Name {
  try {
    return teammateName(client);
  } catch {
    return DEFAULT_NAME;
  }
}
