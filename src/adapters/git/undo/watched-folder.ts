/**
 * What has changed in a folder since the last look. Git compares the folder with an index of our own and does not take ignored files, nested
 * repositories, large files and `.ekiden`. The index keeps sizes and times, so a look reads only what has changed.
 */
import { createHash } from "node:crypto";
import { accessSync, constants, lstatSync, rmSync, type Stats, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join, relative } from "node:path";
import { badInput, isEkidenError } from "../../../core/errors.ts";
import { succeeds, tried } from "../../../core/tried.ts";
import type { Blob, PathChange } from "../../../core/undo/change.ts";
import { namesIn } from "../../small-files.ts";
import { isTicketHeld, newTicket, ticketIn } from "../../tickets.ts";
import { copyIndex } from "../clones/snapshot.ts";
import { FILE_MAX, isOutside } from "./disk.ts";
import { FileTimes, TICK_MS } from "./file-times.ts";
import { type OwnRepository, topOf } from "./own-repository.ts";
import { seeded } from "./seeded-index.ts";

const [FILES_MAX, BYTES_MAX] = [50_000, 1024 * 1024 * 1024];
/** More new contents become one pack: a file for each takes a disk long. */
const LOOSE_MAX = 100;
const NONE = "0".repeat(40);
/** One process: each command waits for a look. The new files ("? path"), and the changed ("C") and removed ones ("R"). */
const LOOK = ["ls-files", "-z", "-t", "-o", "-m", "-d", "--exclude-standard"];
const TAKE = `set -e
B=$(git write-tree)
if [ -s "$1" ]; then git update-index --force-remove -z --stdin < "$1"; fi
if [ -s "$2" ]; then git -c core.bigFileThreshold="$3" update-index --add --remove --replace -z --stdin < "$2"; fi
A=$(git write-tree)
[ "$A" = "$B" ] || git diff-tree -r --raw -z --no-renames "$B" "$A"`;

const COMPARE = `A=$(git write-tree) && git diff-tree -r --raw -z --no-renames "$1" "$A" -- .`;

export type Seen = { readonly paths: readonly PathChange[]; readonly left: readonly string[] };
const NOTHING: Seen = { paths: [], left: [] };
type Sorted = {
  readonly gone: string[];
  readonly taken: string[];
  readonly left: string[];
  /** New to git, but there before: it was ignored, large or in another repository. Nobody made it, so no undo removes it. */
  readonly old: Set<string>;
  readonly bytes: number;
};

export class WatchedFolder {
  readonly root: string;
  private readonly repository: OwnRepository;
  private readonly prefix: string;
  private readonly top: string;
  private readonly index: string;
  /** The files that are not taken, as they were. */
  private large = new Map<string, string>();
  private lookedAt = 0;
  private times: FileTimes | undefined;

  constructor(repository: OwnRepository, root: string) {
    this.repository = repository;
    this.root = root;
    this.top = topOf(root);
    this.prefix = root === this.top ? "" : `${relative(this.top, root)}/`;
    const key = createHash("sha256").update(root).digest("hex").slice(0, 16);
    this.index = join(repository.folder, "looks", `${key}.${newTicket()}`);
  }

  /**
   * The changes since the last look, or since the last one of an earlier process. @throws EkidenError `bad_input` for a folder that is not
   * watched: the home folder, the root of the disk, more than 50,000 files or 1 GB | `tool_failed`
   */
  async look(): Promise<Seen> {
    if (!this.times) this.begin();
    if (this.times?.isSame()) return NOTHING;
    try {
      return await this.lookOnce();
    } catch (error) {
      if (isEkidenError(error, "bad_input")) throw error;
      // Such as an unfinished merge in the index of the repository, or objects that went with it. Every file is read again: what the changed ones were is not known.
      const { fresh, changed } = await this.listed();
      rmSync(this.index, { force: true });
      await this.lookOnce();
      return { paths: [], left: [...fresh, ...changed].filter((path) => !isOutside(path)) };
    }
  }

  private async lookOnce(): Promise<Seen> {
    const at = Date.now();
    const { fresh, changed } = await this.listed();
    const seen =
      fresh.length + changed.length + this.large.size === 0 ? NOTHING : await this.take(fresh, changed);
    const all = this.times?.isNew ? await this.repository.git(["ls-files", "-z"], this.how) : "";
    const paths = [...fresh, ...changed, ...all.split("\0")];
    this.lookedAt = at;
    this.times?.looked(
      at,
      paths.filter((path) => path !== "" && !path.endsWith("/")),
    );
    return seen;
  }

  private async take(fresh: readonly string[], changed: readonly string[]): Promise<Seen> {
    const sorted = this.sorted(fresh, changed);
    const [gone, taken] = [`${this.index}.gone`, `${this.index}.taken`];
    if (sorted.gone.length + sorted.taken.length === 0) return { paths: [], left: sorted.left };
    try {
      for (const [file, paths] of [
        [gone, sorted.gone],
        [taken, sorted.taken],
      ] as const)
        writeFileSync(file, paths.map((path) => `${path}\0`).join(""));
      const inPack = sorted.taken.length > LOOSE_MAX ? "1" : "1g";
      const out = await this.repository.shell(TAKE, [gone, taken, inPack], this.how);
      const all = this.raw(out);
      const removed = new Set(all.map(({ before, after }) => (after ? undefined : before?.oid)));
      // A folder that was renamed has files of old times.
      const paths = all.filter(({ path, after }) => !sorted.old.has(path) || removed.has(after?.oid));
      return { paths, left: sorted.left };
    } finally {
      for (const file of [gone, taken]) rmSync(file, { force: true });
    }
  }

