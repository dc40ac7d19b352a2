/** Runs plain git, one process for each question. It never prompts, and prints English, because its messages are parsed here. */
import { delimiter } from "node:path";
import { withCeiling } from "../../core/board/worktree.ts";
import { badInput, EkidenError, messageOf, toolFailed } from "../../core/errors.ts";
import { cutEnd, cutStart } from "../../core/text/valid.ts";
import type { Sandbox } from "../../ports/shell.ts";
import { outsideFolders } from "../outside-programs.ts";
import { MOUNTS_DIFFER, MOUNTS_DIFFER_CODE } from "../sandbox-codes.ts";
import { Hardening, protocolsFor, VALUE_VARIABLES, verbAt } from "./hardening.ts";
import { runInGroup } from "./run.ts";
import { branchFreed } from "./stale-locks.ts";
import { checkReadable, watchReadable } from "./unreadable.ts";

export type Ran = { readonly code: number; readonly out: string; readonly err: string };
export type Env = Readonly<Record<string, string>>;
export type Limits = {
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number;
  /** The file of another index than the one of the worktree. */
  readonly index?: string;
  /** Its standard input. */
  readonly input?: string;
};

/** Variables that a surrounding git (a hook or a rebase that started us) sets for another repository. */
export const FOREIGN: readonly string[] = [
  "GIT_DIR",
  "GIT_WORK_TREE",
  "GIT_INDEX_FILE",
  "GIT_COMMON_DIR",
  "GIT_OBJECT_DIRECTORY",
  "GIT_ALTERNATE_OBJECT_DIRECTORIES",
  "GIT_NAMESPACE",
  "GIT_PREFIX",
];
const ALWAYS: Env = {
  LC_ALL: "C",
  GIT_TERMINAL_PROMPT: "0",
  GIT_OPTIONAL_LOCKS: "0",
  GIT_EDITOR: "true",
  GIT_SEQUENCE_EDITOR: "true",
  // An empty one also replaces what the configuration names.
  GIT_PROXY_COMMAND: "",
  // A member may have replaced one.
  GIT_NO_REPLACE_OBJECTS: "1",
  ...VALUE_VARIABLES,
};
/**
 * They write where commands of members write, too: the index, HEAD, branches and logs of a worktree, and its files. Where there is a
 * sandbox they run in it, so that a link that a command has left leads nowhere. The diff of
 * a conflict reads the files that the index names, and an index of a member may name any file.
 */
const CONFINED =
  /^(?:commit|checkout|rebase|reset|clean|update-index|update-ref|symbolic-ref -m|merge|cherry-pick|revert|am|commit-tree|write-tree|diff (?:--ignore-submodules=dirty )?--no-color --no-ext-diff$)(?: |$)/;
/** A command without the options in front of its verb. */
const lineOf = (args: readonly string[]): string => args.slice(verbAt(args)).join(" ");
const isConfined = (args: readonly string[]): boolean => CONFINED.test(lineOf(args));
/**
 * They change nothing, or add an object that nothing names, so one that was killed simply runs again. `despiteOthers` is for those
 * that change something.
 */
const READS =
  /^(?:rev-parse|rev-list|merge-base|status|cat-file|ls-files|ls-tree|ls-remote|for-each-ref|log|show|diff|worktree list|symbolic-ref --quiet|config|var|check-ignore|check-attr|remote get-url|reflog show|hash-object|write-tree|commit-tree|version)(?: |$)/;
/** They have changed nothing when they cannot lock a branch. */
const LOCKS_BRANCH = /^(?:worktree add|commit|checkout|reset|update-ref|merge) /;
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
const TRIES_MAX = 5;

/** Somebody killed git, or a program that it had started. Its effect is not known. */
class GitKilled extends EkidenError {
  constructor(args: readonly string[]) {
    super("tool_failed", `git ${lineOf(args)} was killed by another program, or for want of memory.`);
  }
}

const isOfOthers = (error: unknown): boolean =>
  isKill(error) || error instanceof NotesGone || NOTES_GONE.test(messageOf(error));

export const isKill = (error: unknown): boolean => error instanceof GitKilled;

/** Somebody removed git's notes about a worktree, in the middle of a step. */
export class NotesGone extends EkidenError {
  constructor(root: string) {
    super("tool_failed", `Git's notes about ${root} were removed while they were used.`);
  }
}
/** Git says so then. */
const NOTES_GONE = /is not a working tree|not a git repository/;

/**
 * Does work again when somebody killed its git, or removed what it works on. `work` must notice what an earlier try has done, as after
 * a crash.
 */
