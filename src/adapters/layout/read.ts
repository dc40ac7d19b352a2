/**
 * Reads a team from files. `SOURCES` lists the files of every layout: the courses' `.tasks`, `.team` and `.mailboxes`, the task
 * and team folders of Claude Code, and our own export, which holds everything and is then the only file that is read.
 */
import { lstatSync, readdirSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { z } from "zod";
import type { Entry } from "../../core/conversation/chat.ts";
import { EkidenError, notFound } from "../../core/errors.ts";
import { quote } from "../../core/ids.ts";
import { parseJson, whyUnread } from "../../core/plain-data.ts";
import { readRegular, whyNotRead } from "../small-files.ts";
import { entryFile } from "./entries.ts";
import {
  exportFile,
  type Fault,
  FORMAT,
  FORMAT_VERSION,
  type MailRecord,
  type MemberRecord,
  mailFile,
  memberFile,
  type NoteRecord,
  noteFile,
  type TaskRecord,
  type TeamRecord,
  taskFile,
  teamFile,
  whyNot,
} from "./record.ts";

export type Reading = {
  readonly record: TeamRecord;
  readonly faults: readonly Fault[];
  readonly layouts: readonly string[];
};

const FOLDERS = ["", ".tasks", ".team", ".team/inbox", ".team/inboxes", ".mailboxes", "inbox", "inboxes"];
/** The files of each layout below the imported folder, and how one is read. */
const SOURCES: readonly (readonly [files: RegExp, layout: string, read: "json" | "mailbox"])[] = [
  [/^ekiden\.json$/, "ekiden.json", "json"],
  [/^(\.tasks\/)?(task_[^/]*|\d+)\.json$/, ".tasks", "json"],
  [/^(\.team\/)?config\.json$/, ".team", "json"],
  [/^((\.team\/)?inbox(es)?\/|\.mailboxes\/)?[^/]+\.jsonl$/, ".mailboxes", "mailbox"],
];

/** @throws EkidenError `not_found` | `import_invalid` (nothing that could be imported) */
export function readLayout(path: string): Reading {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat) throw notFound(`${quote(path)} does not exist. Give a folder or a file to import.`);
  const root = stat.isDirectory() ? path : dirname(path);
  const files = stat.isDirectory() ? filesOf(path) : [basename(path)];
  const layouts = new Set(FOLDERS.filter((folder) => /^\.\w+$/.test(folder) && isFolder(join(root, folder))));
  const reader = new TeamReader(root);
  for (const file of files) {
    const [, layout, read = "json"] = SOURCES.find(([pattern]) => pattern.test(file)) ?? [];
    if (!layout && stat.isDirectory()) continue;
    // Many programs have a config.json of their own.
    if (file === "config.json" && !reader.text(file)?.includes('"members"')) continue;
    layouts.add(layout ?? "file");
    reader[read](file);
  }
  if (layouts.size > 0) return { ...reader.reading(), layouts: [...layouts] };
  throw new EkidenError(
    "import_invalid",
    `${quote(path)} contains nothing to import. Expected a folder with .tasks, .team or .mailboxes, a folder of task files (task_1.json, 1.json), or ekiden.json.`,
  );
}

/** A link to a folder is none: its target is not part of the import. */
const isFolder = (path: string): boolean =>
  lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;

function filesOf(root: string): string[] {
  const files = FOLDERS.filter((folder) => folder === "" || isFolder(join(root, folder))).flatMap((folder) =>
    readdirSync(join(root, folder))
      .sort(byNumber)
      .map((name) => (folder === "" ? name : `${folder}/${name}`)),
  );
  return files.includes("ekiden.json") ? ["ekiden.json"] : files;
}

const MAX_BYTES = 512 * 1024 * 1024;

class TeamReader {
  private readonly root: string;
  private readonly faults: Fault[] = [];
  private readonly tasks = new Map<string, TaskRecord & { readonly file: string }>();
  private readonly edges: { readonly from: string; readonly to: string; readonly file: string }[] = [];
  private readonly members = new Map<string, MemberRecord>();
  private readonly mail: MailRecord[] = [];
  private readonly notes: NoteRecord[] = [];
  private readonly transcripts = new Map<string, readonly Entry[]>();
  /** The folder in which a mail was found first: the courses keep one in two places. */
  private readonly mailFolders = new Map<string, string>();

  constructor(root: string) {
    this.root = root;
  }

  /** An object is told by its fields: our export has a format, a team has members, the rest are tasks. */
  json(file: string): void {
    const value = this.parse(file, this.text(file));
    if (value === undefined) return;
    const about = value as { format?: unknown; members?: unknown } | null;
    if (about?.format === FORMAT) this.export(file, value);
    else if (about?.members !== undefined || basename(file) === "config.json")
      this.each(file, "members", this.take(file, teamFile, value)?.members, memberFile, this.member);
    else this.each(file, "", [withId(value, file)], taskFile, this.task);
  }

