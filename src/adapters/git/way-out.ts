/**
 * The way of a landed commit out of this repository: none, a push of the target, or a branch and a command that proposes it. The
 * remote is asked before each landing, so that what others have pushed is below what the gate sees.
 */
import { EkidenError } from "../../core/errors.ts";
import { quote } from "../../core/ids.ts";
import type { Shell } from "../../ports/shell.ts";
import { type Refused, refused } from "./candidate.ts";
import { fastForward } from "./fast-forward.ts";
import { type Git, messageOfGit } from "./git.ts";
import { inTurn, queueIn } from "./queue.ts";

export type WayOut = {
  readonly kind: "fast-forward" | "push" | "pr";
  readonly remote: string;
  /** Opens the pull request. */
  readonly command?: string | undefined;
};

/** @throws EkidenError `settings_invalid` */
export async function checkWayOut(git: Git, project: string, way: WayOut): Promise<void> {
  if (way.kind === "fast-forward") return;
  const invalid = (text: string): EkidenError => new EkidenError("settings_invalid", text);
  if ((await git.ask(project, "remote", "get-url", "--", way.remote)) === null)
    throw invalid(
      `landing: ${quote(way.kind)} needs a git remote, and there is none called ${quote(way.remote)}. Add it (git remote add ${way.remote} URL), or set landingRemote.`,
    );
  if (way.kind === "pr" && way.command === undefined)
    throw invalid(
      `landing: "pr" needs prCommand, such as gh pr create --head "$EKIDEN_BRANCH" --base "$EKIDEN_TARGET" --fill.`,
    );
}

type About = {
  readonly git: Git;
  readonly shell: Shell;
  readonly commonDir: string;
  readonly root: string;
  readonly workspace: string;
  readonly branch: string;
  readonly target: string;
  readonly task: number;
  readonly message: string;
  readonly signal: AbortSignal;
  readonly wayOut: WayOut;
  readonly gateTimeoutMs: number;
};

export class RemoteTarget {
  private readonly about: About;

  constructor(about: About) {
    this.about = about;
  }

  /** Brings the local target up to the remote one. Returns why it cannot; null when nothing is in the way. */
  async follow(): Promise<string | null> {
    const { git, root, target, wayOut, commonDir, signal } = this.about;
    if (wayOut.kind !== "push") return null;
    const remote = await this.remoteTip(target);
    if (typeof remote !== "string") return remote === null ? null : remote.why;
    const fetched = await git.try(root, "fetch", "--quiet", "--no-tags", wayOut.remote, remote);
    if (fetched.code !== 0) return `git fetch ${wayOut.remote} failed:\n${messageOfGit(fetched)}`;
    return await inTurn(queueIn(commonDir), signal, async () => {
      const local = await git.run(root, "rev-parse", `refs/heads/${target}`);
      if (await git.isAncestor(root, remote, local)) return null;
      if (!(await git.isAncestor(root, local, remote)))
        return `${target} here and on ${wayOut.remote} have different commits. Bring them together (git pull --rebase).`;
      const moved = await fastForward(this.about, local, remote);
      return typeof moved === "string" ? null : moved.why;
    });
  }

  /** The target of the remote moves first: if somebody else was faster, nothing has changed here. */
  async push(commit: string): Promise<"moved" | "raced" | { readonly why: string }> {
    const { git, root, target, wayOut } = this.about;
    if (wayOut.kind !== "push") return "moved";
    const done = await git.try(root, "push", "--quiet", wayOut.remote, `${commit}:refs/heads/${target}`);
    if (done.code === 0) return "moved";
    const before = await this.remoteTip(target);
    if (before === commit) return "moved";
    if (typeof before === "string" && (await git.try(root, "cat-file", "-e", before)).code !== 0)
      return "raced";
    return { why: `git push ${wayOut.remote} ${target} was refused:\n${messageOfGit(done)}` };
  }

  /** Pushes the branch and runs the command. Commits of others on that branch are never overwritten. */
  async propose(commit: string): Promise<Refused | { readonly kind: "done"; readonly said: string }> {
    const { git, shell, root, workspace, branch, target, task, message, wayOut, signal } = this.about;
    const there = await this.remoteTip(branch);
    if (there !== null && typeof there !== "string") return refused("target", there.why);
    if (there !== null && (await git.try(root, "cat-file", "-e", there)).code !== 0)
      return refused(
        "branch",
        `${branch} on ${wayOut.remote} has commits that are not from here. Fetch and merge them first (git pull ${wayOut.remote} ${branch}).`,
      );
    const ref = `refs/heads/${branch}`;
    const lease = `--force-with-lease=${ref}:${there ?? ""}`;
    const pushed = await git.try(root, "push", "--quiet", lease, wayOut.remote, `${commit}:${ref}`);
    if (pushed.code !== 0)
      return refused("target", `git push ${wayOut.remote} ${branch} was refused:\n${messageOfGit(pushed)}`);
    const command = wayOut.command ?? "";
    const ran = await shell.run(command, {
      cwd: workspace,
      signal,
      timeoutMs: this.about.gateTimeoutMs,
      env: {
        EKIDEN_BRANCH: branch,
        EKIDEN_TARGET: target,
        EKIDEN_TASK: String(task),
        EKIDEN_SUBJECT: message,
        EKIDEN_COMMIT: commit,
        EKIDEN_REMOTE: wayOut.remote,
      },
    });
    if (ran.exitCode !== 0 || ran.timedOut)
      return refused(
        "target",
        `${branch} was pushed to ${wayOut.remote}, but \`${command}\` failed (${ran.timedOut ? "timed out" : `exit code ${ran.exitCode ?? ran.signal}`}):\n${ran.output}`,
      );
    return { kind: "done", said: ran.output.trim().split("\n").at(-1) ?? "" };
  }

  /** Null when the remote has no such branch. */
  private async remoteTip(branch: string): Promise<string | null | { readonly why: string }> {
    const { git, root, wayOut } = this.about;
    const asked = await git.try(root, "ls-remote", wayOut.remote, `refs/heads/${branch}`);
    if (asked.code !== 0) return { why: `git cannot reach ${wayOut.remote}:\n${messageOfGit(asked)}` };
    return /^[0-9a-f]{40,64}/.exec(asked.out)?.[0] ?? null;
  }
}
