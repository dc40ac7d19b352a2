/** `ekiden cron`: the cron jobs of a team. */

import { badInput } from "../../../core/errors.ts";
import { cronId, quote } from "../../../core/ids.ts";
import { jsonLine } from "../../../core/text/hidden.ts";
import { cronsViews } from "../../../core/views/cron.ts";
import { withTeam } from "../../../project/open.ts";
import { addCron, cancelCron, readCron } from "../../../team/actions/crons.ts";
import { actorOf } from "../../../team/actor.ts";
import { crons } from "../../../team/queries/crons.ts";
import { clean } from "../../kit/terminal.ts";
import type { Run } from "../entry.ts";

type Options = { to?: string; task?: boolean; once?: boolean; zone?: string };

export const run: Run<Options> = async (call, [action = "list", ...args], options) => {
  if (action === "add") {
    // "0 9 * * 1" in quotes, or five words.
    const fields = /\s/.test(args[0]?.trim() ?? "") ? 1 : 5;
    const expression = args.slice(0, fields).join(" ");
    // Before the store is opened: a cron job that is refused must not leave an empty team behind.
    const job = await readCron({ ...options, expression, text: args.slice(fields).join(" ").trim() });
    await withTeam(call, "make", async (store) => {
      const { data, text } = await addCron(store, await actorOf(call, store), job);
      call.out.write(call.json ? jsonLine(data) : `${clean(text)}\n`);
    });
  } else if (action === "list" && args.length === 0)
    await withTeam(call, "look", async (store) => call.show(await crons(store), cronsViews));
  else if (action === "cancel" && args.length === 1) {
    const id = cronId(args[0] ?? "");
    await withTeam(call, "use", async (store) =>
      call.done(await cancelCron(store, await actorOf(call, store), id)),
    );
  } else
    throw badInput(
      `ekiden cron ${quote([action, ...args].join(" "))} is not a command. Use ekiden cron list, ekiden cron add CRON TEXT, or ekiden cron cancel ID.`,
    );
};
