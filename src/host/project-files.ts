/** Rules, roles and skills of the project, read once a stint. */
import { type Library, loadLibrary } from "../adapters/disk/library.ts";
import { quote } from "../core/ids.ts";
import type { Journal } from "../ports/index.ts";
import type { ProjectTrust } from "../project/trust/weigh.ts";

export type ProjectFiles = { library: Library; refresh(): Promise<void> };

/**
 * Reports a file that cannot be used once, and uses the others. Without `trust` each role
 * has the model of its file, else only one that the person has agreed to.
 */
export async function openProjectFiles(
  journal: Journal,
  reported: Set<string>,
  project: string,
  userFolder?: string,
  trust?: Pick<ProjectTrust, "judged">,
): Promise<ProjectFiles> {
  const load = async (): Promise<Library> => {
    const found = await loadLibrary(project, userFolder);
    const roles = found.roles.map((role) => trust?.judged(role) ?? role);
    const waiting = found.roles.filter((role, i) => role !== roles[i]);
    const unused = found.problems.map(({ file, why }) => `${file} is not used: ${why}`);
    const models = waiting.map(
      ({ source, model }) =>
        `the model ${quote(model)} of ${source} is not used until you agree (ekiden trust)`,
    );
    await warnOnce(journal, reported, [...unused, ...found.doubts, ...models]);
    return waiting.length === 0 ? found : { ...found, roles };
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
