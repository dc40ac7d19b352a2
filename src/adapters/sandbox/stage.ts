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
import { isWithin } from "../../core/paths.ts";
import type { SandboxPlace } from "../../core/sandbox.ts";
import { UnnamedFile } from "./bubblewrap.ts";
import { SharedNetwork } from "./network.ts";
import { PlaceReader, real, socketsOutside } from "./place.ts";
import type { ProofPlace } from "./proof.ts";

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
/** Below the home folder; a confined command must not change what the person's own commands will run. */
const CACHES = [
  [".cache", "cache", "XDG_CACHE_HOME"],
  [".npm", "npm", "npm_config_cache"],
] as const;

/** Folders for everybody's temporary files: commands get private ones in their place. */
export const replacedFolders = (): string[] => [
  ...new Set(["/tmp", "/var/tmp", tmpdir()].flatMap((path) => real(path) ?? [])),
];

export class Stage {
  readonly folder: string;
  readonly emptyFile: string;
  readonly filter: UnnamedFile | null;
  readonly network: SharedNetwork | null;
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
    this.temporary = join(this.folder, "tmp");
    mkdirSync(this.temporary);
    chmodSync(this.temporary, 0o1777);
    this.filter = filter === null ? null : new UnnamedFile(join(this.folder, "filter"), filter);
    this.network =
      bwrap !== null && nsenter !== null ? new SharedNetwork({ bwrap, nsenter, folder: this.folder }) : null;
    const variables: Record<string, string> = bwrap === null ? { TMPDIR: this.temporary } : {};
    const replaced = this.privateTemporary();
    for (const [path, name, variable] of CACHES) {
      const found = bwrap === null ? null : real(join(home, path));
      // A folder that does not exist cannot be covered; the variable leads to a place that can be written.
      if (found === null) variables[variable] = join(bwrap === null ? this.temporary : "/tmp", path);
      else if (!isWithin(found, workspace) && !isWithin(workspace, found)) {
        const by = join(cacheFolder, name);
        mkdirSync(by, { recursive: true, mode: 0o700 });
        replaced.push([found, realpathSync(by)]);
      }
    }
    this.variables = variables;
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
