/** The workspaces of tasks: clones of the project in `.ekiden/worktrees/<id>-<slug>`, on a branch `ekiden/<id>-<slug>`. */
import type { Worktrees } from "../../ports/worktrees.ts";
import { bindingsOf, folderOf } from "./bindings.ts";
import { ParkedWork } from "./clones/parked.ts";
import { checkShared, repositoryOf } from "./clones/preflight.ts";
import { Git } from "./git.ts";
import { GitWorktrees } from "./git-worktrees.ts";
import { finishFastForward } from "./landing/fast-forward.ts";
import { FAST_FORWARD, remoteOf } from "./landing/way-out.ts";
import type { WorktreeOptions } from "./options.ts";
import { SharedTarget } from "./shared-target.ts";

/** @throws EkidenError `bad_input` if the project cannot have worktrees now | `settings_invalid` */
export async function openWorktrees(options: WorktreeOptions): Promise<Worktrees> {
  // Hooks end with this process.
  const job = options.shell.newTag?.();
  const env = { ...options.env, ...(job !== undefined && { EKIDEN_JOB: job }) };
  const { project, team, wayOut = FAST_FORWARD } = options;
  const bounds = { project, workspaces: folderOf(project) };
  const git = new Git(env, options.sandbox, options.trusted, bounds);
  const share = checkShared(options.share);
  await finishFastForward(git, project);
  const isShared = wayOut.kind === "push" || wayOut.isShared === true;
  const repository = await repositoryOf(git, project, options.target, isShared, options.needsClean);
  const remote = await remoteOf(git, project, wayOut);
  const { commonDir, target } = repository;
  const shared =
    remote && isShared
      ? new SharedTarget(
          { git, project, commonDir },
          target,
          remote,
          new ParkedWork({ git, project, commonDir }, remote, team, wayOut.isForge === true),
        )
      : null;
  await shared?.check();
  bindingsOf(options).inUse = true;
  return new GitWorktrees({ ...options, share }, git, { repository, remote, shared });
}
