/** How a sandbox is opened. */
import type { ClosedPatterns } from "../../core/paths/closed-files.ts";
import type { CommandLimits } from "../../core/sandbox/command-limits.ts";
import type { Network, SandboxMode } from "../../core/sandbox/sandbox.ts";

export type SandboxOptions = {
  readonly mode: SandboxMode;
  readonly network: Network;
  /** The project; absolute. */
  readonly workspace: string;
  /** Where it is kept what was proven. */
  readonly stateFolder: string;
  /** Where commands of this project keep their caches, in the place of the person's. */
  readonly cacheFolder: string;
  readonly limits?: CommandLimits;
  /** Folders of this program: commands must not see them. */
  readonly ownFolders: readonly string[];
  /** Paths outside that the person has opened for reading; absolute. */
  readonly shown?: readonly string[];
  /** Files that deny rules close to commands. */
  readonly closed?: ClosedPatterns;
  /** Members work in worktrees of tasks. */
  readonly inWorktrees?: boolean;
  /** With PATH and HOME; default: this process's. */
  readonly env?: NodeJS.ProcessEnv;
};
