/** The members of a team, what each has used, and the processes that run them. Views: core/views/team.ts. */
import { systemClock } from "../../adapters/clock.ts";
import { notFound } from "../../core/errors.ts";
import { HARNESS, LEAD, type Name, PERSON } from "../../core/ids.ts";
import { type TeamData, teamData } from "../../core/views/team.ts";
import type { Store } from "../../ports/index.ts";
import { readHosts, standsStill } from "./hosts.ts";
import { redNow } from "./red-target.ts";

export async function team(store: Store): Promise<TeamData> {
  const { team, roster, board, logins } = store;
  const [members, hosts, tasks] = [await roster.members(), await readHosts({ roster }), await board.tasks()];
  const still = hosts.filter(standsStill);
  const data = teamData(team, members, hosts, tasks, systemClock.now(), await logins.list(), still);
  return { ...data, ...(await redNow(store)) };
}

/** @throws EkidenError `not_found` with the names that exist */
export async function mustExist({ roster, team }: Store, who: Name): Promise<void> {
  if (who === PERSON || who === LEAD || who === HARNESS) return;
  const names = (await roster.members()).map((member) => member.name);
  if (names.includes(who)) return;
  const known = names.length > 0 ? `Here: ${names.join(", ")}.` : "It has none yet.";
  throw notFound(`No member "${who}" in team "${team}". ${known}`);
}
