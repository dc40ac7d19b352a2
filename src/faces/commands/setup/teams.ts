/** `ekiden teams`: the teams that share a store. All other commands take one by `--team`. */
import { existsSync } from "node:fs";
import { badInput, EkidenError } from "../../../core/errors.ts";
import { type Name, name, PERSON, quote } from "../../../core/ids.ts";
import { type TeamsData, teamsViews } from "../../../core/views/teams.ts";
import { withTeam } from "../../../project/open.ts";
import { sqlitePath, storeUrl } from "../../../project/store-address.ts";
import { teamFigures } from "../../../team/queries/teams.ts";
import type { Invocation } from "../../kit/invocation.ts";
import type { Run } from "../entry.ts";

export const run: Run<{ force?: boolean }> = async (call, [action = "list", wanted], { force = false }) => {
  if (action === "list" && wanted === undefined) return await list(call);
  if (action === "create" && wanted !== undefined) return await create(call, name(wanted));
  if (action === "delete" && wanted !== undefined) return await remove(call, name(wanted), force);
  throw badInput(
    `ekiden teams ${quote([action, wanted ?? ""].join(" ").trim())} is not a command. Use ekiden teams, ekiden teams create NAME, or ekiden teams delete NAME.`,
  );
};

async function list(call: Invocation): Promise<undefined> {
  const teams: TeamsData["teams"][number][] = [];
  for (const team of await teamsHere(call)) teams.push(await withTeam(at(call, team), "look", teamFigures));
  const data: TeamsData = { teams };
  await call.show(data, teamsViews);
}

async function create(call: Invocation, team: Name): Promise<undefined> {
  if ((await teamsHere(call)).includes(team))
    throw new EkidenError("name_taken", `there is a team "${team}" already.`);
  await withTeam(at(call, team), "make", () => Promise.resolve());
  call.done({
    data: { name: team, created: true },
    text: `created; start it with ekiden --team ${team} run GOAL`,
  });
}

async function remove(call: Invocation, team: Name, force: boolean): Promise<undefined> {
  const teams = await teamsHere(call);
  const { team: ours } = await call.settings();
  // Another team, if there is one, journals the deletion.
  const others = teams.filter((one) => one !== team);
  const from = others.find((one) => one === ours) ?? others[0] ?? team;
  await withTeam(at(call, from), "use", (store) => store.removeTeam(team, PERSON, force));
  call.done({ data: { name: team, deleted: true }, text: `deleted the team ${team}` });
}

/** Looking for teams creates no store. */
export async function teamsHere(call: Invocation): Promise<Name[]> {
  const settings = await call.settings();
  const path = sqlitePath(settings.store, call.cwd);
  if (path !== null && !existsSync(path)) return [];
  const { teamsAt } = await import("../../../adapters/store/index.ts");
  return await teamsAt({ url: storeUrl(settings, call.cwd) });
}

const at = (call: Invocation, team: Name): Invocation => ({
  ...call,
  settings: async () => ({ ...(await call.settings()), team }),
});
