/**
 * The options that keep own git from running what a repository configures: always, whether the person agreed to the project or not. The
 * hooks, filters, merge drivers and ways to a remote that the person agreed to are read once, from the project, and passed by value:
 * what a repository says later never counts.
 */
import { existsSync, statSync } from "node:fs";
import { isAbsolute, resolve } from "node:path";
import type { Ran } from "./run.ts";

/** Git without the options of this file but for `BASE`. */
type Plain = (cwd: string, args: readonly string[]) => Promise<Ran>;

/**
 * Overrides the person's configuration: a new file that git does not show would be neither landed nor kept, and a log in UTF-16, or with
 * signatures between its lines, cannot be read.
 */
const SEEING = [
  ...["status.showUntrackedFiles=normal", "diff.submodule=short"],
  ...["i18n.logOutputEncoding=UTF-8", "log.showSignature=false"],
];
/**
 * The person's own configuration (`~/.gitconfig`) is not concerned, but for hooks and the file monitor. Nothing is tidied up in the
 * middle of a landing.
 */
const NEVER = [
  ...["core.fsmonitor=", "safe.bareRepository=explicit", "core.askPass=", "diff.external="],
  ...["protocol.ext.allow=never", "core.pager=cat", "gc.auto=0", "maintenance.auto=false"],
  // A `git gc` of the person holds the locks of refs for longer than the tenth of a second that git waits.
  ...["core.filesRefLockTimeout=10000", "core.packedRefsTimeout=10000"],
];
const options = (pairs: readonly string[]): string[] => pairs.flatMap((pair) => ["-c", pair]);
/** `-c` ends a key at its first `=`, and the name of a filter may have one. Such a key gets the value of a variable. */
const optionOf = (key: string, value: string): string[] =>
  key.includes("=") ? [`--config-env=${key}=${VALUES[value]}`] : options([`${key}=${value}`]);
/** Values that programs are replaced with, as variables of git. */
const VALUES: Readonly<Record<string, string>> = {
  "": "OWN_GIT_NONE",
  false: "OWN_GIT_OFF",
  gpg: "OWN_GIT_GPG",
};
export const VALUE_VARIABLES = Object.fromEntries(
  Object.entries(VALUES).map(([value, name]) => [name, value]),
);
const BASE = [...options(SEEING), ...options(NEVER)];
export const HOOKS = "core.hooksPath=";
/** The folders of hooks that a command line names: the person may have them anywhere. */
export const hooksIn = (args: readonly string[]): string[] =>
  args
    .flatMap((arg) => (arg.startsWith(HOOKS) ? arg.slice(HOOKS.length) : []))
    .filter((path) => isAbsolute(path) && path !== "/dev/null" && existsSync(path));
export const NO_HOOKS = ["-c", "core.hooksPath=/dev/null"];

/** Hooks in the configuration, since git 2.54. They are turned off also where the person agreed. */
const HOOK = /^(hook\..*)\.(?:command|event|enabled)$/is;
/** Further programs, most with names of their own: their values in the repository's configuration are replaced. */
const PROGRAMS: readonly (readonly [key: RegExp, instead: string])[] = [
  [/^filter\..*\.(?:clean|smudge|process)$|^merge\..*\.driver$|^diff\..*\.(?:command|textconv)$/i, ""],
  [/^credential\.(?:.*\.)?helper$|^core\.(?:sshcommand|alternaterefscommand)$/i, ""],
  [/^gpg\.(?:.*\.)?program$/i, "gpg"],
  [/^gpg\.ssh\.defaultkeycommand$|^trailer\..*\.(?:command|cmd)$/i, ""],
  [HOOK, "false"],
];
/** The keys that an agreement covers. */
const AGREED =
  /^filter\..*\.(?:clean|smudge|process|required)$|^merge\..*\.driver$|^credential\.(?:.*\.)?helper$|^core\.sshcommand$/i;

/** The first configuration of a remote's programs counts, so only an option of the command replaces it. */
const TRANSFERS: Readonly<Record<string, string>> = {
  fetch: "--upload-pack=git-upload-pack",
  pull: "--upload-pack=git-upload-pack",
  "ls-remote": "--upload-pack=git-upload-pack",
  push: "--receive-pack=git-receive-pack",
};
/**
 * Variables for one command. In a partial clone any command fetches an object that is missing, by the remote's programs and from where the
 * configuration says. Without the person's word nothing is fetched so, and never from a folder, where such a program would run here.
 */
export const protocolsFor = (args: readonly string[], trusted: boolean): Readonly<Record<string, string>> =>
  Object.hasOwn(TRANSFERS, args[verbAt(args)] ?? "")
    ? { GIT_NO_LAZY_FETCH: "1" }
    : trusted
      ? { GIT_ALLOW_PROTOCOL: "https:http:ssh:git" }
      : { GIT_NO_LAZY_FETCH: "1", GIT_ALLOW_PROTOCOL: "" };
/**
 * To see changes in a repository within the work tree, git would run another one there, with a configuration that every command of
 * a member can write. A new commit in it is seen without; uncommitted changes there cannot land. The option also overrides
 * `ignore` in .gitmodules.
 */
const WITHOUT_NESTED = "--ignore-submodules=dirty";

/** The place of the verb among the arguments. */
export const verbAt = (args: readonly string[]): number =>
  args.findIndex(
    (arg, i) =>
      !/^-[cC]$|^--(?:literal-pathspecs$|config-env=)/.test(arg) && !/^-[cC]$/.test(args[i - 1] ?? ""),
  );

