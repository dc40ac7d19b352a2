/**
 * Puts a team that was read from files into a store, through the port that everybody uses: members take seats, claim the tasks
 * they had and complete those they had completed, so no rule of the board is bypassed. Afterwards the seats are free, and
 * `ekiden resume` starts the members.
 */

import type { Seat } from "../../core/board/member.ts";
import { inOrder } from "../../core/board/order.ts";
import { checkTask, type NewTask, namesFile } from "../../core/board/task.ts";
import { badInput, isEkidenError, messageOf } from "../../core/errors.ts";
import { given } from "../../core/given.ts";
import { foldName, HARNESS, type HostId, LEAD, type Name, PERSON, type TaskId } from "../../core/ids.ts";
import type { Store } from "../../ports/store.ts";
import { asImported, fromFiles, imported, modelNote, senders } from "./imported.ts";
import type { Fault, MemberRecord, TaskRecord, TeamRecord } from "./record.ts";
import { restoreNotes } from "./restore-notes.ts";

export type Restored = {
  readonly tasks: number;
  readonly members: number;
  readonly mail: number;
  /** Id in the source → id on the board. */
  readonly ids: Readonly<Record<string, TaskId>>;
  /** Name in the source → name here, where they differ. */
  readonly names: Readonly<Record<string, Name>>;
  /** Changes of the import to parts without a fault. */
  readonly notes: readonly string[];
  readonly faults: readonly Fault[];
};

/** @throws EkidenError `bad_input` | `cycle`: the store may then hold a part. Try it on an empty store first. */
export async function restore(
  store: Store,
  { tasks: sources, members, mail, notes: noted, transcripts }: TeamRecord,
  host: HostId,
  machine: string,
  pid: number,
): Promise<Restored> {
  const faults: Fault[] = [];
  const names = new Names(members);
  const notes = [...sources.flatMap(notesOn), ...names.notes, ...members.flatMap(modelNote)];
  const here = (await store.roster.members()).map(({ name }) => name);
  const sender = senders(here, (text) => names.name(text));
  const wanted = newTasks(sources);
  wanted.forEach((task, i) => void named(`task ${sources[i]?.id}`, () => checkTask(task)));
  const tasks = await store.board.addAll(wanted, PERSON);
  const ids = new Map(sources.map((task, i) => [task.id, tasks[i]?.id as TaskId]));
  await store.roster.open(host, machine, pid);
  try {
    const seats = new Seats(store, host, members, names);
    for (const member of members) {
      const isNew = await seats.isNew(member.name);
      const seat = await seats.seat(member.name);
      const entries = (transcripts.get(member.name) ?? []).map(asImported);
      if (!isNew) notes.push(`${names.name(member.name)} is in the team already and stays as it is`);
      else if (seat && (entries.length > 0 || member.spent))
        await store.transcript.record(seat, entries, member.spent ? { spent: member.spent } : {});
    }
    for (const task of whenToSet(sources)) {
      const why = await setStatus(store, seats, task, ids.get(task.id) as TaskId);
      if (why) faults.push({ file: `task ${task.id}`, why });
    }
    let sent = 0;
    for (const { from, to, text, broadcast, urgent } of mail) {
      try {
        await seats.seat(to);
        const body = { kind: broadcast ? "broadcast" : "note", text } as const;
        await store.mail.send(sender(from), { to: names.name(to), body, urgent });
        sent += 1;
      } catch (error) {
        if (!isEkidenError(error)) throw error;
        faults.push({ file: `mail from ${from} to ${to}`, why: messageOf(error) });
      }
    }
    faults.push(...(await restoreNotes(store, noted, ids, sender)));
    return {
      tasks: tasks.length,
      members: seats.joined,
      mail: sent,
      ids: Object.fromEntries(ids),
      names: names.renamed(),
      notes,
      faults,
    };
  } finally {
    await store.roster.suspend(host);
  }
}

/** Whether all tasks of the source are on the board already; without tasks, whether all its mail has been sent before. */
export async function isThere(store: Store, { tasks, members, mail }: TeamRecord): Promise<boolean> {
  if (tasks.length > 0) {
    const board = new Set(
      (await store.board.tasks()).map((task) => sameTask(task.subject, task.description)),
    );
    return newTasks(tasks).every((task) => board.has(sameTask(task.subject, task.description ?? "")));
  }
  const names = new Names(members);
  for (const { from, to, text } of mail) {
    const own = names.name(fromFiles(from));
    const boxes = [own, imported(own)].map((sender) => store.mail.box(names.name(to), 1_000, sender));
    const box = (await Promise.all(boxes)).flat();
    if (!box.some(({ body }) => "text" in body && body.text === text)) return false;
  }
  return mail.length > 0;
}
const sameTask = (...parts: readonly string[]): string => JSON.stringify(parts);

/** A refusal that says which part of the source it is about. */
function named(what: string, check: () => void): void {
  try {
    check();
  } catch (error) {
    throw badInput(`${what}: ${messageOf(error)}`, { cause: error });
  }
}

const subjectOf = (task: TaskRecord): string => task.subject.replace(/\s+/g, " ").trim() || `task ${task.id}`;

function notesOn(task: TaskRecord): string[] {
  return [
    ...(task.subject.trim() === ""
      ? [`task ${task.id} has no subject and is called "${subjectOf(task)}"`]
      : []),
    ...(task.status === "pending" && task.owner !== ""
      ? [`task ${task.id} is pending, so its owner ${task.owner} is not kept: any member may claim it`]
      : []),
  ];
}

