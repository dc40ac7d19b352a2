/** Where the files of a fork are: `.ekiden/forks/TEAM` in the project of the first original. */
import { existsSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";

/** The project in whose forks that folder is; itself where it is in none. */
export function originalOf(project: string): string {
  const at = project.indexOf(join(sep, ".ekiden", "forks", sep));
  return at < 0 ? project : project.slice(0, at);
}

/** Also those of a fork are there, so that their names lead to them. */
export const forksIn = (project: string): string => join(originalOf(project), ".ekiden", "forks");

/** The folder of the fork that is as `project` is in its repository; null where that team has none. */
export function forkFolder(project: string, team: string): string | null {
  if (!/^[a-z][a-z0-9-]*$/.test(team)) return null;
  const folder = join(forksIn(project), team);
  return existsSync(folder) ? join(folder, partOf(project)) : null;
}

/** The project's folder in its repository: "" or "packages/api". */
export function partOf(project: string): string {
  for (let at = project; ; at = dirname(at)) {
    if (existsSync(join(at, ".git"))) return relative(at, project);
    if (dirname(at) === at) return "";
  }
}
