/**
 * The project's own folder, `.ekiden`: for its user alone, and without links. Another user of the machine reads no conversation in
 * it, and a project cannot make this program write elsewhere.
 */
import { chmodSync, existsSync, lstatSync, readdirSync, type Stats, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { makeFolder } from "../adapters/make-folder.ts";
import { textIn } from "../adapters/small-files.ts";
import { notPermitted } from "../core/errors.ts";

/** State of one checkout. Settings, roles, skills, hooks and memory are shared by committing them. */
const IGNORED = `# Written by Ekiden. Everything else here can be committed.
/.gitignore
/*.db
/*.db-*
/output/
/worktrees/
/cache/
/*.tmp
`;

/** People share these between projects by links, and they are only read: a link out of the project is refused there. */
const MAY_BE_LINKS: ReadonlySet<string> = new Set(["agents", "skills"]);

/** @throws EkidenError `not_permitted` for a link in it */
export function makeProjectFolder(cwd: string): void {
  const folder = join(cwd, ".ekiden");
  const known = lstatSync(folder, { throwIfNoEntry: false });
  if (known) closeToOthers(folder, known);
  else makeFolder(folder, 0o700);
  for (const name of readdirSync(folder)) {
    const found = lstatSync(join(folder, name), { throwIfNoEntry: false });
    if (found && !MAY_BE_LINKS.has(name)) closeToOthers(join(folder, name), found);
  }
  const ignore = join(folder, ".gitignore");
  if (!existsSync(ignore) || textIn(ignore).trim() === "*") writeFileSync(ignore, IGNORED, { mode: 0o600 });
}

/** For commands that only look: their data is in no other place. @throws EkidenError `not_permitted` */
export function refuseLinked(cwd: string, path: string): void {
  const folder = join(cwd, ".ekiden");
  const files = ["", "-signal", "-wal", "-shm", "-journal"].map((suffix) => path + suffix);
  for (const one of dirname(path) === folder ? [folder, ...files] : []) {
    const found = lstatSync(one, { throwIfNoEntry: false });
    if (found) refuseOther(one, found);
  }
}

/** git makes folders and files that everybody may read. Those of another user stay as they are. */
function closeToOthers(path: string, found: Stats): void {
  refuseOther(path, found);
  if ((found.mode & 0o077) !== 0 && found.uid === process.getuid?.()) chmodSync(path, found.mode & 0o700);
}

function refuseOther(path: string, found: Stats): void {
  if (found.isSymbolicLink())
    throw notPermitted(
      `${path} is a symbolic link, and Ekiden does not write through links in a project. Remove it, or put a real ${path.endsWith(".ekiden") ? "folder" : "file or folder"} there.`,
    );
  if (!found.isFile() && !found.isDirectory())
    throw notPermitted(
      `${path} is a pipe, a socket or a device, which Ekiden does not read or write in a project. Remove it.`,
    );
}