export async function despiteOthers<T>(work: () => Promise<T>): Promise<T> {
  for (let nth = 1; ; nth += 1)
    try {
      return await work();
    } catch (error) {
      if (!isOfOthers(error) || nth === TRIES_MAX) throw error;
    }
}

export type Confines = Pick<Sandbox, "confine" | "settle">;

export class Git {
  private readonly env: Env;
  private readonly hardening: Hardening;
  private readonly trusted: boolean;
  private readonly sandbox: Confines | undefined;

  /** `trusted`: the hooks, filters and merge drivers of the repository may run. */
  constructor(env: Env, trusted = false, sandbox?: Confines) {
    this.sandbox = sandbox;
    this.trusted = trusted;
    this.env = {
      ...Object.fromEntries(Object.entries(env).filter(([name]) => !FOREIGN.includes(name))),
      ...ALWAYS,
    };
    this.hardening = new Hardening((cwd, args) => this.start(cwd, args), trusted);
  }

  /** Resolves with any exit code. @throws EkidenError when git is missing or does not end */
  try(cwd: string, ...args: string[]): Promise<Ran> {
    return this.tryWith({}, cwd, ...args);
  }

  /** As `try`, with an index of its own or with limits for a call that uses the network. Rejects with the signal's reason. */
  async tryWith(limits: Limits, cwd: string, ...args: string[]): Promise<Ran> {
    const hardened = await this.hardening.of(cwd, args);
    for (let nth = 1; ; nth += 1) {
      const began = performance.now();
      const ran = await this.start(cwd, hardened, limits);
      // A branch that a running command has moved points to objects that are not here yet.
      const isDue = ran.code !== 0 && nth < READS_MAX && !isConfined(args);
      if (isDue && (await this.sandbox?.settle(began))) continue;
      if (ran.code === 0 || nth === READS_MAX || !MEETS_HALF_MADE.test(ran.err)) return ran;
      await new Promise((later) => setTimeout(later, READ_AGAIN_MS));
    }
  }

  private async start(cwd: string, args: readonly string[], limits: Limits = {}): Promise<Ran> {
    const once = (): Promise<Ran> => this.startOnce(cwd, args, limits);
    for (let nth = 1; ; nth += 1) {
      const ran = await (READS.test(lineOf(args)) ? despiteOthers(once) : once());
      if (ran.code === 0 || nth === TRIES_MAX) return ran;
      const isUnstarted = isConfined(args) && NO_MOUNT.test(ran.err);
      if (!isUnstarted && !(LOCKS_BRANCH.test(lineOf(args)) && (await branchFreed(ran.err)))) return ran;
      await new Promise((later) => setTimeout(later, READ_AGAIN_MS * nth));
    }
  }

  private async startOnce(cwd: string, args: readonly string[], limits: Limits): Promise<Ran> {
    const { signal, timeoutMs = TIMEOUT_MS, index, input } = limits;
    // A folder of a member or of the repository could hold a program called git.
    const PATH = outsideFolders(this.env.PATH, cwd).join(delimiter);
    const own = { ...withCeiling(this.env, cwd), ...protocolsFor(args, this.trusted), PATH };
    const env = index === undefined ? own : { ...own, GIT_INDEX_FILE: index };
    const plain = { file: "git", args, cwd, env };
    checkReadable(cwd);
    const isInSandbox = isConfined(args);
    const confined = isInSandbox
      ? await this.sandbox?.confine(plain, { seesClosed: true, isLanding: true })
      : null;
    const { descriptors = [] } = confined ?? {};
    const stuck = new AbortController();
    const endWatch = watchReadable(cwd, (error) => stuck.abort(error));
    try {
      const ends = signal ? AbortSignal.any([signal, stuck.signal]) : stuck.signal;
      const ran = await runInGroup(confined ?? plain, { signal: ends, timeoutMs, input, descriptors });
      const { code, out, err, timedOut, killed } = ran;
      const isUnstarted = code === MOUNTS_DIFFER_CODE && err.startsWith(MOUNTS_DIFFER);
      if (killed || (isInSandbox && (code === KILLED || isUnstarted)) || DIED.test(err))
        throw new GitKilled(args);
      if (timedOut && limits.timeoutMs !== undefined)
        return { code: TIMED_OUT, out, err: `${err}\nno answer in ${timeoutMs / 1_000} s` };
      if (code !== null && !timedOut) return { code, out, err };
    } catch (error) {
      if (signal?.aborted || stuck.signal.aborted || (error as NodeJS.ErrnoException).code !== "ENOENT")
        throw error;
      throw badInput(`git was not found, or ${cwd} is gone. Worktrees need git 2.31 or newer.`);
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
      if (folder && lines.includes(`branch refs/heads/${branch}`)) return { folder, isMain: nth === 0 };
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
