/**
 * Makes a new workspace ready: the installed packages of the project where the lock file is the same, the ignored files that
 * `.worktreeinclude` names, and the command of a set-up file that the person agreed to.
 */
import { constants, copyFileSync, existsSync, lstatSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Git } from "../../adapters/git/git.ts";
import { inOwnFolder } from "../../adapters/git/shared.ts";
import { inHeldFolder } from "../../adapters/held-folder.ts";
import { removeTree } from "../../adapters/remove-tree.ts";
import { bytesIn } from "../../adapters/small-files.ts";
import { isEkidenError, messageOf, toolFailed } from "../../core/errors.ts";
import { LOCK_FILES, type SetUp, setUpVariables } from "../../core/project/set-up.ts";
import { cutStart } from "../../core/text/valid.ts";
import { counted } from "../../core/views/view.ts";
import type { Contact, Shell, Worktree, Worktrees } from "../../ports/index.ts";
import type { Which } from "../../ports/worktrees.ts";

/** In the clone of a task: it is ready. */
const MARK = ".git/ekiden-set-up";
/** A copy gets its name when it is whole. */
const PART = ".git/ekiden-copy";
const INCLUDE = ".worktreeinclude";
const TIMEOUT_MS = 600_000;
const COPY_MS = 120_000;
const FILES_MAX = 5_000;
const BYTES_MAX = 256 * 1024 * 1024;
const LOCK_BYTES_MAX = 64 * 1024 * 1024;
const SHOWN = 2_000;

export type SetUpParts = {
  /** The project, absolute and without links. */
  readonly project: string;
  readonly git: Git;
  readonly shell: Shell;
  /** Null where the project has none. */
  readonly setUp: SetUp | null;
  readonly isAgreed: boolean;
  /** Folders that workspaces link to: they are not copied. */
  readonly share: readonly string[];
};

type SettingUp = (tree: Worktree, contact: Contact) => Promise<void>;

/** Opens a workspace for a program that hears no error of its tools: a set-up that failed is told to the person, and the work goes on. */
export async function openedAnyway(trees: Worktrees, task: Which, contact: Contact): Promise<Worktree> {
  const open = (): Promise<Worktree> => trees.open(task, undefined, contact);
  return await open().catch(async (error: unknown) => {
    if (!isEkidenError(error, "tool_failed") || error.details.setUp !== true) throw error;
    await contact.tell(error.message);
    return await open();
  });
}

/** Once for each workspace, also after a crash in the middle. @throws EkidenError `tool_failed`, once, when the command fails */
export function settingUp(parts: SetUpParts): SettingUp {
  const done = new Set<string>();
  let isTold = false;
  return async (tree, contact) => {
    const { workspace } = tree;
    if (done.has(workspace)) return;
    const top = topOf(workspace);
    if (!existsSync(join(top, MARK))) {
      for (const step of [copyPackages, copyIncluded]) {
        const said = await step(parts, workspace).catch((error: unknown) => messageOf(error));
        if (said !== "") await contact.tell(`The workspace of #${tree.task}: ${said}`);
      }
      const fault = await runSetUp(parts, tree, contact);
      done.add(workspace);
      inHeldFolder(top, MARK, (mark) => writeFileSync(mark, "", { flag: "wx" }));
      if (fault !== null) throw toolFailed(fault, { details: { setUp: true } });
    }
    done.add(workspace);
    const { setUp, isAgreed } = parts;
    if (setUp && !isAgreed && !isTold)
      await contact.tell(
        `${setUp.file} has a set-up for worktrees (${setUp.command}), which nobody has agreed to, so tasks begin without it. To agree: ekiden trust.`,
      );
    isTold = true;
  };
}

/** The clone that a folder of the project is in. */
function topOf(workspace: string): string {
  let at = workspace;
  while (!existsSync(join(at, ".git")) && at !== "/") at = join(at, "..");
  return at;
}

