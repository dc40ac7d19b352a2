/**
 * The git remote that the machines of a team share. Every machine has its own clone and takes the target branch from here. A push is
 * a compare-and-swap: each ref is named with the commit that it must still have, and all refs of a push move or none does.
 */
import { setTimeout as delay } from "node:timers/promises";
import { EkidenError, isEkidenError, messageOf, toolFailed } from "../../core/errors.ts";
import { quote } from "../../core/ids.ts";
import { type Git, messageOfGit, type Ran } from "./git.ts";

/** For calls that use the network. `tell` is called once when it has to wait. */
export type Contact = {
  readonly signal: AbortSignal;
  readonly tell: (text: string) => Promise<void>;
  /** The time for which an unreachable remote is tried again. Default 10 minutes. */
  readonly patienceMs?: number;
};

export const ALONE: Contact = { signal: new AbortController().signal, tell: () => Promise.resolve() };
/** A removal does not wait for a remote that is away: the next start of a process asks again. */
export const AT_ONCE: Contact = { ...ALONE, patienceMs: 0 };

/** `from`: the commit that the remote must have there; null for none. `to` null deletes the ref. */
export type Move = { readonly ref: string; readonly from: string | null; readonly to: string | null };

/** Submodules have configurations of their own. */
const NO_SUBMODULES = "--no-recurse-submodules";
/** As hooks are told of a ref that is not there. */
const NONE = "0".repeat(40);
export const PATIENCE_MS = 600_000;
const AGAIN_MS = 500;
const AGAIN_MAX_MS = 10_000;
const ANSWER_MS = 60_000;
const TRANSFER_MS = 600_000;

/**
 * The network or the server is away, and may come back. An unknown host name is one of them: name servers are away, too.
 * So is a folder without a repository: its file system may not be mounted.
 */
const AWAY =
  /could not resolve host|name or service not known|temporary failure in name|unable to connect|failed to connect|couldn't connect|connection (?:refused|reset|closed|timed out)|operation timed out|network is unreachable|no route to host|hung up|early EOF|expected flush|unexpected disconnect|broken pipe|returned error: 5\d\d|no answer in \d|does not appear to be a git repository|could not read from remote repository/i;
const DENIED =
  /returned error: 413|HTTP 4(?!08|29)\d\d|remote rejected|permission denied|authentication failed|could not read (?:username|password)|access denied|service not enabled|repository not found|returned error: 40[13]|host key verification failed/i;

export class Remote {
  /** For messages: its name, or its address without the password. */
  readonly label: string;
  /** Its name as git and this program use it. */
  readonly given: string;
  private readonly git: Git;
  private readonly project: string;
  private readonly folder: string;
  private readonly secret: string;
  private readonly url: string;

  private constructor(
    at: { readonly git: Git; readonly project: string },
    given: string,
    url: string,
    isName: boolean,
  ) {
    this.git = at.git;
    this.project = at.project;
    this.given = given;
    this.url = url;
    this.secret = passwordIn(url);
    this.label = isName ? given : this.clean(given);
    this.folder = isName ? given : "ekiden";
  }

  /** @throws EkidenError `settings_invalid` for what is neither the name of a remote nor an address */
  static async open(git: Git, project: string, given: string): Promise<Remote> {
    const url = await git.ask(project, "remote", "get-url", "--", given);
    if (url === null && (!/[/:\\]/.test(given) || given.startsWith("-")))
      throw new EkidenError(
        "settings_invalid",
        `There is no git remote called ${quote(given)} in ${project}. Add it (git remote add ${given} URL), or set remote to another name or to a URL.`,
      );
    return new Remote({ git, project }, given, url ?? given, url !== null);
  }

  /** Where this clone notes the last known commit of a branch of the remote, in full and as a member types it. */
  noteOf(branch: string): { readonly ref: string; readonly onto: string } {
    const onto = `${this.folder}/${branch}`;
    return { ref: `refs/remotes/${onto}`, onto };
  }

  /**
   * Repeats `work` while the remote is away. To be called without a lock: others need it meanwhile.
   * @throws EkidenError `tool_failed` when it stays away
   */
  async patiently<T>(
    { signal, tell, patienceMs = PATIENCE_MS }: Contact,
    work: () => Promise<T>,
  ): Promise<T> {
    const end = performance.now() + patienceMs;
    for (let ms = AGAIN_MS; ; ms = Math.min(2 * ms, AGAIN_MAX_MS)) {
      try {
        return await work();
      } catch (error) {
        if (!isAway(error) || performance.now() >= end) throw error;
        if (ms === AGAIN_MS) await tell(`${messageOf(error)}\nEkiden waits for it.`);
        await delay(ms, undefined, { signal }).catch(() => signal.throwIfAborted());
      }
    }
  }

