/** Runs plain git, one process for each question. It never prompts, and prints English, because its messages are parsed here. */
import { execFile } from "node:child_process";
import { cutEnd, cutStart } from "../../core/conversation/valid.ts";
import { EkidenError } from "../../core/errors.ts";

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
};
/** Overrides the person's configuration: a new file that git does not show would be neither landed nor kept. */
const SEEING = ["-c", "status.showUntrackedFiles=normal", "-c", "diff.submodule=short"];
/**
 * To see changes in a repository within the work tree, git would run another one there, with a configuration that every command of
 * a member can write. A new commit in it is seen without; what is not committed there cannot land. The option also overrides
 * `ignore` in .gitmodules.
 */
const WITHOUT_NESTED = "--ignore-submodules=dirty";
const withoutNested = (args: readonly string[]): readonly string[] => {
  const verb = verbAt(args);
  return /^(?:status|diff)$/.test(args[verb] ?? "") &&
    !args.some((arg) => arg.startsWith("--ignore-submodules"))
    ? [...args.slice(0, verb + 1), WITHOUT_NESTED, ...args.slice(verb + 1)]
    : args;
};
const verbAt = (args: readonly string[]): number =>
  args.findIndex(
    (arg, i) => !/^-[cC]$|^--literal-pathspecs$/.test(arg) && !/^-[cC]$/.test(args[i - 1] ?? ""),
  );
/**
 * A repository may configure programs that git runs at once, also for `git status`. Those of a project that the person has not
 * agreed to do not run. The person's own configuration (`~/.gitconfig`) is not concerned, but for hooks and the file monitor.
 */
const HARDENED = [
  ...["-c", "core.fsmonitor=", "-c", "core.hooksPath=/dev/null", "-c", "safe.bareRepository=explicit"],
  ...[
    "-c",
    "core.askPass=",
    "-c",
    "diff.external=",
    "-c",
    "protocol.ext.allow=never",
    "-c",
    "core.pager=cat",
  ],
];
/** Further programs, most with names of their own: what the repository's configuration has of them is replaced. */
const PROGRAMS: readonly (readonly [key: RegExp, instead: string])[] = [
  [/^filter\..*\.(?:clean|smudge|process)$|^merge\..*\.driver$|^diff\..*\.(?:command|textconv)$/i, ""],
  [/^credential\.(?:.*\.)?helper$|^core\.(?:sshcommand|alternaterefscommand)$/i, ""],
  [/^gpg\.(?:.*\.)?program$/i, "gpg"],
  [/^gpg\.ssh\.defaultkeycommand$|^trailer\..*\.(?:command|cmd)$/i, ""],
];
/** Of a remote's programs the first configuration counts, so that only the option of the command replaces it. */
const TRANSFERS: Readonly<Record<string, string>> = {
  fetch: "--upload-pack=git-upload-pack",
  pull: "--upload-pack=git-upload-pack",
  "ls-remote": "--upload-pack=git-upload-pack",
  push: "--receive-pack=git-receive-pack",
};
const withOwnTransfer = (args: readonly string[]): readonly string[] => {
  const verb = verbAt(args);
  const option = Object.hasOwn(TRANSFERS, args[verb] ?? "") ? TRANSFERS[args[verb] ?? ""] : undefined;
  return option === undefined ? args : [...args.slice(0, verb + 1), option, ...args.slice(verb + 1)];
};
const TIMEOUT_MS = 600_000;
/** As the shell command `timeout` reports it. */
const TIMED_OUT = 124;
const BYTES_MAX = 64 * 1024 * 1024;

export class Git {
  private readonly env: Env;
  private readonly trusted: boolean;
  private readonly replaced = new Map<string, Promise<readonly string[]>>();

  /** `trusted`: the repository's own configuration may run programs. */
  constructor(env: Env, trusted = false) {
    this.trusted = trusted;
    this.env = {
      ...Object.fromEntries(Object.entries(env).filter(([name]) => !FOREIGN.includes(name))),
      ...ALWAYS,
    };
  }

  /** Resolves with any exit code. @throws EkidenError when git is missing or does not end */
  try(cwd: string, ...args: string[]): Promise<Ran> {
    return this.tryWith({}, cwd, ...args);
  }

  /** As `try`, with an index of its own or with limits for a call that uses the network. Rejects with the signal's reason. */
  async tryWith(limits: Limits, cwd: string, ...args: string[]): Promise<Ran> {
    if (this.trusted) return await this.start(cwd, args, limits);
    const replaced = this.replaced.get(cwd) ?? this.replacements(cwd);
    this.replaced.set(cwd, replaced);
    return await this.start(cwd, [...HARDENED, ...(await replaced), ...withOwnTransfer(args)], limits);
  }