/** The installed packages are those of the lock file. Another task could change them through a link, so they are copied. */
async function copyPackages({ project, git, share, shell }: SetUpParts, workspace: string): Promise<string> {
  const isSame = LOCK_FILES.some((name) => {
    const own = bytesIn(join(project, name), LOCK_BYTES_MAX);
    return own !== null && bytesIn(join(workspace, name), LOCK_BYTES_MAX)?.equals(own) === true;
  });
  if (!isSame || !existsSync(join(project, "node_modules"))) return "";
  const listing = ["ls-files", "--others", "--ignored", "--exclude-standard", "--directory", "-z"];
  const folders = (await git.run(project, ...listing)).split("\0").flatMap((path) => {
    const name = path.replace(/\/$/, "");
    return /(?:^|\/)node_modules$/.test(name) && !share.includes(name) ? [name] : [];
  });
  const part = join(topOf(workspace), PART);
  const { signal } = new AbortController();
  for (const path of folders) {
    const to = join(workspace, path);
    if (existsSync(to) || !existsSync(dirname(to))) continue;
    removeTree(part);
    // Where the file system can, blocks are shared until one of them changes.
    const ran = await shell.exec("cp", ["-a", join(project, path), part], {
      ...{ cwd: project, timeoutMs: COPY_MS, signal },
    });
    if (ran.exitCode === 0 && inOwnFolder(workspace, path, (own) => renameSync(part, own))) continue;
    removeTree(part);
    return `${path} could not be copied: ${cutStart(ran.output.trim(), SHOWN) || "it took too long"}`;
  }
  return "";
}

/** Files that git ignores, and no others: they would land. */
async function copyIncluded({ project, git }: SetUpParts, workspace: string): Promise<string> {
  if (!existsSync(join(project, INCLUDE))) return "";
  // Git takes a relative path from the top of the repository.
  const from = `--exclude-from=${join(project, INCLUDE)}`;
  const listing = ["ls-files", "--others", "--ignored", from, "-z"];
  const named = (await git.run(project, ...listing)).split("\0").filter(Boolean);
  if (named.length === 0) return "";
  if (named.length > FILES_MAX)
    return `${INCLUDE} names ${counted(named.length, "file")}, at most ${FILES_MAX} are copied, so none was.`;
  const input = named.map((path) => `${path}\0`).join("");
  const ignored = (await git.tryWith({ input }, project, "check-ignore", "-z", "--stdin")).out.split("\0");
  const left = ignored.filter(Boolean).filter((path) => !copied(project, workspace, path));
  return left.length === 0 ? "" : `not copied: ${left.slice(0, 5).join(", ")}`;
}

/** False for what is no plain file of the project, is too large, or is there already. */
function copied(project: string, workspace: string, path: string): boolean {
  const from = join(project, path);
  const found = lstatSync(from, { throwIfNoEntry: false });
  if (!found?.isFile() || found.size > BYTES_MAX) return false;
  return inOwnFolder(workspace, path, (to) =>
    copyFileSync(from, to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE),
  );
}

/** In the sandbox, as a command of a member. Returns why it failed. */
async function runSetUp(
  { project, setUp, isAgreed, shell }: SetUpParts,
  { workspace, task }: Worktree,
  { signal }: Contact,
): Promise<string | null> {
  if (setUp === null || !isAgreed) return null;
  const env = setUpVariables(project, workspace, task);
  const ran = await shell.run(setUp.command, { cwd: workspace, signal, timeoutMs: TIMEOUT_MS, env });
  if (ran.exitCode === 0) return null;
  const how = ran.timedOut ? "did not end in 10 minutes" : `ended with code ${ran.exitCode}`;
  const hints = [ran.denial, ran.limit].filter(Boolean).join("\n");
  return `The workspace of #${task} is there, but its set-up (${setUp.file}) ${how}:\n${cutStart(ran.output.trim(), SHOWN)}\n${hints}\nRepair what is missing, or work without it.`;
}
