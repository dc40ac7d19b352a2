/** `ekiden ps`: the teams of this person in all projects, and which of them need an answer. */
import { systemClock } from "../../adapters/clock.ts";
import { inOrder, type ListedTeam, psViews } from "../../core/views/ps.ts";
import { knownTeams } from "../../project/known-teams.ts";
import { listedTeam, readListed } from "../../team/queries/all-teams.ts";
import type { Run } from "./entry.ts";

/** Teams that are done are listed for this long without --all. */
const DONE_MS = 86_400_000;

export const run: Run<{ all?: boolean }> = async (call, _args, { all = false }) => {
  const now = systemClock.now();
  const listed: ListedTeam[] = [];
  for (const known of knownTeams()) {
    const read = await readListed(known, call.env, (store) => listedTeam(known.cwd, store));
    if (read !== null) listed.push(read);
  }
  const isRecent = ({ state, since }: ListedTeam): boolean =>
    state !== "done" || now - (since ?? 0) < DONE_MS;
  await call.show({ now, teams: inOrder(all ? listed : listed.filter(isRecent)) }, psViews);
};
