/** The parts of a start for which a person would need a terminal: a repository with a first commit, and the file of a plan that was typed. */

import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { repositoryOf } from "../../adapters/git/clones/preflight.ts";
import { Git } from "../../adapters/git/git.ts";
import { identity } from "../../adapters/git/landing/landing-commits.ts";
import { childEnvironment } from "../../adapters/shell/environment.ts";
import { PROJECT_FILE_MAX, readRegular } from "../../adapters/small-files.ts";
import { badInput } from "../../core/errors.ts";
import { parseRunbook } from "../../core/project/runbook.ts";
import type { Settings } from "../../core/settings/settings.ts";
import { tried } from "../../core/tried.ts";
import { wantsClones } from "../../host/workspaces/open.ts";
import { withGit } from "../../project/own-git.ts";

/** Nothing but a plan is there: a first commit can leave nothing out, and takes nothing in that nobody has looked at. */
const NOTHING = /^(\.ekiden|\.DS_Store|.+\.(md|markdown))$/i;

/** Nobody has written a repository here yet, and no member works. */
const gitHere = (): Git => new Git(childEnvironment(process.env), null);

/** Whether the folder is empty and in no repository. */
export async function canBecomeRepository(cwd: string): Promise<boolean> {
  if (!readdirSync(cwd).every((entry) => NOTHING.test(entry))) return false;
  const found = await gitHere()
    .try(cwd, "rev-parse", "--git-dir")
    .catch(() => null);
  return found !== null && found.code !== 0 && /not a git repository/i.test(found.err);
}

/** Whether each task of several members works on a branch, where nobody says so: not with changes that a clone would lack. */
export async function isolates({ settings, cwd }: { settings: Settings; cwd: string }): Promise<boolean> {
  const start = { workspace: cwd, lead: "", embedded: false, resume: false, interactive: false };
  if (!wantsClones({ ...start, settings: { ...settings, worktrees: "auto" } })) return false;
  const found = withGit(cwd, (git) => repositoryOf(git, cwd, settings.targetBranch));
  return await found.then(
    () => true,
    () => false,
  );
}

/** @throws EkidenError `bad_input` where there is something already */
export async function makeRepository(cwd: string): Promise<void> {
  if (!(await canBecomeRepository(cwd)))
    throw badInput(`${cwd} is not empty, or is in a git repository already.`);
  const git = gitHere();
  await git.run(cwd, "init", "--quiet");
  const names = await identity({ git, project: cwd }, "ekiden");
  await git.run(cwd, ...names, "commit", "--quiet", "--allow-empty", "-m", "Begin");
}

const FILES_MAX = 100;

/** Writes the plan into a file that is named after its goal, unless it is there already. @throws EkidenError `bad_input` with what is wrong with the plan */
export function keepPlan(cwd: string, text: string): string {
  const { goal } = parseRunbook(text, "The plan");
  const [title = ""] = goal.split("\n");
  const slug = title
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, 50)
    .replace(/^-|-$/g, "");
  const whole = text.endsWith("\n") ? text : `${text}\n`;
  for (let nth = 1; nth <= FILES_MAX; nth += 1) {
    const file = `${slug || "plan"}${nth === 1 ? "" : `-${nth}`}.md`;
    try {
      writeFileSync(join(cwd, file), whole, { flag: "wx" });
      return file;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
      if (isThis(cwd, file, whole)) return file;
    }
  }
  throw badInput(`There are too many plans named ${slug}.md here. Choose one from the list.`);
}

const isThis = (cwd: string, file: string, text: string): boolean =>
  tried(() => readRegular(join(cwd, file), PROJECT_FILE_MAX, { within: cwd }) === text, false);
