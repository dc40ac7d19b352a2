/** The way of a landed commit out of this repository: none, a push of the target, or a branch and a command that proposes it. */
import { EkidenError } from "../../../core/errors.ts";
import type { Binding } from "../bindings.ts";
import { requestBranch } from "../clones/request-branch.ts";
import type { Git } from "../git.ts";
import { type Contact, Remote } from "../remote.ts";
import type { LandingInput } from "./landing-job.ts";
import { type Refused, refused } from "./refusal.ts";

export type WayOut = {
  readonly kind: "fast-forward" | "push" | "pr";
  /** The name of a git remote, or an address. */
  readonly remote: string;
  /** Other machines work on the same remote: tasks start from its target branch. Always so with `push`. */
  readonly isShared?: boolean;
  /** The pull request is opened by the host, and lands the task when it is merged. */
  readonly isForge?: boolean;
  /** Opens the pull request. */
  readonly command?: string | undefined;
};

export const FAST_FORWARD: WayOut = { kind: "fast-forward", remote: "" };

/** @returns null if the way out needs no remote. @throws EkidenError `settings_invalid` */
export async function remoteOf(git: Git, project: string, way: WayOut): Promise<Remote | null> {
  if (way.kind === "fast-forward") return null;
  const remote = await Remote.open(git, project, way.remote);
  if (way.kind === "pr" && way.command === undefined && !way.isForge)
    throw new EkidenError(
      "settings_invalid",
      `landing: "pr" needs prCommand, such as gh pr create --head "$EKIDEN_BRANCH" --base "$EKIDEN_TARGET" --fill.`,
    );
  return remote;
}

/** A pull request. */
export type Proposal = {
  readonly remote: Remote;
  readonly command: string;
  /** The commit that is proposed already, and its branch if that has another name on the remote. */
  readonly proposed: string | null;
  readonly request: string | undefined;
  /** Commits of this task that may be on that branch. */
  readonly pushed: readonly string[];
  /** Called before a commit is pushed. */
  readonly will: (commit: string) => void;
  /** Called when the pull request is there. */
  readonly made: (commit: string, branch: string) => void;
};

export const proposalOf = (
  way: WayOut = FAST_FORWARD,
  remote: Remote | null,
  { proposed, request, pushed = [], parked }: Partial<Binding>,
  note: (change: Partial<Binding>) => void,
): Proposal | null =>
  way.kind !== "pr" || !remote
    ? null
    : {
        ...{ remote, command: way.command ?? "", proposed: proposed ?? null, request },
        pushed: [...pushed, ...[proposed ?? [], parked ?? []].flat()],
        will: (commit) => note({ pushed: [...pushed, commit].slice(-PUSHED_MAX) }),
        made: (commit, branch) => note({ proposed: commit, request: branch }),
      };

const PUSHED_MAX = 50;

/** Pushes the branch and runs the command. Commits of others on that branch are never overwritten. */
export async function propose(
  { task, options, work, workspace, parked }: LandingInput,
  contact: Contact,
  { remote, command, request, pushed, will }: Proposal,
  commit: string,
): Promise<Refused | { readonly kind: "done"; readonly said: string; readonly branch: string }> {
  const { git, root, target, trailer } = work;
  const tips = (pattern: string) => remote.patiently(contact, () => remote.tips(contact, pattern));
  const own = `refs/heads/${work.branch}`;
  const { name: branch, tip: there } =
    trailer === null
      ? { name: work.branch, tip: (await tips(own)).get(own) ?? null }
      : await requestBranch({ ...work, trailer }, task, request, tips);
  const ref = `refs/heads/${branch}`;
  // What a person pushed there is fetched to be looked at: its owner has it once it has been merged or pulled.
  const isOwn = async (tip: string): Promise<boolean> =>
    pushed.includes(tip) ||
    (await git.inside.try(root, "merge-base", "--is-ancestor", tip, `refs/heads/${work.branch}`)).code === 0;
  if (there !== null && !(await isOwn(there)))
    return refused(
      "branch",
      `${branch} on ${remote.label} has commits that are not from here. Fetch and merge them first (git pull ${remote.label} ${branch}).`,
    );
  will(commit);
  const why = await remote.push(contact, [{ ref, from: there, to: commit }]);
  if (why !== null) return refused("target", `git push ${remote.label} ${branch} was refused:\n${why}`);
  // What was parked is in the request now. A server may keep it.
  if (ref !== own && parked !== null) await remote.push(contact, [{ ref: own, from: parked, to: null }]);
  if (command === "") return { kind: "done", said: "", branch };
  const env = {
    EKIDEN_BRANCH: branch,
    EKIDEN_TARGET: target,
    EKIDEN_TASK: String(task.id),
    EKIDEN_SUBJECT: task.subject,
    EKIDEN_COMMIT: commit,
    EKIDEN_REMOTE: remote.label,
  };
  const timeoutMs = Math.min(PROPOSAL_MS, options.gateTimeoutMs);
  for (let tries = 1; ; tries += 1) {
    const ran = await options.shell.run(command, { cwd: workspace, signal: contact.signal, timeoutMs, env });
    if (ran.exitCode === 0 && !ran.timedOut)
      return { kind: "done", said: ran.output.trim().split("\n").at(-1) ?? "", branch };
    const wasKilled = ran.timedOut || (ran.exitCode ?? KILLED) >= KILLED;
    contact.signal.throwIfAborted();
    if (wasKilled && tries < TRIES) continue;
    const how = ran.timedOut
      ? `timed out after ${timeoutMs / 1000} s`
      : (ran.signal ?? `exit code ${ran.exitCode}`);
    const often = tries > 1 ? ` ${tries} times` : "";
    return refused(
      "target",
      `${branch} was pushed to ${remote.label}, but \`${command}\` failed${often} (${how}):\n${ran.output}`,
    );
  }
}

/** An address answers within seconds; a command that asks something waits for ever. */
const PROPOSAL_MS = 120_000;
/** A command that a signal or the limit ended may succeed when it runs again. One that fails has its reason. */
const TRIES = 3;
/** A shell adds the number of the signal to this. */
const KILLED = 128;
