/**
 * Memory as files in one folder: `MEMORY.md` (the index) and a file for each topic. Notes are only appended, so a process that is killed
 * loses none. A file without a line in the index counts as a topic too.
 */
import { lstatSync } from "node:fs";
import { constants, mkdir, open as openFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { badInput, notFound } from "../../core/errors.ts";
import type { Instant } from "../../core/ids.ts";
import {
  checkNote,
  gistOf,
  holdsNote,
  indexLine,
  type MemoryTopic,
  type Note,
  noteLine,
  topicsOf,
  whyFull,
} from "../../core/project/memory.ts";
import { didYouMean } from "../../core/text/nearest.ts";
import { readRegular } from "../small-files.ts";
import { entriesOf, stampOf, stem } from "./markdown.ts";

const INDEX = "MEMORY.md";
const FILE_MAX = 256 * 1024;

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

  /** `known`: a topic has this note already. @throws EkidenError `bad_input` for text that may not be kept, and a new topic of a full memory */
  remember(note: Note, by: string, at: Instant): Promise<"stored" | "known"> {
    return this.alone(async () => {
      const { topic, text } = checkNote({ ...note, text: this.redact(note.text) });
      await mkdir(this.folder, { recursive: true, mode: 0o700 });
      const [index, topics] = [await this.index(), await this.topics()];
      const own = topics.find(({ name }) => name === topic);
      const file = own?.file ?? `${topic}.md`;
      const before = await this.read(file);
      const others = await Promise.all(topics.map((one) => this.read(one.file).catch(() => null)));
      if ([before, ...others].some((one) => one !== null && holdsNote(one, text))) return "known";
      const full = whyFull(index);
      if (full !== null && !own) throw badInput(full);
      await this.append(
        file,
        `${before && !before.endsWith("\n") ? "\n" : ""}${noteLine(text, by, day(at))}`,
      );
      if (full === null && !topicsOf(index).some(({ name }) => name === topic))
        await this.announce({ name: topic, file, gist: gistOf(before ?? text) });
      return "stored";
    });
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

  /** One writer at a time in this process. Between processes, appends are whole. */
  private alone<T>(work: () => Promise<T>): Promise<T> {
    const done = this.queue.then(work);
    this.queue = done.catch(() => {});
    return done;
  }
}

const day = (at: Instant): string => new Date(at).toISOString().slice(0, 10);
