/**
 * A folder of task files (`task_1.json`, or `1.json` as Claude Code names them) that other programs read and write at any moment.
 * It is not trusted: links are not followed, and a file that cannot be read is named and left alone. A file is replaced by a rename,
 * and only if it still is what was read before.
 */
import { randomBytes } from "node:crypto";
import {
  type FSWatcher,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  type Stats,
  watch,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import type { FileTask } from "../../core/board/sync.ts";
import { badInput, notPermitted } from "../../core/errors.ts";
import { quote } from "../../core/ids.ts";
import { parseJson, whyUnread } from "../../core/plain-data.ts";
import { bytesIn, isMade } from "../small-files.ts";
import { byNumber, isFolder, withId } from "./read.ts";
import { type Fault, taskFile, whyNot } from "./record.ts";

export type TaskFile = {
  readonly file: string;
  readonly id: string;
  readonly text: string;
  /** All fields of the file, also those that mean nothing here. */
  readonly raw: Readonly<Record<string, unknown>>;
  readonly task: FileTask;
  /** The reason or result that it names. */
  readonly said: string;
  readonly blockedBy: readonly string[];
  /** Ids that name this task as their blocker only in this file. */
  readonly blocks: readonly string[];
};

export type Seen = {
  readonly files: readonly TaskFile[];
  readonly faults: readonly Fault[];
  /** A file may be half written: it is worth another look soon. */
  readonly young: boolean;
};

const NAME = /^(?:task_[^/]*|\d+)\.json$/;
const OWN = ".ekiden-sync";
const ASIDE = ".ekiden-conflicts";
/** A description has at most 200,000 characters. */
const FILE_MAX = 2 * 1024 * 1024;
const FILES_MAX = 10_000;
/** A file that was written so recently may not be whole. */
const YOUNG_MS = 2_000;

const draft = (): string => `${OWN}-${randomBytes(6).toString("hex")}.tmp`;

type Known = { readonly stamp: string; readonly read: TaskFile | string };

export class TaskFolder {
  readonly dir: string;
  private known = new Map<string, Known>();

  /** Makes the folder if there is none. A folder with `.tasks` in it stands for that one. @throws EkidenError `bad_input` */
  constructor(path: string) {
    try {
      mkdirSync(path, { recursive: true });
      const inner = join(path, ".tasks");
      this.dir = realpathSync(isFolder(inner) ? inner : path);
    } catch (error) {
      const why = (error as NodeJS.ErrnoException).code ?? String(error);
      throw badInput(`${quote(path)} cannot be used as a folder of task files: ${why}.`);
    }
  }

  /** Null: the folder is not there. `now`: milliseconds of the wall clock. */
  read(now: number): Seen | null {
    let names: string[];
    try {
      names = readdirSync(this.dir).filter((name) => NAME.test(name));
    } catch {
      return null;
    }
    names.sort(byNumber);
    const faults: Fault[] = [];
    if (names.length > FILES_MAX)
      faults.push({
        file: this.dir,
        why: `it has ${names.length} task files; only the first ${FILES_MAX} are used`,
      });
    const known = new Map<string, Known>();
    const byId = new Map<string, TaskFile>();
    let young = false;
    for (const file of names.slice(0, FILES_MAX)) {
      const stat = lstatSync(join(this.dir, file), { throwIfNoEntry: false });
      if (!stat) continue;
      const stamp = `${stat.ino} ${stat.size} ${stat.mtimeMs} ${stat.ctimeMs}`;
      const before = this.known.get(file);
      const found = before?.stamp === stamp ? before : { stamp, read: this.readFile(file, stat) };
      known.set(file, found);
      const other = typeof found.read === "string" ? undefined : byId.get(found.read.id);
      if (typeof found.read !== "string" && !other) byId.set(found.read.id, found.read);
      else if (now - stat.mtimeMs < YOUNG_MS) young = true;
      else {
        const why = typeof found.read === "string" ? found.read : `its id is also in ${other?.file}`;
        faults.push({ file, why });
      }
    }
    this.known = known;
    return { files: [...byId.values()], faults, young };
  }

  /** Names of all task files, also of those that cannot be read. */
  names(): readonly string[] {
    return [...this.known.keys()];
  }

  /** `before`: the text that was read, null for a new file. False: the file is not that any more, and nothing is written. */
  write(file: string, text: string, before: string | null): boolean {
    const [path, temporary] = [join(this.dir, file), join(this.dir, draft())];
    try {
      writeFileSync(temporary, text, { flag: "wx" });
      if (before === null) linkSync(temporary, path);
      else if (this.textOf(file) === before) renameSync(temporary, path);
      else return false;
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
      throw error;
    } finally {
      rmSync(temporary, { force: true });
    }
  }

  /** Keeps a text of a file that is about to be replaced. Returns the name of the copy. */
  keep(file: string, text: string): string {
    const folder = join(this.dir, ASIDE);
    mkdirSync(folder, { recursive: true });
    if (!isFolder(folder)) throw notPermitted(`${folder} is not a folder. Remove it.`);
    const [, stem = file] = /^(.*)\.json$/.exec(file) ?? [];
    for (let nth = 1; ; nth += 1) {
      const name = `${ASIDE}/${stem}-${nth}.json`;
      if (isMade(() => writeFileSync(join(this.dir, name), text, { flag: "wx" }))) return name;
    }
  }

  /** The text of a file of our own beside the tasks, or null. */
  own(name: string): string | null {
    return this.textOf(`${OWN}${name}`);
  }

  writeOwn(name: string, text: string): void {
    const temporary = join(this.dir, draft());
    writeFileSync(temporary, text, { flag: "wx", mode: 0o600 });
    renameSync(temporary, join(this.dir, `${OWN}${name}`));
  }

  /** Removes what a killed process left. */
  tidy(): void {
    for (const name of readdirSync(this.dir))
      if (/^\.ekiden-sync-[0-9a-f]{12}\.tmp$/.test(name)) rmSync(join(this.dir, name), { force: true });
  }

  /** Calls `on` at changes of task files. Null where the system cannot tell them. */
  watch(on: () => void): FSWatcher | null {
    try {
      const watcher = watch(this.dir, { persistent: false }, (_kind, name) => {
        if (name === null || NAME.test(name)) on();
      });
      return watcher.on("error", () => watcher.close());
    } catch {
      return null;
    }
  }

  /** A link, a pipe and a file that is too large have no text. */
  private textOf(file: string): string | null {
    return bytesIn(join(this.dir, file), FILE_MAX * 16)?.toString() ?? null;
  }

  /** The file, or its fault. */
  private readFile(file: string, stat: Stats): TaskFile | string {
    if (stat.isSymbolicLink()) return "it is a link, and links are not followed";
    if (!stat.isFile()) return "it is not a file";
    if (stat.size > FILE_MAX) return `it has ${stat.size} bytes; at most ${FILE_MAX}`;
    const text = this.textOf(file);
    if (text === null) return "it cannot be read";
    if (text.trim() === "") return "it is empty";
    let raw: unknown;
    try {
      raw = withId(parseJson(text), file);
    } catch (error) {
      return `it is not valid JSON: ${whyUnread(error)}`;
    }
    const read = taskFile.safeParse(raw);
    return read.success
      ? fromRecord(file, text, raw as Record<string, unknown>, read.data)
      : whyNot(read.error);
  }
}

function fromRecord(
  file: string,
  text: string,
  raw: Record<string, unknown>,
  { id, blockedBy, blocks, role, result, reason, ...record }: ReturnType<typeof taskFile.parse>,
): TaskFile {
  const has = (field: string): boolean => raw[field] !== undefined;
  const subject = record.subject.replace(/\s+/g, " ").trim();
  const task: FileTask = {
    ...(has("subject") && { subject: subject || `task ${id}` }),
    ...(has("description") && { description: record.description }),
    ...(has("status") && { status: record.status }),
    ...(has("owner") && { owner: record.owner }),
    ...(has("priority") && { priority: record.priority }),
    ...(has("estimate") && { estimate: record.estimate }),
    ...(has("role") && { role: role ?? "" }),
    ...(has("touches") && { touches: record.touches }),
    ...(has("needsPlan") && { needsPlan: record.needsPlan }),
  };
  return { file, id, text, raw, task, said: result ?? reason ?? "", blockedBy, blocks };
}
