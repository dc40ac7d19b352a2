/**
 * Runs plain git, one process for each question. It never prompts, and prints English, because its messages are parsed here. A stranger
 * wrote the repository, and members write in it while git runs, so no process of git runs outside of the sandbox but those that reach a
 * remote. `Git` is made for the project of the person, and reads there without writing; `inside` is the same for the clones of tasks.
 */
import { existsSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { withCeiling } from "../../core/board/worktree.ts";
import { badInput, toolFailed } from "../../core/errors.ts";
import { isWithin } from "../../core/paths/paths.ts";
import { cutEnd, cutStart } from "../../core/text/valid.ts";
import type { ConfinedProgram, Program, Sandbox, WholeProgram } from "../../ports/shell.ts";
import { isProgram, outsideFolders } from "../outside-programs.ts";
import { MOUNTS_DIFFER, MOUNTS_DIFFER_CODE } from "../sandbox-codes.ts";
import { checkReadable, watchReadable } from "./clones/unreadable.ts";
import { Hardening, HOOKS, hooksIn, protocolsFor } from "./hardening.ts";
import { despiteOthers, GitKilled, TRIES_MAX } from "./landing/despite-others.ts";
import { branchFreed } from "./landing/stale-locks.ts";
import { type Ran, runInGroup } from "./run.ts";
import { ownVariables } from "./variables.ts";
import { isRepeatable, LOCKS_BRANCH, LOOKS, lineOf, REACHES, READS, SWEPT } from "./verbs.ts";

export type { Ran } from "./run.ts";
export type Env = Readonly<Record<string, string>>;
export type Limits = {
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number;
  /** The file of another index than the one of the worktree. */
  readonly index?: string;
  /** A folder of ours with an index and a folder of objects, for what shall leave no trace in the repository. */
  readonly scratch?: string;
  /** Its standard input. */
  readonly input?: string;
  /** Of its input and output. */
  readonly encoding?: "latin1";
};

const TIMEOUT_MS = 600_000;
/** As the shell command `timeout` reports it. */
const TIMED_OUT = 124;
/** As the sandbox reports SIGKILL. */
const KILLED = 137;
/** Git says so of a program that it had started. */
const DIED = /^error: .* died of signal (?:9|15)$/m;
/** Many commands read all worktrees, and fail while another git is just making one. They have changed nothing by then. */
const MEETS_HALF_MADE = /^fatal: failed to read .*(?:commondir|gitdir|HEAD)\b/m;
const [READS_MAX, READ_AGAIN_MS] = [50, 20];
/** bubblewrap begins so when a place of a mount went meanwhile: git removes `refs/heads/ekiden` with the last branch of a task. Git did not run. */
const NO_MOUNT = /^bwrap: /;

export type Confines = Pick<Sandbox, "confine" | "confineWhole" | "status">;

const LOOKING = { readOnly: true, network: "off" } as const;

/** The project, and the folder below it with the workspaces of tasks. */
export type Bounds = { readonly project: string; readonly workspaces: string };

export class Git {
  /** The same for the workspaces of tasks: each process is confined. */
  readonly inside: Git;
  private readonly env: Env;
  private readonly hardening: Hardening;
  private readonly trusted: boolean;
  private readonly sandbox: Confines | null;
  private readonly bounds: Bounds | undefined;
  private holds: Promise<boolean> | undefined;

  /**
   * `sandbox`: null where there is none, or where the folder is one that no stranger and no member has written. `trusted`: the hooks,
   * filters and merge drivers of the repository may run. `bounds`: where members work.
   */
  constructor(env: Env, sandbox: Confines | null, trusted = false, bounds?: Bounds, outside?: Git) {
    this.sandbox = sandbox;
    this.bounds = bounds;
    this.trusted = trusted;
    this.env = ownVariables(env);
    this.hardening = new Hardening((cwd, args) => this.start(cwd, args), trusted, outside?.hardening);
    this.inside = outside ? this : new Git(env, sandbox, trusted, bounds, this);
  }

  private get isInside(): boolean {
    return this.inside === this;
  }

  /** What git runs in the sandbox has the rights of the member only, so what the clone configures may stand. */
  private isHeld(): Promise<boolean> {
    this.holds ??= this.sandbox?.status().then(({ active }) => active) ?? Promise.resolve(false);
    return this.holds;
  }

  /** What the configuration of a repository says by itself, read as data; `isOwn`: not that of the person. */
  entries(cwd: string): ReturnType<Hardening["entriesOf"]> {
    return this.hardening.entriesOf(cwd);
  }

  /** The hooks and programs that the person agreed to, as `KEY=VALUE`. */
  agreed(cwd: string): Promise<readonly string[]> {
    return this.hardening.agreedIn(cwd);
  }

  /**
   * Runs a hook that the person agreed to as git would, but in the sandbox: it starts what members have written, and nobody has looked at
   * that yet. Null where there is none. Rejects with the signal's reason.
   */
  async hook(
    cwd: string,
    name: string,
    args: readonly string[],
    input: string,
    signal: AbortSignal,
  ): Promise<Ran | null> {
    const agreed = (await this.agreed(cwd)).findLast((pair) => pair.startsWith(HOOKS));
    const file = join(agreed?.slice(HOOKS.length) ?? "", name);
    if (agreed === undefined || !isProgram(file)) return null;
    const plain = { ...this.program(cwd, []), file, args };
    const confined = (await this.sandbox?.confine(plain, { readable: [dirname(file)] })) ?? null;
    try {
      const { descriptors = [] } = confined ?? {};
      const limits = { signal, timeoutMs: TIMEOUT_MS, input, descriptors };
      const { code, out, err } = await runInGroup(confined ?? plain, limits);
      return { code: code ?? TIMED_OUT, out, err };
    } finally {
      confined?.done();
      await confined?.ended();
    }
  }

  /** Resolves with any exit code. @throws EkidenError when git is missing or does not end */
  try(cwd: string, ...args: string[]): Promise<Ran> {
    return this.tryWith({}, cwd, ...args);
  }

  /** As `try`, with an index of its own or with limits for a call that uses the network. Rejects with the signal's reason. */
  async tryWith(limits: Limits, cwd: string, ...args: string[]): Promise<Ran> {
    const isHeld = this.isInside && (await this.isHeld());
    const hardened = await this.hardening.of(cwd, args, isHeld);
    for (let nth = 1; ; nth += 1) {
      const ran = await this.start(cwd, hardened, limits);
      if (ran.code === 0 || nth === READS_MAX || !MEETS_HALF_MADE.test(ran.err)) return ran;
      await new Promise((later) => setTimeout(later, READ_AGAIN_MS));
    }
  }

  private async start(cwd: string, args: readonly string[], limits: Limits = {}): Promise<Ran> {
    const once = (): Promise<Ran> => this.startOnce(cwd, args, limits);
    for (let nth = 1; ; nth += 1) {
      const ran = await (isRepeatable(lineOf(args)) ? despiteOthers(once) : once());
      if (ran.code === 0 || nth === TRIES_MAX) return ran;
      const isUnstarted = this.isConfined(args) && NO_MOUNT.test(ran.err);
      const isSwept = isRepeatable(lineOf(args)) && SWEPT.test(ran.err);
      const mayGoOn = isUnstarted || isSwept;
      if (!mayGoOn && !(LOCKS_BRANCH.test(lineOf(args)) && (await branchFreed(ran.err)))) return ran;
      await new Promise((later) => setTimeout(later, READ_AGAIN_MS * nth));
    }
  }

  private program(cwd: string, args: readonly string[]): Program {
    // A folder of a member or of the repository could hold a program called git.
    const PATH = outsideFolders(this.env.PATH, cwd).join(delimiter);
    const env = { ...withCeiling(this.env, cwd), ...protocolsFor(args, this.trusted), PATH };
    return { file: "git", args, cwd, env };
  }

  /**
   * What serves a fetch from a workspace: it reads there, in the sandbox, and writes nothing. `shallow`: the file that says where history
   * is cut off, "" for none; that of the workspace could hide commits.
   */
  async serving(root: string, shallow: string): Promise<WholeProgram> {
    const wanted = ["-c", "uploadpack.allowAnySHA1InWant=true", "--shallow-file", shallow, "upload-pack"];
    const plain = this.program(root, await this.hardening.of(root, wanted, await this.isHeld()));
    const how = { seesClosed: true, isLanding: true, readOnly: true, network: "off" } as const;
    return (await this.sandbox?.confineWhole(plain, how)) ?? { ...plain, ended: async () => null };
  }

  private isConfined(args: readonly string[]): boolean {
    return this.sandbox !== null && (this.isInside || !REACHES.test(lineOf(args)));
  }

  /** The target of a landing may be checked out elsewhere, where no command of a member writes. */
  private async confined(plain: Program, scratch: string | undefined): Promise<ConfinedProgram | null> {
    const { bounds, sandbox } = this;
    if (!this.isInside && bounds && isWithin(bounds.workspaces, plain.cwd))
      throw new Error(`Git of the project does not run in ${plain.cwd}: members write there.`);
    if (!this.isConfined(plain.args) || (bounds && !isWithin(bounds.project, plain.cwd))) return null;
    const how = { seesClosed: true, isLanding: true, readable: hooksIn(plain.args) } as const;
    if (scratch !== undefined)
      return (
        (await sandbox?.confine(plain, { ...how, ...LOOKING, readOnly: "workspace", writable: [scratch] })) ??
        null
      );
    const looks = (this.isInside ? READS : LOOKS).test(lineOf(plain.args));
    return (await sandbox?.confine(plain, looks ? { ...how, ...LOOKING } : how)) ?? null;
  }

  private async startOnce(cwd: string, args: readonly string[], limits: Limits): Promise<Ran> {
    const { signal, timeoutMs = TIMEOUT_MS, scratch, input, encoding } = limits;
    const own = this.program(cwd, args);
    const index = scratch === undefined ? limits.index : join(scratch, "index");
    const more = {
      ...(index !== undefined && { GIT_INDEX_FILE: index }),
      ...(scratch !== undefined && { GIT_OBJECT_DIRECTORY: join(scratch, "objects") }),
    };
    const plain = { ...own, env: { ...own.env, ...more } };
    checkReadable(cwd);
    const isInSandbox = this.isConfined(args);
    const confined = await this.confined(plain, scratch);
    const { descriptors = [] } = confined ?? {};
    const stuck = new AbortController();
    const endWatch = watchReadable(cwd, (error) => stuck.abort(error));
    try {
      const ends = signal ? AbortSignal.any([signal, stuck.signal]) : stuck.signal;
      const how = { signal: ends, timeoutMs, input, encoding, descriptors };
      const ran = await runInGroup(confined ?? plain, how);
      const { code, out, err, timedOut, killed } = ran;
      const isUnstarted = code === MOUNTS_DIFFER_CODE && err.startsWith(MOUNTS_DIFFER);
      if (killed || (isInSandbox && (code === KILLED || isUnstarted)) || DIED.test(err))
        throw new GitKilled(lineOf(args));
      if (timedOut && limits.timeoutMs !== undefined)
        return { code: TIMED_OUT, out, err: `${err}\nno answer in ${timeoutMs / 1_000} s` };
      if (code !== null && !timedOut) return { code, out, err };
    } catch (error) {
      if (signal?.aborted || stuck.signal.aborted || (error as NodeJS.ErrnoException).code !== "ENOENT")
        throw error;
      throw badInput(`git was not found, or ${cwd} does not exist. Worktrees need git 2.31 or newer.`);
    } finally {
      endWatch();
      confined?.done();
      // Files of a hook are judged like those of a member's command.
      await confined?.ended();
    }
    throw toolFailed(`git ${lineOf(args)} was cut off.`);
  }

  /** Its output without the last line end. @throws EkidenError `tool_failed` with git's message */
  run(cwd: string, ...args: string[]): Promise<string> {
    return this.runWith({}, cwd, ...args);
  }

  /** The same with limits. */
  async runWith(limits: Limits, cwd: string, ...args: string[]): Promise<string> {
    const ran = await this.tryWith(limits, cwd, ...args);
    if (ran.code !== 0) throw toolFailed(`git ${args.join(" ")} failed in ${cwd}: ${messageOfGit(ran)}`);
    return ran.out.replace(/\n$/, "");
  }

  /** Its one line of output, or null when it failed. */
  async ask(cwd: string, ...args: string[]): Promise<string | null> {
    const { code, out } = await this.try(cwd, ...args);
    return code === 0 ? out.trim() : null;
  }

  /** The git directory of a work tree, absolute. @throws EkidenError `tool_failed` */
  gitDir(root: string): Promise<string> {
    return this.run(root, "rev-parse", "--path-format=absolute", "--git-dir");
  }

  /** The commit of a ref, by its full name; null for none. */
  tip(cwd: string, ref: string): Promise<string | null> {
    return this.ask(cwd, "rev-parse", "--verify", "--quiet", `${ref}^{commit}`);
  }

  async isAncestor(cwd: string, older: string, newer: string): Promise<boolean> {
    return (await this.try(cwd, "merge-base", "--is-ancestor", older, newer)).code === 0;
  }

  /** The folder where a branch is checked out, null if in none. `isMain`: its git directory is the common one of all worktrees. */
  async checkedOut(cwd: string, branch: string): Promise<{ folder: string; isMain: boolean } | null> {
    const list = await this.run(cwd, "worktree", "list", "--porcelain");
    for (const [nth, block] of list.split("\n\n").entries()) {
      const lines = block.split("\n");
      const folder = lines.find((line) => line.startsWith("worktree "))?.slice("worktree ".length);
      if (!folder || !lines.includes(`branch refs/heads/${branch}`)) continue;
      // Git names the repository of a submodule in the place of its folder.
      const isRepository = nth === 0 && !existsSync(join(folder, ".git"));
      const top = isRepository ? await this.ask(cwd, "rev-parse", "--show-toplevel") : null;
      return { folder: top || folder, isMain: nth === 0 };
    }
    return null;
  }

  /** Uncommitted files as `git status` shows them, without ignored ones. */
  async changes(cwd: string, ...more: string[]): Promise<string[]> {
    const out = await this.run(cwd, "status", "--porcelain", ...more);
    return out.split("\n").filter((line) => line !== "");
  }
}

export const messageOfGit = ({ out, err }: Ran): string => `${err}\n${out}`.trim() || "it said nothing";

/** The first and last part of a text. */
export function bounded(text: string, max: number): string {
  const trimmed = text.trim();
  if (trimmed.length <= max) return trimmed;
  const half = Math.floor(max / 2);
  return `${cutEnd(trimmed, half)}\n[… ${trimmed.length - 2 * half} characters left out …]\n${cutStart(trimmed, half)}`;
}
