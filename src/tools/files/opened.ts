/**
 * Opens files for the file tools. A path is checked first and opened later; a program in the workspace can put a link in between.
 * So the opened file itself is asked where it is, and nothing is read, emptied or written before it has answered. Pipes,
 * sockets and devices are never waited for.
 */
import { constants, type Stats } from "node:fs";
import { type FileHandle, mkdir, open, readlink, realpath, stat, unlink } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { withoutMarks } from "../../core/conversation/foreign.ts";
import { badInput, EkidenError, notFound, toolFailed } from "../../core/errors.ts";
import type { ToolContext } from "../../ports/index.ts";
import { nearby } from "./look-alike.ts";
import type { Place } from "./workspace.ts";

const SAFELY = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
const FLAGS = { read: constants.O_RDONLY | SAFELY, write: constants.O_RDWR | SAFELY } as const;
const FOLDER = constants.O_RDONLY | (constants.O_DIRECTORY ?? 0) | SAFELY;
const NEW = constants.O_RDWR | constants.O_CREAT | constants.O_EXCL | SAFELY;

/** @throws EkidenError `not_found` with similar names, `bad_input`, `outside_workspace`, `tool_failed` */
export async function withFile<T>(
  place: Place,
  use: "read" | "write",
  act: (file: FileHandle, size: number) => Promise<T>,
): Promise<T> {
  const { real, shown } = place;
  const found = await stat(real).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw refusal(error, shown);
    return null;
  });
  if (!found) throw notFound(`There is no file ${shown}.${await nearby(place)}`);
  checkKind(found, shown);
  const file = await open(real, FLAGS[use]).catch((error: NodeJS.ErrnoException) => {
    throw refusal(error, shown);
  });
  try {
    await checkPlace(file, place);
    const about = await file.stat();
    checkKind(about, shown);
    if (use === "write" && about.nlink > 1) throw hasMoreNames(about.nlink, shown);
    return await act(file, about.size);
  } finally {
    await file.close();
  }
}

/** Null where the file exists already. Missing folders are made. The caller closes the file. @throws EkidenError as `openFile` */
export async function createFile(place: Place): Promise<FileHandle | null> {
  const { real, shown } = place;
  const folder = await openFolder(dirname(real), shown);
  try {
    const inFolder = (await isLinux()) ? `/proc/self/fd/${folder.fd}/${basename(real)}` : real;
    const file = await open(inFolder, NEW, 0o666).catch((error: NodeJS.ErrnoException) => {
      if (error.code === "EEXIST") return null;
      throw refusal(error, shown);
    });
    return file && (await checked(file, place));
  } finally {
    await folder.close();
  }
}

/** Takes the name away, in the folder that was checked. @throws EkidenError as `withFile` */
export async function removeFile(place: Place): Promise<void> {
  const { real, shown } = place;
  const folder = await openFolder(dirname(real), shown);
  try {
    await unlink((await isLinux()) ? `/proc/self/fd/${folder.fd}/${basename(real)}` : real);
  } catch (error) {
    throw refusal(error as NodeJS.ErrnoException, shown);
  } finally {
    await folder.close();
  }
}

/** Writes the whole of an open file again, wherever it was read last. */
export async function replaceText(file: FileHandle, text: string): Promise<void> {
  const bytes = Buffer.from(text);
  await file.truncate(0);
  for (let at = 0; at < bytes.length; )
    at += (await file.write(bytes, at, bytes.length - at, at)).bytesWritten;
}

/**
 * With the hidden characters, the tags and the secrets of the file in place of their marks: a member that has read marks writes marks.
 * One that was in the file itself stays. @throws EkidenError as `withSecrets`
 */
export const withoutMarksOf = (text: string, before: string, secrets: ToolContext["secrets"]): string =>
  withoutMarks(
    withSecrets(text, before, secrets),
    (mark, behind) => before.includes(behind) && !before.includes(mark),
  );

