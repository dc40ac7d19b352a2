/**
 * Records which worktree belongs to which task, in small files beside the worktrees. A new board counts from 1 again, so a task
 * is identified by the time of its creation too.
 */
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Instant, Name, TaskId } from "../../core/ids.ts";
import type { Which } from "../../ports/worktrees.ts";
import { jsonIn, namesIn, replaceFile } from "../small-files.ts";

export type Binding = {
  /** Relative to the folder of worktrees. */
  readonly path: string;
  readonly branch: string;
  readonly target: string;
  readonly kept: boolean;
  /** Set before the target moves to it: after a crash it tells that the task landed. */
  readonly landing: string | null;
  /** The commit of its pull request: it is on the remote, and this branch stays. */
  readonly proposed?: string;
  /** The commit of its branch on the remote that this machine has pushed or gone on from. */
  readonly parked?: string | null;
  /** The branch and the files that were pushed with it. */
  readonly parkedState?: string | null;
  /** The attempt for which the remote was last asked. */
  readonly attempt?: number;
};

export type Key = Pick<Which, "id" | "createdAt">;

export const keyOf = ({ id, createdAt }: Key): string => `${id}.${createdAt}`;

export class Bindings {
  private readonly folder: string;
  private readonly team: Name;

  constructor(worktrees: string, team: Name) {
    this.folder = join(worktrees, ".tasks");
    this.team = team;
  }

  read(task: Key): Binding | null {
    return jsonIn(this.file(task));
  }

  write(task: Key, binding: Binding): void {
    mkdirSync(this.folder, { recursive: true });
    replaceFile(this.file(task), JSON.stringify(binding));
  }

  update(task: Key, otherwise: Binding, change: Partial<Binding>): void {
    this.write(task, { ...(this.read(task) ?? otherwise), ...change });
  }

  remove(task: Key): void {
    rmSync(this.file(task), { force: true });
  }

  /** Whether the team works in worktrees; `resume` reads it. */
  get inUse(): boolean {
    return existsSync(this.sign);
  }

  set inUse(inUse: boolean) {
    if (inUse) mkdirSync(this.folder, { recursive: true });
    if (inUse) writeFileSync(this.sign, "");
    else rmSync(this.sign, { force: true });
  }

  private get sign(): string {
    return join(this.folder, this.team);
  }

  list(): Key[] {
    return namesIn(this.folder).flatMap((file) => {
      const [, team, id, createdAt] = /^([a-z][a-z0-9-]*)\.(\d+)\.(\d+)\.json$/.exec(file) ?? [];
      return team === this.team
        ? [{ id: Number(id) as TaskId, createdAt: Number(createdAt) as Instant }]
        : [];
    });
  }

  private file(task: Key): string {
    return join(this.folder, `${this.team}.${keyOf(task)}.json`);
  }
}

type Whose = { readonly project: string; readonly team: Name };

export const folderOf = (project: string): string => join(project, ".ekiden", "worktrees");
export const bindingsOf = ({ project, team }: Whose): Bindings => new Bindings(folderOf(project), team);

/** Whether the team was last started with worktrees: then it continues with them. */
export const hasWorktrees = (whose: Whose): boolean => bindingsOf(whose).inUse;

/** The team was started without worktrees now; their content stays. */
export function withoutWorktrees(whose: Whose): void {
  bindingsOf(whose).inUse = false;
}