function withOwnOptions(args: readonly string[]): readonly string[] {
  const at = verbAt(args);
  const verb = args[at] ?? "";
  const own = [
    ...(Object.hasOwn(TRANSFERS, verb) ? [TRANSFERS[verb] ?? ""] : []),
    ...(/^(?:status|diff)$/.test(verb) && !args.some((arg) => arg.startsWith("--ignore-submodules"))
      ? [WITHOUT_NESTED]
      : []),
  ];
  return own.length === 0 ? args : [...args.slice(0, at + 1), ...own, ...args.slice(at + 1)];
}

export type Entry = {
  readonly scope: string;
  readonly isOwn: boolean;
  readonly file: string;
  readonly key: string;
  readonly value: string;
};
type Configuration = {
  readonly all: readonly Entry[];
  /** Replace its programs. */
  readonly options: readonly string[];
  readonly files: readonly (readonly [string, string])[];
};

export class Hardening {
  private readonly plain: Plain;
  private readonly trusted: boolean;
  private agreed: Promise<readonly string[]> | null = null;
  private readonly configurations = new Map<string, Promise<Configuration>>();
  private readonly ofProject: Hardening | undefined;

  /**
   * `trusted`: the person agreed to the hooks and programs of the project, which is the first folder that is asked about, or that
   * of `ofProject`.
   */
  constructor(plain: Plain, trusted: boolean, ofProject?: Hardening) {
    this.ofProject = ofProject;
    this.plain = (cwd, args) => plain(cwd, [...BASE, ...NO_HOOKS, ...args]);
    this.trusted = trusted;
  }

  /** The whole command line. `isHeld`: it runs in the sandbox, where programs of a configuration are nobody's concern. */
  async of(cwd: string, args: readonly string[], isHeld = false): Promise<string[]> {
    const agreed = await this.agreedFor(cwd);
    const { options: own } = isHeld ? { options: [] } : await this.known(cwd);
    // What reaches a remote runs outside of the sandbox, so without hooks: `Git.hook` runs the one of a push before.
    const hooks = Object.hasOwn(TRANSFERS, args[verbAt(args)] ?? "") ? NO_HOOKS : [];
    return [...BASE, ...own, ...agreed, ...hooks, ...withOwnOptions(args)];
  }

  /** The hooks and programs that the person agreed to, as `KEY=VALUE`; [] where nobody did. */
  async agreedIn(cwd: string): Promise<readonly string[]> {
    return this.trusted ? (await this.agreedFor(cwd)).filter((word) => word !== "-c") : [];
  }

  async entriesOf(cwd: string): Promise<readonly Entry[]> {
    return (await this.known(cwd)).all;
  }

  private agreedFor(cwd: string): Promise<readonly string[]> {
    if (this.ofProject) return this.ofProject.agreedFor(cwd);
    this.agreed ??= this.trusted ? this.readAgreed(cwd) : Promise.resolve(NO_HOOKS);
    return this.agreed;
  }

  /** Read again when a file of the configuration has changed. */
  private async known(cwd: string): Promise<Configuration> {
    const known = await this.configurations.get(cwd);
    if (known?.files.every(([file, state]) => stateOf(file) === state)) return known;
    const reading = this.entries(cwd).then((all): Configuration => {
      const own = all.filter(({ isOwn }) => isOwn);
      const files = [...new Set(own.map(({ file }) => file))].map((file) => [file, stateOf(file)] as const);
      const found = own.flatMap(({ key }) => {
        const program = PROGRAMS.find(([name]) => name.test(key));
        return program ? optionOf(key.replace(HOOK, "$1.enabled"), program[1]) : [];
      });
      return { all, options: found, files };
    });
    this.configurations.set(cwd, reading);
    // A folder that was gone may be made again.
    reading.catch(() => this.configurations.delete(cwd));
    return await reading;
  }

  private async readAgreed(cwd: string): Promise<readonly string[]> {
    const { all } = await this.known(cwd);
    const values = all.flatMap(({ isOwn, key, value }) =>
      isOwn && AGREED.test(key) && !key.includes("=") ? `${key}=${value}` : [],
    );
    const asked = ["rev-parse", "--path-format=absolute", "--git-common-dir", "--show-toplevel"];
    const [common = "", top = cwd] = (await this.plain(cwd, asked)).out.split("\n");
    const named = all.findLast(
      ({ scope, key }) => scope !== "command" && key.toLowerCase() === "core.hookspath",
    )?.value;
    // A relative folder would be one of the worktree, which a member writes.
    const hooks =
      named === undefined
        ? `${common}/hooks`
        : /^[~/]/.test(named) || isAbsolute(named)
          ? named
          : resolve(top, named);
    return options([...values, `core.hooksPath=${hooks}`]);
  }

  private async entries(cwd: string): Promise<Entry[]> {
    // `--local` would leave out the configuration of the worktree.
    const list = ["config", "--includes", "--show-scope", "--show-origin", "-z", "--list"];
    const { code, out } = await this.plain(cwd, list);
    if (code !== 0) return [];
    const fields = out.split("\0"); // the scope, "file:PATH", "KEY\nVALUE", and so on
    const found: Entry[] = [];
    for (let i = 0; i + 2 < fields.length; i += 3) {
      const [scope = "", origin = "", pair = ""] = fields.slice(i, i + 3);
      const end = pair.indexOf("\n");
      const [key, value] = end < 0 ? [pair, "true"] : [pair.slice(0, end), pair.slice(end + 1)];
      const file = resolve(cwd, origin.replace(/^file:/, ""));
      found.push({ scope, isOwn: scope === "local" || scope === "worktree", file, key, value });
    }
    return found;
  }
}

function stateOf(file: string): string {
  const stat = statSync(file, { throwIfNoEntry: false });
  return stat ? `${stat.ino}:${stat.mtimeMs}:${stat.size}` : "";
}
