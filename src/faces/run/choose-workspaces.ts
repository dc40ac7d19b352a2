/** Asks once, before a run, where tasks work when the project has changes that are not committed. */
import { repositoryOf } from "../../adapters/git/clones/preflight.ts";
import { badInput, orElse } from "../../core/errors.ts";
import type { Settings } from "../../core/settings/settings.ts";
import { wantsClones } from "../../host/workspaces/open.ts";
import { withGit } from "../../project/own-git.ts";
import { askLine } from "../kit/ask-line.ts";
import type { Invocation } from "../kit/invocation.ts";

const SHOWN = 5;

/** The settings of this run. @throws EkidenError `bad_input` where the person wants to commit first */
export async function chooseWorkspaces(call: Invocation, settings: Settings): Promise<Settings> {
  const { cwd, err } = call;
  const canAsk = err.isTTY && !call.json && process.stdin.isTTY === true;
  const start = { settings, workspace: cwd, lead: "", embedded: false, resume: false, interactive: false };
  if (!canAsk || settings.remote !== undefined || !wantsClones(start)) return settings;
  const asked = withGit(cwd, (git) => repositoryOf(git, cwd, settings.targetBranch, false, false));
  const { uncommitted } = await orElse(asked, "bad_input", { uncommitted: [] as readonly string[] });
  if (uncommitted.length === 0) return settings;
  const more = uncommitted.length > SHOWN ? ` and ${uncommitted.length - SHOWN} more` : "";
  const rows = [
    `Not committed: ${uncommitted.slice(0, SHOWN).join(", ")}${more}. Where shall the team work?`,
    "  1  each task in a clone of the last commit, without these changes",
    "  2  all members in this folder, with these changes",
    "  3  stop here, so that you can commit first",
  ];
  err.write(`${err.paint("warn", rows[0] ?? "")}\n${rows.slice(1).join("\n")}\n`);
  const answer = await askLine(err, "1-3: ", (line) => (/^[123]$/.test(line) ? line : undefined));
  if (answer === "1") return { ...settings, worktrees: true };
  if (answer === "2") return { ...settings, worktrees: false };
  throw badInput("Nothing was started. Commit your changes, and start again.");
}
