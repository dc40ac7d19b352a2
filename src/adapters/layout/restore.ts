/**
 * Puts a team that was read from files into a store, through the same port that everybody uses: members take seats, claim
 * what they had and complete what they had completed, so that no rule of the board is bypassed. Afterwards the seats are
 * free, and `ekiden resume` brings the members to life.
 */
import { isEkidenError, messageOf } from "../../core/errors.ts";
import { asTaskId, HARNESS, type HostId, LEAD, type Name, PERSON, type TaskId } from "../../core/ids.ts";
import type { Seat } from "../../core/member.ts";
import type { NewTask } from "../../core/task.ts";
import type { Store } from "../../ports/store.ts";
import { prepareBatch } from "../store/add.ts";
import type { Fault, MemberRecord, TaskRecord, TeamRecord } from "./record.ts";

export type Restored = {
  readonly tasks: number;
  readonly members: number;
  readonly mail: number;
  /** Source id → id on the board. */
  readonly ids: Readonly<Record<string, TaskId>>;
  readonly faults: readonly Fault[];
};

/** What the board would refuse, before there is a team. @throws EkidenError `bad_input` | `cycle` */
export const check = (record: TeamRecord): void =>
  void prepareBatch(newTasks(record.tasks.filter(hasSubject)));

const hasSubject = (task: TaskRecord): boolean => task.subject.trim() !== "";

/** @throws EkidenError `bad_input` | `cycle`: then nothing was imported */
export async function restore(
  store: Store,
  record: TeamRecord,
  host: HostId,
  machine: string,
  pid: number,
): Promise<Restored> {
  const faults: Fault[] = [];
  const fault = (file: string, why: string): void => void faults.push({ file, why });
  const sound = record.tasks.filter(
    (task) => hasSubject(task) || void fault(`task ${task.key}`, "it has no subject"),
  );
  const tasks = await store.board.addAll(newTasks(sound), PERSON);
  const ids = new Map(sound.map((task, i) => [task.key, tasks[i]?.id ?? asTaskId(0)]));
  await store.roster.open(host, machine, pid);
  try {
    const seats = new Seats(store, host, record.members);
    for (const member of record.members) await seats.fill(member);
    for (const task of inOrder(sound)) {
      const why = await setStatus(store, seats, task, ids.get(task.key) as TaskId);
      if (why) fault(`task ${task.key}`, why);
    }
    let sent = 0;
    for (const mail of record.mail) {
      try {
        await seats.seat(mail.to);
        await store.mail.send(seats.name(mail.from), {
          to: seats.name(mail.to),
          body: { kind: mail.broadcast ? "broadcast" : "note", text: mail.text },
          urgent: mail.urgent,
        });
        sent += 1;
      } catch (error) {
        if (!isEkidenError(error)) throw error;
        fault(`mail from ${mail.from} to ${mail.to}`, messageOf(error));
      }
    }
    return { tasks: tasks.length, members: seats.joined, mail: sent, ids: Object.fromEntries(ids), faults };
  } finally {
    await store.roster.suspend(host);
  }
}

function newTasks(list: readonly TaskRecord[]): NewTask[] {
  const nth = new Map(list.map((task, i) => [task.key, i]));
  return list.map((task) => ({
    subject: task.subject.replace(/\s+/g, " ").trim(),
    description: task.description,
    blockedBy: task.blockedBy.flatMap((key) => (nth.has(key) ? [{ nth: nth.get(key) as number }] : [])),
    ...(task.priority !== undefined && { priority: task.priority }),
    ...(task.estimate !== undefined && { estimate: task.estimate }),
    ...(task.role !== undefined && { role: task.role }),
    ...(task.touches !== undefined && { touches: task.touches }),
    ...(task.needsPlan !== undefined && { needsPlan: task.needsPlan }),
  }));
}

/** Finished tasks before those that wait for them; what is in progress last, because its owner can have only one. */
function inOrder(list: readonly TaskRecord[]): TaskRecord[] {
  const byKey = new Map(list.map((task) => [task.key, task]));
  const done = new Set<string>();
  const order: TaskRecord[] = [];
  const stack = [...list].reverse();
  while (stack.length > 0) {
    const task = stack[stack.length - 1] as TaskRecord;
    const open = done.has(task.key) ? [] : task.blockedBy.filter((key) => byKey.has(key) && !done.has(key));
    if (open.length > 0) stack.push(...open.map((key) => byKey.get(key) as TaskRecord));
    else if (stack.pop() && !done.has(task.key)) {
      done.add(task.key);
      order.push(task);
    }
  }
  return [
    ...order.filter((task) => task.status !== "in_progress"),
    ...order.filter((task) => task.status === "in_progress"),
  ];
}

