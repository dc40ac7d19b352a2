/** `ekiden member`: another role or another name for a teammate. */
import { badInput } from "../../core/errors.ts";
import { given } from "../../core/given.ts";
import { name, teammateName } from "../../core/ids.ts";
import { withTeam } from "../../project/open.ts";
import { changeMember } from "../../team/actions/members.ts";
import { actorOf } from "../../team/actor.ts";
import type { Run } from "./entry.ts";

export const run: Run<{ role?: string; name?: string }> = async (call, [text = ""], options) => {
  const { role } = options;
  if (role === undefined && options.name === undefined)
    throw badInput("Say what to change: --role ROLE (none for no role) or --name NAME.");
  const change = given({
    role: role === "none" ? "" : role,
    name: options.name === undefined ? undefined : teammateName(options.name),
  });
  await withTeam(call, "use", async (store) =>
    call.done(await changeMember(store, await actorOf(call, store), name(text), change)),
  );
};
