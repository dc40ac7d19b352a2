/** `ekiden stop`: asks a member, or everybody, to stop, and waits until they have. */
import { name } from "../../core/ids.ts";
import { withTeam } from "../../project/open.ts";
import { stop } from "../../team/actions/stop.ts";
import { actorOf } from "../../team/actor.ts";
import type { Run } from "./entry.ts";

export const run: Run<{ now?: boolean; reason?: string }> = async (call, [text], { now, reason }) => {
  const who = text === undefined || text === "all" ? null : name(text);
  const { shutdownDeadlineMs: deadlineMs } = await call.settings();
  return withTeam(call, "use", async (store) => {
    const by = await actorOf(call, store);
    const members = await stop(store, by, who, { now, reason, deadlineMs, tell: call.say });
    if (call.json) call.out.write(`${JSON.stringify({ team: store.team, members })}\n`);
    else if (members.length === 0) call.say("nobody is at work");
    return members.every((member) => member.stopped) ? undefined : 1;
  });
};
