/** One task as its panel shows it: what is kept of it, its life, and its change. */
import type { TaskId } from "../../../core/ids.ts";
import type { Store } from "../../../ports/index.ts";
import { withGit } from "../../../project/own-git.ts";
import { task } from "../../../team/queries/board.ts";
import type { OutcomeReader } from "../../../team/queries/outcome.ts";
import type { ShowDiff } from "../../../team/queries/shown-diff.ts";
import { taskChange } from "../../../team/queries/task-change.ts";
import { TaskLife } from "../../../team/queries/task-life.ts";
import type { ShownChange, ShownTask } from "../wire.ts";

const DIFF_MAX = 500_000;
/** Those that were looked at last are read on, not again. */
const KEPT = 8;

export class TaskReader {
  private readonly lives = new Map<TaskId, TaskLife>();
  private readonly store: Store;
  private readonly cwd: string;
  private readonly show: ShowDiff;

  constructor(store: Store, cwd: string, show: ShowDiff) {
    this.store = store;
    this.cwd = cwd;
    this.show = show;
  }

  /** @throws EkidenError `not_found` */
  async read(id: TaskId): Promise<ShownTask> {
    const life = this.lives.get(id) ?? new TaskLife(this.store.journal, id);
    const found = await task(this.store, id, life);
    this.lives.delete(id);
    this.lives.set(id, life);
    for (const [old] of this.lives) if (this.lives.size > KEPT) this.lives.delete(old);
    return { ...found, around: life.around, spent: life.spent };
  }

  /** @throws EkidenError `not_found`; `tool_failed` where git fails */
  async change(id: TaskId, outcome: OutcomeReader): Promise<ShownChange> {
    const { task, history } = await this.read(id);
    const { tasks } = await outcome.read(true);
    const wrote = Object.entries(tasks).flatMap(([path, ids]) => (ids.includes(id) ? [path] : []));
    const { where, diff } = await taskChange(this.store, this.cwd, task, history, wrote);
    const asked = withGit(this.cwd, (git) => git.try(this.cwd, "rev-parse", "--show-prefix"));
    const prefix = (await asked.catch(() => null))?.out.trim() ?? "";
    const shown = this.show(diff, prefix);
    return { where, diff: shown.slice(0, DIFF_MAX), cut: shown.length > DIFF_MAX };
  }
}
