/** The files that one process keeps on disk for its sandbox and removes at its end: private folders, the filter, an empty file. */

import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rm,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { toolFailed } from "../../core/errors.ts";
import type { SandboxPlace } from "../../core/sandbox/sandbox.ts";
import { succeeds } from "../../core/tried.ts";
import { makeFolder } from "../make-folder.ts";
import { livesAs, OWN_IDENTITY } from "../process-identity.ts";
import { removeTree } from "../remove-tree.ts";
import { isMade, real } from "../small-files.ts";
import { findProgram, UnnamedFile } from "./bubblewrap.ts";
import { SharedNetwork } from "./network.ts";
import { OwnObjects } from "./own-objects.ts";
import { PlaceReader } from "./place.ts";
import type { ProofPlace } from "./proof.ts";
import type { Reads } from "./reads.ts";
import type { Filters } from "./seccomp.ts";
import { Spares } from "./spares.ts";
import { TaskGroup } from "./task-group.ts";
import { type Visible, VisibleFolders } from "./visible.ts";

export type StageOptions = {
  /** Null on systems where private folders cannot be laid over others. */
  readonly bwrap: string | null;
  readonly nsenter: string | null;
  readonly filter: Filters | null;
  readonly home: string;
  readonly workspace: string;
  readonly cacheFolder: string;
  readonly ownFolders: readonly string[];
  /** Further ones outside that commands see. */
  readonly shown: readonly string[];
  readonly inWorktrees?: boolean;
  /** Processes and threads of all commands together, where the kernel does not count those of one. */
  readonly tasks: number;
  readonly confine: Reads["confine"];
};

const PREFIX = "ekiden-sandbox-";
/** The kernel takes 107 bytes for the path of a socket, and names below the folder of a process have up to 80. */
const LONGEST_TEMPORARY = 26;
/** Where this process has its folder. With a longer path the sandbox could not be tried, and no listed host be reached. */
function ownTemporary(): string {
  const usual = realpathSync(tmpdir());
  const isShort = Buffer.byteLength(usual) <= LONGEST_TEMPORARY;
  return isShort || !succeeds(() => accessSync("/tmp", constants.W_OK)) ? usual : "/tmp";
}
/** A process of another container cannot be seen. Its folder is its own for so long after its last sign of life. */
const UNSEEN_MS = 3 * 24 * 3_600_000;
const SIGN_OF_LIFE_MS = 3_600_000;
/** Folders for everybody's temporary files: commands get private ones in their place. */
export const replacedFolders = (): string[] => [
  ...new Set(["/tmp", tmpdir()].flatMap((path) => real(path) ?? [])),
];

/** Git of a folder that no command writes. */
const gitProgram = (path: string | undefined, workspace: string): string | null =>
  findProgram("git", path, [workspace, ...replacedFolders()])?.path ?? null;

export class Stage {
  readonly folder: string;
  readonly emptyFile: string;
  readonly emptyFolder: string;
  readonly filter: UnnamedFile | null;
  /** The same with Unix sockets, for commands that may use them. */
  readonly openFilter: UnnamedFile | null;
  /** That of all commands, "", and those of programs that reach other hosts, by their hosts. */
  private readonly networks = new Map<string, SharedNetwork>();
  private readonly programs: { readonly bwrap: string; readonly nsenter: string } | null;
  readonly spares: Spares | null;
  readonly group: TaskGroup | null;
  readonly reader: PlaceReader;
  readonly visible: VisibleFolders;
  readonly objects: OwnObjects | null;
  readonly reads: Reads;
  readonly variables: Readonly<Record<string, string>>;
  readonly replaced: readonly string[] = replacedFolders();
  private readonly temporary: string;
  private readonly home: string;
  private readonly cacheFolder: string;
  private signedAt = 0;

