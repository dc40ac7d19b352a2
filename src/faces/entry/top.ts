/** `ekiden top`: team, board and feed on the whole terminal, of a team that any process runs. */
import { badInput } from "../../core/errors.ts";
import { withTeam } from "../../project/open.ts";
import { liveReader } from "../../team/queries/live.ts";
import type { Run } from "../commands/entry.ts";

export const run: Run = async (call) => {
  if (call.json || !process.stdout.isTTY || !process.stdin.isTTY || call.env.TERM === "dumb")
    throw badInput(
      "ekiden top needs a terminal, and there is none here. For programs: ekiden team --json, ekiden tasks --json, ekiden log --follow --json.",
    );
  const live = liveReader(await call.settings(), call.cwd);
  await withTeam(call, "look", async (store) => {
    const { Top } = await import("../screen/top.ts");
    await new Top(call, store, live).run();
  });
};
