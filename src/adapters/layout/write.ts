/**
 * Writes a team as files: the courses' `.tasks`, `.team` and `.mailboxes`, a folder as Claude Code keeps its tasks, and
 * `ekiden.json`, which holds everything. All of it is written to a temporary folder first and then moved there by renames.
 */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { MAILBOX_MAX, type Mail, words } from "../../core/board/mail.ts";
import type { Member } from "../../core/board/member.ts";
import type { Status, Task } from "../../core/board/task.ts";
import { badInput } from "../../core/errors.ts";
import type { Event } from "../../core/event.ts";
import { type Instant, LEAD, type Name, PERSON } from "../../core/ids.ts";
import { type Note, Notes } from "../../core/plan/notes.ts";
import type { Recorded, Store } from "../../ports/store.ts";
import { makeFolder } from "../make-folder.ts";
import { FORMAT, FORMAT_VERSION } from "./record.ts";

export type Written = {
  readonly entries: readonly string[];
  readonly tasks: number;
  readonly members: number;
  readonly mail: number;
};

const FOLDERS = [".tasks", ".team", ".mailboxes", "claude-tasks"];
const ENTRIES = [...FOLDERS, "ekiden.json"];

/** A file by its path below the folder of the export. */
export type Files = ReadonlyMap<string, string>;

/** @throws EkidenError `bad_input` when an earlier export is in the way and `force` is not given */
export async function writeLayouts(
  store: Store,
  dir: string,
  options: { readonly force: boolean; readonly now: Instant },
): Promise<Written> {
  const whole = await collect(store, options.now);
  placeFiles(dir, new Map([["ekiden.json", json(whole)], ...seedFiles(whole)]), options.force);
  const { tasks, members, mail } = whole;
  return { entries: ENTRIES, tasks: tasks.length, members: members.length, mail: mail.length };
}

/** @throws as `writeLayouts` */
export function placeFiles(dir: string, files: Files, force: boolean): void {
  const inTheWay = ENTRIES.filter((name) => existsSync(join(dir, name)));
  if (inTheWay.length > 0 && !force)
    throw badInput(
      `${dir} already holds ${inTheWay.join(", ")}. Choose another folder, or replace them with --force.`,
    );
  makeFolder(dir);
  // A process that was killed left it.
  if (force)
    for (const name of readdirSync(dir))
      if (/^\.export-\w{6}$/.test(name)) rmSync(join(dir, name), { recursive: true });
  const stage = mkdtempSync(join(dir, ".export-"));
  try {
    for (const folder of [...FOLDERS, "replaced"]) mkdirSync(join(stage, folder));
    for (const [path, content] of files) {
      mkdirSync(dirname(join(stage, path)), { recursive: true });
      writeFileSync(join(stage, path), content);
    }
    for (const name of inTheWay) renameSync(join(dir, name), join(stage, "replaced", name));
    for (const name of readdirSync(stage))
      if (name !== "replaced") renameSync(join(stage, name), join(dir, name));
  } finally {
    rmSync(stage, { recursive: true, force: true });
  }
}

type Seeds = {
  readonly team: string;
  readonly tasks: readonly Task[];
  readonly members: readonly Member[];
  readonly mail: readonly WholeMail[];
};
type Whole = Seeds & {
  readonly format: typeof FORMAT;
  readonly version: number;
  readonly exportedAt: Instant;
  readonly transcripts: Readonly<Record<string, readonly Recorded[]>>;
  readonly notes: readonly Note[];
  readonly journal: readonly Event[];
};
type WholeMail = Mail & { readonly kind: string; readonly text: string };

async function collect(store: Store, now: Instant): Promise<Whole> {
  const seeds = await readSeeds(store, (name) => store.mail.box(name, MAILBOX_MAX));
  const transcripts: Record<string, Recorded[]> = {};
  for (const name of withMail(seeds.members)) {
    const lines: Recorded[] = [];
    for await (const page of store.transcript.pages(name)) lines.push(...page);
    if (lines.length > 0) transcripts[name] = lines;
  }
  const journal: Event[] = [];
  for await (const { events } of store.journal.pages(store.journal.from(0))) journal.push(...events);
  const notes = new Notes();
  notes.take(journal);
  const head = { format: FORMAT, version: FORMAT_VERSION, exportedAt: now } as const;
  return { ...head, ...seeds, transcripts, notes: notes.list, journal };
}

