/**
 * Makes a new workspace ready: the installed packages of the project where the lock file is the same, the ignored files that
 * `.worktreeinclude` names, and the command of a set-up file that the person agreed to. Runs the other command of that file before it is removed.
 */
import { constants, copyFileSync, existsSync, lstatSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { WorktreeOptions } from "../../adapters/git/options.ts";
import { inOwnFolder } from "../../adapters/git/shared.ts";
import { inHeldFolder } from "../../adapters/held-folder.ts";
import { isEkidenError, messageOf, toolFailed } from "../../core/errors.ts";
import type { SetUp } from "../../core/project/set-up.ts";
import { cutStart } from "../../core/text/valid.ts";
import { counted } from "../../core/views/view.ts";
import type { Contact, ShellResult, Worktree, Worktrees } from "../../ports/index.ts";
import type { Which } from "../../ports/worktrees.ts";
import { type CopyParts, copyPackages } from "./copy-packages.ts";
import type { Places } from "./places.ts";

/** In the clone of a task: it is ready. */
const MARK = ".git/ekiden-set-up";
/** A copy gets its name when it is whole. */
const PART = ".git/ekiden-copy";
const INCLUDE = ".worktreeinclude";
const TIMEOUT_MS = 600_000;
const TEARDOWN_MS = 60_000;
const FILES_MAX = 5_000;
const BYTES_MAX = 256 * 1024 * 1024;
const SHOWN = 2_000;

export type SetUpParts = CopyParts & {
  readonly places: Places;
  /** Null where the project has none. */
  readonly setUp: SetUp | null;
  readonly isAgreed: boolean;
};

/** Opens a workspace for a program that hears no error of its tools: a set-up that failed is told to the person, and the work continues. */
export async function openedAnyway(trees: Worktrees, task: Which, contact: Contact): Promise<Worktree> {
  const open = (): Promise<Worktree> => trees.open(task, undefined, contact);
  return await open().catch(async (error: unknown) => {
    if (!isEkidenError(error, "tool_failed") || error.details.setUp !== true) throw error;
    await contact.tell(error.message);
    return await open();
  });
}

/** Once for each workspace, also after a crash in the middle. @throws EkidenError `tool_failed`, once, when the command fails */
export function settingUp(parts: SetUpParts): NonNullable<WorktreeOptions["setUp"]> {
  const done = new Set<string>();
  let isTold = false;
  return async (tree, contact, attempt) => {
    const { workspace } = tree;
    await parts.places.enter(tree, attempt, parts.setUp?.file ?? "");
    if (done.has(workspace)) return;
    const top = topOf(workspace);
    if (!existsSync(join(top, MARK))) {
      for (const step of [copyPackages, copyIncluded]) {
        const said = await step(parts, workspace, join(top, PART)).catch((error: unknown) =>
          messageOf(error),
        );
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
        `${setUp.file} has a set-up for worktrees (${setUp.command || setUp.teardown}), which nobody has agreed to, so tasks begin without it. To agree: ekiden trust.`,
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
  { setUp, isAgreed, shell }: SetUpParts,
  { workspace: cwd, task }: Worktree,
  { signal }: Contact,
): Promise<string | null> {
  if (!setUp?.command || !isAgreed) return null;
  const why = faultOf(await shell.run(setUp.command, { cwd, signal, timeoutMs: TIMEOUT_MS }), "10 minutes");
  return (
    why &&
    `The workspace of #${task} is there, but its set-up (${setUp.file}) ${why}\nRepair what is missing, or work without it.`
  );
}

/** Before a workspace is removed: its failure holds nothing up. */
export const tearingDown =
  (parts: SetUpParts, warn: (text: string) => void): NonNullable<WorktreeOptions["tearDown"]> =>
  async (tree) => {
    const { setUp, isAgreed, shell, places } = parts;
    const { signal } = new AbortController();
    if (setUp?.teardown && isAgreed) {
      const options = { cwd: tree.workspace, signal, timeoutMs: TEARDOWN_MS };
      const why = await shell.run(setUp.teardown, options).then((ran) => faultOf(ran, "a minute"), messageOf);
      if (why !== null)
        warn(`The worktree of #${tree.task} is removed, and its teardown (${setUp.file}) ${why}`);
    }
    await places.leave(tree);
  };

function faultOf(ran: ShellResult, limit: string): string | null {
  if (ran.exitCode === 0) return null;
  const how = ran.timedOut ? `did not end in ${limit}` : `ended with code ${ran.exitCode}`;
  return [`${how}:`, cutStart(ran.output.trim(), SHOWN), ran.denial, ran.limit].filter(Boolean).join("\n");
}
