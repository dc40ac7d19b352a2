/** `ekiden fork`: a new team that is this one as it was at a point of its journal. */
import { refuseMember } from "../../../project/member-shell.ts";
import { withTeam } from "../../../project/open.ts";
import { storeUrl } from "../../../project/store-address.ts";
import { fork } from "../../../team/actions/fork/fork.ts";
import { actorOf } from "../../../team/actor.ts";
import type { Run } from "../entry.ts";

export const run: Run<{ at?: string; as?: string }> = async (call, [task], { at, as: team }) => {
  refuseMember(call.env, "a member may not fork its team. Ask the person.");
  const where = { cwd: call.cwd, url: storeUrl(await call.settings(), call.cwd) };
  const point = at ?? (task === undefined ? undefined : `#${task.replace(/^#/, "")}`);
  await withTeam(call, "use", async (store) =>
    call.done(await fork(store, where, await actorOf(call, store), { at: point, team })),
  );
  return undefined;
};