const withMail = (members: readonly Member[]): ReadonlySet<Name> =>
  new Set([LEAD, PERSON, ...members.map((member) => member.name)]);

/** What the layouts of the seeds show. `box`: the mail of a name. */
export async function readSeeds(store: Store, box: (name: Name) => Promise<readonly Mail[]>): Promise<Seeds> {
  const [tasks, members] = [await store.board.tasks(), await store.roster.members()];
  const mail: WholeMail[] = [];
  for (const name of withMail(members))
    mail.push(...(await box(name)).map((one) => ({ ...one, kind: one.body.kind, text: words(one.body) })));
  return { team: store.team, tasks, members, mail };
}

/** All layouts but `ekiden.json`. */
export function* seedFiles(whole: Seeds): Generator<readonly [path: string, content: string]> {
  for (const task of whole.tasks) {
    yield [`.tasks/task_${task.id}.json`, json(courseTask(task))];
    yield [`claude-tasks/${task.id}.json`, json(claudeTask(task, whole.tasks))];
  }
  yield [".team/config.json", json(teamConfig(whole))];
  // The courses keep only unread mail: a reader empties the file.
  const unread = whole.mail.filter((mail) => mail.deliveredAt === null);
  for (const to of new Set(unread.map((mail) => mail.to))) {
    const mine = unread.filter((mail) => mail.to === to);
    const lines = mine.map((mail) => `${JSON.stringify(mailLine(mail))}\n`).join("");
    yield [`.team/inbox/${to}.jsonl`, lines];
    yield [`.mailboxes/${to}.jsonl`, lines];
  }
}

const ownerOf = (task: Task): Name | null => (task.status === "pending" ? null : task.owner);

/** The fields of a task that are not as usual. */
const unusual = ({ priority, estimate, role, touches, needsPlan }: Task): object => ({
  ...(priority !== 0 && { priority }),
  ...(estimate !== 1 && { estimate }),
  ...(role !== null && { role }),
  ...(touches.length > 0 && { touches }),
  ...(needsPlan && { needsPlan }),
});

/** The courses know three states; `failed` and `cancelled` are written all the same, with their reason. */
const courseTask = (task: Task): object => ({
  id: task.id,
  subject: task.subject,
  description: task.description,
  status: task.status,
  owner: ownerOf(task),
  blockedBy: task.blockedBy,
  ...unusual(task),
  ...(task.status === "completed" && { result: task.result }),
  ...((task.status === "failed" || task.status === "cancelled") && { reason: task.reason }),
});

const CLAUDE_STATUS: Readonly<Partial<Record<Status, string>>> = { failed: "pending", cancelled: "deleted" };

const claudeTask = (task: Task, all: readonly Task[]): object => ({
  id: String(task.id),
  subject: task.subject,
  description: task.description,
  status: CLAUDE_STATUS[task.status] ?? task.status,
  ...(ownerOf(task) !== null && task.status !== "failed" && { owner: ownerOf(task) }),
  blocks: all.filter((other) => other.blockedBy.includes(task.id)).map((other) => String(other.id)),
  blockedBy: task.blockedBy.map(String),
});

const teamConfig = ({ team, members }: Seeds): object => ({
  team_name: team,
  members: members.map((member) => ({
    name: member.name,
    role: member.role || (member.kind === "lead" ? "lead" : ""),
    status: member.activity.phase === "work" ? "working" : member.activity.phase,
    ...(member.model && { model: member.model }),
    ...(member.prompt && { prompt: member.prompt }),
  })),
});

const mailLine = (mail: WholeMail): object => ({
  type: mail.kind === "note" ? "message" : mail.kind,
  from: mail.from,
  to: mail.to,
  content: mail.text,
  timestamp: mail.at / 1000,
  ...(mail.urgent && { urgent: true }),
});

const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;
