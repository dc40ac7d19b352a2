/** The records of changes as commits: each on a ref of its own, with the files before it as its parent. The message holds the record. */
import { createHash } from "node:crypto";
import { rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Name } from "../../../core/ids.ts";
import { parseJson } from "../../../core/plain-data.ts";
import { tried } from "../../../core/tried.ts";
import type { Blob, Change, PathChange } from "../../../core/undo/change.ts";
import { foldable, folded } from "../../../core/undo/fold.ts";
import { namesIn } from "../../small-files.ts";
import { newTicket } from "../../tickets.ts";
import type { OwnRepository } from "./own-repository.ts";

export type Content = { readonly mode: string; readonly content: Buffer };
/** A path with the contents themselves, or with objects that the repository has. */
export type NewPath = {
  readonly path: string;
  readonly before: Content | Blob | null;
  readonly after: Content | Blob | null;
};
export type NewChange = Omit<Change, "id" | "roots"> & {
  readonly roots: readonly (Omit<Change["roots"][number], "paths"> & {
    readonly paths: readonly NewPath[];
  })[];
};
/** "pending": an undo that is being carried out. "folded": not yet in the place of what it holds. */
type Space = "undo" | "pending" | "folded";

/** The project, or a workspace of a task. A project may have brought records, too. */
export const ROOT = /^(?:\.ekiden\/worktrees\/[\w-][\w.-]*(?:\/(?!\.\.?(?:\/|$))[^/\0]+)*)?$/;

const DAY_MS = 86_400_000;
const BOUNDS = { days: 14, ofMember: 200, bytes: 500 * 1024 * 1024, loose: 2_000 } as const;
const HOUR_MS = 3_600_000;

const refOf = (space: Space, team: string, id: string): string => `refs/ekiden/${space}/${team}/${id}`;

export class Records {
  private readonly repository: OwnRepository;
  private readonly team: Name;
  private lastAt = 0;

  constructor(repository: OwnRepository, team: Name) {
    this.repository = repository;
    this.team = team;
  }

  /** In the order of their ids. */
  async list(space: Space = "undo"): Promise<Change[]> {
    if (!this.repository.isThere) return [];
    const out = await this.repository.git([
      "for-each-ref",
      "--format=%(refname)%00%(contents)%00",
      refOf(space, this.team, ""),
    ]);
    const fields = out.split("\0");
    return fields.flatMap((ref, nth): Change[] => {
      if (nth % 2 === 1 || nth + 1 >= fields.length) return [];
      const found = tried(() => parseJson(fields[nth + 1] ?? ""), null) as Change | null;
      const id = ref.trim().split("/").at(-1) ?? "";
      const isOwn = Array.isArray(found?.roots) && found.roots.every(({ root }) => ROOT.test(root));
      return found && isOwn ? [{ ...found, id }] : [];
    });
  }

  /** In one step: the record is whole or absent. */
  async add(change: NewChange, space: Space = "undo"): Promise<Change> {
    this.repository.make();
    // Later than the last one, also within a millisecond.
    this.lastAt = Math.max(change.at, this.lastAt + 1);
    return await this.write(
      change,
      space,
      `${String(this.lastAt).padStart(15, "0")}-${newTicket().split(".").at(-1)}`,
    );
  }

