/**
 * Work on one repository by this process, one after the other. Other processes are kept apart by git itself, which moves a branch only
 * from the commit that it must still have: a lock of theirs would hold for as long as its owner stands still.
 */
const last = new Map<string, Promise<unknown>>();

/** `commonDir`: git's folder that all worktrees of the repository share. */
export async function inTurn<T>(commonDir: string, work: () => Promise<T>): Promise<T> {
  const before = last.get(commonDir);
  const mine = (before ?? Promise.resolve()).then(work, work);
  last.set(commonDir, mine);
  try {
    return await mine;
  } finally {
    if (last.get(commonDir) === mine) last.delete(commonDir);
  }
}
