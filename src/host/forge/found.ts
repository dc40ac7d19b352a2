/** The repository on a forge that the settings of a project mean. */
import { repoNamed } from "../../adapters/forge/open.ts";
import { repoName } from "../../core/forge/model.ts";
import { askGit } from "../../project/own-git.ts";

/** The address of the git remote origin; null for none. */
export const originOf = (project: string): Promise<string | null> =>
  askGit(project)("remote", "get-url", "--", "origin");

/** OWNER/NAME; no token is needed. @throws EkidenError `bad_input` | `settings_invalid` */
export const repositoryOf = async (named: string, project: string): Promise<string> =>
  repoName(repoNamed(named, named === "origin" ? await originOf(project) : null));
