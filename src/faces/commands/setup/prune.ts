/** `ekiden prune`: deletes what is old and finished. Teams may be at work meanwhile. */
import { join } from "node:path";
import { landingsOf } from "../../../adapters/git/landing/landings.ts";
import { childEnvironment } from "../../../adapters/shell/environment.ts";
import { orElse } from "../../../core/errors.ts";
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
  // Null outside of a repository.
  const landings = await orElse(landingsOf(call.cwd, childEnvironment(call.env)), "bad_input", null);
  const data = await withTeam(call, dryRun ? "look" : "use", (store) =>
    prune(store, {
      before,
      teams,
      dryRun,
      outputDir: join(call.cwd, ".ekiden", "output"),
      pruneGates: landings && ((at, remove) => landings.pruneGates(at, remove)),
    }),
  );
  await call.show(data, pruneViews);
};
