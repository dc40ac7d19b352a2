/**
 * Runs the TaskCreated hooks for tasks that no member has created, but the person or a cron job. It follows the journal, so the hooks
 * cannot block: an objection becomes a warning. Only the process that hosts the lead does this.
 */
import { messageOf } from "../../core/errors.ts";
import { HARNESS, type HostId, LEAD, type Name, PERSON } from "../../core/ids.ts";
import type { Store } from "../../ports/index.ts";
import type { Hooks } from "../hooks/hooks.ts";
import { aboutTask } from "../wraps/hooked-calls.ts";

const OTHERS: ReadonlySet<Name> = new Set([PERSON, HARNESS]);
const FLOOR_MS = 30_000;

/** Until the signal aborts. Never rejects. */
export async function followNewTasks(
  hooks: Hooks,
  store: Store,
  host: HostId,
  signal: AbortSignal,
): Promise<void> {
  if (!hooks.has("TaskCreated")) return;
  const warn = (error: unknown): Promise<void> =>
    store.journal.warn(null, `TaskCreated hooks: ${messageOf(error)}`).catch(() => {});
  try {
    let cursor = await store.journal.end();
    while (!signal.aborted) {
      const mark = store.wake.mark();
      const page = await store.journal.read(cursor, { types: ["task.added"] });
      cursor = page.cursor;
      for (const event of page.events)
        if (event.type === "task.added" && OTHERS.has(event.by) && (await isOurs(store, host))) {
          const task = await store.board.task(event.task);
          const facts = task ? aboutTask(task) : {};
          const { blocked } = await hooks.run({
            event: "TaskCreated",
            subject: null,
            who: null,
            details: facts,
            signal,
          });
          if (blocked !== null) await warn(`#${event.task} of ${event.by} is on the board, but: ${blocked}`);
        }
      await store.wake.changed(mark, ["journal"], FLOOR_MS, signal);
    }
  } catch (error) {
    if (!signal.aborted) await warn(error);
  }
}

const isOurs = async (store: Store, host: HostId): Promise<boolean> =>
  (await store.roster.member(LEAD))?.host === host;
