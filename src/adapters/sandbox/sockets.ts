/**
 * Sockets of other programs that a path leads to: a read-only mount does not keep anybody from connecting to one in it. Programs make and
 * remove them all the time, and bubblewrap ends where the path of a cover has vanished. So the folder is covered: a command sees one of its
 * own, with all that the other one holds but sockets, also those that are made in it later.
 */
import { lstatSync, readdirSync, readlinkSync, realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { isWithin } from "../../core/paths/paths.ts";
import type { SocketFolder } from "../../core/sandbox/sandbox.ts";
import { tried } from "../../core/tried.ts";
import { textIn } from "../small-files.ts";

/** Each entry is a mount. In larger folders each socket gets a cover, if it has been there for a while. */
const ENTRIES_MAX = 100;
const ALL_MAX = 300;
const LASTING_MS = 2_000;

export type SocketCovers = {
  readonly socketFolders: readonly SocketFolder[];
  readonly sockets: readonly string[];
};

/** `covered`: folders in which commands reach no socket of others. */
export function socketCovers(covered: readonly string[], bound = boundSockets()): SocketCovers {
  const isCovered = (path: string): boolean => covered.some((folder) => isWithin(folder, path));
  const found = bound.flatMap((path) => {
    if (isCovered(path)) return [];
    // A name in another mount namespace leads nowhere here.
    const folder = tried(() => realpathSync.native(dirname(path)), null);
    const socket = folder && join(folder, basename(path));
    return socket && !isCovered(socket) ? [socket] : [];
  });
  const socketFolders: SocketFolder[] = [];
  const sockets: string[] = [];
  let left = ALL_MAX;
  for (const path of new Set(found.map((socket) => dirname(socket)))) {
    const folder = path === "/" ? null : tried(() => withoutSockets(path), null);
    const size = folder ? folder.entries.length + folder.links.length : 0;
    if (folder && size <= Math.min(left, ENTRIES_MAX)) {
      socketFolders.push(folder);
      left -= size;
    } else sockets.push(...found.filter((one) => dirname(one) === path && isLasting(one)));
  }
  return { socketFolders, sockets };
}

function isLasting(path: string): boolean {
  // What this user cannot look at no command of this user reaches.
  const found = tried(() => lstatSync(path), null);
  return found !== null && Date.now() - found.ctimeMs > LASTING_MS;
}

function withoutSockets(path: string): SocketFolder {
  const entries: string[] = [];
  const links: { path: string; to: string }[] = [];
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    const one = join(path, entry.name);
    if (entry.isSymbolicLink()) links.push({ path: one, to: readlinkSync(one) });
    else if (!entry.isSocket()) entries.push(one);
  }
  return { path, entries, links };
}

/** A line holds number, reference count, protocol, flags, type, state, inode, path. Most sockets have no path. */
export function boundSockets(): string[] {
  const text = textIn("/proc/net/unix");
  const found: string[] = [];
  for (let at = text.indexOf(" /"); at !== -1; at = text.indexOf(" /", at)) {
    const begin = text.lastIndexOf("\n", at) + 1;
    const end = text.indexOf("\n", at);
    at = end === -1 ? text.length : end;
    const path = /^\S+ \S+ \S+ \S+ \S+ \S+ +\d+ (\/.*)$/.exec(text.slice(begin, at))?.[1];
    if (path !== undefined) found.push(path);
  }
  return found;
}
