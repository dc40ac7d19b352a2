/** The input of the workspaces of a team. */
import type { RedBase } from "../../core/gate/red-target.ts";
import type { Name } from "../../core/ids.ts";
import type { Settings } from "../../core/settings/settings.ts";
import type { Shell } from "../../ports/shell.ts";
import type { Contact, Worktree } from "../../ports/worktrees.ts";
import type { Confines, Env } from "./git.ts";
import type { ByRule } from "./landing/protected-changes.ts";
import type { WayOut } from "./landing/way-out.ts";

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
  /** Patterns of files that judge a change, besides those that are known. */
  readonly judges?: readonly string[];
  /** What follows a sign of tampering. Default: the gate runs again with the judging files of the target. */
  readonly tampering?: Settings["tampering"];
  /** Gates that may run at once. Default 1. */
  readonly gateParallel?: number;
  /** What a red target means. Default: nothing, every red candidate counts. */
  readonly redBase?: () => RedBase;
  /** Default: the target moves forward here, and nowhere else. */
  readonly wayOut?: WayOut;
  /** The time that others wait for a landing that was refused. */
  readonly reservationMs?: number;
  /** The number of times that somebody outside of the line may move the target before a landing is refused. */
  readonly racesMax?: number;
  readonly share: readonly string[];
  /** Changes of the project that are not committed are a reason against clones. Default: yes. Else the person is told which. */
  readonly needsClean?: boolean;
  /** The person agreed to the git hooks and git programs of this repository. */
  readonly trusted?: boolean;
  /** Default: no rule does. */
  readonly mayChange?: ByRule;
  /** Makes a new workspace ready, once; asked before each use. `attempt`: of the task. */
  readonly setUp?: (tree: Worktree, contact: Contact, attempt: number) => Promise<void>;
  /** Called before a workspace is removed. */
  readonly tearDown?: (tree: Worktree) => Promise<void>;
  /** Own git runs in it. */
  readonly sandbox: Confines | null;
};