  /** The options that replace the programs of the repository's own configuration. */
  private async replacements(cwd: string): Promise<readonly string[]> {
    // `--local` would leave out the configuration of the worktree.
    const list = ["config", "--includes", "--show-scope", "--name-only", "--list"];
    const { code, out } = await this.start(cwd, [...HARDENED, ...list]);
    if (code !== 0) return [];
    const own = out.split("\n").flatMap((line) => /^(?:local|worktree)\t(.*)$/.exec(line)?.[1] ?? []);
    return [...new Set(own)].flatMap((name) => {
      const found = PROGRAMS.find(([key]) => key.test(name));
      return found ? ["-c", `${name}=${found[1]}`] : [];
    });
  }

  private start(cwd: string, args: readonly string[], limits: Limits = {}): Promise<Ran> {
    const { signal, timeoutMs = TIMEOUT_MS, index, input } = limits;
    return new Promise((resolve, reject) => {
      const options = {
        cwd,
        env: index === undefined ? this.env : { ...this.env, GIT_INDEX_FILE: index },
        timeout: timeoutMs,
        signal,
        maxBuffer: BYTES_MAX,
        encoding: "utf8",
      } as const;
      const child = execFile("git", [...SEEING, ...withoutNested(args)], options, (error, out, err) => {
        if (!error) return resolve({ code: 0, out, err });
        if (typeof error.code === "number") return resolve({ code: error.code, out, err });
        if (signal?.aborted) return reject(signal.reason);
        if (error.killed && limits.timeoutMs !== undefined)
          return resolve({ code: TIMED_OUT, out, err: `${err}\nno answer in ${timeoutMs / 1_000} s` });
        const missing = (error as NodeJS.ErrnoException).code === "ENOENT";
        reject(
          missing
            ? new EkidenError(
                "bad_input",
                `git was not found, or ${cwd} is gone. Worktrees need git 2.31 or newer.`,
              )
            : new EkidenError("tool_failed", `git ${args.join(" ")} was cut off: ${error.message}`),
        );
      });
      // Git may end before it has read all of it.
      child.stdin?.on("error", () => {});
      child.stdin?.end(input);
    });
  }

  /** Its output without the last line end. @throws EkidenError `tool_failed` with git's message */
  async run(cwd: string, ...args: string[]): Promise<string> {
    const ran = await this.try(cwd, ...args);
    if (ran.code !== 0)
      throw new EkidenError("tool_failed", `git ${args.join(" ")} failed in ${cwd}: ${messageOfGit(ran)}`);
    return ran.out.replace(/\n$/, "");
  }

  /** Its one line of output, or null when it failed. */
  async ask(cwd: string, ...args: string[]): Promise<string | null> {
    const { code, out } = await this.try(cwd, ...args);
    return code === 0 ? out.trim() : null;
  }

  /** The commit of a ref, by its full name; null for none. */
  tip(cwd: string, ref: string): Promise<string | null> {
    return this.ask(cwd, "rev-parse", "--verify", "--quiet", `${ref}^{commit}`);
  }

  async isAncestor(cwd: string, older: string, newer: string): Promise<boolean> {
    return (await this.try(cwd, "merge-base", "--is-ancestor", older, newer)).code === 0;
  }

  /** The folder where a branch is checked out, in the project or in a worktree; null if in none. */
  async checkedOut(cwd: string, branch: string): Promise<string | null> {
    const list = await this.run(cwd, "worktree", "list", "--porcelain");
    for (const block of list.split("\n\n")) {
      const lines = block.split("\n");
      if (lines.includes(`branch refs/heads/${branch}`))
        return lines.find((line) => line.startsWith("worktree "))?.slice("worktree ".length) ?? null;
    }
    return null;
  }

  /** Every uncommitted change becomes part of the index. `git add --all` would run git in repositories within the work tree. */
  async addAll(root: string, limits: Limits = {}): Promise<Ran> {
    const seen = ["status", "--porcelain", "-z", "--no-renames", "--untracked-files=all"];
    const listed = await this.tryWith(limits, root, ...seen);
    if (listed.code !== 0) return listed;
    // Each is "XY path", Y blank where the index is up to date; a repository within the work tree ends in a slash.
    const paths = listed.out.split("\0").flatMap((entry) => /^.[^ ] (.+?)\/?$/s.exec(entry)?.[1] ?? []);
    const input = paths.map((path) => `${path}\0`).join("");
    const update = ["update-index", "--add", "--remove", "--replace", "-z", "--stdin"];
    return await this.tryWith({ ...limits, input }, root, ...update);
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
