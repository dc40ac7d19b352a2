/**
 * Reads and writes single files of a folder in which members work, by their paths in a record. No link is followed, also where a command
 * exchanges folders meanwhile, and each file is replaced whole.
 */
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readlinkSync,
  renameSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import type { State } from "../../../core/undo/unwind.ts";
import { inHeldFolder } from "../../held-folder.ts";
import { readRegularBytes } from "../../small-files.ts";

/** A larger file is not recorded. */
export const FILE_MAX = 5 * 1024 * 1024;
export const LINK = "120000";

/** Not in a record: what git refuses as a path, and the folder of this program. */
export const isOutside = (path: string): boolean =>
  path.startsWith("/") ||
  path
    .split("/")
    .some(
      (part, nth) =>
        ["", ".", ".."].includes(part) || /^\.git$/i.test(part) || (nth === 0 && part === ".ekiden"),
    );

/** "other" also for a file that is too large or cannot be read. */
export function stateOf(root: string, path: string): State<Buffer> {
  if (isOutside(path)) return "other";
  try {
    return inHeldFolder(root, path, (at): State<Buffer> => {
      const found = lstatSync(at, { throwIfNoEntry: false });
      if (!found || found.isDirectory()) return null;
      if (found.isSymbolicLink()) return { mode: LINK, content: readlinkSync(at, { encoding: "buffer" }) };
      if (!found.isFile()) return "other";
      const content = readRegularBytes(at, FILE_MAX, { noLink: true });
      return { mode: (found.mode & 0o100) === 0 ? "100644" : "100755", content };
    });
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    // A folder on the way is missing, a file or a link: no file is there by this path.
    return ["ENOENT", "ENOTDIR", "ELOOP"].includes(code) ? null : "other";
  }
}

/** `draft`: a path for a new file on the same disk, which is not there. @throws the system's error where the file stays as it was */
export function putState(
  root: string,
  path: string,
  state: Exclude<State<Buffer>, "other">,
  draft: string,
): void {
  if (isOutside(path)) throw new Error(`${path} is no path of a record.`);
  if (state === null) takeAway(root, path);
  else replace(root, path, state, draft);
}

function replace(
  root: string,
  path: string,
  state: Exclude<State<Buffer>, "other" | null>,
  draft: string,
): void {
  const way = dirname(path).split("/");
  if (way[0] !== ".")
    for (const nth of way.keys())
      inHeldFolder(root, way.slice(0, nth + 1).join("/"), (at) => {
        if (!lstatSync(at, { throwIfNoEntry: false })) mkdirSync(at);
      });
  rmSync(draft, { force: true });
  inHeldFolder(root, path, (at) => {
    const found = lstatSync(at, { throwIfNoEntry: false });
    if (state.mode === LINK) symlinkSync(state.content, draft);
    else writeFileSync(draft, state.content, { flag: "wx" });
    if (state.mode !== LINK)
      chmodSync(draft, modeOf(state.mode, found?.isFile() ? found.mode : 0o666 & ~umask()));
    renameSync(draft, at);
  });
}

/** The rights that the file had, and the one that git keeps. */
const modeOf = (mode: string, rights: number): number =>
  mode === "100755" ? (rights | ((rights & 0o444) >> 2)) & 0o777 : rights & 0o666;

const umask = (): number => process.umask();

/** With the folders that become empty by it. */
function takeAway(root: string, path: string): void {
  try {
    inHeldFolder(root, path, (at) => {
      if (!lstatSync(at, { throwIfNoEntry: false })?.isDirectory()) rmSync(at, { force: true });
    });
    for (let folder = dirname(path); folder !== "."; folder = dirname(folder))
      inHeldFolder(root, folder, (at) => rmdirSync(at));
  } catch (error) {
    if (
      !["ENOTEMPTY", "EEXIST", "ENOENT", "ENOTDIR", "ELOOP", "EBUSY"].includes(
        (error as NodeJS.ErrnoException).code ?? "",
      )
    )
      throw error;
  }
}

/** Whether a root is there: the workspace of a task goes with it. */
export const isRoot = (project: string, root: string): boolean => existsSync(join(project, root));
