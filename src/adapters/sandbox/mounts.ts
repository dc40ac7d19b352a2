/**
 * The mounts of a sandbox as the kernel shows them. bubblewrap mounts by path, and commands that run meanwhile may put a link in the
 * place of a file or folder after its path was read: the mount would then show, or open, the target of the link.
 */
import { readFileSync } from "node:fs";
import { isWithin } from "../../core/paths/paths.ts";

/** `by`: absolute, without links; null for an empty folder of its own. */
export type Bind = { readonly by: string | null; readonly path: string };

type Mounted = { readonly device: string; readonly root: string; readonly path: string };

/** For each: a part of the line that `/proc/self/mountinfo` has in the sandbox, between blanks. */
export function expectedMounts(
  binds: readonly Bind[],
  table = readFileSync("/proc/self/mountinfo", "utf8"),
): string[] {
  const mounted = table
    .split("\n")
    .filter(Boolean)
    .map((line): Mounted => {
      const [, , device = "", root = "", path = ""] = line.split(" ");
      return { device, root, path: decoded(path) };
    });
  return binds.map(({ by, path }) => {
    if (by === null) return `/ ${encoded(path)}`;
    const around = mounted.reduce<Mounted | null>(
      (best, one) => (isWithin(one.path, by) && one.path.length >= (best?.path.length ?? 0) ? one : best),
      null,
    );
    if (around === null) return `${encoded(path)}`;
    const below = encoded(by.slice(around.path === "/" ? 0 : around.path.length));
    const root =
      below === "" || below === "/" ? around.root : `${around.root === "/" ? "" : around.root}${below}`;
    return `${around.device} ${root} ${encoded(path)}`;
  });
}

/** Whether a table has all of them. */
export const hasMounts = (table: string, expected: readonly string[]): boolean =>
  expected.every((part) => table.includes(` ${part} `));

/** The kernel writes blanks and backslashes as octal numbers. */
const encoded = (path: string): string =>
  path.replace(/[ \t\n\\]/g, (one) => `\\${one.charCodeAt(0).toString(8).padStart(3, "0")}`);
const decoded = (path: string): string =>
  path.replace(/\\([0-7]{3})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 8)));
