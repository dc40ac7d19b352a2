/** `ekiden stop`: asks a member, or everybody, to stop, and waits until they have. */

import { isEkidenError } from "../../core/errors.ts";
import { name } from "../../core/ids.ts";
import { jsonLine } from "../../core/text/hidden.ts";
import { memberShells } from "../../project/member-shell.ts";
import { withTeam } from "../../project/open.ts";
import { stop } from "../../team/actions/stop.ts";
import { actorOf } from "../../team/actor.ts";
import type { Run } from "./entry.ts";

export const run: Run<{ now?: boolean; reason?: string }> = async (call, [text], { now, reason }) => {
  const who = text === undefined || text === "all" ? null : name(text);
  const settings = await call.settings();
  const { shutdownDeadlineMs: deadlineMs } = settings;
  const asked = withTeam(call, "use", async (store) => {
    const by = await actorOf(call, store);
    const members = await stop(store, by, who, { now, reason, deadlineMs, tell: call.say });
    if (call.json) call.out.write(jsonLine({ team: store.team, members }));
    else if (members.length === 0) call.say("nobody is at work");
    return members.every((member) => member.stopped) ? undefined : 1;
  });
  return await asked.catch(async (error: unknown) => {
    const isPerson = memberShells(call.env).length === 0;
    const isAway = isEkidenError(error, "store_unavailable") && who === null && isPerson;
    if (!isAway) throw error;
    const { endHere } = await import("../../host/attach/end-here.ts");
    const ended = await endHere(settings, call.cwd);
    if (ended.length === 0) throw error;
    call.say(
      `the store is away, so process ${ended.join(" and ")} of the team here was told to end; the state of the team is kept. Those on other machines continue.`,
    );
    return undefined;
  });
};