/** Null, or why the task could not be given its status. */
async function setStatus(
  { board }: Store,
  seats: Seats,
  task: TaskRecord,
  id: TaskId,
): Promise<string | null> {
  if (task.status === "pending") return null;
  if (task.status === "cancelled") {
    await board.cancel(id, PERSON, task.reason ?? "cancelled before the import");
    return null;
  }
  const seat = task.owner === null ? null : await seats.seat(task.owner);
  const claim = seat ? await board.claim(seat, id) : null;
  const held = seat && claim?.ok ? { seat, task: id, attempt: claim.task.attempt } : null;
  if (task.status === "completed") {
    const result = task.result ?? "completed before the import";
    try {
      await (held ? board.complete(held, result) : board.completeFor(id, PERSON, result));
      return null;
    } catch (error) {
      if (!isEkidenError(error)) throw error;
      return `it was completed in the source, but is pending now: ${error.message}`;
    }
  }
  if (task.status === "failed") {
    const reason = task.reason ?? "failed before the import";
    await (held ? board.fail(held, reason) : board.cancel(id, PERSON, reason));
    return held
      ? null
      : "it had failed in the source and is cancelled now, because nobody could be found who had tried it";
  }
  return held
    ? null
    : `it was in progress in the source and is pending now${claim && !claim.ok ? ` (${claim.why})` : ""}`;
}

/** The members of the source as members of the store, each under a name that is allowed there. */
class Seats {
  joined = 0;
  private readonly seats = new Map<Name, Seat | null>();
  private readonly names = new Map<string, Name>();
  private readonly store: Store;
  private readonly host: HostId;
  private readonly members: readonly MemberRecord[];

  constructor(store: Store, host: HostId, members: readonly MemberRecord[]) {
    this.store = store;
    this.host = host;
    this.members = members;
  }

  name(text: string): Name {
    const known = this.names.get(text);
    if (known) return known;
    const made = asName(text, this.names.size + 1);
    this.names.set(text, made);
    return made;
  }

  /** The seat of whoever the source calls `text`; null when another process runs that member. */
  async seat(text: string): Promise<Seat | null> {
    const name = this.name(text);
    if (name === PERSON || name === HARNESS) return null;
    const seat = this.seats.get(name);
    if (seat !== undefined) return seat;
    const known = this.members.find((member) => this.name(member.name) === name);
    const taken = await this.take(name, known);
    this.seats.set(name, taken);
    return taken;
  }

  /** With its conversation and its costs. */
  async fill(member: MemberRecord): Promise<void> {
    const before = this.joined;
    const seat = await this.seat(member.name);
    if (!seat || this.joined === before) return;
    if (member.transcript.length > 0 || member.spent)
      await this.store.transcript.record(
        seat,
        member.transcript,
        member.spent ? { spent: member.spent } : {},
      );
  }

  private async take(name: Name, known: MemberRecord | undefined): Promise<Seat | null> {
    const { role = "", model = "", needsPlan = false } = known ?? {};
    const kind = name === LEAD ? "lead" : "teammate";
    try {
      // The prompt was read long ago: as a first mail it would be an instruction to begin again.
      const seat = await this.store.roster.join(
        { name, kind, role, model, prompt: "", needsPlan },
        this.host,
        PERSON,
      );
      this.joined += 1;
      return seat;
    } catch (error) {
      if (!isEkidenError(error, "name_taken")) throw error;
      return this.store.roster.adopt(name, this.host);
    }
  }
}

/** "Alice Smith" → alice-smith; "team-lead" → lead; what has no usable letter gets a number. */
function asName(text: string, n: number): Name {
  if (/^(team-)?lead$/i.test(text)) return LEAD;
  if (/^(person|user|human)$/i.test(text)) return PERSON;
  if (/^(ekiden|system|harness)$/i.test(text)) return HARNESS;
  const letters = text
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^[^a-z]+|-+$/g, "")
    .slice(0, 32);
  const reserved = /^(all|team|none|nobody|everyone)$/.test(letters);
  return (letters === "" || reserved ? `member-${n}` : letters) as Name;
}
