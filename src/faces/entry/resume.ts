/** `ekiden resume`: the same team, where it was. A team that has concluded is left as it is, so that this needs no model. */

import { withTeam } from "../../project/open.ts";
import { concluded } from "../../team/queries/conclusion.ts";
import type { Run } from "../commands/entry.ts";
import { endedBefore, hostTeam } from "../run/run-team.ts";
import { DISPLAYS } from "./displays.ts";

export const run: Run<{ web?: boolean; detach?: boolean }> = async (
  call,
  _args,
  { web = false, detach = false },
) => {
  if (detach) return await (await import("../run/detach.ts")).detach(call);
  // Also says that there is nothing to resume, before a new team is made in its place.
  const end = await withTeam(call, "use", concluded);
  if (end === null) return await hostTeam(call, { resume: true }, { web, displays: DISPLAYS });
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
};
