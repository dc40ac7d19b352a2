/**
 * Git dies of a worktree that another git process is just making: it has its folder already, and in it a file that is still empty.
 * So whoever makes, removes or lists worktrees does it alone, across processes.
 */
import { join } from "node:path";
import { inTurn } from "./queue.ts";

const NEVER = new AbortController().signal;

/** @param commonDir of the repository. Nothing that takes long may be done in `work`: every member waits to begin. */
export const withWorktreeLock = <T>(commonDir: string, work: () => Promise<T>): Promise<T> =>
  inTurn(join(commonDir, "ekiden-worktrees"), NEVER, work);
