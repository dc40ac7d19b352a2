/** Copies what package managers made in the project into a new worktree, where the lock file is the same. */
import { existsSync, lstatSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Git } from "../../adapters/git/git.ts";
import { inOwnFolder } from "../../adapters/git/shared.ts";
import { removeTree } from "../../adapters/remove-tree.ts";
import { bytesIn, namesIn } from "../../adapters/small-files.ts";
import { fits } from "../../core/paths/paths.ts";
import { PACKAGES } from "../../core/project/packages.ts";
import { cutStart } from "../../core/text/valid.ts";
import type { Shell } from "../../ports/index.ts";

const LOCK_BYTES_MAX = 64 * 1024 * 1024;
const PLACED_BYTES_MAX = 1024 * 1024;
const COPY_MS = 120_000;
/** Where blocks cannot be shared. */
const KIB_MAX = 2 * 1024 * 1024;
const SAID = 2_000;

export type CopyParts = {
  readonly project: string;
  readonly git: Git;
  readonly shell: Shell;
  /** Folders that workspaces link to: they are not copied. */
  readonly share: readonly string[];
};

/**
 * Another task could change them through a link, so they are copied. Where the file system can, blocks are shared until one of them changes.
 * `part`: where a copy is until it is whole. Returns what was not copied, in words; "" for nothing.
 */
export async function copyPackages(
  { project, git, share, shell }: CopyParts,
  workspace: string,
  part: string,
): Promise<string> {
  const same = PACKAGES.filter(({ locks }) =>
    locks.some((name) => {
      const own = bytesIn(join(project, name), LOCK_BYTES_MAX);
      return own !== null && bytesIn(join(workspace, name), LOCK_BYTES_MAX)?.equals(own) === true;
    }),
  );
  if (same.length === 0) return "";
  const options = { cwd: project, timeoutMs: COPY_MS, signal: new AbortController().signal };
  const listing = ["ls-files", "--others", "--ignored", "--exclude-standard", "--directory", "-z"];
  for (const listed of (await git.run(project, ...listing)).split("\0")) {
    const path = listed.replace(/\/$/, "");
    const found = same.find(({ made }) => made.some((end) => `/${path}`.endsWith(`/${end}`)));
    const [from, to] = [join(project, path), join(workspace, path)];
    if (!found || share.includes(path) || existsSync(to) || !existsSync(dirname(to))) continue;
    removeTree(part);
    const sized = await shell.exec("du", ["-sk", from], options);
    const kib = Number.parseInt(sized.output, 10);
    if (!(kib <= KIB_MAX) && !(await sharesBlocks(shell, join(project, ".git", "HEAD"), part)))
      return `${path} has ${Math.round(kib / 1024 / 1024)} GiB, and at most ${KIB_MAX / 1024 / 1024} are copied.`;
    const ran = await shell.exec("cp", ["-a", from, part], options);
    if (ran.exitCode === 0) {
      for (const pattern of found.placed ?? []) replacePaths(part, pattern.split("/"), project, workspace);
      if (inOwnFolder(workspace, path, (own) => renameSync(part, own))) continue;
    }
    removeTree(part);
    return `${path} could not be copied: ${cutStart(ran.output.trim(), SAID) || "it took too long"}`;
  }
  return "";
}

/** `cp` of other systems knows no such option, and copies less there. */
async function sharesBlocks(shell: Shell, file: string, part: string): Promise<boolean> {
  const options = { cwd: "/", timeoutMs: COPY_MS, signal: new AbortController().signal };
  const { exitCode } = await shell.exec("cp", ["--reflink=always", file, part], options);
  removeTree(part);
  return exitCode === 0;
}

/** In plain files; what a link leads to belongs to others. */
function replacePaths(at: string, [pattern, ...more]: readonly string[], from: string, to: string): void {
  if (pattern !== undefined) {
    for (const name of namesIn(at).filter((one) => fits(pattern, one)))
      replacePaths(join(at, name), more, from, to);
    return;
  }
  const found = lstatSync(at);
  if (!found.isFile() || found.size > PLACED_BYTES_MAX) return;
  const text = readFileSync(at, "latin1");
  const [old, now] = [from, to].map((path) => Buffer.from(path).toString("latin1")) as [string, string];
  if (text.includes(old) && !text.includes("\0")) writeFileSync(at, text.replaceAll(old, now), "latin1");
}
