/**
 * Reads a team from files. What a path holds is told by what lies there:
 *
 * | found                                             | read as                                     |
 * |---------------------------------------------------|---------------------------------------------|
 * | `ekiden.json`, or a file with our format in it    | our own export; nothing else is looked at   |
 * | `.tasks/`, `.team/`, `.mailboxes/`                | a project of the courses                    |
 * | `task_*.json` or `<n>.json`                       | a folder of tasks (also Claude Code's)      |
 * | `config.json`, `inbox/*.jsonl`                    | a team's folder                             |
 * | `*.jsonl`                                         | a folder of mailboxes                       |
 */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import type { z } from "zod";
import { EkidenError } from "../../core/errors.ts";
import { quote } from "../../core/ids.ts";
import {
  type Fault,
  FORMAT,
  type MailRecord,
  type MemberRecord,
  mailLine,
  type TaskRecord,
  type TeamRecord,
  taskFile,
  teamFile,
  whyNot,
} from "./record.ts";
import { readWhole } from "./whole.ts";

export type Reading = {
  readonly record: TeamRecord;
  readonly faults: readonly Fault[];
  readonly layouts: readonly string[];
};

const TASK_FILE = /^(?:task_.*|\d+)\.json$/;
const MAX_BYTES = 512 * 1024 * 1024;

/** @throws EkidenError `not_found` | `import_invalid` (nothing that could be imported) */
export function readLayout(path: string): Reading {
  const reader = new Reader(path);
  reader.read();
  if (reader.layouts.length === 0)
    throw new EkidenError(
      "import_invalid",
      `${quote(path)} holds nothing that can be imported. Expected a folder with .tasks, .team or .mailboxes, a folder of task files (task_1.json, 1.json), or ekiden.json.`,
    );
  return reader.reading();
}

class Reader {
  readonly layouts: string[] = [];
  private readonly faults: Fault[] = [];
  private readonly tasks: TaskRecord[] = [];
  private readonly blocks: { from: string; to: string; file: string }[] = [];
  private readonly members = new Map<string, MemberRecord>();
  private readonly mail: MailRecord[] = [];
  private readonly sources = new Map<string, string>();
  private readonly mailSeen = new Set<string>();
  private whole: TeamRecord | null = null;
  private readonly root: string;
  private readonly path: string;

  constructor(path: string) {
    this.path = path;
    const stat = statSync(path, { throwIfNoEntry: false });
    if (!stat)
      throw new EkidenError("not_found", `${quote(path)} does not exist. Give a folder or a file to import.`);
    this.root = stat.isDirectory() ? path : dirname(path);
  }

  read(): void {
    if (this.root !== this.path) this.file(this.path);
    else if (existsSync(join(this.path, "ekiden.json"))) this.file(join(this.path, "ekiden.json"));
    else this.project(list(this.path));
  }

  private project(names: readonly string[]): void {
    this.folder(this.path, names);
    for (const name of [".tasks", ".team", ".mailboxes"]) {
      const inner = join(this.path, name);
      if (names.includes(name) && statSync(inner).isDirectory()) this.folder(inner, list(inner), name);
    }
  }

  reading(): Reading {
    if (this.whole) return { record: this.whole, faults: this.faults, layouts: this.layouts };
    return {
      record: { tasks: this.linked(), members: [...this.members.values()], mail: this.mail },
      faults: this.faults,
      layouts: this.layouts,
    };
  }

  private folder(path: string, names: readonly string[], known?: string): void {
    const tasks = names.filter((name) => TASK_FILE.test(name)).sort(byNumber);
    const boxes = names.filter((name) => name.endsWith(".jsonl"));
    if (known === ".tasks" || tasks.length > 0) this.layouts.push(known ?? "tasks");
    for (const name of tasks) this.task(join(path, name));
    const team = join(path, "config.json");
    const isTeam =
      names.includes("config.json") && (known === ".team" || this.text(team)?.includes('"members"'));
    if (isTeam || known === ".team") this.layouts.push(known ?? "team");
    if (isTeam) this.team(team);
    if (known === ".mailboxes" || boxes.length > 0) this.layouts.push(known ?? "mailboxes");
    this.mailboxes(boxes.map((name) => join(path, name)));
    if (!isTeam && known !== ".team") return;
    for (const inbox of ["inbox", "inboxes"].filter((name) => names.includes(name))) {
      const inner = join(path, inbox);
      if (statSync(inner).isDirectory()) this.mailboxes(list(inner).map((name) => join(inner, name)));
    }
  }

  private file(path: string): void {
    const value = this.json(path);
    const isWhole = (value as { format?: unknown } | null | undefined)?.format === FORMAT;
    this.layouts.push(isWhole ? "ekiden.json" : "task file");
    if (isWhole) this.whole = readWhole(value, (why) => this.fault(path, why));
    else if (value !== undefined) this.taskFrom(path, value);
  }

