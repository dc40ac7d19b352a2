/** `ekiden ps`: the teams of this person in all projects, and which of them need an answer. */
import { systemClock } from "../../adapters/clock.ts";
import { psViews } from "../../core/views/ps.ts";
import { listedTeams } from "../../team/queries/all-teams.ts";
import type { Run } from "./entry.ts";

export const run: Run<{ all?: boolean }> = async (call, _args, { all = false }) => {
  const teams = (await listedTeams(call.env, all)).map(({ open: _, known: __, ...team }) => team);
  await call.show({ now: systemClock.now(), teams }, psViews);
};
