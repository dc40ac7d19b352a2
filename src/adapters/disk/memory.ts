/**
 * Memory as files in one folder: `MEMORY.md` (the index) and a file for each topic. Notes are only appended. Consolidation
 * alone replaces files, and it deletes none: it writes new topics beside the old ones, makes them valid by one rename of the
 * index, and only then moves the old ones to `archive/`. A process killed at any point leaves either the old index or the new
 * one, with every note in a readable file. A file without a line in the index counts as a topic too.
 */
import { createHash } from "node:crypto";
import { lstatSync } from "node:fs";
import { constants, copyFile, mkdir, open as openFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { badInput, notFound } from "../../core/errors.ts";
import type { Instant } from "../../core/ids.ts";
import {
  checkNote,
  gistOf,
  indexLine,
  type MemoryTopic,
  type Note,
  noteLine,
  reindexed,
  topicName,
  topicsOf,
} from "../../core/project/memory.ts";
import { didYouMean } from "../../core/text/nearest.ts";
import { readRegular } from "../small-files.ts";
import { entriesOf, stampOf, stem } from "./markdown.ts";

const INDEX = "MEMORY.md";
const ARCHIVE = "archive";
const LOCK = ".consolidating";
/** A lock older than this was left behind. The model call of a consolidation is limited to far less. */
const LOCK_MS = 10 * 60_000;
const FILE_MAX = 256 * 1024;

/** `busy`: another process consolidates. `changed`: memory was written to meanwhile. In both cases nothing has happened. */
export type Consolidated =
  | { readonly kind: "done"; readonly before: number; readonly after: number; readonly archive: string }
  | { readonly kind: "busy" | "changed" };

export class MemoryFolder {
  readonly folder: string;
  private readonly redact: (text: string) => string;
  private queue: Promise<unknown> = Promise.resolve();

  /** `redact` takes known secrets out of what is kept. */
  constructor(project: string, redact = (text: string): string => text) {
    this.folder = join(project, ".ekiden", "memory");
    this.redact = redact;
  }

  /** "" when nothing is remembered. */
  async index(): Promise<string> {
    return (await this.read(INDEX)) ?? "";
  }

  /** Also tells whether this project has a memory: somebody created the folder. */
  async exists(): Promise<boolean> {
    return (
      stampOf(this.folder) !== "" && ((await stat(this.folder).catch(() => null))?.isDirectory() ?? false)
    );
  }

  /** The topics of the index, and the files in the folder that it does not name. */
  async topics(): Promise<MemoryTopic[]> {
    const listed = topicsOf(await this.index());
    const known = new Set([INDEX, ...listed.map(({ file }) => file)]);
    const names = new Set(listed.map(({ name }) => name));
    const loose: MemoryTopic[] = [];
    for (const file of await entriesOf(this.folder)) {
      const name = stem(file).toLowerCase();
      if (!file.endsWith(".md") || known.has(file) || names.has(name)) continue;
      const text = await this.read(file);
      if (text !== null) loose.push({ name, file, gist: gistOf(text) });
    }
    return [...listed, ...loose];
  }

  /** @throws EkidenError `not_found` with the existing topics */
  async recall(topic: string): Promise<string> {
    const topics = await this.topics();
    const wanted = topic.trim().toLowerCase().replace(/\.md$/, "");
    const found = topics.find(({ name }) => name === wanted);
    const text = found && (await this.read(found.file));
    if (text) return text;
    const names = topics.map(({ name }) => name);
    throw notFound(
      `Nothing is remembered about "${topic}".${didYouMean(wanted, names)} ${names.length > 0 ? `The topics: ${names.join(", ")}.` : "There are no topics yet."}`,
    );
  }

  /** `known`: the topic has this note already. @throws EkidenError `bad_input` for text that may not be kept */
  remember(note: Note, by: string, at: Instant): Promise<"stored" | "known"> {
    return this.alone(async () => {
      const { topic, text } = checkNote({ ...note, text: this.redact(note.text) });
      await mkdir(this.folder, { recursive: true, mode: 0o700 });
      const listed = topicsOf(await this.index()).find(({ name }) => name === topic);
      const known = listed ?? (await this.topics()).find(({ name }) => name === topic);
      const file = known?.file ?? `${topic}.md`;
      const before = await this.read(file);
      const line = noteLine(text, by, day(at));
      if (before?.includes(line.slice(0, line.lastIndexOf(" (")))) return "known";
      await this.append(file, `${before && !before.endsWith("\n") ? "\n" : ""}${line}`);
      if (!listed) await this.announce({ name: topic, file, gist: gistOf(before ?? text) });
      return "stored";
    });
  }

  /**
   * Replaces all topics by the result of `merge`. Any failure on the way, also of `merge`, leaves memory as it was.
   * @throws what `merge` throws
   */
  async consolidate(
    merge: (topics: readonly Note[]) => Promise<readonly Note[]>,
    at: Instant,
  ): Promise<Consolidated> {
    await mkdir(this.folder, { recursive: true, mode: 0o700 });
    if (!(await this.lock())) return { kind: "busy" };
    try {
      const index = await this.index();
      const old = await Promise.all(
        (await this.topics()).map(async (topic) => ({ ...topic, text: (await this.read(topic.file)) ?? "" })),
      );
      const merged = await merge(old.map(({ name, text }) => ({ topic: name, text })));
      const notes = merged.map(({ topic, text }) => ({ topic, text: this.redact(text) }));
      return await this.alone(() => this.replace(index, old, notes, at));
    } finally {
      await rm(this.path(LOCK), { force: true });
    }
  }

  // -- consolidation, step by step: every step before the rename can be abandoned -------------------------------------------
  private async replace(
    index: string,
    old: readonly (MemoryTopic & { readonly text: string })[],
    notes: readonly Note[],
    at: Instant,
  ): Promise<Consolidated> {
    if (notes.length === 0) throw badInput("A consolidation without topics would forget everything.");
    const unchanged = new Set<string>();
    const written: string[] = [];
    try {
      const topics: MemoryTopic[] = [];
      for (const { topic, text } of notes) {
        const name = topicName(topic);
        const same = old.find((o) => o.name === name && o.text.trim() === text.trim());
        const file = same?.file ?? freshFile(name, text);
        if (same) unchanged.add(file);
        else if ((await this.read(file)) === null) {
          await writeWhole(this.path(file), `${text.trim()}\n`);
          written.push(file);
        }
        topics.push({ name, file, gist: gistOf(text) });
      }
      if (!(await this.isAsRead(index, old))) {
        await this.discard(written);
        return { kind: "changed" };
      }
      const archive = await this.openArchive(at);
      if (index !== "") await copyFile(this.path(INDEX), join(archive, INDEX));
      await writeWhole(this.path(INDEX), reindexed(index, topics)); // from here on the new topics are valid
      const live = new Set(topics.map(({ file }) => file));
      for (const topic of old)
        if (!unchanged.has(topic.file) && !live.has(topic.file))
          await this.retire(topic, archive, topics).catch(() => {}); // then it stays a topic without a line in the index
      return { kind: "done", before: old.length, after: topics.length, archive };
    } catch (error) {
      const live = new Set(topicsOf(await this.index()).map(({ file }) => file));
      await this.discard(written.filter((file) => !live.has(file)));
      throw error;
    }
  }

  /** Moves an old topic away. Notes that another process appended meanwhile go to the new topic first. */
  private async retire(
    old: MemoryTopic & { readonly text: string },
    archive: string,
    topics: readonly MemoryTopic[],
  ): Promise<void> {
    const now = (await this.read(old.file)) ?? "";
    const heir = topics.find(({ name }) => name === old.name) ?? topics[0];
    if (heir && now.length > old.text.length && now.startsWith(old.text))
      await this.append(heir.file, now.slice(old.text.length));
    await rename(this.path(old.file), join(archive, old.file));
  }

  private async isAsRead(
    index: string,
    old: readonly (MemoryTopic & { readonly text: string })[],
  ): Promise<boolean> {
    if ((await this.index()) !== index) return false;
    for (const { file, text } of old) if (((await this.read(file)) ?? "") !== text) return false;
    return true;
  }

  private async openArchive(at: Instant): Promise<string> {
    await mkdir(this.path(ARCHIVE), { recursive: true });
    const stamp = new Date(at).toISOString().replace(/[:.]/g, "-");
    for (let n = 1; ; n += 1) {
      const folder = join(this.path(ARCHIVE), n === 1 ? stamp : `${stamp}-${n}`);
      try {
        await mkdir(folder);
        return folder;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
      }
    }
  }

  /** Removes only files that this consolidation wrote: the old topics hold the same notes. */
  private async discard(files: readonly string[]): Promise<void> {
    for (const file of files) await rm(this.path(file), { force: true });
  }

  private async lock(): Promise<boolean> {
    const path = this.path(LOCK);
    for (const isRetry of [false, true]) {
      try {
        await (await openFile(path, "wx")).close();
        return true;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
      }
      const age = Date.now() - ((await stat(path).catch(() => null))?.mtimeMs ?? 0);
      if (isRetry || age < LOCK_MS) return false;
      await rm(path, { force: true });
    }
    return false;
  }

  // -- files ----------------------------------------------------------------------------------------------------------------
  private async announce(topic: MemoryTopic): Promise<void> {
    const index = await this.index();
    const gap = index === "" ? "# Memory\n\n" : index.endsWith("\n") ? "" : "\n";
    await this.append(INDEX, `${gap}${indexLine(topic)}\n`);
  }

  /** Null when the file does not exist. Links are not followed: their targets are not memory. */
  private async read(file: string): Promise<string | null> {
    if (stampOf(this.path(file)) === "") return null; // the usual case
    const found = lstatSync(this.path(file), { throwIfNoEntry: false });
    if (!found?.isFile()) return null;
    if (found.size > FILE_MAX)
      throw badInput(`${file} has ${found.size} bytes, more than memory reads. Split it by hand.`);
    return readRegular(this.path(file), FILE_MAX, { noLink: true });
  }

  private async append(file: string, text: string): Promise<void> {
    const { O_APPEND, O_CREAT, O_WRONLY, O_NOFOLLOW } = constants;
    const open = await openFile(this.path(file), O_APPEND | O_CREAT | O_WRONLY | O_NOFOLLOW, 0o600);
    try {
      await open.writeFile(text); // one write, so that the appends of other processes stay whole
    } finally {
      await open.close();
    }
  }

  private path(file: string): string {
    return join(this.folder, file);
  }

  /** One writer at a time in this process. Between processes, appends are whole and consolidation looks twice. */
  private alone<T>(work: () => Promise<T>): Promise<T> {
    const done = this.queue.then(work);
    this.queue = done.catch(() => {});
    return done;
  }
}

const day = (at: Instant): string => new Date(at).toISOString().slice(0, 10);

/** A name that no file has yet. */
const freshFile = (name: string, text: string): string =>
  `${name}-${createHash("sha256").update(text.trim()).digest("hex").slice(0, 10)}.md`;

/** Writes all or nothing, also when the machine stops in the middle. */
async function writeWhole(path: string, text: string): Promise<void> {
  const draft = `${path}.draft`;
  await rm(draft, { force: true }); // of an earlier process, or a link
  await writeFile(draft, text, { flush: true, mode: 0o600, flag: "wx" });
  await rename(draft, path);
}
