/** `ekiden compare A B`: two teams of the store side by side, such as a team and its fork. */

import { compareViews } from "../../../core/fork/compare.ts";
import { name } from "../../../core/ids.ts";
import { withTeam } from "../../../project/open.ts";
import { compare } from "../../../team/queries/compare.ts";
import type { Run } from "../entry.ts";

export const run: Run = async (call, [one = "", other = ""]) => {
  const names = [name(one), name(other)] as const;
  await withTeam(call, "use", async (store) =>
    call.show(await compare(store, call.cwd, names), compareViews),
  );
  return undefined;
};