  mailbox(file: string): void {
    const to = basename(file, ".jsonl");
    this.text(file)
      ?.split("\n")
      .forEach((line, i) => {
        if (line.trim() === "") return;
        const place = `line ${i + 1}`;
        const mail = this.take(file, mailFile, this.parse(file, line, place), place);
        if (!mail) return;
        const key = JSON.stringify([to, mail.record, mail.sentAt]);
        const first = this.mailFolders.get(key) ?? dirname(file);
        this.mailFolders.set(key, first);
        if (first === dirname(file)) this.mail.push({ ...mail.record, to });
      });
  }

  reading(): Omit<Reading, "layouts"> {
    const { members, mail, notes, transcripts, faults } = this;
    const tasks = this.linked();
    return { record: { tasks, members: [...members.values()], mail, notes, transcripts }, faults };
  }

  text(file: string): string | undefined {
    try {
      const text = readRegular(join(this.root, file), MAX_BYTES, { noLink: true, within: this.root });
      return text.replace(/^\uFEFF/, "");
    } catch (error) {
      this.fault(file, whyNotRead(error));
      return undefined;
    }
  }

  private export(file: string, value: unknown): void {
    const all = this.take(file, exportFile, value);
    if (!all) return;
    if (all.version > FORMAT_VERSION) {
      const why = `it has format version ${all.version}; this program reads up to ${FORMAT_VERSION}. Update ekiden.`;
      this.fault(file, why);
      return;
    }
    this.each(file, "tasks", all.tasks, taskFile, this.task);
    this.each(file, "members", all.members, memberFile, this.member);
    this.each(file, "mail", all.mail, mailFile, (mail) => {
      if (!mail.isRead) this.mail.push(mail.record);
    });
    this.each(file, "notes", all.notes, noteFile, (note) => void this.notes.push(note));
    for (const [name, lines] of Object.entries(all.transcripts)) {
      const entries: Entry[] = [];
      this.each(file, `transcripts.${name}`, lines, entryFile, (entry) => {
        if (entry !== null) entries.push(entry);
      });
      this.transcripts.set(name, entries);
    }
  }

  private readonly task = ({ blocks, ...task }: z.output<typeof taskFile>, file: string): void => {
    const before = this.tasks.get(task.id);
    if (before) {
      this.fault(file, `the id ${task.id} is also in ${before.file}`);
      return;
    }
    this.tasks.set(task.id, { ...task, file });
    for (const to of blocks) this.edges.push({ from: task.id, to, file });
  };

  private readonly member = (member: MemberRecord): void => void this.members.set(member.name, member);

  /** Adds the edges that only the blocker names, and drops those to unknown tasks. */
  private linked(): TaskRecord[] {
    const { tasks, edges } = this;
    for (const { to, file } of edges)
      if (!tasks.has(to)) this.fault(file, `blocks ${to}, which is not among the tasks`);
    return [...tasks.values()]
      .sort((a, b) => byNumber(a.id, b.id))
      .map(({ file, ...task }) => {
        const told = edges.filter(({ to }) => to === task.id).map(({ from }) => from);
        const blockedBy = [...new Set([...task.blockedBy, ...told])];
        for (const id of blockedBy)
          if (!tasks.has(id))
            this.fault(
              file,
              `task ${task.id} waits for ${id}, which is not among the tasks; imported without that`,
            );
        return { ...task, blockedBy: blockedBy.filter((id) => tasks.has(id)) };
      });
  }

  private each<S extends z.ZodType>(
    file: string,
    what: string,
    list: readonly unknown[] | undefined,
    schema: S,
    keep: (value: z.output<S>, file: string) => void,
  ): void {
    list?.forEach((item, i) => {
      const value = this.take(file, schema, item, what && `${what}[${i}]`);
      if (value !== undefined) keep(value, file);
    });
  }

  private take<S extends z.ZodType>(
    file: string,
    schema: S,
    value: unknown,
    place = "",
  ): z.output<S> | undefined {
    const read = value === undefined ? undefined : schema.safeParse(value);
    if (read?.success) return read.data;
    if (read) this.fault(file, `${place && `${place}: `}${whyNot(read.error)}`);
    return undefined;
  }

  private parse(file: string, text: string | undefined, place = ""): unknown {
    if (text === undefined) return undefined;
    try {
      return parseJson(text);
    } catch (error) {
      const why = text.trim() === "" ? "the file is empty" : `not valid JSON: ${whyUnread(error)}`;
      this.fault(file, `${place && `${place}: `}${why}`);
      return undefined;
    }
  }

  private fault(file: string, why: string): void {
    this.faults.push({ file, why });
  }
}

/** A task file may leave its id to the name of the file: task_3.json, 3.json. */
function withId(value: unknown, file: string): unknown {
  const id = /^(?:task_)?(.+)\.json$/.exec(basename(file))?.[1];
  const isWithout =
    typeof value === "object" &&
    value !== null &&
    !("id" in value) &&
    ("subject" in value || "status" in value);
  return isWithout && id !== undefined ? { id, ...value } : value;
}

/** "2" before "10", "task_2" before "task_10". */
const byNumber = (a: string, b: string): number => a.localeCompare(b, "en", { numeric: true });
