/**
 * Keeps the file tools inside the workspace: every path that a model gives is resolved here, through symbolic links, and must end
 * inside. Tools open only the `real` path that they get back, so the checked path is the opened one.
 */
import { lstat, realpath } from "node:fs/promises";
import { dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { badInput, EkidenError, notPermitted } from "../../core/errors.ts";
import { quote } from "../../core/ids.ts";
import type { ToolContext } from "../../ports/index.ts";

export type Place = {
  /** Absolute, without symbolic links. May not exist yet. */
  readonly real: string;
  /** For people and models: relative to the workspace, if it is inside. */
  readonly shown: string;
};

type Walls = Pick<ToolContext, "workspace" | "readable" | "closed">;

/** @throws EkidenError `outside_workspace` | `not_permitted` | `bad_input` */
export async function placeOf(path: string, walls: Walls, access: "read" | "write"): Promise<Place> {
  if (path === "") throw badInput("The path is empty. Name a file or a folder.");
  if (path.includes("\0")) throw badInput(`The path ${quote(path)} contains a NUL character.`);
  if (/^~(?:\/|$)/.test(path))
    throw badInput(`${quote(path)}: ~ is not expanded. Give a path in the workspace ${walls.workspace}.`);
  const real = await follow(resolve(walls.workspace, path), path);
  const inWorkspace = isInside(walls.workspace, real);
  if (!inWorkspace && !(access === "read" && (await readable(real, walls)))) {
    throw new EkidenError(
      "outside_workspace",
      `${quote(path)} is outside the workspace ${walls.workspace}. Use a path inside it, relative to it.`,
    );
  }
  const closed = walls.closed?.(access, real);
  if (closed)
    throw notPermitted(`Not permitted: ${path}: ${closed}. Continue without it, or say what you need.`);
  return { real, shown: inWorkspace ? relative(walls.workspace, real) || "." : real };
}

/** @throws EkidenError `outside_workspace` for a pattern that could leave the folder it is applied to. */
export function checkPattern(pattern: string, walls: Walls): void {
  if (pattern === "" || pattern.includes("\0"))
    throw badInput(`${quote(pattern)} is not a pattern. Use one such as "src/**/*.ts".`);
  const parts = pattern.split(/[/\\{},]/);
  if (isAbsolute(pattern) || parts.includes("..") || /[{,]\//.test(pattern) || pattern.startsWith("~")) {
    throw new EkidenError(
      "outside_workspace",
      `The pattern ${quote(pattern)} may leave the workspace ${walls.workspace}. Use one relative to it, without "..".`,
    );
  }
}

const isInside = (folder: string, path: string): boolean =>
  path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);

async function readable(path: string, walls: Walls): Promise<boolean> {
  for (const folder of walls.readable) {
    const real = await realpath(folder).catch(() => folder);
    if (isInside(real, path)) return true;
  }
  return false;
}

/** The real path of the deepest part that exists, then the rest unchanged: the rest cannot contain a link. */
async function follow(path: string, given: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENAMETOOLONG") throw badInput(`The path ${quote(given)} is too long.`);
    if (code === "ELOOP") throw badInput(`${quote(given)} is a symbolic link to itself.`);
    if (code === "ENOTDIR") throw badInput(`${quote(given)} goes through a file as if it were a folder.`);
    if (code !== "ENOENT") throw error;
  }
  // A write would follow a dangling link to any place.
  const link = await lstat(path).catch(() => null);
  if (link?.isSymbolicLink())
    throw new EkidenError(
      "outside_workspace",
      `${quote(given)} goes through a dangling symbolic link. Use the path it points to.`,
    );
  const parent = dirname(path);
  return parent === path
    ? path
    : join(await follow(parent, given), path.slice(parent.endsWith(sep) ? parent.length : parent.length + 1));
}
