/** The place of a socket: which process has it, and how one takes it. */
import { chmodSync, linkSync, renameSync, rmSync, statSync } from "node:fs";
import { connect, createServer, type Server } from "node:net";

export const answers = (path: string): Promise<boolean> =>
  new Promise((done) => {
    const socket = connect(path, () => {
      socket.destroy();
      done(true);
    });
    socket.on("error", () => done(false));
  });

/**
 * Listens at a name of its own first, and then takes the place: a server of Node removes the name at which it began when it closes, and another
 * process may have the place by then. Null where a living process has it.
 */
export async function listenAt(path: string): Promise<Server | null> {
  const own = `${path}.${process.pid.toString(36)}`;
  if (await answers(path)) return null;
  rmSync(own, { force: true });
  const server = createServer();
  await new Promise<void>((done, fail) => {
    server.once("error", fail).listen(own, done);
  });
  chmodSync(own, 0o600);
  try {
    linkSync(own, path);
    rmSync(own);
  } catch {
    // Of a process that is dead, or of one that was faster a moment ago.
    if (await answers(path)) {
      server.close();
      return null;
    }
    renameSync(own, path);
  }
  return server;
}

/** Tells whether another file has come to the place of one, or none is there. */
export function replacement(path: string): () => boolean {
  const inode = inodeOf(path);
  return () => inodeOf(path) !== inode;
}

export const NONE = -1n;
export const inodeOf = (path: string): bigint =>
  statSync(path, { bigint: true, throwIfNoEntry: false })?.ino ?? NONE;
