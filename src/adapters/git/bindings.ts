/**
 * Records which worktree belongs to which task, in small files beside the worktrees. A new board counts from 1 again, so a task
 * is identified by the time of its creation too.
 */
import { existsSync, lstatSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { branchOf } from "../../core/board/worktree.ts";
import { badInput } from "../../core/errors.ts";
import type { Instant, Name, TaskId } from "../../core/ids.ts";
import type { Which } from "../../ports/worktrees.ts";
import { jsonIn, namesIn, replaceFile } from "../small-files.ts";

export type Binding = {
  /** Relative to the folder of worktrees. */
  readonly path: string;
  readonly branch: string;
  readonly target: string;
  readonly kept: boolean;
  /** Its worktree was whole once: where it is not there any more, somebody has removed it. */
  readonly isMade?: boolean;
  /** Set before the target moves to it: after a crash it tells that the task landed. */
  readonly landing: string | null;
  /** The attempt that it was set in. */
  readonly landingAttempt?: number;
  /** The values of `landing` in earlier attempts. */
  readonly landingsBefore?: readonly string[];
  /** The commit of its pull request: it is on the remote, and this branch stays. */
  readonly proposed?: string;
  /** The branch of its pull request on a forge, and what was pushed there, or was about to be. */
  readonly request?: string;
  readonly pushed?: readonly string[];
  /** The commit of its branch on the remote that this machine has pushed or gone on from. */
  readonly parked?: string | null;
  /** The branch and the files that were pushed with it. */
  readonly parkedState?: string | null;
  /** The attempt for which the remote was last asked. */
  readonly attempt?: number;
  /** Its folder was removed, and its member has not been told so at a completion. */
  readonly isLost?: boolean;
};

export type Key = Pick<Which, "id" | "createdAt">;

export const keyOf = ({ id, createdAt }: Key): string => `${id}.${createdAt}`;

export class Bindings {
  private readonly worktrees: string;
  private readonly folder: string;
  private readonly team: Name;

  /** @throws EkidenError `bad_input` where a link leads to another folder */
  constructor(worktrees: string, team: Name) {
    this.worktrees = worktrees;
    this.folder = join(worktrees, ".tasks");
    this.team = team;
    for (const path of [worktrees, this.folder])
      if (isLink(path))
        throw badInput(
          `${path} is a symbolic link, but worktrees need a real folder in the project. Remove the link.`,
        );
  }

  /** Null also for one that this program cannot have written: a clone brings files, too. */
  read(task: Key): Binding | null {
    const found = jsonIn<Binding>(this.file(task));
    return found !== null && isOwn(found) && !isLinked(this.worktrees, found.path) ? found : null;
  }

  write(task: Key, binding: Binding): void {
    mkdirSync(this.folder, { recursive: true });
    replaceFile(this.file(task), JSON.stringify(binding));
  }

  update(task: Key, otherwise: Binding, change: Partial<Binding>): void {
    this.write(task, { ...(this.read(task) ?? otherwise), ...change });
  }

  /** As it was; from now on its member has been told of the loss. */
  takeLoss(task: Key): Binding | null {
    const known = this.read(task);
    if (known?.isLost) this.write(task, { ...known, isLost: false });
    return known;
  }

  /** Notes the commit that the target is about to move to. An earlier owner's move may still be under way: its note stays. */
  willLand(task: Key, otherwise: Binding, landing: string, attempt: number): void {
    const { landing: last, landingAttempt, landingsBefore = [] } = this.read(task) ?? otherwise;
    const before = last !== null && landingAttempt !== attempt ? [...landingsBefore, last] : landingsBefore;
    this.update(task, otherwise, { landing, landingAttempt: attempt, landingsBefore: before });
  }

  /** The commits with which earlier owners landed the task, or were about to. */
  landingsBefore(task: Key, attempt: number): readonly string[] {
    const { landing = null, landingAttempt = attempt, landingsBefore = [] } = this.read(task) ?? {};
    return landing !== null && landingAttempt !== attempt ? [...landingsBefore, landing] : landingsBefore;
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

const COMMIT = /^[0-9a-f]{40,64}$/;
const isCommit = (value: unknown): boolean => typeof value === "string" && COMMIT.test(value);
const isNumber = (value: unknown): boolean => value === undefined || Number.isSafeInteger(value);

/** Whether the parts between slashes can name folders and branches. */
const isPath = (value: unknown): value is string =>
  typeof value === "string" &&
  value.split("/").every((part) => /^[A-Za-z0-9][\w.-]*$/.test(part) && !/\.\.|\.$|\.lock$/i.test(part));

/** Git reads no option in it, and no other ref than a branch. */
const isBranch = (value: unknown): boolean =>
  typeof value === "string" && /^(?!-)[^\p{Cc} ~^:?*[\\]+$/u.test(value) && !/\.\.|@\{|\/\/|\/$/.test(value);

const isOwn = (found: Binding): boolean =>
  isPath(found.path) &&
  isPath(found.branch) &&
  found.branch.startsWith(branchOf("")) &&
  isBranch(found.target) &&
  typeof found.kept === "boolean" &&
  [found.landing, found.parked ?? null].every((one) => one === null || isCommit(one)) &&
  (found.proposed === undefined || isCommit(found.proposed)) &&
  (found.request === undefined || (isPath(found.request) && found.request.startsWith(branchOf("")))) &&
  typeof (found.parkedState ?? "") === "string" &&
  [found.landingsBefore, found.pushed].every(
    (all) => all === undefined || (Array.isArray(all) && all.every(isCommit)),
  ) &&
  [found.landingAttempt, found.attempt].every(isNumber);

const isLink = (path: string): boolean =>
  lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;

const isLinked = (folder: string, path: string): boolean =>
  path.split("/").some((_, i, parts) => isLink(join(folder, ...parts.slice(0, i + 1))));

type Whose = { readonly project: string; readonly team: Name };

export const folderOf = (project: string): string => join(project, ".ekiden", "worktrees");
export const bindingsOf = ({ project, team }: Whose): Bindings => new Bindings(folderOf(project), team);

/** Whether the team was last started with worktrees: then it continues with them. */
export const hasWorktrees = (whose: Whose): boolean => bindingsOf(whose).inUse;

/** The team was started without worktrees now; their content stays. */
export function withoutWorktrees(whose: Whose): void {
  bindingsOf(whose).inUse = false;
}
