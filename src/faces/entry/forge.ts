/** `ekiden forge`: a team that works on the issues of a repository on a forge, until it is stopped. */
import { recruits } from "../../core/board/recruit.ts";
import { badInput, orElse } from "../../core/errors.ts";
import { LEAD, quote } from "../../core/ids.ts";
import { settingShape } from "../../core/settings/fields.ts";
import type { Settings } from "../../core/settings/settings.ts";
import { withTeam } from "../../project/open.ts";
import type { Run } from "../commands/entry.ts";
import { listForge } from "../commands/forge-list.ts";
import { hostTeam } from "../run/run-team.ts";
import { DISPLAYS } from "./displays.ts";

const FLAGS = {
  repo: "forge",
  label: "forgeLabel",
  assignee: "forgeAssignee",
  webhook: "forgeWebhook",
} as const;
type Options = Partial<Record<keyof typeof FLAGS, string> & Record<"once" | "list" | "web", boolean>>;

/** What the flags say, as settings. All that are wrong are named at once, before anything is looked at. @throws EkidenError `bad_input` */
function chosenBy(options: Options): Partial<Settings> {
  const flags = (Object.keys(FLAGS) as (keyof typeof FLAGS)[]).filter((flag) => options[flag]);
  const wrong = flags.flatMap((flag) => {
    const fault = settingShape(FLAGS[flag]).safeParse(options[flag]).error?.issues[0]?.message;
    return fault === undefined ? [] : `--${flag} is ${quote(options[flag])}: it must be ${fault}.`;
  });
  if (wrong.length > 0) throw badInput(wrong.join("\n"));
  return Object.fromEntries(flags.map((flag) => [FLAGS[flag], options[flag]]));
}

const TEAMMATES = 3;

export const run: Run<Options> = async (call, _args, options) => {
  const { once = false, list = false, web = false } = options;
  const chosen = chosenBy(options);
  if (list) {
    const listed = withTeam(call, "look", (store) => listForge(call, store).then(() => true));
    if (!(await orElse(listed, "not_found", false))) await listForge(call, null);
    return undefined;
  }
  const settings = async (): Promise<Settings> => {
    const found = { ...(await call.settings()), ...chosen };
    return { ...found, forge: found.forge ?? "origin", teammates: found.teammates ?? recruits(TEAMMATES) };
  };
  // A team of the same name continues.
  const there = withTeam(call, "use", async (store) => (await store.roster.member(LEAD)) !== null);
  const work = (await orElse(there, "not_found", false))
    ? ({ resume: true } as const)
    : ({ interactive: true } as const);
  return await hostTeam({ ...call, settings }, work, {
    web,
    displays: DISPLAYS,
    forge: once ? "once" : "stay",
  });
};
