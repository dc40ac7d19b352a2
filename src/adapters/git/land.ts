/**
 * Brings a branch to its target: uncommitted changes are committed, the branch is rebased, the gate runs on the result, the
 * target is fast-forwarded. If any step fails, the branch keeps every commit it had.
 */
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { LandingStep, Obstacle } from "../../core/worktree.ts";
import type { Shell } from "../../ports/shell.ts";
import { fastForward } from "./fast-forward.ts";
import { bounded, type Git, messageOfGit, type Ran } from "./git.ts";
import { listed, operationIn } from "./preflight.ts";
import { inTurn, queueIn } from "./queue.ts";
import { gitGone, removeLock } from "./stale-locks.ts";
import { withWorktreeLock } from "./worktree-lock.ts";

export type LandingInput = {
  readonly git: Git;
  readonly shell: Shell;
  readonly commonDir: string;
  /** Top folder of the worktree. */
  readonly root: string;
  /** The folder in which the gate runs. */
  readonly workspace: string;
  readonly branch: string;
  readonly target: string;
  readonly gate: string | undefined;
  readonly gateTimeoutMs: number;
  readonly message: string;
  /** The author of commits, if git has no identity. */
  readonly author: string;
  readonly signal: AbortSignal;
  readonly stillMine: () => Promise<void>;
  readonly onStep: (step: LandingStep) => Promise<void>;
  /** Called with the commit before the target moves to it. */
  readonly willLand: (commit: string) => void;
};

export type Landed =
  | { readonly kind: "nothing" }
  | { readonly kind: "landed"; readonly commit: string }
  | Refused;
type Refused = { readonly kind: "refused"; readonly why: Obstacle; readonly evidence: string };

const EVIDENCE_MAX = 4_000;
/** How often the target may move during a gate, through somebody outside the queue. */
const RACES_MAX = 5;

const refused = (why: Obstacle, evidence: string): Refused => ({
  kind: "refused",
  why,
  evidence: bounded(evidence, EVIDENCE_MAX),
});

export async function landBranch(job: LandingInput): Promise<Landed> {
  const { git, root, commonDir, signal } = job;
  const gitDir = await git.run(root, "rev-parse", "--path-format=absolute", "--git-dir");
  const names = await identity(job);
  const as = (...args: string[]): Promise<Ran> => git.try(root, ...names, ...args);
  const marker = join(gitDir, "ekiden-at-work");
  if (existsSync(marker)) await clear(job, gitDir, marker);
  const fault = (await stateFault(job, gitDir)) ?? (await marked(marker, "commit", () => commitAll(job, as)));
  if (fault) return fault;
  if (await nothingAhead(job)) return { kind: "nothing" };
  const inner = await innerRepositories(job);
  if (inner.length > 0)
    return refused(
      "branch",
      `${listed(inner)}: a git repository of its own inside the worktree. None of its files would land, only the number of a commit that nobody else has. Delete its .git folder and run: git rm -r --cached ${inner[0]}. Or have git ignore it, or make it a submodule.`,
    );
  const queue = queueIn(commonDir);
  return await inTurn(
    queue,
    signal,
    async () => {
      for (let race = 0; race < RACES_MAX; race += 1) {
        const from = await git.run(root, "rev-parse", `refs/heads/${job.target}`);
        const stuck = await withWorktreeLock(commonDir, () =>
          marked(marker, "rebase", () => rebase(job, as, from)),
        );
        if (stuck) return stuck;
        if ((await git.run(root, "rev-parse", "HEAD")) === from) return { kind: "nothing" };
        const red = await gate(job);
        if (red) return red;
        if (job.gate !== undefined) await squashAfterGate(job, as, from);
        const commit = await git.run(root, "rev-parse", "HEAD");
        await job.stillMine();
        job.willLand(commit);
        const moved = await fastForward(job, from, commit);
        if (moved === "moved") return { kind: "landed", commit };
        if (moved !== "raced") return refused("target", moved.why);
      }
      return refused("target", `${job.target} moved ${RACES_MAX} times while the gate ran.`);
    },
    () => job.onStep("queued"),
  );
}

/**
 * `marker` records that the queue, and not the member, began an operation in the worktree, for recovery after a crash.
 * It is removed on an error, because then git has ended and has cleaned up.
 */
async function marked<T>(marker: string, what: "commit" | "rebase", work: () => Promise<T>): Promise<T> {
  writeFileSync(marker, what);
  return await work().finally(() => rmSync(marker, { force: true }));
}

/** After a crash: the member's own work is committed or still there, as it was before. */
async function clear({ git, root }: LandingInput, gitDir: string, marker: string): Promise<void> {
  await gitGone(({ cwd }) => cwd === root || cwd.startsWith(`${root}/`));
  removeLock(join(gitDir, "index.lock"), statSync(marker).mtimeMs);
  if (readFileSync(marker, "utf8") === "rebase" && operationIn(gitDir) === "rebase")
    await git.try(root, "rebase", "--abort"); // if this fails, the owner is told next that a rebase is under way
  rmSync(marker, { force: true });
}

async function stateFault({ git, root, branch }: LandingInput, gitDir: string): Promise<Refused | null> {
  const operation = operationIn(gitDir);
  if (operation)
    return refused(
      "branch",
      `A ${operation} is under way in the worktree. Finish it (git -c core.editor=true ${operation} --continue) or undo it (git ${operation} --abort).`,
    );
  const current = await git.ask(root, "symbolic-ref", "--quiet", "--short", "HEAD");
  if (current === branch) return null;
  return refused(
    "branch",
    `The worktree is on ${current ?? "no branch"}, not on ${branch}. Bring your commits there: git switch ${branch}, then git merge or git cherry-pick.`,
  );
}

