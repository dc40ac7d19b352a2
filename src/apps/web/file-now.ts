/** The file that a call under question would change, as it is now: a person judges a change, not only the new text. */
import { open, realpath } from "node:fs/promises";
import { join, resolve, sep } from "node:path";
import { bindingsOf, folderOf } from "../../adapters/git/bindings.ts";
import type { Name } from "../../core/ids.ts";
import type { Store } from "../../ports/index.ts";
import { memberRows } from "./snapshot.ts";

const BYTES_MAX = 200_000;

/** Null: there is no such file. Undefined: its content cannot be shown (another machine, outside the workspace, large, binary). */
export async function fileNow(
  store: Store,
  cwd: string,
  who: Name,
  path: string,
): Promise<string | null | undefined> {
  const workspace = await workspaceOf(store, cwd, who);
  if (workspace === null || path === "" || path.includes("\0")) return undefined;
  try {
    const [root, real] = [await realpath(workspace), await realpath(resolve(workspace, path))];
    return real.startsWith(root + sep) ? await textOf(real) : undefined;
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === "ENOENT";
    return isMissing && resolve(workspace, path).startsWith(workspace + sep) ? null : undefined;
  }
}

/** The folder in which the member works: the worktree of its task, else the project. Null on another machine. */
async function workspaceOf(store: Store, cwd: string, who: Name): Promise<string | null> {
  const member = (await memberRows(store)).find((one) => one.name === who);
  if (member?.machine !== "") return null;
  const worktrees = bindingsOf({ project: cwd, team: store.team });
  if (!worktrees.inUse) return cwd;
  const task = await store.board.mine(who);
  const binding = task === null ? null : worktrees.read(task);
  return binding === null ? null : join(folderOf(cwd), binding.path);
}

async function textOf(path: string): Promise<string | undefined> {
  const file = await open(path, "r");
  try {
    const { size } = await file.stat();
    if (size > BYTES_MAX) return undefined;
    const text = await file.readFile("utf8");
    return text.includes("\0") ? undefined : text;
  } finally {
    await file.close();
  }
}