function newTasks(list: readonly TaskRecord[]): NewTask[] {
  const nth = new Map(list.map((task, i) => [task.id, i]));
  return list.map(({ description, priority, estimate, role, touches, needsPlan, ...task }) => ({
    subject: subjectOf(task as TaskRecord),
    description,
    blockedBy: task.blockedBy.map((id) => ({ nth: nth.get(id) as number })),
    ...given({ priority, estimate, role: role || undefined, needsPlan }),
    ...given({ touches: touches?.filter(namesFile) }),
  }));
}

/** Blockers before the tasks that wait for them; tasks in progress last, because an owner can have only one. */
function whenToSet(list: readonly TaskRecord[]): TaskRecord[] {
  const byId = new Map(list.map((task) => [task.id, task]));
  const order = inOrder(byId).map((id) => byId.get(id) as TaskRecord);
  const isLast = (task: TaskRecord): boolean => task.status === "in_progress";
  return [...order.filter((task) => !isLast(task)), ...order.filter(isLast)];
}

/** Null, or why the task could not be given its status. */
async function setStatus(
  { board }: Store,
  seats: Seats,
  task: TaskRecord,
  id: TaskId,
): Promise<string | null> {
  const { status } = task;
  if (status === "pending") return null;
  const told = (status === "completed" ? task.result : task.reason) ?? `${status} before the import`;
  if (status === "cancelled") {
    await board.cancel(id, PERSON, told);
    return null;
  }
  const seat = task.owner === "" ? null : await seats.seat(task.owner);
  const claim = seat ? await board.claim(seat, id) : null;
  const held = seat && claim?.ok ? { seat, task: id, attempt: claim.task.attempt } : null;
  if (status === "in_progress") {
    if (held) return null;
    return `it was in progress in the source and is pending now${claim && !claim.ok ? ` (${claim.why})` : ""}`;
  }
  if (status === "failed") {
    await (held ? board.fail(held, told) : board.cancel(id, PERSON, told));
    return held ? null : "it had failed in the source and is cancelled now, because its owner is unknown";
  }
  try {
    await (held ? board.complete(held, told) : board.completeFor(id, PERSON, told));
    return null;
  } catch (error) {
    if (!isEkidenError(error)) throw error;
    return `it was completed in the source and is pending now: ${error.message}`;
  }
}

/** The names of the source, each as a name that is allowed here. Two members never share one. */
class Names {
  readonly notes: string[] = [];
  private readonly names = new Map<string, Name>();

  constructor(members: readonly MemberRecord[]) {
    const owners = new Map<Name, string>();
    for (const { name: text } of members) {
      const folded = asName(text, this.names.size + 1);
      const first = owners.get(folded);
      const isOther = first !== undefined && first !== text && ![LEAD, PERSON, HARNESS].includes(folded);
      let made = folded;
      for (let n = 2; isOther && owners.has(made); n += 1) made = `${folded.slice(0, 28)}-${n}` as Name;
      if (isOther)
        this.notes.push(
          `the members "${first}" and "${text}" would share the name ${folded}, so "${text}" is ${made}`,
        );
      owners.set(made, text);
      this.names.set(text, made);
    }
  }

  name(text: string): Name {
    const made = this.names.get(text) ?? asName(text, this.names.size + 1);
    this.names.set(text, made);
    return made;
  }

  renamed(): Record<string, Name> {
    return Object.fromEntries([...this.names].filter(([text, name]) => text !== name));
  }
}

/** The members of the source as members of the store. */
class Seats {
  joined = 0;
  private readonly seats = new Map<Name, Seat | null>();
  private readonly store: Store;
  private readonly host: HostId;
  private readonly members: readonly MemberRecord[];
  private readonly names: Names;

  constructor(store: Store, host: HostId, members: readonly MemberRecord[], names: Names) {
    this.names = names;
    this.store = store;
    this.host = host;
    this.members = members;
  }

  async isNew(text: string): Promise<boolean> {
    const member = await this.store.roster.member(this.names.name(text));
    return member === null || member.activity.phase === "shutdown";
  }

  /** The seat of a member, who joins if it is new. Null for the person, and when another process runs the member. */
  async seat(text: string): Promise<Seat | null> {
    const name = this.names.name(text);
    if (name === PERSON || name === HARNESS) return null;
    const known = this.seats.get(name);
    if (known !== undefined) return known;
    const taken = await this.take(name);
    this.seats.set(name, taken);
    return taken;
  }

  private async take(name: Name): Promise<Seat | null> {
    const record = this.members.find((member) => this.names.name(member.name) === name);
    const { role = "", needsPlan = false } = record ?? {};
    const kind = name === LEAD ? "lead" : "teammate";
    named(`member ${name}`, () => checkTask({ role: role || null }));
    try {
      // Without its prompt: the member has read it, and a new first mail would make it begin again.
      const profile = { name, kind, role, model: "", prompt: "", needsPlan } as const;
      const seat = await this.store.roster.join(profile, this.host, PERSON);
      this.joined += 1;
      return seat;
    } catch (error) {
      if (!isEkidenError(error, "name_taken")) throw error;
      return this.store.roster.adopt(name, this.host);
    }
  }
}

/** "Alice Smith" → alice-smith; "team-lead" → lead; a name without a usable letter gets a number. */
function asName(text: string, n: number): Name {
  if (/^(team-)?lead$/i.test(text)) return LEAD;
  if (/^(person|user|human)$/i.test(text)) return PERSON;
  if (/^(ekiden|system|harness)$/i.test(text)) return HARNESS;
  const letters = foldName(text)
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^[^a-z]+/, "")
    .slice(0, 32)
    .replace(/-+$/, "");
  const reserved = /^(all|team|none|nobody|everyone)$/.test(letters);
  return (letters === "" || reserved ? `member-${n}` : letters) as Name;
}