  private async write(change: NewChange, space: Space, id: string): Promise<Change> {
    const { repository } = this;
    const blobs = new Map<string, Buffer>();
    const kept = (one: NewPath["before"]): Blob | null => {
      if (one === null || "oid" in one) return one && { mode: one.mode, oid: one.oid };
      const oid = oidOf(one.content);
      blobs.set(oid, one.content);
      return { mode: one.mode, oid };
    };
    const roots = change.roots.map(({ paths, ...rest }) => ({
      ...rest,
      paths: paths.map(
        ({ path, before, after }): PathChange => ({ path, before: kept(before), after: kept(after) }),
      ),
    }));
    const write = async (one: Change): Promise<Change> => {
      const input = blobsOf([...blobs.values()]) + commitsOf(one, refOf(space, this.team, id));
      await repository.git(["fast-import", "--quiet", "--done"], { input, encoding: "latin1" });
      return one;
    };
    const whole: Change = { ...change, roots, id };
    return await write(whole).catch(async (error: unknown) => {
      // Objects of the project are gone, such as with its .git: the other paths are recorded.
      const named = roots.flatMap(({ paths }) => paths.flatMap(({ before, after }) => [before, after]));
      const known = await this.contents(named.flatMap((one) => one?.oid ?? []));
      const isThere = (one: Blob | null): boolean => !one || known.has(one.oid) || blobs.has(one.oid);
      const isWhole = ({ before, after }: PathChange): boolean => isThere(before) && isThere(after);
      const lost = roots.flatMap(({ paths }) => paths.filter((one) => !isWhole(one)).map(({ path }) => path));
      if (lost.length === 0) throw error;
      const rest = roots.map((one) => ({ ...one, paths: one.paths.filter(isWhole) }));
      return await write({ ...whole, roots: rest, left: [...whole.left, ...lost] });
    });
  }

  /** A pending undo is carried out. Another process may have done so. */
  async finish({ id }: Change): Promise<void> {
    const [from, to] = [refOf("pending", this.team, id), refOf("undo", this.team, id)];
    const oid = (
      await this.repository.run("git", ["rev-parse", "--verify", "--quiet", from], { codes: [0, 1] })
    ).out.trim();
    if (oid === "") return;
    await this.repository.run("git", ["update-ref", "--stdin"], {
      input: `start\nupdate ${to} ${oid}\ndelete ${from}\nprepare\ncommit\n`,
      codes: [0, 128],
    });
  }

  /** The contents of many, with one process. @throws EkidenError `tool_failed` for one that is not there */
  async contents(oids: readonly string[]): Promise<ReadonlyMap<string, Buffer>> {
    const found = new Map<string, Buffer>();
    if (oids.length === 0) return found;
    const out = Buffer.from(
      await this.repository.git(["cat-file", "--batch"], {
        input: `${oids.join("\n")}\n`,
        encoding: "latin1",
      }),
      "latin1",
    );
    for (let at = 0; at < out.length; ) {
      const end = out.indexOf(10, at);
      const [oid = "", kind, size = "0"] = out.toString("latin1", at, end).split(" ");
      const length = kind === "blob" ? Number(size) : -1;
      if (length >= 0) found.set(oid, out.subarray(end + 1, end + 1 + length));
      at = end + 1 + (length >= 0 ? length + 1 : 0);
    }
    return found;
  }

  /** One record in place of several. */
  private async fold(group: readonly Change[]): Promise<void> {
    const [newest, ...others] = group;
    if (!newest || others.length === 0) return;
    const { id } = await this.write(folded([newest, ...others]), "folded", newest.id);
    const [from, to] = [refOf("folded", this.team, id), refOf("undo", this.team, id)];
    const oid = (await this.repository.git(["rev-parse", "--verify", from])).trim();
    const gone = others.map((one) => `delete ${refOf("undo", this.team, one.id)}\n`).join("");
    await this.repository.git(["update-ref", "--stdin"], {
      input: `start\nupdate ${to} ${oid}\ndelete ${from}\n${gone}prepare\ncommit\n`,
    });
  }

