/** The folders that a line may be in as it runs. */
import { type Place, pathsOf, physical } from "./places.ts";
import type { Simple } from "./plain.ts";

const FOLDERS_MAX = 16;

/** The folders that a line may be in as it runs: a `cd` may fail. Null when they cannot be known. */
export class Folders {
  private known: ReadonlySet<string> | null;
  private readonly place: Place;

  constructor(place: Place) {
    this.place = place;
    this.known = new Set([place.workspace]);
  }

  all(holds: (folder: string) => boolean): boolean {
    return this.known !== null && [...this.known].every(holds);
  }

  after({ words }: Pick<Simple, "words">): void {
    const name = words[0]?.text;
    if (name === "pushd" || name === "popd") this.known = null;
    if (name !== "cd" || this.known === null) return;
    const to = words.slice(1).find(({ text }) => !/^-[LPe]+$/.test(text));
    const next = [...this.known].map((folder) =>
      !to || to.text.startsWith("-") || to.glob !== undefined ? null : pathsOf(to, folder, this.place)?.[0],
    );
    if (next.some((path) => path == null)) this.known = null;
    else {
      const folders = [...this.known].flatMap((folder, i) => {
        const path = next[i] ?? "";
        // `cd` takes `..` from the path as text, programs take it from the disk.
        return [folder, physical(path, folder, this.place.disk), physical(path, folder, undefined)];
      });
      this.known = folders.length > FOLDERS_MAX ? null : new Set(folders);
    }
  }
}
