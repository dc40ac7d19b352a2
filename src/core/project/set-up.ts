/**
 * The files of a project that say how a new worktree is made ready, read as data: our own, and those of other programs for worktrees
 * (docs.conductor.build/core/conductor-json, cursor.com/docs/configuration/worktrees, read 2026-11-28).
 */

/** `command`: lines for a shell, in the new worktree. */
export type SetUp = { readonly file: string; readonly command: string };

const RECORD = (value: unknown): Record<string, unknown> =>
  typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};

/** A text, or a list of texts as lines; "" for another value. A line that fails ends them. */
const lines = (value: unknown): string =>
  typeof value === "string"
    ? value.trim()
    : Array.isArray(value)
      ? value.filter((line) => typeof line === "string").join(" &&\n")
      : "";

/** Cursor means by a text a script beside its file. */
function ofCursor(value: unknown): string {
  const { "setup-worktree-unix": unix, "setup-worktree": any } = RECORD(value);
  const found = unix ?? any;
  return typeof found === "string" && found !== ""
    ? `sh '.cursor/${found.replaceAll("'", "")}'`
    : lines(found);
}

/** The first that is there counts. */
const FILES: readonly (readonly [file: string, command: (content: unknown) => string])[] = [
  [".ekiden/worktree.json", (content) => lines(RECORD(content).setup)],
  ["conductor.json", (content) => lines(RECORD(RECORD(content).scripts).setup)],
  [".cursor/worktrees.json", ofCursor],
];

/** `read`: the content of a JSON file of the project; null where it is not there or is no JSON. */
export function setUpIn(read: (file: string) => unknown): SetUp | null {
  for (const [file, commandOf] of FILES) {
    const content = read(file);
    if (content === null) continue;
    const command = commandOf(content);
    return command === "" ? null : { file, command };
  }
  return null;
}

/** Under the names that the scripts of other programs expect, too. */
export const setUpVariables = (project: string, workspace: string, task: number): Record<string, string> => ({
  ...{ EKIDEN_ROOT: project, EKIDEN_WORKTREE: workspace, EKIDEN_TASK: String(task) },
  ...{ CONDUCTOR_ROOT_PATH: project, CONDUCTOR_WORKSPACE_PATH: workspace },
  ...{ CONDUCTOR_WORKSPACE_NAME: workspace.slice(workspace.lastIndexOf("/") + 1) },
  ROOT_WORKTREE_PATH: project,
});

/** The lock files that say that two `node_modules` are the same. */
export const LOCK_FILES: readonly string[] = [
  "package-lock.json",
  "npm-shrinkwrap.json",
  "pnpm-lock.yaml",
  "yarn.lock",
  "bun.lock",
  "bun.lockb",
];
