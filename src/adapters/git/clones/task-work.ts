/** What a task has done in its workspace, for those who only show it: brought to the project, and compared there. */
import { join } from "node:path";
import type { Name } from "../../../core/ids.ts";
import { type Binding, bindingsOf, folderOf, type Key } from "../bindings.ts";
import { type Confines, type Env, Git } from "../git.ts";
import { commitsDiff } from "../work-diff.ts";
import { isWhole } from "./clone.ts";
import { snapshot } from "./snapshot.ts";

type Of = {
  readonly project: string;
  readonly team: Name;
  readonly env: Env;
  readonly sandbox: Confines | null;
};

export type TaskWork = {
  readonly binding: Binding;
  readonly folder: string;
  /** As `git diff` shows it, against the commit of the target that it was made on. */
  diff(): Promise<string>;
  /** The paths of its changes. */
  files(): Promise<string[]>;
};

/** Null for a task without a workspace. @throws EkidenError `tool_failed` */
export async function taskWork({ project, team, env, sandbox }: Of, task: Key): Promise<TaskWork | null> {
  const binding = bindingsOf({ project, team }).read(task);
  if (binding === null) return null;
  const workspaces = folderOf(project);
  const git = new Git(env, sandbox, false, { project, workspaces });
  const { path, branch, target } = binding;
  const root = join(workspaces, path);
  // One of an earlier version, or removed by hand: what was committed is in the project.
  const asked = ["rev-parse", "--path-format=absolute", "--git-common-dir"];
  const tip = isWhole(root)
    ? await snapshot({ git, project, commonDir: await git.run(project, ...asked) }, { root, branch }, team)
    : await git.run(project, "rev-parse", "--verify", `refs/heads/${branch}^{commit}`);
  const base = await git.run(project, "merge-base", tip, target);
  return {
    binding,
    folder: root,
    diff: () => commitsDiff(git, project, base, tip),
    files: async () =>
      (await git.run(project, "diff", "--name-only", "-z", base, tip)).split("\0").filter(Boolean),
  };
}
