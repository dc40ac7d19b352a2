/**
 * The sandbox as data: the paths that a confined command may write, may only read, and does not see, and the hosts that it reaches.
 * Pure: the adapters turn a `SandboxPolicy` into mounts or into a profile.
 */
import { isWithin } from "../paths/paths.ts";

export const SANDBOX_MODES = ["auto", "required", "off"] as const;
/** auto: confine where an adapter has proven itself. required: refuse to run anything otherwise. off: never confine. */
export type SandboxMode = (typeof SANDBOX_MODES)[number];

/** No connections, or through the proxy to the hosts that these patterns name. `EVERY_HOST` and `UNIX_SOCKETS` may be among them. */
export type Network = "off" | readonly string[];
/** Those that are no address of this machine or of a private network. */
export const EVERY_HOST = "*";
/**
 * The host of a `network` rule that opens Unix sockets. A filter of system calls sees no path, so those of other programs of this machine are
 * open with those that a command makes for itself.
 */
export const UNIX_SOCKETS = "unix";

/** The differences of one command from the rules of the session. */
export type Confinement = {
  /** Nothing but the private folders is writable: for lines judged read-only, and in plan mode. "workspace": `writable` still is. */
  readonly readOnly?: boolean | "workspace";
  readonly network?: Network;
  /** Further folders and files that it may write; absolute. */
  readonly writable?: readonly string[];
  /** Those in them that stay read-only, as protected files of the workspace do; absolute. */
  readonly kept?: readonly string[];
  /** Files and folders that are empty for it; absolute. */
  readonly covered?: readonly string[];
  /** Further ones that it sees also where the folder around them is hidden or replaced; absolute. */
  readonly readable?: readonly string[];
  /** Files that deny rules close are there: for programs of our own that show nobody what they read, such as git at a landing. */
  readonly seesClosed?: boolean;
  /** For git of our own at a landing: it may change the repository of the project also where commands may not. */
  readonly isLanding?: boolean;
  /** Further hosts that it may reach. */
  readonly hosts?: readonly string[];
};

/** A file or folder that a rule closes; the path is absolute and without links. `isPlaced`: it must not be moved with a folder. */
export type ClosedFile = {
  readonly path: string;
  readonly kind: "folder" | "file";
  readonly isPlaced: boolean;
};

/** A git directory; the path is absolute and without links. */
export type GitFolder = {
  readonly path: string;
  readonly access: "write" | "read";
  /** The mounts over parts of it. */
  readonly mounts?: readonly GitMount[];
  /** Existing files and folders below it that decide what git runs: `config`, `hooks`, those of submodules. */
  readonly guarded: readonly string[];
};

export type GitMount = { readonly path: string; readonly by: string; readonly writable: boolean };

/** Facts from the disk about the place of a command; gathered by the adapter. All paths are absolute and without links. */
export type SandboxPlace = {
  readonly cwd: string;
  readonly home: string;
  /** Those of the roots that are further ones. */
  readonly opened?: readonly string[];
  /** Folders that may be written: the workspace, the worktree of the task, further ones. */
  readonly roots: readonly string[];
  readonly git: readonly GitFolder[];
  /** Existing protected files and folders of the roots. */
  readonly guarded: readonly string[];
  /** Existing files and folders that rules close for reading. */
  readonly hidden?: readonly ClosedFile[];
  /** Existing files and folders that rules close for writing. */
  readonly fixed?: readonly string[];
  /** Existing folders and files that it sees besides: of the system, of toolchains, and the repository around the workspace. */
  readonly visible: readonly string[];
  /** Existing folders and files with secrets. */
  readonly secretFolders: readonly string[];
  readonly secretFiles: readonly string[];
  /** Folders that are replaced by private ones, each with its replacement. */
  readonly replaced: readonly (readonly [path: string, by: string])[];
};

