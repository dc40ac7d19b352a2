/** The folders that a line may be in as it runs. */
import { type Place, pathsOf, physical } from "./places.ts";
import type { Simple } from "./plain.ts";

export const FOLDERS_MAX = 16;

/** Every folder that the commands may run in at some time: a `cd` may fail. Not `sure` where there may be others. */
export type Folders = { readonly all: readonly string[]; readonly sure: boolean };

export function foldersOf(
  commands: readonly Pick<Simple, "words">[],
  place: Place,
  from: Iterable<string> = [place.workspace],
): Folders {
  const all = new Set(from);
  let sure = true;
  for (const { words } of commands) {
    const name = words[0]?.text.replace(/^.*\//s, "") ?? "";
    if (!/^(?:cd|pushd|popd)$/.test(name)) continue;
    const to = words.slice(1).find(({ text }) => !/^-[LPe]+$/.test(text));
    sure &&= name === "cd" && to !== undefined && !to.text.startsWith("-") && to.glob === undefined;
    for (const folder of [...all]) {
      const path = to && (pathsOf(to, folder, place)?.[0] ?? null);
      sure &&= path != null;
      // `cd` takes `..` from the path as text, programs take it from the disk.
      for (const disk of [place.disk, undefined]) all.add(physical(path ?? to?.text ?? ".", folder, disk));
    }
    if (all.size > FOLDERS_MAX) return { all: [...all].slice(0, FOLDERS_MAX), sure: false };
  }
  return { all: [...all], sure };
}
