/** The crons of a team. Views: core/views/cron.ts. */
import type { CronsData } from "../../core/views/cron.ts";
import type { Store } from "../../ports/index.ts";

export async function crons({ team, crons }: Store): Promise<CronsData> {
  return { team, crons: await crons.list() };
}