  /**
   * Takes away what is over the bounds; more than `most` of a member become fewer. Objects that a process is just about to name stay.
   * @returns how many records went because all together were over `bytes`
   */
  async prune(now: number, most: number = BOUNDS.ofMember, bytes: number = BOUNDS.bytes): Promise<number> {
    if (!this.repository.isThere) return 0;
    const changes = await this.list();
    const counts = new Map<string, number>();
    const over = changes.toReversed().filter(({ who, at }) => {
      const count = (counts.get(who) ?? 0) + 1;
      counts.set(who, count);
      return count > most || now - at > BOUNDS.days * DAY_MS;
    });
    const groups = foldable(changes, new Set(over.filter(({ at }) => now - at <= BOUNDS.days * DAY_MS)));
    for (const group of groups) await this.fold(group);
    const kept = new Set(groups.flat());
    const old = over.filter((one) => !kept.has(one));
    await this.drop(old);
    this.sweep(now);
    const left = this.isOver(now, bytes) ? await this.list() : [];
    const half = left.slice(0, Math.ceil(left.length / 2));
    await this.drop(half);
    // Many objects that lie by themselves are estimated as git does, by one of their 256 folders.
    const isLoose = namesIn(join(this.repository.folder, "objects", "17")).length * 256 > BOUNDS.loose;
    if (old.length + half.length > 0 || isLoose)
      await this.repository.git(["gc", "--quiet", "--prune=1.hour.ago"]);
    return half.length;
  }

  /** Once in an hour: objects of records that went stay that long, and others must not go for them. */
  private isOver(now: number, bytes: number): boolean {
    const mark = join(this.repository.folder, "over");
    const last = statSync(mark, { throwIfNoEntry: false })?.mtimeMs ?? 0;
    if (now - last < HOUR_MS || this.bytes() <= bytes) return false;
    writeFileSync(mark, "");
    return true;
  }

  private async drop(changes: readonly Change[]): Promise<void> {
    if (changes.length === 0) return;
    const input = changes.map(({ id }) => `delete ${refOf("undo", this.team, id)}\n`).join("");
    await this.repository.git(["update-ref", "--stdin"], { input });
  }

  /** Left by a git that was killed. */
  private sweep(now: number): void {
    const folder = join(this.repository.folder, "objects", "pack");
    for (const name of namesIn(this.repository.folder))
      if (name.startsWith("fast_import_crash")) rmSync(join(this.repository.folder, name), { force: true });
    for (const name of namesIn(folder)) {
      const path = join(folder, name);
      const isOld = now - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? now) > HOUR_MS;
      if (name.startsWith("tmp_") && isOld) rmSync(path, { force: true });
    }
  }

  private bytes(): number {
    const objects = join(this.repository.folder, "objects");
    return namesIn(objects).reduce((sum, part) => {
      const folder = join(objects, part);
      const size = (name: string): number =>
        statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0;
      return sum + namesIn(folder).reduce((all, name) => all + size(name), 0);
    }, 0);
  }
}

/** As git names a content. */
const oidOf = (content: Buffer): string =>
  createHash("sha1").update(`blob ${content.length}\0`).update(content).digest("hex");

const blobsOf = (contents: readonly Buffer[]): string =>
  contents.map((one) => `blob\ndata ${one.length}\n${one.toString("latin1")}\n`).join("");

/** Two commits: the files before, and those after. A root is a numbered folder in them, so that files of several roots cannot meet. */
function commitsOf({ roots, id: _, ...change }: Change, ref: string): string {
  const who = `committer ekiden <ekiden> ${Math.floor(change.at / 1_000)} +0000\n`;
  const files = (which: "before" | "after"): string =>
    roots.flatMap(({ paths }, nth) => paths.map((one) => lineOf(`${nth}/${one.path}`, one[which]))).join("");
  const message = Buffer.from(JSON.stringify({ ...change, roots }));
  const text = `data ${message.length}\n${message.toString("latin1")}\n`;
  return `commit ${ref}\n${who}data 0\n${files("before")}\ncommit ${ref}\n${who}${text}deleteall\n${files("after")}\ndone\n`;
}

const lineOf = (path: string, blob: Blob | null): string =>
  blob === null ? "" : `M ${blob.mode} ${blob.oid} ${quoted(path)}\n`;

/** As git quotes a path; the bytes of UTF-8 as they are. */
const quoted = (path: string): string =>
  `"${Buffer.from(path).toString("latin1").replaceAll(/["\\]/g, "\\$&").replaceAll("\n", "\\n")}"`;
