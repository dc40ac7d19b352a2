/** What one process keeps on disk for its sandbox, and removes at its end: private folders, the filter, an empty file. */
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rm,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SandboxPlace } from "../../core/sandbox.ts";
import { UnnamedFile } from "./bubblewrap.ts";
import { SharedNetwork } from "./network.ts";
import { PlaceReader, real, socketsOutside } from "./place.ts";
import type { ProofPlace } from "./proof.ts";
import { Spares } from "./spares.ts";

export type StageOptions = {
  /** Null on systems where private folders cannot be laid over others. */
  readonly bwrap: string | null;
  readonly nsenter: string | null;
  readonly filter: Buffer | null;
  readonly home: string;
  readonly workspace: string;
  readonly cacheFolder: string;
  readonly ownFolders: readonly string[];
};

const PREFIX = "ekiden-sandbox-";
/** Folders for everybody's temporary files: commands get private ones in their place. */
export const replacedFolders = (): string[] => [
  ...new Set(["/tmp", tmpdir()].flatMap((path) => real(path) ?? [])),
];

export class Stage {
  readonly folder: string;
  readonly emptyFile: string;
  readonly emptyFolder: string;
  readonly filter: UnnamedFile | null;
  readonly network: SharedNetwork | null;
  readonly spares: Spares | null;
  readonly reader: PlaceReader;
  readonly variables: Readonly<Record<string, string>>;
  private readonly temporary: string;
  private readonly home: string;

  constructor({ bwrap, nsenter, filter, home, workspace, cacheFolder, ownFolders }: StageOptions) {
    this.home = home;
    removeAbandoned();
    this.folder = realpathSync(mkdtempSync(join(tmpdir(), `${PREFIX}${process.pid}-`)));
    this.emptyFile = join(this.folder, "empty");
    writeFileSync(this.emptyFile, "", { mode: 0o444 });
    this.emptyFolder = join(this.folder, "nothing");
    mkdirSync(this.emptyFolder, { mode: 0o555 });
    this.temporary = join(this.folder, "tmp");
    mkdirSync(this.temporary);
    chmodSync(this.temporary, 0o1777);
    this.filter = filter === null ? null : new UnnamedFile(join(this.folder, "filter"), filter);
    this.network =
      bwrap !== null && nsenter !== null ? new SharedNetwork({ bwrap, nsenter, folder: this.folder }) : null;
    this.spares = this.filter === null ? null : new Spares(this.filter);
    const temporary = bwrap === null ? this.temporary : "/tmp";
    // The person's caches stay read-only: what is in them runs outside, too.
    const caches = join(temporary, ".cache");
    const variables = { XDG_CACHE_HOME: caches, npm_config_cache: join(caches, "npm") };
    const replaced = this.privateTemporary();
    if (bwrap !== null) {
      mkdirSync(cacheFolder, { recursive: true, mode: 0o700 });
      replaced.push([caches, realpathSync(cacheFolder)]);
    }
    this.variables = bwrap === null ? { ...variables, TMPDIR: temporary } : variables;
    this.reader = new PlaceReader({ workspace, home, ownFolders, replaced });
  }

  private privateTemporary(): [string, string][] {
    return replacedFolders().map((path) => [path, this.temporary]);
  }

  proofPlace({ inside, hidden }: ProofPlace): SandboxPlace {
    const replaced = this.privateTemporary();
    return {
      ...{ cwd: inside, home: this.home, roots: [inside], git: [], guarded: [] },
      ...{ secretFolders: [], secretFiles: [hidden], sockets: socketsOutside([inside]), replaced },
    };
  }

  async close(): Promise<void> {
    this.spares?.close();
    await this.network?.close();
    this.filter?.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Folders of processes that were killed. */
function removeAbandoned(): void {
  for (const name of readdirSync(tmpdir())) {
    const [, pid] = name.startsWith(PREFIX) ? (/^(\d+)-/.exec(name.slice(PREFIX.length)) ?? []) : [];
    if (pid === undefined) continue;
    try {
      process.kill(Number(pid), 0);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ESRCH") continue;
      rm(join(tmpdir(), name), { recursive: true, force: true }, () => {});
    }
  }
}
