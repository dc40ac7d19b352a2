/** Where the members of a team work: in one folder, or each task in a clone of its own. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { hasWorktrees, withoutWorktrees } from "../../adapters/git/bindings.ts";
import type { WayOut } from "../../adapters/git/landing/way-out.ts";
import { lateSandbox } from "../../adapters/sandbox/late.ts";
import { childEnvironment } from "../../adapters/shell/environment.ts";
import { createShell } from "../../adapters/shell/index.ts";
import { badInput, EkidenError, isEkidenError, messageOf } from "../../core/errors.ts";
import { closedPatterns, rulesOf } from "../../core/permission/permission.ts";
import { mayChangeProtected } from "../../core/permission/protected.ts";
import type { Embedded } from "../../core/project/runbook.ts";
import { networkOf } from "../../core/sandbox/sandbox.ts";
import { agentLine } from "../../core/settings/agent-line.ts";
import type { Settings } from "../../core/settings/settings.ts";
import type { PortBlocks, Sandbox, Shell, Worktrees } from "../../ports/index.ts";
import { sandboxFolders } from "../../project/own-folders.ts";
import { repositoryOf } from "../../project/trust/items.ts";
import type { ProjectTrust } from "../../project/trust/weigh.ts";
import { openedBy } from "../permission/opened.ts";
import type { Places } from "./places.ts";

export type Workspaces = {
  readonly sandbox: Sandbox;
  readonly shell: Shell;
  /** Null: all members work in the project itself. */
  readonly trees: Worktrees | null;
  /** One sentence for the person about a choice that the settings left open; "" for none. */
  readonly said: string;
};

type Wanted = {
  readonly settings: Settings;
  readonly workspace: string;
  /** The lead, as a model or an agent program; "" where it is not known. */
  readonly lead: string;
  /** The work is a runbook. */
  readonly embedded: Embedded;
  /** The team exists. */
  readonly resume: boolean;
  /** The person talks to the lead, which changes files of the project itself. */
  readonly interactive: boolean;
};

export type WorkspacesInput = Wanted & {
  readonly env: NodeJS.ProcessEnv;
  readonly outputDir: string;
  readonly mark: string;
  readonly trust: ProjectTrust;
  readonly warn: (text: string) => void;
  /** Whether a model can repair a red target. */
  readonly hasModel: () => boolean;
  /** Null before the store is open. */
  readonly ports: () => PortBlocks | null;
};

/** @throws EkidenError `bad_input` where the project cannot have the workspaces that the settings name | `settings_invalid` */
export async function openWorkspaces(input: WorkspacesInput): Promise<Workspaces> {
  const { settings, workspace, resume } = input;
  const whose = { project: workspace, team: settings.team };
  const isKnown = resume && settings.worktrees !== false && hasWorktrees(whose);
  const isRemote = settings.remote !== undefined || settings.forge !== undefined;
  if (settings.worktrees !== "auto" || isRemote || isKnown) {
    const inTrees = settings.worktrees === true || isRemote || isKnown;
    return await opened(input, inTrees, false).catch((error: unknown) => {
      // Work that lands on a remote always has worktrees.
      throw isRemote && isEkidenError(error, "bad_input") ? badInput(withoutOption(error)) : error;
    });
  }
  if (!wantsClones(input)) return await opened(input, false, false);
  try {
    const found = await opened(input, true, true);
    const onto = found.trees?.onto ?? "";
    const said = `Each task gets a clone of the repository, and lands on ${onto} when it is done. One folder for all: --no-worktrees.`;
    return { ...found, said };
  } catch (error) {
    if (!isEkidenError(error, "bad_input")) throw error;
    const said = `All members work in one folder. ${withoutOption(error)}`;
    return { ...(await opened(input, false, false)), said };
  }
}

const withoutOption = (error: unknown): string =>
  messageOf(error).replace(/ Or run with --no-worktrees\.$/, "");

/** Whether several members may write in a repository that could have clones. What only git knows is asked when they are opened. */
export function wantsClones(wanted: Wanted): boolean {
  const { settings, workspace, lead, embedded, resume, interactive } = wanted;
  const leads = [lead, settings.lead ?? "", settings.model ?? ""];
  if (settings.worktrees !== "auto" || embedded || resume || leads.includes("runbook")) return false;
  const { teammates } = settings;
  const isAgent = leads.some((one) => agentLine(one) !== null);
  // Without a number the lead of a run adds as many as it wants.
  const several =
    teammates === undefined ? !interactive : teammates.length > 1 || teammates.some(({ agent }) => agent);
  const { top, dirs } = repositoryOf(workspace);
  return (isAgent || several) && dirs.length > 0 && !existsSync(join(top, ".gitmodules"));
}

