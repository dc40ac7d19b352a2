/** `ekiden tasks`: the board, or one task with its history from the journal. */
import { badInput } from "../../../core/errors.ts";
import { name, quote, taskId } from "../../../core/ids.ts";
import { didYouMean } from "../../../core/text/nearest.ts";
import { boardViews, taskViews } from "../../../core/views/board.ts";
import { withTeam } from "../../../project/open.ts";
import { type BoardFilter, board, task } from "../../../team/queries/board.ts";
import { mustExist } from "../../../team/queries/team.ts";
import type { Run } from "../entry.ts";

const STATUSES = ["pending", "ready", "in_progress", "completed", "failed", "cancelled"] as const;

export const run: Run<{ status?: string; owner?: string }> = async (call, [text], options) => {
  const id = text === undefined ? null : taskId(text);
  const filter: BoardFilter = {
    ...(options.status !== undefined && { status: status(options.status) }),
    ...(options.owner !== undefined && { owner: name(options.owner) }),
  };
  if (id !== null && Object.keys(filter).length > 0)
    throw badInput("Give either the id of a task or --status and --owner, not both.");
  await withTeam(call, "look", async (store) => {
    if (id !== null) return call.show(await task(store, id), taskViews);
    if (filter.owner) await mustExist(store, filter.owner);
    await call.show(await board(store, filter), boardViews);
  });
};

function status(text: string): (typeof STATUSES)[number] {
  const wanted = text.toLowerCase().replaceAll(/[- ]/g, "_");
  const found = STATUSES.find((one) => one === wanted);
  if (found) return found;
  throw badInput(
    `--status ${quote(text)} is not a status.${didYouMean(wanted, STATUSES)} Use one of ${STATUSES.join(", ")}.`,
  );
}
