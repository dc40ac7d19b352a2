/**
 * Git fails on a worktree that another git process is just creating: its folder exists, and a file in it is still empty. So
 * creating, removing and listing worktrees is exclusive across processes.
 */
import { join } from "node:path";
import { inTurn } from "./queue.ts";

const NEVER = new AbortController().signal;

/** @param commonDir of the repository. `work` must be short: every member waits for it at its start. */
export const withWorktreeLock = <T>(commonDir: string, work: () => Promise<T>): Promise<T> =>
  inTurn(join(commonDir, "ekiden-worktrees"), NEVER, work);
