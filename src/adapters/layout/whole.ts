/** Our own export, read back: everything but the journal, which tells of another store's past. */
import type { Entry } from "../../core/conversation/chat.ts";
import {
  FORMAT_VERSION,
  type MailRecord,
  type MemberRecord,
  type TaskRecord,
  type TeamRecord,
  taskFile,
  wholeEntry,
  wholeFile,
  wholeMail,
  wholeMember,
  whyNot,
} from "./record.ts";

const NOTHING: TeamRecord = { tasks: [], members: [], mail: [] };

/** What is damaged is reported through `fault` by its place in the file; the rest is returned. */
export function readWhole(value: unknown, fault: (why: string) => void): TeamRecord {
  const parsed = wholeFile.safeParse(value);
  if (!parsed.success) {
    fault(whyNot(parsed.error));
    return NOTHING;
  }
  const { version, tasks, members, mail, transcripts } = parsed.data;
  if (version > FORMAT_VERSION) {
    fault(`it has format version ${version}; this program reads up to ${FORMAT_VERSION}. Update ekiden.`);
    return NOTHING;
  }
  const each = <T>(
    list: readonly unknown[],
    what: string,
    read: (item: unknown) => { data: T } | { why: string },
  ): T[] =>
    list.flatMap((item, i) => {
      const one = read(item);
      if ("data" in one) return [one.data];
      fault(`${what}[${i}]: ${one.why}`);
      return [];
    });
  const entries = (name: string): Entry[] =>
    each(transcripts[name] ?? [], `transcripts.${name}`, (line) => {
      const entry = wholeEntry.safeParse((line as { entry: unknown }).entry);
      return entry.success ? { data: entry.data as Entry } : { why: whyNot(entry.error) };
    });
  const read: TaskRecord[] = each(tasks, "tasks", (item) => {
    const task = taskFile.safeParse(item);
    return task.success ? { data: { ...task.data, key: task.data.id } } : { why: whyNot(task.error) };
  });
  const known = new Set(read.map((task) => task.key));
  for (const task of read)
    for (const id of task.blockedBy)
      if (!known.has(id))
        fault(`task ${task.key} waits for ${id}, which is not there; imported without that`);
  return {
    tasks: read.map((task) => ({ ...task, blockedBy: task.blockedBy.filter((id) => known.has(id)) })),
    members: each(members, "members", (item): { data: MemberRecord } | { why: string } => {
      const member = wholeMember.safeParse(item);
      if (!member.success) return { why: whyNot(member.error) };
      const { name, kind, role, model, prompt, needsPlan, ...spent } = member.data;
      return {
        data: {
          name,
          role,
          model,
          prompt,
          needsPlan,
          isLead: kind === "lead",
          spent,
          transcript: entries(name),
        },
      };
    }),
    mail: each(mail, "mail", (item): { data: MailRecord | null } | { why: string } => {
      const one = wholeMail.safeParse(item);
      if (!one.success) return { why: whyNot(one.error) };
      const { from, to, urgent, kind, text, deliveredAt } = one.data;
      if (deliveredAt !== null) return { data: null };
      return {
        data: {
          from,
          to,
          urgent,
          text: kind === "note" || kind === "broadcast" ? text : `[${kind}] ${text}`,
          broadcast: kind === "broadcast",
        },
      };
    }).filter((one) => one !== null),
  };
}
