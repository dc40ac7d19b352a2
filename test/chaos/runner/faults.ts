/**
 * The classes of faults. A class that holds is part of every run; one that does not names the defect that it meets and runs only
 * when it is asked for (`--faults +NAME`). The repair of a defect sets its classes to `holds: true`.
 */
import type { World } from "./world.ts";

export type Class = {
  readonly about: string;
  readonly holds: boolean;
  /** The known defects that the class meets. */
  readonly meets?: string;
};

/**
 * `process`, `database` and `disk` are injected at random moments; `model` faults are answers of the model server; `work`
 * changes what the tasks do.
 */
export const CLASSES = {
  kill: { about: "process: SIGKILL, then another process continues", holds: true },
  takeover: {
    about: "process: where several hosts run and one is killed, another takes its tasks before it comes back",
    holds: true,
  },
  "early-resume": {
    about: "process: others start before the lead has joined",
    holds: true,
  },
  "kill-often": { about: "process: more than two SIGKILLs under a runbook", holds: true },
  freeze: { about: "process: SIGSTOP for less than half of the lease", holds: true },
  "freeze-past-lease": {
    about: "process: SIGSTOP for longer than the lease",
    holds: true,
  },
  stall: { about: "machine: every process stands still for 0.5 to 1.3 leases", holds: true },
  "database-cut": { about: "database: its connections are ended", holds: true },
  "database-restart": { about: "database: stopped and started", holds: true },
  "database-kill": { about: "database: SIGKILL, then started", holds: true },
  "database-away": { about: "database: stopped for 8 seconds", holds: true },
  "database-read-only": { about: "database: refuses writes for a second", holds: true },
  "database-tls": {
    about: "database: reached by TLS; the server shows a wrong certificate for a moment (needs openssl)",
    holds: true,
  },
  "database-pooler": {
    about: "database: reached by a pooler, which is killed and started (needs pgbouncer)",
    holds: true,
  },
  "database-network": {
    about: "database: its connection is cut at a commit, before or after the server has it",
    holds: true,
  },
  "database-lock": { about: "database: another program locks its tables for 7 seconds", holds: true },
  "disk-full": {
    about: "disk: full for a second (SQLite; needs root for a tmpfs)",
    holds: true,
  },
  "worktrees-full": {
    about: "disk: that of the worktrees is full for a second (needs root for a tmpfs)",
    holds: true,
  },
  "model-busy": { about: "model: 429, 500 and 529", holds: true },
  "model-cut": { about: "model: streams that are cut, end early or break down", holds: true },
  "model-pings": { about: "model: a stream of nothing but pings", holds: true },
  "model-odd": { about: "model: doubled call ids, blank texts, half characters", holds: true },
  "git-killed": {
    about: "git: SIGKILL for a git that makes a clone or lands a task",
    holds: true,
  },
  "worktree-removed": {
    about: "git: somebody removes the worktree of a task whose command has ended",
    holds: true,
  },
  "branch-removed": {
    about: "git: somebody removes the branch of a task in the project, or the .git of its clone",
    holds: true,
  },
  collected: { about: "git: `git gc --prune=now` in the project", holds: true },
  "locks-left": {
    about:
      "git: SIGKILL for a process that is alone, and locks of git in the clones of its tasks, then another continues",
    holds: true,
  },
  "sockets-gone": { about: "process: somebody removes the sockets of the running processes", holds: true },
  "push-cut": { about: "git: tasks land on a remote, and pushes are cut in the middle", holds: true },
  "by-hand": {
    about: "person: done, fail and cancel of a task that waits or is in progress; take, then done",
    holds: true,
  },
  "newer-program": { about: "person: a newer version of the program, beside hosts of this one", holds: true },
  orders: {
    about: "person: release, edit and assign of a task in progress; a task that is taken and given back",
    holds: true,
  },
  "output-full": {
    about: "process: some have a full disk as standard output, for text or JSON",
    holds: true,
  },
  deadlines: { about: "process: some end at a deadline, and another continues", holds: true },
  "long-commands": { about: "work: commands that outlive the host", holds: true },
  splits: { about: "work: some tasks are split by their owners", holds: true },
  landings: { about: "work: tasks land in a git repository behind a gate", holds: true },
  "odd-names": { about: "work: names of files that are no text, or long, or end with a blank", holds: true },
  "odd-targets": {
    about: "work: the target is a symbolic ref, or packed",
    holds: true,
  },
  "red-gate": { about: "work: some tasks meet a red gate first", holds: true },
} as const satisfies Readonly<Record<string, Class>>;
export type ClassName = keyof typeof CLASSES;

