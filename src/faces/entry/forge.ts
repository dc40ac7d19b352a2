/** `ekiden forge`: a team that works on the issues of a repository on a forge, until it is stopped. */
import { recruits } from "../../core/board/recruit.ts";
import { orElse } from "../../core/errors.ts";
import { repoName, repoOf } from "../../core/forge/model.ts";
import { LEAD } from "../../core/ids.ts";
import type { Settings } from "../../core/settings/settings.ts";
import { withTeam } from "../../project/open.ts";
import type { Run } from "../commands/entry.ts";
import { listForge } from "../commands/forge-list.ts";
import type { Invocation } from "../kit/invocation.ts";
import { hostTeam } from "../run/run-team.ts";
import { DISPLAYS } from "./displays.ts";

type Texts = { repo?: string; label?: string; assignee?: string; webhook?: string };
type Options = Texts & { once?: boolean; list?: boolean; web?: boolean };

const TEAMMATES = 3;

export const run: Run<Options> = async (call, _args, options) => {
  const { repo, label, assignee, webhook, once = false, list = false, web = false } = options;
  if (list) {
    const listed = withTeam(call, "look", (store) => listForge(call, store).then(() => true));
    if (!(await orElse(listed, "not_found", false))) await listForge(call, null);
    return undefined;
  }
  const chosen = {
    ...(repo !== undefined && { forge: repoName(repoOf(repo)) }),
    ...(label && { forgeLabel: label }),
    ...(assignee && { forgeAssignee: assignee }),
    ...(webhook && { forgeWebhook: webhook }),
  };
  const settings = async (): Promise<Settings> => {
    const found = { ...(await call.settings()), ...chosen };
    return { ...found, forge: found.forge ?? "origin", teammates: found.teammates ?? recruits(TEAMMATES) };
  };
  // A team of the same name goes on.
  const there = withTeam(call, "use", async (store) => (await store.roster.member(LEAD)) !== null);
  const work = (await orElse(there, "not_found", false))
    ? ({ resume: true } as const)
    : ({ interactive: true } as const);
  const watching: Invocation = { ...call, settings };
  return await hostTeam(watching, work, { web, displays: DISPLAYS, forge: once ? "once" : "stay" });
};