/** `needsClean`: changes that are not committed are a reason against clones. */
async function opened(input: WorkspacesInput, inTrees: boolean, needsClean: boolean): Promise<Workspaces> {
  const { settings, workspace, outputDir, mark, warn } = input;
  const rules = rulesOf(settings);
  const sandbox = lateSandbox({
    mode: settings.sandbox,
    network: networkOf(settings.allow, settings.deny),
    workspace,
    ...{ closed: closedPatterns(rules), shown: openedBy(rules, "read") },
    inWorktrees: inTrees,
    limits: settings,
    ...sandboxFolders(workspace),
  });
  const places = inTrees ? new (await import("./places.ts")).Places(workspace, input.ports) : null;
  const shell = createShell({
    ...{ outputDir, mark, sandbox },
    variablesIn: (folder) => places?.variablesIn(folder) ?? {},
    onSandboxFault: (reason) => warn(`The sandbox cannot be set up, so commands do not run: ${reason}`),
    passEnv: settings.commandEnv,
    // With the variables of a git hook, the git commands of members would act on another repository than their worktree.
    hideEnv: inTrees ? (await import("../../adapters/git/variables.ts")).FOREIGN : [],
  });
  try {
    const trees = places ? await treesOf(input, { shell, sandbox, places }, needsClean) : null;
    if (!inTrees) withoutWorktrees({ project: workspace, team: settings.team });
    return { sandbox, shell, trees, said: "" };
  } catch (error) {
    await shell.close();
    await sandbox.close();
    throw error;
  }
}

async function treesOf(
  { settings, workspace: project, trust, env, hasModel, warn }: WorkspacesInput,
  { shell, sandbox, places }: { readonly shell: Shell; readonly sandbox: Sandbox; readonly places: Places },
  needsClean: boolean,
): Promise<Worktrees> {
  const { team, gate, gateTimeoutMs, gateParallel, targetBranch, worktreeShare } = settings;
  const { judges, tampering } = settings;
  const [{ openWorktrees }, { Git }, { settingUp, tearingDown }] = await Promise.all([
    import("../../adapters/git/index.ts"),
    import("../../adapters/git/git.ts"),
    import("./set-up.ts"),
  ]);
  const own = childEnvironment(env);
  const parts = {
    ...{ project, shell, places, isAgreed: trust.runsGit, share: worktreeShare },
    setUp: trust.git().setUp,
    git: new Git(own, sandbox, trust.runsGit),
  };
  return await openWorktrees({
    ...{ project, team, shell, sandbox, gate, gateTimeoutMs, gateParallel, judges, tampering },
    redBase: () => settings.redBase ?? (hasModel() ? "repair" : "tell"),
    wayOut: wayOutOf(settings),
    setUp: settingUp(parts),
    tearDown: tearingDown(parts, warn),
    env: own,
    target: targetBranch,
    share: worktreeShare,
    needsClean,
    trusted: trust.runsGit,
    mayChange: (path, workspace) => mayChangeProtected(rulesOf(settings), path, workspace),
  });
}

function wayOutOf({ landing, remote, prCommand, forge }: Settings): WayOut {
  if (forge !== undefined && (landing ?? "pr") !== "pr")
    throw new EkidenError(
      "settings_invalid",
      `landing ${JSON.stringify(landing)} moves a branch at once, and with forge a task lands when its pull request is merged. Remove one of the two.`,
    );
  if (forge !== undefined) return { kind: "pr", remote: remote ?? "origin", isShared: true, isForge: true };
  if (landing === "fast-forward" && remote !== undefined)
    throw new EkidenError(
      "settings_invalid",
      'landing "fast-forward" moves a branch of this repository only, and remote names one that other machines use. Set landing to "push" or "pr", or remove one of the two.',
    );
  const kind = landing ?? (remote === undefined ? "fast-forward" : "push");
  return { kind, remote: remote ?? "origin", isShared: remote !== undefined, command: prCommand };
}
