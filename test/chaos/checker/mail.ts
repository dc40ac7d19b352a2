/** Mail is sent once, delivered at most once, into the right conversation and in order. */
import { factOf, PERSON } from "./claims.ts";
import type { EntryRow, History, MailRow } from "./history.ts";

const MARK = /<mail id="(\d+)"/g;
const idsIn = (text: string): number[] => [...text.matchAll(MARK)].map(([, id]) => Number(id));

/** Mailboxes that no model reads. */
const NO_TRANSCRIPT = new Set(["person"]);

type Entry =
  | { kind: "heard"; text: string }
  | {
      kind: "said";
      message: {
        content: { type: string; id?: string; tool?: string; input?: { to?: string; text?: string } }[];
      };
    }
  | { kind: "result"; result: { id: string; tool: string; text: string; isError: boolean } }
  | { kind: "summary" | "trimmed" };

const entryOf = (row: EntryRow): Entry => JSON.parse(row.entry) as Entry;

/** A fact for each row, a row for each fact. */
export function mailFacts({ events, mail }: History): string[] {
  const faults: string[] = [];
  const rows = new Map(mail.map((row) => [row.id, row]));
  const sent = new Map<number, number>();
  const delivered = new Map<number, number>();
  const withdrawn = new Set<number>();
  for (const event of events) {
    if (event.type === "mail.withdrawn") withdrawn.add((factOf(event) as unknown as { mail: number }).mail);
  }
  for (const id of withdrawn) if (rows.has(id)) faults.push(`mail ${id}: withdrawn, and in a mailbox`);
  for (const event of events) {
    if (event.type !== "mail.sent" && event.type !== "mail.delivered") continue;
    const { mail: id, from, to } = factOf(event) as unknown as { mail: number; from: string; to: string };
    const row = rows.get(id);
    if (!row && withdrawn.has(id) && event.type === "mail.sent") continue;
    if (!row) faults.push(`event ${event.seq}: mail ${id} is in the journal and in no mailbox`);
    else if (row.sender !== from || row.recipient !== to)
      faults.push(`mail ${id}: from ${row.sender} to ${row.recipient}, the journal says ${from} to ${to}`);
    const counts = event.type === "mail.sent" ? sent : delivered;
    counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  for (const { id, state, delivered_at } of mail) {
    if (sent.get(id) !== 1) faults.push(`mail ${id}: ${sent.get(id) ?? 0} facts say that it was sent`);
    const times = delivered.get(id) ?? 0;
    if (times !== (state === 1 ? 1 : 0))
      faults.push(`mail ${id}: state ${state}, and ${times} facts say that it was delivered`);
    if ((delivered_at !== null) !== (state === 1))
      faults.push(`mail ${id}: state ${state} and delivered_at ${delivered_at}`);
  }
  return faults;
}

/** A mail is in its recipient's transcript exactly when it is delivered, once, and mail of one sender keeps its order. */
export function mailInTranscripts({ mail, transcript }: History): string[] {
  const faults: string[] = [];
  const rows = new Map(mail.map((row) => [row.id, row]));
  const seen = new Map<number, number>();
  const last = new Map<string, number>();
  for (const row of transcript.toSorted((a, b) => a.seq - b.seq)) {
    const entry = entryOf(row);
    if (entry.kind !== "heard") continue;
    for (const id of idsIn(entry.text)) {
      seen.set(id, (seen.get(id) ?? 0) + 1);
      const letter = rows.get(id);
      if (letter?.recipient !== row.name)
        faults.push(
          `entry ${row.seq}: ${row.name} heard mail ${id}, which is for ${letter?.recipient ?? "nobody"}`,
        );
      if (letter) faults.push(...outOfOrder(last, letter, `entry ${row.seq}`));
    }
  }
  for (const { id, state, recipient } of mail) {
    const times = seen.get(id) ?? 0;
    if (!NO_TRANSCRIPT.has(recipient) && times !== (state === 1 ? 1 : 0))
      faults.push(`mail ${id} to ${recipient}: state ${state}, and ${times} times in the transcript`);
  }
  return faults;
}

function outOfOrder(last: Map<string, number>, letter: MailRow, where: string): string[] {
  const key = `${letter.sender} to ${letter.recipient}, rank ${letter.turn}`;
  const before = last.get(key) ?? 0;
  last.set(key, Math.max(before, letter.id));
  return letter.id < before ? [`${where}: mail ${letter.id} came after mail ${before} (${key})`] : [];
}

/** `send_message` stores its answer and the mail in one step: as many letters as answers, with the same words. */
export function lettersAnswered({ mail, transcript }: History): string[] {
  const letters = new Map<string, number>();
  const add = (key: string, n: number): void => void letters.set(key, (letters.get(key) ?? 0) + n);
  const calls = new Map<string, string>();
  for (const row of transcript.toSorted((a, b) => a.seq - b.seq)) {
    const entry = entryOf(row);
    if (entry.kind === "said")
      for (const { type, id, tool, input } of entry.message.content)
        if (type === "call" && tool === "send_message")
          calls.set(`${row.name} ${id}`, `${row.name} to ${input?.to}: ${input?.text}`);
    if (entry.kind === "result" && entry.result.tool === "send_message" && !entry.result.isError)
      add(calls.get(`${row.name} ${entry.result.id}`) ?? `${row.name}: a result without its call`, 1);
  }
  for (const { sender, recipient, kind, body } of mail) {
    const { text } = JSON.parse(body) as { text?: string };
    if (kind === "note" && text?.startsWith("letter ")) add(`${sender} to ${recipient}: ${text}`, -1);
  }
  return [...letters].flatMap(([key, balance]) =>
    balance === 0
      ? []
      : [
          `${key}: ${Math.abs(balance)} ${balance > 0 ? "answers without a letter" : "letters without an answer"}`,
        ],
  );
}

/** The claim and the completion of a task are in the transcript of whoever made them, once each. */
export function answersOfClaims({ events, transcript }: History): string[] {
  const balance = new Map<string, number>();
  const add = (key: string, n: number): void => void balance.set(key, (balance.get(key) ?? 0) + n);
  for (const event of events) {
    if (event.type !== "task.claimed" && event.type !== "task.completed") continue;
    const { by, task, attempt } = factOf(event);
    if (by === PERSON) continue;
    if (event.type === "task.claimed") add(`${by} claims #${task} (attempt ${attempt})`, 1);
    else add(`${by} completes #${task}`, 1);
  }
  for (const row of transcript) {
    const entry = entryOf(row);
    const text = entry.kind === "heard" ? entry.text : entry.kind === "result" ? entry.result.text : "";
    for (const [, task, attempt] of text.matchAll(/<auto-claimed task="(\d+)" attempt="(\d+)"/g))
      add(`${row.name} claims #${task} (attempt ${attempt})`, -1);
    if (entry.kind !== "result" || entry.result.tool !== "complete_task" || entry.result.isError) continue;
    const [, task] = /#(\d+)/.exec(entry.result.text) ?? [];
    if (task) add(`${row.name} completes #${task}`, -1);
  }
  return [...balance].flatMap(([key, n]) =>
    n === 0 ? [] : [`${key}: ${Math.abs(n)} ${n > 0 ? "facts without an entry" : "entries without a fact"}`],
  );
}