  /** The refs that match, by full name. @throws EkidenError `tool_failed` */
  async tips(contact: Contact, ...patterns: string[]): Promise<ReadonlyMap<string, string>> {
    const { out } = await this.reach(contact, ANSWER_MS, "ls-remote", "--", this.given, ...patterns);
    return new Map(
      out.split("\n").flatMap((line): [string, string][] => {
        const [, commit, ref] = /^([0-9a-f]{40,64})\t(.+)$/.exec(line) ?? [];
        return commit && ref ? [[ref, commit]] : [];
      }),
    );
  }

  /** Brings a commit of the remote here, without a ref. @throws EkidenError `tool_failed` */
  async fetch(contact: Contact, commit: string): Promise<void> {
    if (await this.has(commit)) return;
    const options = ["--quiet", "--no-tags", "--no-write-fetch-head", "--no-auto-gc", NO_SUBMODULES];
    await this.reach(contact, TRANSFER_MS, "fetch", ...options, "--", this.given, commit);
  }

  async has(commit: string): Promise<boolean> {
    const { git, project } = this;
    return (await git.try(project, "cat-file", "-e", `${commit}^{commit}`)).code === 0;
  }

  /**
   * Resolves with null when all refs have moved, else with a message: a ref was moved by somebody else, the remote refuses, or the hook
   * `pre-push` does.
   */
  async push(contact: Contact, moves: readonly Move[]): Promise<string | null> {
    const told = moves
      .map(({ ref, from, to }) => `${to ?? "(delete)"} ${to ?? NONE} ${ref} ${from ?? NONE}\n`)
      .join("");
    const { git, project, given, url } = this;
    const hook = await git.hook(project, "pre-push", [given, url], told, contact.signal);
    if (hook !== null && hook.code !== 0)
      return this.clean(`The hook pre-push refuses:\n${messageOfGit(hook)}`);
    const leases = moves.map(({ ref, from }) => `--force-with-lease=${ref}:${from ?? ""}`);
    const refs = moves.map(({ ref, to }) => `${to ?? ""}:${ref}`);
    const args = ["--quiet", ...(moves.length > 1 ? ["--atomic"] : []), ...leases, "--", given, ...refs];
    const done = await this.git.tryWith(
      { signal: contact.signal, timeoutMs: TRANSFER_MS },
      project,
      "push",
      NO_SUBMODULES,
      ...args,
    );
    return done.code === 0 ? null : this.clean(messageOfGit(done));
  }

  private async reach({ signal }: Contact, timeoutMs: number, ...args: string[]): Promise<Ran> {
    const ran = await this.git.tryWith({ signal, timeoutMs }, this.project, ...args);
    if (ran.code === 0) return ran;
    const said = this.clean(messageOfGit(ran));
    const isDenied = DENIED.test(said);
    const away = AWAY.test(said) && !isDenied;
    const what = isDenied
      ? `${this.label} refuses this machine. Check its keys and permissions there (git ls-remote ${this.label}).`
      : away
        ? `${this.label} cannot be reached. Check the network and the address (git ls-remote ${this.label}).`
        : `git cannot use the remote ${this.label}.`;
    throw toolFailed(`${what}\n${said}`, { details: { remote: this.label, away } });
  }

  private clean(text: string): string {
    return this.secret === "" ? text : text.replaceAll(this.secret, "…");
  }
}

/** The message of a remote that cannot be used; null for another error. */
export const remoteFault = (error: unknown): string | null =>
  isEkidenError(error, "tool_failed") && "remote" in error.details ? error.message : null;

/** Whether a push was cut in the middle, by what git said. */
export const wasCut = (said: string): boolean => AWAY.test(said) && !DENIED.test(said);

/** The network or the server does not answer; it may later. */
export const isAway = (error: unknown): boolean =>
  isEkidenError(error, "tool_failed") && error.details.away === true;

/** "" for none. A token may stand where the user name does. */
function passwordIn(url: string): string {
  const [, user = "", password] = /^[a-z][a-z0-9+.-]*:\/\/([^/@:]*)(?::([^/@]*))?@/i.exec(url) ?? [];
  return password ?? (/^https?:/i.test(url) ? user : "");
}
