/**
 * Runs the TaskCreated hooks for tasks that no call of a member has created, but the person or a cron job. It follows the journal, so the
 * hooks cannot block: an objection becomes a warning. Only the process that hosts the lead does this.
 */
import { messageOf } from "../../core/errors.ts";
import type { Event } from "../../core/event.ts";
import { HARNESS, type HostId, LEAD, type Name, PERSON, type TaskId } from "../../core/ids.ts";
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
      const page = await store.journal.read(cursor, { types: ["task.added", "cron.fired"] });
      cursor = page.cursor;
      for (const event of page.events) {
        const id = addedBy(event);
        if (id !== null && (await isOurs(store, host))) {
          const task = await store.board.task(id);
          if (event.type === "cron.fired" && task && OTHERS.has(task.createdBy)) continue; // its other fact has come
          const facts = task ? aboutTask(task) : {};
          const { blocked } = await hooks.run({
            event: "TaskCreated",
            subject: null,
            who: null,
            details: facts,
            signal,
          });
          if (blocked !== null)
            await warn(`#${id} of ${task?.createdBy ?? HARNESS} is on the board, but: ${blocked}`);
        }
      }
      await store.wake.changed(mark, ["journal"], FLOOR_MS, signal);
    }
  } catch (error) {
    if (!signal.aborted) await warn(error);
  }
}

const addedBy = (event: Event): TaskId | null =>
  event.type === "cron.fired"
    ? event.task
    : event.type === "task.added" && OTHERS.has(event.by)
      ? event.task
      : null;

const isOurs = async (store: Store, host: HostId): Promise<boolean> =>
  (await store.roster.member(LEAD))?.host === host;
