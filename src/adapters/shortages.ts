/** The words for what the machine or this process is short of: open files, processes, memory, room on a disk. They name what helps. */

import { statfsSync } from "node:fs";
import { badInput } from "../core/errors.ts";
import { tried } from "../core/tried.ts";
import { textIn } from "./small-files.ts";

/** For a few members with a command each. */
const LEAST = 64;

/** `limits`: as Linux tells them; elsewhere nothing is known. @throws EkidenError `bad_input` */
export function checkOpenFiles(limits = textIn("/proc/self/limits")): void {
  const most = Number(/^Max open files +(\d+)/m.exec(limits)?.[1] ?? LEAST);
  if (most < LEAST)
    throw badInput(
      `This process may open ${most} files at a time, and a team needs at least ${LEAST}. Raise the limit: ulimit -n 1024 in the shell, LimitNOFILE= of a service, --ulimit nofile=1024 of a container.`,
    );
}

/** Advice for a system that has no more of something. */
export const REMEDY: Readonly<Record<string, string>> = {
  EMFILE:
    " This process has as many files open as it may: raise its limit (ulimit -n), or run fewer members.",
  ENFILE: " The machine has as many files open as it may (fs.file-max): end what is not needed.",
  EAGAIN: " The machine or the account has as many processes as it may (ulimit -u): end what is not needed.",
  ENOMEM: " The machine has no memory left: end what is not needed.",
};

const FULL = /No space left on device|ENOSPC/;
const READ_MAX = 2_000;

/** A line about the disk for a command that failed because one is full. The system has the same words for a disk without room and for one without inodes. */
export function fullDiskNote(exitCode: number | null, output: string, folder: string): string | null {
  if (exitCode === 0 || !FULL.test(output.slice(-READ_MAX))) return null;
  const disk = tried(() => statfsSync(folder), null); // it is gone
  if (disk === null) return null;
  const { bavail, bsize, files, ffree } = disk;
  const room = files > 0 ? ` and room for ${ffree} more files` : "";
  return `[disk: ${folder} has ${Math.floor((bavail * bsize) / 2 ** 20)} MB left${room}; df and df -i show the others]`;
}