/** With the secrets of the file in place of their marks. @throws EkidenError `bad_input` where a mark may stand for several */
export function withSecrets(text: string, before: string, secrets: ToolContext["secrets"]): string {
  const restored = secrets?.restore(text, before) ?? { kind: "text", text };
  if (restored.kind === "text") return restored.text;
  throw badInput(
    `The file has several secrets that are shown as ${restored.mark}. Change the lines around them one by one, without this mark.`,
  );
}

/** Each missing folder is made in the one above, which is open: a link in its place is not followed. */
async function openFolder(path: string, shown: string): Promise<FileHandle> {
  const place = { real: path, shown };
  const opening = await open(path, FOLDER).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT" || path === dirname(path)) throw refusal(error, shown);
    const parent = await openFolder(dirname(path), shown);
    try {
      const inParent = (await isLinux()) ? `/proc/self/fd/${parent.fd}/${basename(path)}` : path;
      await mkdir(inParent).catch((cause: NodeJS.ErrnoException) => {
        if (cause.code !== "EEXIST") throw refusal(cause, shown);
      });
      return await open(inParent, FOLDER).catch((cause: NodeJS.ErrnoException) => {
        throw refusal(cause, shown);
      });
    } finally {
      await parent.close();
    }
  });
  return checked(opening, place);
}

/** Closes the file if it is not the one of the place. */
async function checked(file: FileHandle, place: Place): Promise<FileHandle> {
  await checkPlace(file, place).catch(async (error: unknown) => {
    await file.close();
    throw error;
  });
  return file;
}

async function checkPlace(file: FileHandle, { real, shown }: Place): Promise<void> {
  if (await isAt(file, real)) return;
  throw new EkidenError(
    "outside_workspace",
    `${shown} was replaced by something else while it was opened. Nothing was read or written. Look at it again.`,
  );
}

/** The system knows where an open file is. Where it does not tell, the path must lead to the same file still, without a link. */
async function isAt(file: FileHandle, real: string): Promise<boolean> {
  if (await isLinux()) return (await readlink(`/proc/self/fd/${file.fd}`)) === real;
  const [opened, now, path] = await Promise.all([file.stat(), stat(real), realpath(real)]);
  return path === real && opened.ino === now.ino && opened.dev === now.dev;
}

let linux: Promise<boolean> | undefined;
const isLinux = (): Promise<boolean> => {
  linux ??= stat("/proc/self/fd").then(
    () => process.platform === "linux",
    () => false,
  );
  return linux;
};

/** @throws EkidenError `bad_input` if it is not a regular file. */
function checkKind(found: Stats, shown: string): void {
  if (found.isFile()) return;
  if (found.isDirectory())
    throw badInput(
      `${shown} is a folder. List it with glob, for example with the pattern "${shown === "." ? "" : `${shown}/`}*".`,
    );
  const kind = found.isFIFO() ? "named pipe" : found.isSocket() ? "socket" : "device";
  throw badInput(
    `${shown} is not a regular file but a ${kind}. File tools do not use it; a command with bash may.`,
  );
}

/** Package managers link files of a workspace to a store that all projects share; the other name may also be a protected one. */
const hasMoreNames = (names: number, shown: string): EkidenError =>
  badInput(
    `${shown} is the same file as ${names === 2 ? "another one" : `${names - 1} others`} (a hard link), which would change with it. Make it a file of its own first: cp -p FILE COPY && mv COPY FILE.`,
  );

function refusal(error: NodeJS.ErrnoException, shown: string): unknown {
  switch (error.code) {
    case "EACCES":
    case "EROFS":
    case "EPERM":
    case "ETXTBSY":
      return toolFailed(`${shown} cannot be opened: ${error.code}.`);
    case "ELOOP":
    case "ENOENT":
      return new EkidenError(
        "outside_workspace",
        `${shown} was replaced while it was opened. Look at it again.`,
      );
    case "ENOTDIR":
      return badInput(`${shown} goes through a file as if it were a folder.`);
    case "ENXIO":
      return badInput(`${shown} is not a regular file but a pipe, socket or device.`);
    default:
      return error;
  }
}
