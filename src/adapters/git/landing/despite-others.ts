/** Git that somebody else disturbed: it was killed, or what it works on was removed. The step is done again. */
import { EkidenError, messageOf } from "../../../core/errors.ts";

export const TRIES_MAX = 5;

/** Somebody killed git, or a program that it had started. Its effect is not known. */
export class GitKilled extends EkidenError {
  constructor(line: string) {
    super("tool_failed", `git ${line} was killed by another program, or because memory ran out.`);
  }
}

const isOfOthers = (error: unknown): boolean =>
  isKill(error) || error instanceof NotesGone || NOTES_GONE.test(messageOf(error));

export const isKill = (error: unknown): boolean => error instanceof GitKilled;

/** Somebody removed git's notes about a worktree, in the middle of a step. */
export class NotesGone extends EkidenError {
  constructor(root: string) {
    super("tool_failed", `Git's notes about ${root} were removed while they were used.`);
  }
}
/** Git says so then. */
const NOTES_GONE = /is not a working tree|not a git repository/;

/**
 * Does work again when somebody killed its git, or removed what it works on. `work` must notice what an earlier try has done, as after
 * a crash.
 */
export async function despiteOthers<T>(work: () => Promise<T>): Promise<T> {
  for (let nth = 1; ; nth += 1)
    try {
      return await work();
    } catch (error) {
      if (!isOfOthers(error) || nth === TRIES_MAX) throw error;
    }
}
