/** Rules, roles and skills of the project, read once a stint. */
import { type Library, loadLibrary } from "../../adapters/disk/library.ts";
import type { Journal } from "../../ports/index.ts";

export type ProjectFiles = { library: Library; refresh(): Promise<void> };

/** `userFolder`: Ekiden's folder in the person's configuration. Reports a file that cannot be used once, and uses the others. */
export async function openProjectFiles(
  journal: Journal,
  reported: Set<string>,
  project: string,
  userFolder?: string,
): Promise<ProjectFiles> {
  const load = async (): Promise<Library> => {
    const library = await loadLibrary(project, userFolder);
    const unused = library.problems.map(({ file, why }) => `${file} is not used: ${why}`);
    await warnOnce(journal, reported, [...unused, ...library.doubts]);
    return library;
  };
  const files: ProjectFiles = {
    library: await load(),
    refresh: async () => {
      files.library = await load();
    },
  };
  return files;
}

/** `reported`: the warnings that this process gave already. */
export async function warnOnce(
  journal: Journal,
  reported: Set<string>,
  texts: readonly string[],
): Promise<void> {
  const fresh = texts.filter((text) => !reported.has(text));
  for (const text of fresh) reported.add(text);
  if (fresh.length > 0)
    await journal.note(fresh.map((text) => ({ type: "warning.raised", who: null, text })));
}
