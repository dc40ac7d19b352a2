/**
 * bubblewrap: a policy as its arguments. Of the disk only what the policy names is there; process ids, IPC, host name and network are private; a
 * system call filter, passed as a file descriptor, takes away what namespaces do not cover.
 */
import { closeSync, existsSync, openSync, statSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { lazy } from "../../core/lazy.ts";
import { isWithin } from "../../core/paths/paths.ts";
import { type CommandLimits, THREADS_PER_PROCESS } from "../../core/sandbox/command-limits.ts";
import type { SandboxPolicy, SandboxRule } from "../../core/sandbox/sandbox.ts";
import { outsideFolders } from "../outside-programs.ts";
import { MOUNTS_DIFFER, MOUNTS_DIFFER_CODE } from "../sandbox-codes.ts";
import { real } from "../small-files.ts";
import { type Bind, expectedMounts } from "./mounts.ts";
import type { Visible } from "./visible.ts";

export type Found = {
  readonly path: string;
  /** Changes when another version is installed. */
  readonly version: string;
};

/** The program in a folder of PATH that no command can write to. `outside`: the workspace, and more folders. */
export function findProgram(
  name: string,
  path: string | undefined,
  outside: readonly string[],
): Found | null {
  for (const folder of [...outsideFolders(path, outside[0] ?? "/"), "/usr/bin", "/usr/local/bin", "/bin"]) {
    const file = real(join(folder, name));
    if (file === null || outside.some((one) => isWithin(one, file))) continue;
    const stat = statSync(file, { throwIfNoEntry: false });
    if (stat?.isFile() && (stat.mode & 0o111) !== 0)
      return { path: file, version: `${stat.size}:${stat.mtimeMs}` };
  }
  return null;
}

/**
 * The capabilities of the user root: it can use the files of the workspace, also those of other users. It has none that reaches past
 * a mount (devices, handles, kernel settings). Other users have no capabilities at all.
 */
const ROOT_KEEPS = ["CHOWN", "DAC_OVERRIDE", "FOWNER", "SETUID", "SETGID", "KILL", "NET_BIND_SERVICE"];
/** In `/run`, read by programs at start: the resolver's file, and where NixOS and others keep their programs. */
const RUN_NEEDED = [
  "/run/current-system",
  "/run/booted-system",
  "/run/opengl-driver",
  "/run/systemd/resolve/stub-resolv.conf",
  "/run/systemd/resolve/resolv.conf",
  "/run/NetworkManager/resolv.conf",
  "/run/resolvconf/resolv.conf",
];

export type Jail = {
  /** It was put into the network of other commands. Else it gets an empty one of its own; never that of the machine. */
  readonly isJoined: boolean;
  /** An empty file that nobody can read more of. */
  readonly emptyFile: string;
  readonly emptyFolder: string;
  /** On the way to what is visible. */
  readonly links: Visible["links"];
};

/**
 * The kernel ends commands before anything else when the machine has no memory left. It counts no memory of files without a name, which
 * a command can fill, and would end this process or a database.
 */
export const ENDS_FIRST = "echo 1000 2>&- >/proc/self/oom_score_adj";

/** sh counts files in blocks of 512 bytes. Only bash reads a file without a program. */
const PRELUDE = `
table=$(</proc/self/mountinfo); [ "$table" ] || table=$(/bin/cat /proc/self/mountinfo)
blocks=$1 tasks=$2 left=$3; shift 3
while [ "$left" -gt 0 ]; do
  case $table in
    *" $1 "*) shift; left=$((left - 1)) ;;
    *) echo "${MOUNTS_DIFFER}" >&2; exit ${MOUNTS_DIFFER_CODE} ;;
  esac
done
unset table left
${ENDS_FIRST}
ulimit -f "$blocks"; ulimit -u "$tasks" 2>&- || ulimit -p "$tasks" 2>&-
unset blocks tasks
exec "$@"`;

/** A program that looks whether the mounts are there, sets limits of the kernel and becomes the program that follows. */
export const limited = (limits: CommandLimits, mounts: readonly string[]): string[] => [
  ...["/bin/sh", "-c", PRELUDE, "sh"],
  ...[String(limits.commandFileMb * 2_048), String(tasksOf(limits)), String(mounts.length), ...mounts],
];
export const tasksOf = (limits: CommandLimits): number => limits.commandProcesses * THREADS_PER_PROCESS;

const USUAL_LINKS: Visible["links"] = [
  ["/var/run", "/run"],
  ["/var/tmp", "/tmp"],
];

/** Everything but the program itself and its own arguments. */
export function bubblewrapArgs(policy: SandboxPolicy, jail: Jail): string[] {
  const args = [
    ...["--unshare-pid", "--unshare-ipc", "--unshare-uts"],
    ...(jail.isJoined ? [] : ["--unshare-net"]),
    ...["--die-with-parent", "--new-session"],
    ...["--dev", "/dev", "--proc", "/proc"],
    ...kernelSettings(),
    ...runFolders(),
    ...policy.rules.flatMap((rule) => (rule.access === "replace" ? ["--bind", rule.by, rule.path] : [])),
    ...visible(policy.rules).flatMap((rule) => mountOf(rule, jail, policy.rules)),
    ...[...jail.links, ...USUAL_LINKS]
      .filter(
        ([path]) => !policy.rules.some((rule) => isWithin(path, rule.path) || isWithin(rule.path, path)),
      )
      .flatMap(([path, to]) => ["--symlink", to, path]),
    ...["--dir", policy.cwd, "--remount-ro", "/"],
    ...["--chdir", policy.cwd],
  ];
  if (process.getuid?.() === 0) {
    args.push("--cap-drop", "ALL");
    for (const name of ROOT_KEEPS) args.push("--cap-add", `CAP_${name}`);
  }
  return [...args, "--seccomp", "3"];
}

/** Those of the rules, as the table of the sandbox must show them. */
export function mountsOf(policy: SandboxPolicy, jail: Jail): string[] {
  const binds = visible(policy.rules).flatMap((rule): Bind[] => {
    if (rule.access === "replace") return [rule];
    const [option, by, path] = mountOf(rule, jail, policy.rules);
    return [option === "--tmpfs" ? { by: null, path: rule.path } : { by: by ?? "", path: path ?? "" }];
  });
  return expectedMounts(binds);
}

function mountOf(rule: SandboxRule, jail: Jail, rules: readonly SandboxRule[]): string[] {
  switch (rule.access) {
    case "write":
      return ["--bind", rule.path, rule.path];
    case "read":
      return ["--ro-bind", rule.path, rule.path];
    case "hide":
      if (rule.kind === "file") return ["--ro-bind", jail.emptyFile, rule.path];
      // Mount points can be made in a folder of its own only; that costs more.
      return rules.some(({ access, path }) => access !== "hide" && isWithin(rule.path, path))
        ? ["--tmpfs", rule.path]
        : ["--ro-bind", jail.emptyFolder, rule.path];
    case "mount":
      return [rule.writable ? "--bind" : "--ro-bind", rule.by, rule.path];
    case "replace":
      return [];
  }
}

const hidden = (rules: readonly SandboxRule[]): string[] =>
  rules.flatMap((rule) => (rule.access === "hide" && rule.kind === "folder" ? rule.path : []));

/** Without what is hidden along with a folder around it. */
function visible(rules: readonly SandboxRule[]): SandboxRule[] {
  const folders = hidden(rules);
  return rules.filter(
    ({ access, path }) =>
      access !== "hide" || !folders.some((folder) => folder !== path && isWithin(folder, path)),
  );
}

/**
 * Files by which the user root changes the kernel need no capability. bubblewrap covers some of them; 0.8.0 leaves /proc/sys
 * writable, and a command that sets the core pattern runs anything outside.
 */
const kernelSettings = lazy((): string[] =>
  process.getuid?.() === 0
    ? ["sys", "sysrq-trigger", "acpi"]
        .map((name) => `/proc/${name}`)
        .filter((path) => existsSync(path))
        .flatMap((path) => ["--ro-bind", path, path])
    : [],
);

/** Not all of `/run`: it holds the sockets of the system's services, and the secrets of containers. */
function runFolders(): string[] {
  const needed = RUN_NEEDED.filter((path) => existsSync(path)).flatMap((path) => ["--ro-bind", path, path]);
  return ["--dir", "/run", ...needed];
}

/** A file without a name, which can be opened again and again from its beginning; nobody else can change it. */
export class UnnamedFile {
  private readonly file: number;

  constructor(path: string, content: Buffer) {
    writeFileSync(path, content, { flag: "wx", mode: 0o600 });
    this.file = openSync(path, "r");
    unlinkSync(path);
  }

  get path(): string {
    return `/proc/${process.pid}/fd/${this.file}`;
  }

  open(): number {
    return openSync(`/proc/self/fd/${this.file}`, "r");
  }

  closeOne(descriptor: number | undefined): void {
    if (descriptor !== undefined) closeSync(descriptor);
  }

  close(): void {
    closeSync(this.file);
  }
}
