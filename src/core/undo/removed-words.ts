/** The files that a command has removed or replaced, in one line for its result. */
import { listed } from "../text/listed.ts";
import { cutEnd } from "../text/valid.ts";
import { counted } from "../views/view.ts";
import type { PathChange } from "./change.ts";

const LINE_MAX = 300;

/** "" where no file that was there is removed or changed. */
export function removedWords(paths: readonly PathChange[]): string {
  const gone = groups(paths.flatMap(({ path, before, after }) => (before && !after ? path : [])));
  const other = groups(paths.flatMap(({ path, before, after }) => (before && after ? path : [])));
  const words = [
    ...(gone.length > 0 ? [`deleted ${listed(gone)}`] : []),
    ...(other.length > 0 ? [`changed ${listed(other)}`] : []),
  ];
  return words.length === 0 ? "" : cutEnd(`${words.join("; ")}; the person can undo it`, LINE_MAX);
}

/** Files of one folder at the top are named by it. */
function groups(paths: readonly string[]): string[] {
  const found = new Map<string, string[]>();
  for (const path of paths) {
    const at = path.includes("/") ? `${path.split("/")[0]}/` : path;
    found.set(at, [...(found.get(at) ?? []), path]);
  }
  return [...found].map(([at, all]) =>
    all.length === 1 ? (all[0] ?? at) : `${at} (${counted(all.length, "file")})`,
  );
}
