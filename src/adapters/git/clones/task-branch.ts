/** The branch of a task that lands, and the commits of it that do. */
import type { Git } from "../git.ts";

export type TaskBranch = {
  readonly git: Git;
  readonly project: string;
  readonly commonDir: string;
  /** Top folder of the workspace. */
  readonly root: string;
  readonly branch: string;
  /** The name of the target branch: "main". */
  readonly target: string;
  /** The branch that tasks are put on, in full ("refs/remotes/origin/main") and as a member types it ("origin/main"). */
  readonly ref: string;
  readonly onto: string;
  readonly message: string;
  /** By which a commit is known as one of the task, where its branch is that of a pull request on a forge. */
  readonly trailer: string | null;
};

/**
 * `tip` has the task's commits on `base`; `commit` is what lands: the same tree, as one commit where a gate sees only the last.
 * Equal to `base` when nothing is left to land.
 */
export type Candidate = {
  readonly kind: "candidate";
  readonly base: string;
  readonly tip: string;
  readonly commit: string;
  readonly tree: string;
  /** Commits of the base that the work was not made on, newest first: "abc1234 Subject". */
  readonly unseen: readonly string[];
  /** Its diff to the base where it was read before; null where it was not. */
  readonly patch: string | null;
};