  /** From a commit or a tree to what the last look saw. */
  async changesFrom(tree: string): Promise<readonly PathChange[]> {
    return this.raw(await this.repository.shell(COMPARE, [tree], this.how));
  }

  /** What the last look saw, as a tree of git. */
  async tree(): Promise<string> {
    return (await this.repository.git(["write-tree"], this.how)).trim();
  }

  /** Its index stays, for the next process. */
  private begin(): void {
    const { root, repository } = this;
    if (root === homedir() || dirname(root) === root)
      throw badInput(`No changes are recorded in ${root}: it is not a project folder.`);
    repository.make();
    const folder = dirname(this.index);
    const prefix = this.index.slice(folder.length + 1).split(".", 1)[0] ?? "";
    const left = namesIn(folder)
      .filter((name) => ticketIn(name, `${prefix}.`) !== null)
      .map((name) => ({ name, at: tried(() => lstatSync(join(folder, name)).mtimeMs, 0) }))
      .sort((a, b) => b.at - a.at);
    const [last] = left;
    if (last) tried(() => copyIndex(join(folder, last.name), this.index), undefined);
    else seeded(this.top, repository.borrows, this.index);
    for (const { name } of left)
      if (!isTicketHeld(ticketIn(name, `${prefix}.`) ?? "", join(folder, name)))
        rmSync(join(folder, name), { force: true });
    this.times = new FileTimes(root, folder);
  }

  private get how() {
    return { cwd: this.root, env: { GIT_WORK_TREE: this.top, GIT_INDEX_FILE: this.index } };
  }

  private async listed(): Promise<{ fresh: string[]; changed: string[] }> {
    const [fresh, changed] = [new Set<string>(), new Set<string>()];
    for (const field of (await this.repository.git(LOOK, this.how)).split("\0"))
      if (field !== "") (field.startsWith("?") ? fresh : changed).add(field.slice(2));
    return { fresh: [...fresh], changed: [...changed].filter((path) => !this.isSubmodule(path)) };
  }

  /** Of another repository only the commit counts, and its own git changes that. */
  private isSubmodule(path: string): boolean {
    const at = join(this.root, path);
    return lookAt(at)?.isDirectory() === true && lookAt(join(at, ".git")) !== undefined;
  }

  /** `fresh` are new, `changed` may be gone. */
  private sorted(fresh: readonly string[], changed: readonly string[]): Sorted {
    const found: Sorted = { gone: [], taken: [], left: [], old: new Set(), bytes: 0 };
    const large = new Map<string, string>();
    const links = new Map<string, boolean>();
    const known = new Set(changed);
    let bytes = 0;
    for (const path of [...changed, ...fresh]) {
      // A nested repository ends with a slash.
      if (path.endsWith("/") || isOutside(path)) continue;
      const at = join(this.root, path);
      const stat = this.throughLink(path, links) ? undefined : lookAt(at);
      const isFile = stat?.isFile() === true;
      const isClosed = isFile && !succeeds(() => accessSync(at, constants.R_OK));
      if (path.includes("\ufffd") || isClosed || (stat && stat.size > FILE_MAX)) {
        large.set(path, `${stat?.size}:${stat?.mtimeMs}`);
        if (!isClosed) found.gone.push(path);
      } else if (isFile || stat?.isSymbolicLink()) {
        found.taken.push(path);
        const isOld = this.times?.hasClock && (stat?.ctimeMs ?? 0) < this.lookedAt - TICK_MS;
        if (!known.has(path) && (isOld || this.large.has(path))) found.old.add(path);
        bytes += stat?.size ?? 0;
      } else found.gone.push(path);
    }
    if (found.taken.length > FILES_MAX || bytes > BYTES_MAX)
      throw badInput(
        `No changes are recorded in ${this.root}: it has more than ${FILES_MAX} new files or 1 GB of new content that git does not ignore.`,
      );
    for (const [path, now] of large) if (this.large.get(path) !== now) found.left.push(path);
    for (const path of this.large.keys())
      if (!large.has(path) && (found.old.has(path) || !lookAt(join(this.root, path)))) found.left.push(path);
    this.large = large;
    // A large one that the index does not have need not be taken out of it.
    return { ...found, gone: found.gone.filter((path) => known.has(path)), bytes };
  }

  /** Whether a folder on its way is a link. */
  private throughLink(path: string, known: Map<string, boolean>): boolean {
    const folder = dirname(path);
    if (folder === ".") return false;
    const found =
      known.get(folder) ??
      (this.throughLink(folder, known) || lookAt(join(this.root, folder))?.isSymbolicLink() === true);
    known.set(folder, found);
    return found;
  }

  /** `:MODE MODE OID OID STATUS`, NUL, path, NUL, and so on. */
  private raw(out: string): PathChange[] {
    const fields = out.split("\0");
    const found: PathChange[] = [];
    for (let nth = 0; nth + 1 < fields.length; nth += 2) {
      const [before = "", after = "", was = NONE, is = NONE] = (fields[nth] ?? "").slice(1).split(" ");
      const path = (fields[nth + 1] ?? "").slice(this.prefix.length);
      found.push({ path, before: blobOf(before, was), after: blobOf(after, is) });
    }
    return found;
  }
}

/** Below a file there is nothing: Node 20 throws for that. */
const lookAt = (path: string): Stats | undefined =>
  tried(() => lstatSync(path, { throwIfNoEntry: false }), undefined);

const blobOf = (mode: string, oid: string): Blob | null => (oid === NONE ? null : { mode, oid });