  constructor({
    bwrap,
    nsenter,
    filter,
    home,
    workspace,
    cacheFolder,
    ownFolders,
    shown,
    inWorktrees = false,
    tasks,
    confine,
  }: StageOptions) {
    this.home = home;
    this.cacheFolder = cacheFolder;
    removeAbandoned();
    this.folder = realpathSync(mkdtempSync(join(ownTemporary(), `${PREFIX}${OWN_IDENTITY}-`)));
    this.emptyFile = join(this.folder, "empty");
    this.emptyFolder = join(this.folder, "nothing");
    this.temporary = join(this.folder, "tmp");
    this.mend();
    const asFile = (bytes: Buffer) => new UnnamedFile(join(this.folder, "filter"), bytes);
    this.filter = filter && asFile(filter.closed);
    this.openFilter = filter && asFile(filter.open);
    this.programs = bwrap !== null && nsenter !== null ? { bwrap, nsenter } : null;
    this.spares = this.filter === null ? null : new Spares(this.filter);
    this.group = bwrap === null ? null : TaskGroup.make(tasks);
    const temporary = bwrap === null ? this.temporary : "/tmp";
    // The person's caches stay read-only: programs in them run outside, too.
    const caches = join(temporary, ".cache");
    const variables = { XDG_CACHE_HOME: caches, npm_config_cache: join(caches, "npm") };
    const replaced = this.privateTemporary();
    makeFolder(cacheFolder, 0o700);
    if (bwrap !== null) replaced.push([caches, realpathSync(cacheFolder)]);
    this.variables = bwrap === null ? { ...variables, TMPDIR: temporary } : variables;
    this.reads = { git: gitProgram(process.env.PATH, workspace), confine };
    this.objects = bwrap === null ? null : new OwnObjects(`${cacheFolder}-objects`, () => this.reads);
    const { objects } = this;
    this.visible = new VisibleFolders(home, workspace, ownFolders, shown);
    this.reader = new PlaceReader({ workspace, home, replaced, inWorktrees, objects });
  }

  /** Null where none can be made. */
  network(key: string): SharedNetwork | null {
    if (this.programs === null) return null;
    const socket = join(this.folder, `proxy${this.networks.size}.sock`);
    const network = this.networks.get(key) ?? new SharedNetwork({ ...this.programs, socket });
    this.networks.set(key, network);
    return network;
  }

  /** Before each command: programs that clean up folders for temporary files remove what is old. @throws EkidenError `tool_failed` */
  mend(): void {
    const now = Date.now();
    if (!existsSync(this.folder)) this.makeAgain();
    else if (now - this.signedAt > SIGN_OF_LIFE_MS) utimesSync(this.folder, now / 1000, now / 1000);
    else if ([this.emptyFile, this.emptyFolder, this.temporary, this.cacheFolder].every(existsSync)) return;
    this.signedAt = now;
    if (!existsSync(this.emptyFile)) writeFileSync(this.emptyFile, "", { mode: 0o444 });
    if (!existsSync(this.emptyFolder)) mkdirSync(this.emptyFolder, { mode: 0o555 });
    if (!existsSync(this.temporary)) {
      mkdirSync(this.temporary);
      chmodSync(this.temporary, 0o1777);
    }
    makeFolder(this.cacheFolder, 0o700);
  }

  /** Others of this machine may have made something else of that name in the meantime. */
  private makeAgain(): void {
    isMade(() => mkdirSync(this.folder, { mode: 0o700 }));
    const { uid } = lstatSync(this.folder);
    if (uid !== (process.getuid?.() ?? uid))
      throw toolFailed(
        `${this.folder} belongs to another user, so no command can be confined. Remove it, and start ekiden again.`,
      );
    for (const one of this.networks.values()) one.listenAgain();
  }

  private privateTemporary(): [string, string][] {
    return this.replaced.map((path) => [path, this.temporary]);
  }

  proofPlace({ inside, outside, hidden }: ProofPlace, { folders }: Visible): SandboxPlace {
    return {
      ...{ cwd: inside, home: this.home, roots: [inside], git: [], guarded: [] },
      visible: [...folders, outside],
      ...{ secretFolders: [], secretFiles: [hidden], replaced: this.privateTemporary() },
    };
  }

  async close(): Promise<void> {
    this.objects?.close();
    this.spares?.close();
    await Promise.all([...this.networks.values()].map((one) => one.close()));
    await this.group?.close();
    this.filter?.close();
    this.openFilter?.close();
    // A command that is just ending may still write here.
    removeTree(this.folder);
  }
}

/** Folders of processes that were killed. Older versions named them by the process id alone, which may be another container's. */
function removeAbandoned(): void {
  const folder = ownTemporary();
  for (const name of readdirSync(folder)) {
    const [, owner] = name.startsWith(PREFIX) ? (/^(.+)-/.exec(name.slice(PREFIX.length)) ?? []) : [];
    if (owner === undefined) continue;
    const path = join(folder, name);
    const lives =
      livesAs(owner) ?? Date.now() - (lstatSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0) < UNSEEN_MS;
    if (!lives) rm(path, { recursive: true, force: true }, () => {});
  }
}