export type SandboxPolicy = {
  readonly cwd: string;
  /** Applied in this order: a later line overrides what an earlier one says about a folder above it. */
  readonly rules: readonly SandboxRule[];
  readonly network: Network;
};
export type SandboxRule =
  | { readonly access: "write" | "read"; readonly path: string }
  /** An empty folder or an empty file is in its place. */
  | { readonly access: "hide"; readonly path: string; readonly kind: "folder" | "file" }
  | { readonly access: "replace"; readonly path: string; readonly by: string }
  /** Something else is in its place. */
  | { readonly access: "mount"; readonly path: string; readonly by: string; readonly writable: boolean };

export function sandboxPolicy(place: SandboxPlace, wanted: Confinement, network: Network): SandboxPolicy {
  const access = wanted.readOnly ? "read" : "write";
  const { hidden = [], opened = [] } = place;
  const accessTo = (path: string): "read" | "write" =>
    wanted.readOnly === "workspace" && opened.some((one) => isWithin(one, path)) ? "write" : access;
  // Paths in a hidden folder stay hidden, except for folders to work in.
  const isInHidden = (path: string): boolean =>
    hidden.some(
      (one) =>
        one.path !== path &&
        isWithin(one.path, path) &&
        ![...place.roots, place.cwd].some((root) => isWithin(one.path, root) && isWithin(root, path)),
    );
  const { git } = place;
  const writable = [...place.roots, ...git.map(({ path }) => path)];
  const isSecret = (path: string): boolean =>
    [...place.secretFolders, ...place.secretFiles].some(
      (one) => isWithin(one, path) && !writable.some((root) => isWithin(one, root) && isWithin(root, path)),
    );
  // A protected name may be a link. A target outside is read-only already, and a rule for it would show a hidden path.
  const isOurs = (path: string): boolean => writable.some((root) => isWithin(root, path)) && !isSecret(path);
  const guarded = [...git.flatMap((one) => one.guarded), ...place.guarded].filter(isOurs);
  const fixed = (place.fixed ?? []).filter(isOurs);
  const rules: SandboxRule[] = [
    ...place.replaced.map(([path, by]): SandboxRule => ({ access: "replace", path, by })),
    ...place.secretFolders.map((path): SandboxRule => ({ access: "hide", path, kind: "folder" })),
    // Nothing else of the disk is there, and of the home folder never all.
    ...[...place.visible, ...(isWithin(place.cwd, place.home) ? [] : [place.cwd])]
      .filter((path) => !place.roots.some((root) => isWithin(root, path)))
      .map((path): SandboxRule => ({ access: "read", path })),
    ...place.roots.map((path): SandboxRule => ({ access: accessTo(path), path })),
    ...foldersAround(
      [...guarded, ...fixed, ...hidden.flatMap(({ path, isPlaced }) => (isPlaced ? path : []))],
      [...place.roots, ...git.map(({ path }) => path)],
    ).map((path): SandboxRule => ({ access: accessTo(path), path })),
    // A `.git` that is a mount of its own cannot be renamed, so no other one with other hooks can take its place.
    ...git.flatMap((one) => gitRules(one, access)),
    ...guarded.map((path): SandboxRule => ({ access: "read", path })),
    ...place.secretFiles.map((path): SandboxRule => ({ access: "hide", path, kind: "file" })),
    ...fixed.map((path): SandboxRule => ({ access: "read", path })),
    ...hidden.map(({ path, kind }): SandboxRule => ({ access: "hide", path, kind })),
  ].filter((rule) => !isInHidden(rule.path) && !(rule.access === "mount" && isSecret(rule.by)));
  const shown = rules.filter(({ access }) => access === "read" || access === "write");
  const isNeeded = (rule: SandboxRule): boolean =>
    rule.access !== "hide" || shown.some(({ path }) => isWithin(path, rule.path));
  return { cwd: place.cwd, rules: parentsFirst(rules.filter(isNeeded)), network: wanted.network ?? network };
}

