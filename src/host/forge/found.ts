/** The forge that the settings of a project mean. */
import { type Found, findForge, repoNamed } from "../../adapters/forge/open.ts";
import { repoName } from "../../core/forge/model.ts";
import { askGit } from "../../project/own-git.ts";

/** The address of the git remote origin; null for none. */
export const originOf = (project: string): Promise<string | null> =>
  askGit(project)("remote", "get-url", "--", "origin");

/** `named`: OWNER/NAME, or "origin". @throws as `findForge` */
export const foundForge = async (named: string, project: string, env: NodeJS.ProcessEnv): Promise<Found> =>
  await findForge(named, await originOf(project), env);

/** OWNER/NAME; no token is needed. @throws EkidenError `bad_input` | `settings_invalid` */
export const repositoryOf = async (named: string, project: string): Promise<string> =>
  repoName(repoNamed(named, named === "origin" ? await originOf(project) : null));
