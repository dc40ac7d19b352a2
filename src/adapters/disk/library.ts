/**
 * The files that people write for agents: skills, roles, the rules of the project. They are read together, so a stint sees one
 * state of them; each stint reads them again.
 */
import { join } from "node:path";
import { messageOf } from "../../core/errors.ts";
import { COMMAND_FOLDERS, makeOwnCommand, type OwnCommand } from "../../core/project/own-command.ts";
import { doubtsAbout, makeRole, ROLE_FOLDERS, type Role } from "../../core/project/role.ts";
import { rulesSection } from "../../core/project/rules.ts";
import { makeSkill, type Skill } from "../../core/project/skill.ts";
import {
  entriesNow,
  entriesOf,
  type Loaded,
  loadEach,
  type Problem,
  readInside,
  stampOf,
  stem,
} from "./markdown.ts";

const SKILL_FOLDERS = [".ekiden/skills", ".claude/skills", ".agents/skills"];
const RULE_FILES = ["AGENTS.md", "CLAUDE.md"];
/** Files of one kind; the rest are left out. */
const FILES_MAX = 500;
const SHELVES_MAX = 50;

export type Library = {
  readonly skills: readonly Skill[];
  readonly roles: readonly Role[];
  /** A section of the prompt; "" without rules. */
  readonly rules: string;
  readonly problems: readonly Problem[];
  /** Sentences about faults in files that are used all the same. */
  readonly doubts: readonly string[];
};

/** The result of a read, and the state of everything it looked at just before. */
type Shelf = { readonly stamps: ReadonlyMap<string, string>; readonly library: Library };
const shelves = new Map<string, Shelf>();

/**
 * Returns the same object, without a wait, while nothing has changed: each wait delays a member that has just claimed a task.
 * @param userFolder Ekiden's folder in the person's configuration; its `skills` and `agents` apply to every project.
 */
export async function loadLibrary(project: string, userFolder?: string): Promise<Library> {
  const key = `${project}\0${userFolder ?? ""}`;
  const known = shelves.get(key);
  if (known && [...known.stamps].every(([path, stamp]) => stampOf(path) === stamp)) return known.library;
  const stamps = new Map(
    [
      ...RULE_FILES.map((file) => join(project, file)),
      ...foldersOf(project, SKILL_FOLDERS, userFolder, "skills").flatMap(({ folder }) => [
        folder,
        ...entriesNow(folder).flatMap((name) => [join(folder, name), join(folder, name, "SKILL.md")]),
      ]),
      ...foldersOf(project, ROLE_FOLDERS, userFolder, "agents").flatMap(({ folder }) => [
        folder,
        ...entriesNow(folder).map((name) => join(folder, name)),
      ]),
    ].map((path) => [path, stampOf(path)]),
  );
  const library = await readLibrary(project, userFolder);
  if (shelves.size >= SHELVES_MAX) shelves.clear();
  shelves.set(key, { stamps, library });
  return library;
}

async function readLibrary(project: string, userFolder: string | undefined): Promise<Library> {
  const [skills, roles, rules] = await Promise.all([
    loadSkills(project, userFolder),
    loadRoles(project, userFolder),
    loadRules(project),
  ]);
  return {
    skills: skills.items,
    roles: roles.items,
    rules: rulesSection(rules.items),
    problems: [...skills.problems, ...roles.problems, ...rules.problems],
    doubts: roles.items.flatMap(doubtsAbout),
  };
}

/** Each folder with a `SKILL.md` is a skill. Those of the project come before those of the person. */
export async function loadSkills(project: string, userFolder?: string): Promise<Loaded<Skill>> {
  const folders = foldersOf(project, SKILL_FOLDERS, userFolder, "skills");
  const files = await Promise.all(
    folders.map(async ({ root, folder }) =>
      (await entriesOf(folder)).map((name) => ({ root, name, path: join(folder, name, "SKILL.md") })),
    ),
  );
  return loadEach(files.flat().slice(0, FILES_MAX), ({ data, body }, name, path) =>
    makeSkill(data, body, name, join(path, "..")),
  );
}

/** Each Markdown file is a role. Those of the project come before those of the person. */
export async function loadRoles(project: string, userFolder?: string): Promise<Loaded<Role>> {
  const folders = foldersOf(project, ROLE_FOLDERS, userFolder, "agents");
  const files = await Promise.all(
    folders.map(async ({ root, folder }) =>
      (await entriesOf(folder))
        .filter((name) => name.endsWith(".md"))
        .map((name) => ({ root, name: stem(name), path: join(folder, name) })),
    ),
  );
  return loadEach(files.flat().slice(0, FILES_MAX), ({ data, body }, name, path) =>
    makeRole(data, body, name, path),
  );
}

/** The own commands of the project and, behind them, of the person; one in a folder is named `folder:name`. */
export async function loadCommands(project: string, userFolder?: string): Promise<Loaded<OwnCommand>> {
  const folders = foldersOf(project, COMMAND_FOLDERS, userFolder, "commands");
  const files = await Promise.all(
    folders.map(async ({ root, folder }) => {
      const names = await entriesOf(folder);
      const below = names.filter((name) => !name.endsWith(".md")).slice(0, SHELVES_MAX);
      const inFolders = await Promise.all(
        below.map(async (name) => (await entriesOf(join(folder, name))).map((file) => [name, file] as const)),
      );
      return [...names.map((file) => ["", file] as const), ...inFolders.flat()]
        .filter(([, file]) => file.endsWith(".md"))
        .map(([name, file]) => ({
          root,
          name: name === "" ? stem(file) : `${name}:${stem(file)}`,
          path: join(folder, name, file),
        }));
    }),
  );
  return loadEach(files.flat().slice(0, FILES_MAX), ({ data, body }, name, path) =>
    makeOwnCommand(data, body, name, path),
  );
}

/** The files with the project's rules for agents, unchanged. */
export async function loadRules(
  project: string,
): Promise<Loaded<{ readonly file: string; readonly text: string }>> {
  const items: { file: string; text: string }[] = [];
  const problems: Problem[] = [];
  for (const file of RULE_FILES) {
    try {
      const text = readInside(project, join(project, file));
      if (text !== null) items.push({ file, text });
    } catch (error) {
      problems.push({ file: join(project, file), why: messageOf(error) });
    }
  }
  return { items, problems };
}

function foldersOf(
  project: string,
  inProject: readonly string[],
  userFolder: string | undefined,
  own: string,
) {
  const ofProject = inProject.map((folder) => ({ root: project, folder: join(project, folder) }));
  return userFolder === undefined
    ? ofProject
    : [...ofProject, { root: userFolder, folder: join(userFolder, own) }];
}