function gitRules(folder: GitFolder, access: "read" | "write"): SandboxRule[] {
  const { path } = folder;
  if (access === "read" || folder.access === "read") return [{ access: "read", path }];
  return [
    { access, path },
    ...(folder.mounts ?? []).map((mount): SandboxRule => ({ access: "mount", ...mount })),
  ];
}

/** Writable folders around what is guarded. As a mount of its own none can be renamed, and another one take its place. */
function foldersAround(guarded: readonly string[], writable: readonly string[]): string[] {
  const found = new Set<string>();
  for (const path of guarded)
    for (
      let at = parentOf(path);
      writable.some((root) => root !== at && isWithin(root, at)) && !writable.includes(at);
      at = parentOf(at)
    )
      if (!guarded.some((one) => isWithin(one, at))) found.add(at);
  return [...found];
}
const parentOf = (path: string): string => path.slice(0, Math.max(1, path.lastIndexOf("/")));

/** The later one of two rules about a path wins, alone. Parents come before children: a worktree lies in `.ekiden`, which is read-only. */
function parentsFirst(rules: readonly SandboxRule[]): SandboxRule[] {
  const last = new Map(rules.map((rule) => [rule.path, rule]));
  return [...last.values()].sort((a, b) => depth(a.path) - depth(b.path));
}
const depth = (path: string): number => path.split("/").filter(Boolean).length;

/**
 * The roots that can be made writable without giving away the home folder. A workspace that is the home folder, or contains
 * it, would otherwise let commands write shell start-up files that do not exist yet.
 */
export const writableRoots = (roots: readonly string[], home: string): string[] =>
  roots.filter((root) => root !== "/" && !isWithin(root, home));

/** The paths of a git directory that decide which programs git runs. `commondir` and `gitdir` say where the rest of it is. */
export const GUARDED_GIT_PATHS: readonly string[] = [
  "config",
  "config.worktree",
  "hooks",
  "commondir",
  "gitdir",
  "info",
  "objects/info",
];

/** Whether a pattern of a network rule covers the host: `example.org`, `*.example.org` (not `example.org` itself), `host:8080`. */
export function hostAllowed(host: string, port: number, patterns: readonly string[]): boolean {
  const name = host.toLowerCase().replace(/\.$/, "");
  return patterns.some((pattern) => {
    const [, wanted = "", only] = /^(.*?)(?::(\d+))?$/.exec(pattern.trim().toLowerCase()) ?? [];
    if (only === undefined ? port !== 80 && port !== 443 : Number(only) !== port) return false;
    return wanted.startsWith("*.")
      ? name.endsWith(wanted.slice(1)) && name.length > wanted.length - 1
      : name === wanted;
  });
}

/** The port of this machine that a pattern names; null for another host. */
export const ownPort = (pattern: string): number | null => {
  const port = Number(/^(?:127\.0\.0\.1|localhost):(\d{1,5})$/i.exec(pattern.trim())?.[1]);
  return port > 0 && port < 2 ** 16 ? port : null;
};

/** The network that the permission rules allow: `network(example.org)` lists a host, `network` alone is every host. */
export function networkOf(allow: readonly string[], deny: readonly string[]): Network {
  const hosts = hostsOf(allow);
  const denied = hostsOf(deny);
  if (denied.includes(EVERY_HOST)) return "off";
  const listed = hosts.filter((host) => (host === EVERY_HOST ? denied.length === 0 : !denied.includes(host)));
  return listed.length === 0 ? "off" : listed;
}

/** The hosts of `network` rules; `EVERY_HOST` for all. */
export const hostsOf = (rules: readonly string[]): string[] =>
  rules.flatMap((rule) => {
    const [whole, host] = /^\s*network\s*(?:\(([^()]*)\))?\s*$/i.exec(rule) ?? [];
    return whole === undefined ? [] : [host?.trim() || EVERY_HOST];
  });
