/** Worktrees with plain git: `.ekiden/worktrees/<id>-<slug>` on a branch `ekiden/<id>-<slug>`. */
import type { Name } from "../../core/ids.ts";
import { isWithin } from "../../core/paths/paths.ts";
import type { Shell } from "../../ports/shell.ts";
import type { Worktrees } from "../../ports/worktrees.ts";
import { bindingsOf } from "./bindings.ts";
import { finishFastForward } from "./fast-forward.ts";
import { type Confines, type Env, Git } from "./git.ts";
import { GitWorktrees } from "./git-worktrees.ts";
import { ParkedWork } from "./parked.ts";
import { checkShared, type Repository, repositoryOf } from "./preflight.ts";
import type { ByRule } from "./protected-changes.ts";
import type { Remote } from "./remote.ts";
import { SharedTarget } from "./shared-target.ts";
import { FAST_FORWARD, remoteOf, type WayOut } from "./way-out.ts";

export type WorktreeOptions = {
  /** Absolute, without symlinks. */
  readonly project: string;
  readonly team: Name;
  /** The environment of git and of the person's git hooks; without secrets. */
  readonly env: Env;
  readonly shell: Shell;
  readonly target?: string | undefined;
  readonly gate?: string | undefined;
  readonly gateTimeoutMs: number;
  /** Gates that may run at once. Default 1. */
  readonly gateParallel?: number;
  /** Default: the target moves forward here, and nowhere else. */
  readonly wayOut?: WayOut;
  /** The time that others wait for a landing that was refused. */
  readonly reservationMs?: number;
  /** The number of times that somebody outside of the line may move the target before a landing is refused. */
  readonly racesMax?: number;
  readonly share: readonly string[];
  /** The person agreed to the git hooks and git programs of this repository. */
  readonly trusted?: boolean;
  /** Default: no rule does. */
  readonly mayChange?: ByRule;
  /** Own git runs in it where it writes what members write. */
  readonly sandbox?: Confines | undefined;
};

export type Opened = {
  readonly repository: Repository;
  readonly remote: Remote | null;
  /** Null: tasks land on a branch of this repository. */
  readonly shared: SharedTarget | null;
};

/** @throws EkidenError `bad_input` if the project cannot have worktrees now | `settings_invalid` */
export async function openWorktrees(options: WorktreeOptions): Promise<Worktrees> {
  // Hooks end with this process.
  const job = options.shell.newTag?.();
  const env = { ...options.env, ...(job !== undefined && { EKIDEN_JOB: job }) };
  const git = new Git(env, options.trusted, withinProject(options));
  const share = checkShared(options.share);
  await finishFastForward(git, options.project);
  const { project, team, wayOut = FAST_FORWARD } = options;
  const isShared = wayOut.kind === "push" || wayOut.isShared === true;
  const repository = await repositoryOf(git, project, options.target, isShared);
  const remote = await remoteOf(git, project, wayOut);
  const { commonDir, target } = repository;
  const shared =
    remote && isShared
      ? new SharedTarget({ git, project, commonDir }, target, remote, new ParkedWork(git, remote, team))
      : null;
  await shared?.check();
  bindingsOf(options).inUse = true;
  return new GitWorktrees({ ...options, share }, git, { repository, remote, shared });
}

/** The target may be checked out elsewhere, where no command of a member writes. */
function withinProject({ sandbox, project }: WorktreeOptions): Confines | undefined {
  if (!sandbox) return undefined;
  return {
    confine: async (program, wanted) =>
      isWithin(project, program.cwd) ? await sandbox.confine(program, wanted) : null,
    settle: (since) => sandbox.settle(since),
  };
}
