/** A folder that is reached without following links, and stays the same one while commands rename and replace what is around it. */
import { closeSync, constants, openSync } from "node:fs";
import { dirname, join } from "node:path";

const HOLDS = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
const isLinux = process.platform === "linux";

/**
 * Calls `use` with a path of `name` below `root` whose folders cannot be exchanged meanwhile. Elsewhere than on Linux it is the plain
 * path. @throws an error of the system where a folder on the way is a link or missing
 */
export function inHeldFolder<T>(root: string, name: string, use: (path: string) => T): T {
  const held: number[] = [];
  const way = dirname(name)
    .split("/")
    .filter((part) => part !== ".");
  try {
    let at = root;
    for (const part of [null, ...way]) {
      held.push(openSync(part === null ? root : join(at, part), HOLDS));
      at = isLinux ? `/proc/self/fd/${held.at(-1)}` : part === null ? root : join(at, part);
    }
    return use(join(at, name.slice(dirname(name) === "." ? 0 : dirname(name).length + 1)));
  } finally {
    for (const one of held) closeSync(one);
  }
}
