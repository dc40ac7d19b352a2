/** `ekiden prune`: deletes what is old and finished. Teams may be at work meanwhile. */
import { join } from "node:path";
import { instant } from "../../../core/ids.ts";
import { pruneViews } from "../../../core/views/prune.ts";
import { refuseMember } from "../../../project/member-shell.ts";
import { withTeam } from "../../../project/open.ts";
import { prune } from "../../../team/actions/prune.ts";
import { wholeNumber } from "../../kit/invocation.ts";
import type { Run } from "../entry.ts";

const DAYS = "30";
const DAY_MS = 86_400_000;

export const run: Run<{ days?: string; teams?: boolean; dryRun?: boolean }> = async (
  call,
  _,
  { days = DAYS, teams = false, dryRun = false },
) => {
  if (!dryRun) refuseMember(call.env, "a member may not delete the history of its team. Ask the person.");
  const before = instant(Date.now() - wholeNumber("--days", days) * DAY_MS);
  const data = await withTeam(call, dryRun ? "look" : "use", (store) =>
    prune(store, {
      before,
      teams,
      dryRun,
      outputDir: join(call.cwd, ".ekiden", "output"),
    }),
  );
  await call.show(data, pruneViews);
};
