/**
 * Confined commands write git objects to a folder of their own; the real folder of objects is read-only for them, as an alternate of
 * that one. So no command can give another content to the name of an object. Their objects are checked and taken over
 * when a command ends, and several times a second while it runs, because its branch points there already.
 */

import { createHash } from "node:crypto";
import { existsSync, lstatSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { GitMount } from "../../core/sandbox/sandbox.ts";
import { listed } from "../../core/text/listed.ts";
import { makeFolder } from "../make-folder.ts";
import { removeTree } from "../remove-tree.ts";
import { foldersIn, jsonIn, namesIn, real, replaceFile, textIn } from "../small-files.ts";
import { importObjects } from "./import-objects.ts";
import type { Reads } from "./reads.ts";

/** A path below the git directory. Outside of the sandbox it is a link to the objects, so that a command's clone is whole there, too. */
const BASE = "ekiden/objects";
const IMPORT_MS = 100;
/** The share of the time between two looks that one may take. */
const LOOK_SHARE = 0.05;
const REFUSED_MAX = 100;

/** `objects`: the real folder. `git`: the git directory of the checkout; when it is gone, nobody uses the folder any more. */
type Place = { readonly objects: string; readonly git: string };

export type Checkout = {
  /** The git directory with the objects. */
  readonly common: string;
  /** That of the checkout. */
  readonly git: string;
};

export class OwnObjects {
  private readonly folder: string;
  private readonly reads: () => Reads;
  private readonly users = new Map<string, number>();
  private readonly places = new Map<string, Place>();
  /** By folder: two at once would meet at the same files. */
  private readonly importing = new Map<string, Promise<unknown>>();
  private timer: NodeJS.Timeout | null = null;
  private refused: string[] = [];
  private hasTakenLeft = false;

  /** `folder`: for the folders of commands. */
  constructor(folder: string, reads: () => Reads) {
    this.folder = folder;
    this.reads = reads;
  }

  /** The mounts for the objects of a repository; none where it has no folder of them. */
  mounts({ common, git }: Checkout): GitMount[] {
    const objects = real(join(common, "objects"));
    if (objects === null) return [];
    const isPlain = objects === join(common, "objects");
    const key = createHash("sha256").update([objects, git].join("\0")).digest("hex").slice(0, 24);
    const own = join(this.folder, key);
    const at = { objects, git };
    if (!this.places.has(own) || !existsSync(join(own, "objects/info"))) {
      for (const name of ["objects/info", "info", "cover/objects", "refs"])
        makeFolder(join(own, name), 0o700);
      writeFileSync(join(own, "HEAD"), "ref: refs/heads/none\n");
      writeFileSync(join(own, "config"), configOf(textIn(join(common, "config"))));
      replaceFile(join(own, "place.json"), JSON.stringify(at));
      this.places.set(own, at);
    }
    linkBase(common, isPlain ? "../objects" : objects);
    const base = join(common, BASE);
    const borrowed = join(objects, "info/alternates");
    // An exception costs ten times the look.
    const more = existsSync(borrowed) ? textIn(borrowed) : "";
    const others = more
      .split("\n")
      .filter((line) => line !== "" && !line.startsWith("#") && !line.startsWith('"'))
      .map((line) => resolve(objects, line));
    const alternates = [base, ...others].map((line) => `${line}\n`).join("");
    const file = join(own, "info/alternates");
    if (textIn(file) !== alternates) writeFileSync(file, alternates);
    return [
      { path: objects, by: join(own, "objects"), writable: true },
      { path: join(objects, "info"), by: join(own, "info"), writable: false },
      { path: dirname(base), by: join(own, "cover"), writable: false },
      { path: base, by: objects, writable: false },
      // The folders that it names are in the list above, absolute: git would resolve them from here.
      ...(more === "" ? [] : [{ path: join(base, "info"), by: join(own, "cover"), writable: false }]),
    ];
  }

  /** To be called before a command starts; the function that it returns, once, after the command has ended: a line about what was refused. */
  watch(mounts: readonly GitMount[]): () => Promise<string | null> {
    const used = mounts.flatMap(({ by }) =>
      this.places.has(dirname(by)) && by.endsWith("/objects") ? [dirname(by)] : [],
    );
    if (used.length === 0) return async () => null;
    for (const own of used) this.users.set(own, (this.users.get(own) ?? 0) + 1);
    this.lookLater(IMPORT_MS);
    return async () => {
      const left: string[] = [];
      for (const own of used) {
        const others = (this.users.get(own) ?? 1) - 1;
        if (others > 0) this.users.set(own, others);
        else if (this.users.delete(own)) left.push(own);
      }
      try {
        await this.take(used);
        for (const own of left) if (!this.users.has(own)) clear(own);
      } catch (error) {
        if (this.refused.length < REFUSED_MAX)
          this.refused.push(`(${error instanceof Error ? error.message : String(error)})`);
      }
      const refused = this.refused.splice(0);
      return refused.length === 0
        ? null
        : `[sandbox: git objects of the command were not kept, because their content has another hash or cannot be stored: ${listed(refused)}]`;
    };
  }

  /** Takes over the objects of a process that was killed; its branches may point there. Once. */
  async takeLeft(): Promise<void> {
    if (this.hasTakenLeft) return;
    this.hasTakenLeft = true;
    for (const name of foldersIn(this.folder)) {
      const own = join(this.folder, name);
      const at = jsonIn<Place>(join(own, "place.json"));
      if (typeof at?.objects !== "string" || !existsSync(at.objects)) continue;
      this.places.set(own, at);
      await this.take([own]).catch(() => {});
      if (existsSync(at.git)) continue;
      this.places.delete(own);
      removeTree(own);
    }
  }

  close(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
  }

  private async take(owns: readonly string[]): Promise<void> {
    for (const own of owns) {
      const at = this.places.get(own);
      const taking = (this.importing.get(own) ?? Promise.resolve()).then(async () => {
        if (at === undefined || isEmpty(join(own, "objects"))) return;
        const refused = await importObjects(own, at.objects, this.reads());
        this.refused.push(...refused.slice(0, REFUSED_MAX - this.refused.length));
      });
      this.importing.set(
        own,
        taking.catch(() => {}),
      );
      await taking;
    }
  }

  private lookLater(ms: number): void {
    this.timer ??= setTimeout(async () => {
      const began = performance.now();
      await this.take([...this.users.keys()]).catch(() => {});
      this.timer = null;
      if (this.users.size > 0) this.lookLater(Math.max(IMPORT_MS, (performance.now() - began) / LOOK_SHARE));
    }, ms).unref();
  }
}

/** Of the configuration of a repository only what says how objects are stored. */
const configOf = (config: string): string => {
  const shared = /^\s*sharedrepository\s*=\s*(\w+)\s*$/im.exec(config)?.[1];
  const isSha256 = /^\s*objectformat\s*=\s*"?sha256/im.test(config);
  return `[core]\n\trepositoryformatversion = ${isSha256 ? "1\n[extensions]\n\tobjectformat = sha256" : "0"}\n[core]\n\tbare = true\n${shared ? `\tsharedRepository = ${shared}\n` : ""}`;
};

const isEmpty = (objects: string): boolean => namesIn(objects).every((name) => name === "info");

/** Removes files that are no objects: half-written ones, and others that a command has left. */
function clear(own: string): void {
  for (const name of namesIn(join(own, "objects")))
    if (name !== "info") removeTree(join(own, "objects", name));
}

function linkBase(common: string, to: string): void {
  const base = join(common, BASE);
  if (lstatSync(base, { throwIfNoEntry: false })?.isSymbolicLink()) return;
  try {
    const folder = dirname(base);
    if (lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() === false) rmSync(folder);
    mkdirSync(folder, { recursive: true });
    symlinkSync(to, base);
  } catch {
    // A clone of a command would not find the objects outside of the sandbox.
  }
}
