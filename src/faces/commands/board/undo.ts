/** `ekiden undo` and `redo`: files as they were before a change of a member, with what was changed since. */
import { changeViews } from "../../../core/undo/views.ts";
import { refuseMember } from "../../../project/member-shell.ts";
import { withTeam } from "../../../project/open.ts";
import { changesIn, redo as putBack, undo as takeBack } from "../../../team/actions/undo/undo.ts";
import { actorOf } from "../../../team/actor.ts";
import type { Code, Run } from "../entry.ts";

const WHY = "a member may not undo what others did. Ask the person.";

type Options = { since?: string; dryRun?: boolean; list?: boolean; conversation?: boolean };

const undoRun: Run<Options> = async (call, [what], { list = false, ...how }) => {
  if (list) {
    await withTeam(call, "look", async (store) => call.show(await changesIn(store, call.cwd), changeViews));
    return undefined;
  }
  refuseMember(call.env, WHY);
  await withTeam(call, "use", async (store) =>
    call.done(await takeBack(store, call.cwd, await actorOf(call, store), { what, ...how })),
  );
  return undefined;
};

const redoRun: Run = async (call) => {
  refuseMember(call.env, WHY);
  await withTeam(call, "use", async (store) =>
    call.done(await putBack(store, call.cwd, await actorOf(call, store))),
  );
  return undefined;
};

export const undo: Code = { run: undoRun };
export const redo: Code = { run: redoRun };