export const isClass = (name: string): name is ClassName => Object.hasOwn(CLASSES, name);
const names = Object.keys(CLASSES) as ClassName[];

/** Reads `--faults`: `all`, a list, or changes of the default such as `+disk-full,-kill`. @throws for an unknown name */
export function classesFrom(text: string): Set<ClassName> {
  if (text === "all") return new Set(names);
  const words = text.split(",").filter(Boolean);
  const isChange = words.every((word) => /^[+-]/.test(word));
  const chosen = new Set(isChange ? names.filter((name) => CLASSES[name].holds) : []);
  for (const word of words) {
    const name = word.replace(/^[+-]/, "");
    if (!isClass(name))
      throw new Error(`"${name}" is not a class of faults. There are: ${names.join(", ")}.`);
    if (word.startsWith("-")) chosen.delete(name);
    else chosen.add(name);
  }
  return chosen;
}

export type Injected = Readonly<
  Record<
    | "kills"
    | "pauses"
    | "restarts"
    | "cuts"
    | "fullDisks"
    | "gitKills"
    | "removals"
    | "orders"
    | "pushCuts"
    | "newerPrograms"
    | "collections"
    | "locks"
    | "sockets",
    number
  >
>;
type Injection = { readonly counts: keyof Injected; readonly inject: (world: World) => Promise<boolean> };

/** False: there was nothing to do it to. */
export const INJECTIONS: Partial<Record<ClassName, Injection>> = {
  kill: { counts: "kills", inject: (world) => world.killOne(world.mostKills) },
  "kill-often": { counts: "kills", inject: (world) => world.killOne(Number.POSITIVE_INFINITY) },
  freeze: { counts: "pauses", inject: (world) => world.freezeOne(world.leaseMs * 0.4) },
  "freeze-past-lease": { counts: "pauses", inject: (world) => world.freezeOne(world.leaseMs * 1.6) },
  stall: { counts: "pauses", inject: (world) => world.freezeAll(world.leaseMs * (0.5 + 0.8 * world.dice())) },
  "database-cut": { counts: "cuts", inject: (world) => world.cutConnections() },
  "database-restart": { counts: "restarts", inject: (world) => world.databaseDown("stopped", 0) },
  "database-kill": { counts: "restarts", inject: (world) => world.databaseDown("killed", 0) },
  "database-away": { counts: "restarts", inject: (world) => world.databaseDown("stopped", 8_000) },
  "database-read-only": { counts: "cuts", inject: (world) => world.readOnly(1_000) },
  "database-lock": { counts: "cuts", inject: (world) => world.lockTables(7_000) },
  collected: { counts: "collections", inject: (world) => world.collect() },
  "locks-left": { counts: "locks", inject: (world) => world.leaveLocks() },
  "sockets-gone": { counts: "sockets", inject: (world) => world.removeSockets() },
  "git-killed": { counts: "gitKills", inject: (world) => world.killGit() },
  "worktree-removed": { counts: "removals", inject: (world) => world.removeWorktree() },
  "branch-removed": { counts: "removals", inject: (world) => world.removeBranch() },
  "push-cut": { counts: "pushCuts", inject: (world) => world.cutPush() },
  orders: { counts: "orders", inject: (world) => world.person.order() },
  "by-hand": { counts: "orders", inject: (world) => world.person.byHand() },
  "newer-program": { counts: "newerPrograms", inject: (world) => world.startNewer() },
  "database-tls": { counts: "cuts", inject: (world) => world.harmWay("tls") },
  "database-pooler": { counts: "cuts", inject: (world) => world.harmWay("pooler") },
  "database-network": { counts: "cuts", inject: (world) => world.harmWay("network") },
  "worktrees-full": { counts: "fullDisks", inject: (world) => world.fillWorktrees(1_000) },
  "disk-full": { counts: "fullDisks", inject: (world) => world.fillDisk(1_000) },
};
