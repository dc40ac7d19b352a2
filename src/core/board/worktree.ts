/** Names of worktrees and their branches, and why a branch may not land. Pure. */
import { badInput } from "../errors.ts";
import { DEFAULT_TEAM, type Name, quote, type TaskId } from "../ids.ts";

/**
 * The reason why a branch could not land: `conflict` with earlier landings; `gate`: the command failed on the merged tree; `target`: the
 * target branch cannot be moved now; `branch`: the worktree is in a state that cannot land; `dropped`: a person took it out of the line.
 */
export type Obstacle = "conflict" | "gate" | "target" | "branch" | "dropped";

/** The slow steps of a landing: the queue, the command that must succeed, and the wait for a target on which it succeeds. */
export type LandingStep = "queued" | "gate" | "base";

export const WORKTREE_NAME_MAX = 64;
const SLUG_MAX = 40;

/**
 * Checks a text that is the name of a folder, a branch and an argument of git.
 * @throws EkidenError `bad_input` naming the rule that was broken
 */
export function worktreeName(text: string): string {
  const fault = faultOf(text);
  if (fault)
    throw badInput(
      `${quote(text)} cannot name a worktree: ${fault}. Use letters, digits, ".", "_" and "-", such as "new-parser".`,
    );
  return text;
}

function faultOf(text: string): string | null {
  if (text === "") return "it is empty";
  if (text.length > WORKTREE_NAME_MAX)
    return `it has ${text.length} characters; the limit is ${WORKTREE_NAME_MAX}`;
  if (text.includes("..")) return 'it holds ".."';
  if (!/^[A-Za-z0-9._-]+$/.test(text)) return "it holds other characters";
  if (!/^[A-Za-z0-9]/.test(text)) return "it does not begin with a letter or a digit";
  if (text.endsWith(".")) return "it ends with a dot";
  if (/\.lock$/i.test(text)) return 'it ends with ".lock", which git keeps for itself';
  return null;
}

/** "Add the /users route" → "add-the-users-route"; "" when nothing usable remains. */
export const slugOf = (subject: string): string =>
  subject
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, SLUG_MAX)
    .replace(/^-+|-+$/g, "")
    .replace(/-lock$/, "");

/** The folder below `.ekiden/worktrees`; the branch has `ekiden/` before it. Ids are counted per team. */
export function worktreePath(team: Name, task: TaskId, slug: string): string {
  const name = slug === "" ? String(task) : `${task}-${slug}`;
  return team === DEFAULT_TEAM ? name : `${team}/${name}`;
}

export const branchOf = (path: string): string => `ekiden/${path}`;

/** A command that resets the task's own worktree, so that the work can be repeated on the new target. */
export const startAnew = (target: string): string =>
  `git reset --quiet --hard ${/^[\w./-]+$/.test(target) ? target : `'${target.replaceAll("'", "'\\''")}'`}`;

/** The instructions for a model that works in worktrees. */
export function worktreeRules(onto: string, gate: string | undefined): string {
  const proof = gate ? `, runs \`${gate}\`` : "";
  return `Each claimed task has a git clone and branch of its own, the workspace its tag names: all your tools run there; use relative paths. complete_task commits what is left, rebases on ${onto}${proof} and fast-forwards ${onto}. If it is refused, the task is still yours: fix it there and complete_task again; you land next.`;
}

const IN_WORKTREE = /^(.*[\\/]\.ekiden[\\/]worktrees)[\\/]/;

/**
 * For a program that works in a worktree. Without it git would take the project's own checkout for its repository as soon as
 * somebody has removed the file `.git` of the worktree, and would move its HEAD and change its files.
 */
export function withCeiling<E extends Readonly<Record<string, string>>>(env: E, cwd: string): E {
  const [, worktrees] = IN_WORKTREE.exec(cwd) ?? [];
  if (worktrees === undefined) return env;
  const others = env.GIT_CEILING_DIRECTORIES;
  return { ...env, GIT_CEILING_DIRECTORIES: others ? `${worktrees}:${others}` : worktrees };
}
