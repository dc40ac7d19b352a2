/** Puts a runbook that is run again back to work, or gives its earlier run up. */
import { EkidenError } from "../../core/errors.ts";
import { type Name, PERSON } from "../../core/ids.ts";
import { type Rerun, rerunOf } from "../../core/project/rerun.ts";
import type { Runbook } from "../../core/project/runbook.ts";
import type { Store } from "../../ports/index.ts";
import { liveHosts } from "../queries/hosts.ts";

export type Continued =
  /** The runbook is not on the board. */
  | { readonly kind: "new" }
  /** Every task of it is completed or cancelled. Nothing was changed. */
  | { readonly kind: "done"; readonly completed: number; readonly cancelled: number; readonly text: string }
  /** Its failed tasks are back on the board, and the board follows the file. */
  | { readonly kind: "continued"; readonly text: string };

/** `file` names the runbook in the text. @throws as the board */
export async function continueRunbook(
  store: Store,
  by: Name,
  runbook: Runbook,
  file: string,
): Promise<Continued> {
  const rerun = await find(store, runbook);
  if (rerun === null) return { kind: "new" };
  const { board } = store;
  const of = (status: string): number => rerun.tasks.filter((task) => task?.status === status).length;
  const [completed, cancelled, failed] = [of("completed"), of("cancelled"), rerun.retry.length];
  const changed =
    rerun.outdated.length === 0
      ? ""
      : ` Completed with another text than in the file now: ${rerun.outdated.map((id) => `#${id}`).join(", ")}.`;
  if (completed + cancelled === rerun.tasks.length) {
    const all = cancelled > 0 ? `${completed} completed, ${cancelled} cancelled` : `${completed} completed`;
    const text = `nothing left to do: ${file} is on the board (${all}).${changed} To run all of it again: ekiden run ${file} --fresh`;
    return { kind: "done", completed, cancelled, text };
  }
  for (const { id, change } of rerun.change) await board.change(id, change, by);
  const added = await board.addAll(rerun.add, by);
  for (const { id, after } of rerun.link)
    await board.change(id, { addBlockedBy: after.flatMap((nth) => added[nth]?.id ?? []) }, by);
  for (const id of rerun.retry) await board.retry(id, by);
  const parts = [
    `${completed} of ${rerun.tasks.length} completed`,
    ...(failed > 0 ? [`${failed} failed, tried again`] : []),
    ...(added.length > 0 ? [`${added.length} new`] : []),
    ...(rerun.change.length > 0 ? [`${rerun.change.length} changed`] : []),
  ];
  const text = `${file} is on the board already, continuing (${parts.join("; ")}).${changed} To start over: --fresh`;
  return { kind: "continued", text };
}

/** Cancels what is left of the runbook's earlier run, so that it can start again. @throws EkidenError `already_started` while a member works on it */
export async function abandonRunbook(store: Store, by: Name, runbook: Runbook): Promise<void> {
  const rerun = await find(store, runbook);
  const left = rerun?.tasks.filter((task) => task && !["completed", "cancelled"].includes(task.status)) ?? [];
  const running = (await liveHosts(store)).length > 0;
  const taken = left.find((task) => task?.status === "in_progress");
  if (running && taken)
    throw new EkidenError(
      "already_started",
      `the team is at work on #${taken.id} ${taken.subject}. Stop it first: ekiden stop`,
    );
  for (const task of left) if (task) await store.board.cancel(task.id, by, "run again with --fresh");
}

const find = async (store: Store, runbook: Runbook): Promise<Rerun | null> =>
  rerunOf(
    runbook,
    (await store.board.tasks()).filter(({ createdBy }) => createdBy === PERSON),
  );