  private task(path: string): void {
    const value = this.json(path);
    if (value !== undefined) this.taskFrom(path, value);
  }

  private taskFrom(path: string, value: unknown): void {
    const task = taskFile.safeParse(value);
    const before = task.success ? this.sources.get(task.data.id) : undefined;
    if (!task.success) this.fault(path, whyNot(task.error));
    else if (before !== undefined) this.fault(path, `the id ${task.data.id} is also in ${before}`);
    else this.keep(path, task.data);
  }

  private keep(path: string, { id, blocks, ...task }: z.output<typeof taskFile>): void {
    this.sources.set(id, this.shown(path));
    this.tasks.push({ ...task, key: id });
    for (const to of blocks) this.blocks.push({ from: id, to, file: path });
  }

  /** With the edges that only the other end names, and without those that lead nowhere. */
  private linked(): TaskRecord[] {
    const known = new Set(this.tasks.map((task) => task.key));
    for (const { to, file } of this.blocks)
      if (!known.has(to)) this.fault(file, `blocks ${to}, which is not among the tasks`);
    const blockers = (task: TaskRecord): string[] => {
      const named = [
        ...task.blockedBy,
        ...this.blocks.filter(({ to }) => to === task.key).map(({ from }) => from),
      ];
      for (const id of named)
        if (!known.has(id))
          this.fault(
            join(this.root, this.sources.get(task.key) ?? ""),
            `waits for ${id}, which is not among the tasks; imported without that`,
          );
      return [...new Set(named)].filter((id) => known.has(id));
    };
    return [...this.tasks]
      .sort((a, b) => byNumber(a.key, b.key))
      .map((task) => ({ ...task, blockedBy: blockers(task) }));
  }

  private team(path: string): void {
    const value = this.json(path);
    if (value === undefined) return;
    const parsed = teamFile.safeParse(value);
    if (!parsed.success) {
      this.fault(path, whyNot(parsed.error));
      return;
    }
    for (const { name, role, agentType, model, prompt } of parsed.data.members)
      this.members.set(name, {
        name,
        role: role ?? (agentType && agentType !== "general-purpose" ? agentType : ""),
        model: model?.includes("/") ? model : "",
        prompt: prompt ?? "",
        isLead: /^(lead|team-lead)$/i.test(name),
        needsPlan: false,
        spent: null,
        transcript: [],
      });
  }

  /** The courses have two places for mailboxes; a mail that lies in both is one mail. */
  private mailboxes(paths: readonly string[]): void {
    const elsewhere = new Set(this.mailSeen);
    for (const path of paths) if (path.endsWith(".jsonl")) this.mailbox(path, elsewhere);
  }

  private mailbox(path: string, elsewhere: ReadonlySet<string>): void {
    const text = this.text(path);
    if (text === undefined) return;
    const to = basename(path, ".jsonl");
    text.split("\n").forEach((line, i) => {
      if (line.trim() === "") return;
      const parsed = mailLine.safeParse(parse(line));
      if (!parsed.success) {
        this.fault(path, `line ${i + 1}: ${whyNot(parsed.error)}`);
        return;
      }
      const { type, from, content, urgent, timestamp, ts } = parsed.data;
      const words =
        parsed.data.text ?? (typeof content === "string" ? content : JSON.stringify(content ?? ""));
      const key = JSON.stringify([from, to, words, timestamp ?? ts]);
      if (elsewhere.has(key)) return;
      this.mailSeen.add(key);
      const plain = type === "message" || type === "note" || type === "broadcast";
      this.mail.push({
        from,
        to,
        text: plain ? words : `[${type}] ${words}`,
        broadcast: type === "broadcast",
        urgent: urgent === true,
      });
    });
  }

  private json(path: string): unknown {
    const text = this.text(path);
    if (text === undefined) return undefined;
    try {
      return JSON.parse(text);
    } catch (error) {
      this.fault(
        path,
        text.trim() === "" ? "the file is empty" : `not valid JSON: ${(error as Error).message}`,
      );
      return undefined;
    }
  }

  private text(path: string): string | undefined {
    try {
      if (statSync(path).size > MAX_BYTES) throw new Error(`larger than ${MAX_BYTES} bytes`);
      return readFileSync(path, "utf8").replace(/^\uFEFF/, "");
    } catch (error) {
      this.fault(
        path,
        `cannot be read: ${(error as NodeJS.ErrnoException).code ?? (error as Error).message}`,
      );
      return undefined;
    }
  }

  private fault(path: string, why: string): void {
    this.faults.push({ file: this.shown(path), why });
  }

  private shown(path: string): string {
    return relative(this.root, path) || basename(path);
  }
}

const list = (path: string): string[] => readdirSync(path).sort();
/** "2" before "10", "task_2" before "task_10". */
const byNumber = (a: string, b: string): number => a.localeCompare(b, "en", { numeric: true });

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