async function commitAll({ git, root, message }: LandingInput, as: Run): Promise<Refused | null> {
  if ((await git.changes(root)).length === 0) return null;
  const added = await git.try(root, "add", "--all");
  if (added.code !== 0) return refused("branch", `git add failed:\n${messageOfGit(added)}`);
  const done = await as("commit", "--quiet", "--message", message);
  // A change of only a file's time, or inside a submodule, leaves nothing to commit.
  if (done.code !== 0 && (await git.try(root, "diff", "--cached", "--quiet")).code === 0) return null;
  return done.code === 0 ? null : refused("branch", `git commit was refused:\n${messageOfGit(done)}`);
}

type Run = (...args: string[]) => Promise<Ran>;

/** The person's own identity if git has one. Nobody can type a passphrase here, so nothing is signed. */
async function identity({ git, root, author }: LandingInput): Promise<string[]> {
  const unsigned = ["-c", "commit.gpgSign=false"];
  if ((await git.ask(root, "-c", "user.useConfigOnly=true", "var", "GIT_COMMITTER_IDENT")) !== null)
    return unsigned;
  return [...unsigned, "-c", `user.name=${author}`, "-c", `user.email=${author}@ekiden.invalid`];
}

const nothingAhead = async ({ git, root, target }: LandingInput): Promise<boolean> =>
  (await git.run(root, "rev-list", "--count", `refs/heads/${target}..HEAD`)) === "0";

/** Folders that the branch adds like a submodule without being one: a clone, or the result of `git init`. */
async function innerRepositories({ git, root, target }: LandingInput): Promise<string[]> {
  const range = `refs/heads/${target}...HEAD`;
  const raw = await git.run(root, "diff", "--raw", "-z", "--no-renames", "--ignore-submodules=none", range);
  const fields = raw.split("\0"); // ":000000 160000 … A", the path, and so on
  const added = fields.flatMap((path, i) =>
    /^:(?!160000)\d+ 160000 /.test(fields[i - 1] ?? "") ? [path] : [],
  );
  if (added.length === 0) return [];
  const modules = await git.try(root, "config", "--file", ".gitmodules", "--get-regexp", "\\.path$");
  const known = new Set(modules.out.split("\n").map((line) => line.slice(line.indexOf(" ") + 1)));
  return added.filter((path) => !known.has(path));
}

/** Turns a branch with merges into one commit, so that conflicts which a merge resolved need not be resolved again. */
async function flatten(job: LandingInput, as: Run): Promise<void> {
  const { git, root, target, message } = job;
  const range = `refs/heads/${target}..HEAD`;
  if ((await git.run(root, "rev-list", "--merges", "--count", range)) === "0") return;
  const base = await git.run(root, "merge-base", `refs/heads/${target}`, "HEAD");
  await inOne(job, as, base, message);
}

/** The current tree as one commit on `parent`. */
async function inOne({ git, root }: LandingInput, as: Run, parent: string, message: string): Promise<void> {
  const made = await as("commit-tree", "HEAD^{tree}", "-p", parent, "-m", message);
  if (made.code === 0) await git.run(root, "reset", "--soft", made.out.trim());
}

/** The gate has seen only the last of several commits. The target gets no others: a bisection may stop at each. */
async function squashAfterGate(job: LandingInput, as: Run, from: string): Promise<void> {
  const { git, root, message } = job;
  const steps = await git.run(root, "log", "--reverse", "--format=- %s", `${from}..HEAD`);
  if (steps.trim().split("\n").length > 1) await inOne(job, as, from, `${message}\n\n${steps.trim()}`);
}

async function rebase(job: LandingInput, as: Run, onto: string): Promise<Refused | null> {
  const { git, root, target } = job;
  await flatten(job, as);
  if (await git.isAncestor(root, onto, "HEAD")) return null;
  const done = await as("rebase", "--quiet", "--no-autostash", onto);
  if (done.code === 0) return null;
  const conflicts = (await git.run(root, "diff", "--name-only", "--diff-filter=U", "-z"))
    .split("\0")
    .filter(Boolean);
  const marks = conflicts.length > 0 ? await git.run(root, "diff", "--no-color", "--no-ext-diff") : "";
  const told = `${done.out}\n${done.err}`.split("\n").filter((line) => line.startsWith("CONFLICT"));
  await git.try(root, "rebase", "--abort");
  if (conflicts.length === 0) return refused("branch", `git rebase ${target} failed:\n${messageOfGit(done)}`);
  return refused(
    "conflict",
    `Conflicts with ${target} in ${listed(conflicts)}\n${told.join("\n")}\n${marks}`,
  );
}

async function gate(job: LandingInput): Promise<Refused | null> {
  const { git, shell, gate: command, gateTimeoutMs, root, workspace, signal } = job;
  if (command === undefined) return null;
  await job.onStep("gate");
  const ran = await shell.run(command, { cwd: workspace, signal, timeoutMs: gateTimeoutMs });
  if (ran.exitCode === 0 && !ran.timedOut) return null;
  const how = ran.timedOut
    ? `was not done after ${gateTimeoutMs} ms`
    : `ended with ${ran.exitCode === null ? ran.signal : `exit code ${ran.exitCode}`}`;
  const left = (await git.changes(root)).map((line) => line.slice(3));
  const changed =
    left.length > 0
      ? `\nIt has changed files of the worktree: ${listed(left)}. What is still there when the task is completed again is committed.`
      : "";
  return refused(
    "gate",
    `\`${command}\` ${how} on the merged tree${ran.output.trim() === "" ? " and printed nothing." : `:\n${bounded(ran.output, EVIDENCE_MAX - 1_000)}`}${changed}`,
  );
}
