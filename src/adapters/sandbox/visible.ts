/** Finds on the disk what confined commands see of the system and of toolchains. */

import { accessSync, constants, existsSync, lstatSync, readdirSync, readlinkSync, statSync } from "node:fs";
import { basename, delimiter, dirname, isAbsolute, join } from "node:path";
import { lazy } from "../../core/lazy.ts";
import { isWithin } from "../../core/paths/paths.ts";
import { SYSTEM_FOLDERS, SYSTEM_SECRETS, toolchainPaths } from "../../core/sandbox/visible.ts";
import { succeeds, tried } from "../../core/tried.ts";
import { namesIn, real, textIn } from "../small-files.ts";

type Env = Readonly<Record<string, string | undefined>>;
/** `links`: those in the way to them, each with where it leads. All other paths are absolute and without links. */
export type Visible = {
  readonly folders: readonly string[];
  readonly links: readonly (readonly [path: string, to: string])[];
  readonly secretFolders: readonly string[];
  readonly secretFiles: readonly string[];
};

/** Looked for again after this; a look costs about a millisecond. */
const LOOK_MS = 10_000;

export class VisibleFolders {
  private readonly home: string;
  private readonly workspace: string;
  private readonly ownFolders: readonly string[];
  private readonly opened: readonly string[];
  private readonly known = new Map<string, { readonly at: number; readonly found: Visible }>();

  /** `opened`: further ones, which the person has named. `ownFolders`: of this program, with keys and settings. */
  constructor(home: string, workspace: string, ownFolders: readonly string[], opened: readonly string[]) {
    [this.home, this.workspace, this.ownFolders, this.opened] = [home, workspace, ownFolders, opened];
  }

  of(env: Env): Visible {
    const key = env.PATH ?? "";
    const now = performance.now();
    const known = this.known.get(key);
    if (known && now - known.at < LOOK_MS) return known.found;
    const found = this.find(env);
    this.known.set(key, { at: now, found });
    return found;
  }

  /** Commands may make a link of such a path (`node_modules/.bin` in PATH), which would show them any folder. */
  private isOfMembers(path: string): boolean {
    const isHidden = this.workspace === this.home && path.startsWith(`${this.home}/.`);
    return isWithin(this.workspace, path) && !isHidden;
  }

  private find(env: Env): Visible {
    const folders = new Set<string>();
    const atTop = readdirSync("/", { withFileTypes: true }).filter((entry) => entry.isSymbolicLink());
    const links = new Map(atTop.map(({ name }) => [`/${name}`, readlinkSync(`/${name}`)]));
    const add = (path: string): void => {
      if (!isAbsolute(path) || this.isOfMembers(path) || !existsSync(path)) return;
      const target = real(path);
      // A variable may name the home folder, or what holds it, or nothing (`/dev/null`).
      if (target === null || OF_KERNEL.test(target)) return;
      if (isWithin(target, this.home) || isWithin(target, this.workspace)) return;
      if (target !== path && lstatSync(path).isSymbolicLink()) links.set(path, readlinkSync(path));
      folders.add(target);
    };
    for (const path of [...SYSTEM_FOLDERS, ...programsIn(env.PATH)]) add(path);
    for (const path of [...toolchainPaths(this.home, env), ...this.opened]) add(path);
    const all = [...folders].filter(
      (path) => ![...folders].some((one) => one !== path && isWithin(one, path)),
    );
    const secrets = [...SYSTEM_SECRETS, ...closedIn(), ...this.ownFolders].flatMap((path) =>
      existsSync(path) && isReadable(path) ? (real(path) ?? []) : [],
    );
    const isFolder = (path: string): boolean => lstatSync(path).isDirectory();
    return {
      folders: all,
      links: [...links],
      secretFolders: secrets.filter(isFolder),
      secretFiles: secrets.filter((path) => !isFolder(path)),
    };
  }
}

const OF_KERNEL = /^\/(?:dev|proc)(?:\/|$)/;

/** The folders of PATH, each with the installation that it is of; and this program with its packages, which commands may start. */
const programsIn = (path: string | undefined): string[] =>
  [...(path ?? "").split(delimiter), dirname(process.execPath)]
    .flatMap((folder) => {
      const around = dirname(folder);
      const isWhole = /^s?bin$/.test(basename(folder)) && basename(around) !== ".local";
      return isWhole && ["lib", "libexec", "include"].some((name) => existsSync(join(around, name)))
        ? [folder, around]
        : [folder];
    })
    .concat(ownPackages());

/** The folder of this program, or the one that holds it beside the packages that it needs. */
const ownPackages = lazy((): string[] => {
  let folder = import.meta.dirname;
  const isPackage = (): boolean => /"name"\s*:/.test(textIn(join(folder, "package.json")));
  while (!isPackage() && dirname(folder) !== folder) folder = dirname(folder);
  if (dirname(folder) === folder) return [];
  return [basename(dirname(folder)) === "node_modules" ? dirname(folder) : folder];
});

/** For the user root: what other users may not read in `/etc`. */
const closedIn = lazy((): string[] => {
  if (process.getuid?.() !== 0) return [];
  const isClosed = (path: string): boolean =>
    tried(() => (statSync(path).mode & (statSync(path).isDirectory() ? 0o001 : 0o004)) === 0, false);
  const folders = ["/etc", ...namesIn("/etc").map((name) => join("/etc", name))];
  return folders
    .filter((path) => tried(() => lstatSync(path).isDirectory(), false))
    .flatMap((folder) => namesIn(folder).map((name) => join(folder, name)))
    .filter(isClosed);
});

/** A file that this user cannot read needs no cover. */
const isReadable = (path: string): boolean => succeeds(() => accessSync(path, constants.R_OK));
