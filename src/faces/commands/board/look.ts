/** `ekiden team`, `cost`, `requests` and `context`: commands that show the answer to one query. */

import { contextViews } from "../../../core/conversation/context.ts";
import { LEAD, name } from "../../../core/ids.ts";
import { questionViews } from "../../../core/views/request.ts";
import { teamViews } from "../../../core/views/team.ts";
import type { View } from "../../../core/views/view.ts";
import type { Store } from "../../../ports/index.ts";
import { withTeam } from "../../../project/open.ts";
import { costs, costsViews } from "../../../team/queries/costs.ts";
import { requests as openRequests } from "../../../team/queries/requests.ts";
import { team as teamQuery } from "../../../team/queries/team.ts";
import { context as contextQuery } from "../../../team/queries/transcript.ts";
import type { Code } from "../entry.ts";

const showing = <T>(query: (store: Store) => Promise<T>, views: (data: T) => readonly View[]): Code => ({
  run: async (call) => {
    await withTeam(call, "look", async (store) => call.show(await query(store), views));
  },
});

export const team = showing(teamQuery, teamViews);
export const cost = showing(costs, costsViews);
export const requests = showing(openRequests, questionViews);

export const context: Code = {
  run: async (call, [who = LEAD]) => {
    const settings = await call.settings();
    await withTeam(call, "look", async (store) =>
      call.show(await contextQuery(store, name(who), settings), contextViews),
    );
  },
};
