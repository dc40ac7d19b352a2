/**
 * The files of a project that say how a new worktree is made ready and what is run before it is removed, read as data: our own, and those of
 * other programs for worktrees (docs.conductor.build/core/scripts, cursor.com/docs/configuration/worktrees,
 * developers.openai.com/codex/app/local-environments, read 2026-11-28).
 */

/** `command`, `teardown`: lines for a shell, in the worktree; "" for none. */
export type SetUp = { readonly file: string; readonly command: string; readonly teardown: string };

/** A worktree as its commands know it. `block`: the first of its ports; null where it has none. */
export type WorktreePlace = {
  readonly project: string;
  readonly workspace: string;
  readonly target: string;
  readonly block: number | null;
};

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

/** Codex has scripts for one system inside of the table of all. */
const ofCodex =
  (platform: string) =>
  (value: unknown): string => {
    const table = RECORD(value);
    return lines(RECORD(table[platform]).script ?? table.script);
  };

export const CODEX_ENVIRONMENTS = ".codex/environments/";

type Form = {
  /** A name of a file, or a folder with a slash at its end: its first file. */
  readonly file: string;
  readonly read: (content: unknown, platform: string) => Pick<SetUp, "command" | "teardown">;
  /** Under the names that the scripts of that program expect. */
  readonly variables?: (place: WorktreePlace) => Record<string, string>;
};

/** The first that is there counts. */
const FORMS: readonly Form[] = [
  {
    file: ".ekiden/worktree.json",
    read: (content) => ({ command: lines(RECORD(content).setup), teardown: lines(RECORD(content).teardown) }),
  },
  {
    file: "conductor.json",
    read: (content) => {
      const { setup, archive } = RECORD(RECORD(content).scripts);
      return { command: lines(setup), teardown: lines(archive) };
    },
    variables: ({ project, workspace, target, block }) => ({
      CONDUCTOR_ROOT_PATH: project,
      CONDUCTOR_WORKSPACE_PATH: workspace,
      CONDUCTOR_WORKSPACE_NAME: workspace.slice(workspace.lastIndexOf("/") + 1),
      CONDUCTOR_DEFAULT_BRANCH: target,
      ...(block !== null && { CONDUCTOR_PORT: String(block) }),
    }),
  },
  {
    file: ".cursor/worktrees.json",
    read: (content) => ({ command: ofCursor(content), teardown: "" }),
    variables: ({ project }) => ({ ROOT_WORKTREE_PATH: project }),
  },
  {
    file: CODEX_ENVIRONMENTS,
    read: (content, platform) => ({
      command: ofCodex(platform)(RECORD(content).setup),
      teardown: ofCodex(platform)(RECORD(content).cleanup),
    }),
    variables: ({ project, workspace }) => ({
      CODEX_SOURCE_TREE_PATH: project,
      CODEX_WORKTREE_PATH: workspace,
    }),
  },
];

/** A file as it is found: its path in the project and its content, JSON or TOML. */
export type FoundFile = { readonly file: string; readonly content: unknown };

/** `read`: null where the file is not there or cannot be read. `platform`: as Node names it. */
export function setUpIn(read: (file: string) => FoundFile | null, platform: string): SetUp | null {
  for (const form of FORMS) {
    const found = read(form.file);
    if (found === null) continue;
    const { command, teardown } = form.read(found.content, platform);
    return command === "" && teardown === "" ? null : { file: found.file, command, teardown };
  }
  return null;
}

/** `file`: that of the set-up; "" for none. */
export const placeVariables = (file: string, place: WorktreePlace): Record<string, string> => ({
  ...{ EKIDEN_ROOT: place.project, EKIDEN_WORKTREE: place.workspace },
  ...FORMS.find((form) => file.startsWith(form.file))?.variables?.(place),
});
