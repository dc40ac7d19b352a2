/** `ekiden resume`: the same team, where it was. A team that has concluded is left as it is, so that this needs no model. */

import { withTeam } from "../../project/open.ts";
import { concluded } from "../../team/queries/conclusion.ts";
import type { Invocation } from "../invocation.ts";
import { endedBefore, hostTeam } from "../run-team.ts";

export async function run(
  call: Invocation,
  _args: readonly string[],
  { web = false, detach = false }: { web?: boolean; detach?: boolean },
): Promise<number> {
  if (detach) return await (await import("../detach.ts")).detach(call);
  // Also says that there is nothing to resume, before a new team is made in its place.
  const end = await withTeam(call, "look", concluded);
  if (end === null) return await hostTeam(call, { resume: true }, { web });
  const { completed, failed, cancelled } = end;
  const parts = [
    `${completed} completed`,
    failed > 0 ? `${failed} failed` : "",
    cancelled > 0 ? `${cancelled} cancelled` : "",
  ].filter((part) => part !== "");
  const next =
    failed > 0 ? " To try a failed task again: ekiden retry ID. To give it up: ekiden cancel ID." : "";
  call.say(`nothing left to do: ${parts.join(", ")}.${next}`);
  return endedBefore(call, end);
}
