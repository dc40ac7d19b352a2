/** The journal in pages: backwards for reading, forwards for lanes and replay. */
import { type Event, type FactType, TASK_CHANGES } from "../../core/event.ts";
import { sentence } from "../../core/views/sentence.ts";
import type { Cursor, Store } from "../../ports/index.ts";
import { concerns } from "../queries/journal.ts";
import type { FactPage, JournalPage } from "./wire.ts";

type Journal = Store["journal"];

export type Search = {
  readonly before: number | null;
  readonly limit: number;
  /** In the sentence of a fact or its author's name; lower case. */
  readonly text: string;
  readonly who: string;
  /** The beginning of the type: "task", "mail". */
  readonly kind: string;
};

/** Facts looked at for one page of a search; the answer says where to go on. */
const LOOKED_MAX = 50_000;
const READ = 1_000;

/** The facts before a number that the search is for, newest last. */
export async function journalBefore(journal: Journal, search: Search): Promise<JournalPage> {
  const wanted = matcher(search);
  let end = search.before ?? (await endSeq(journal)) + 1;
  let found: Event[] = [];
  let looked = 0;
  for (let span = search.limit * 2; end > 1; span = Math.min(span * 2, 20_000)) {
    const start = Math.max(0, end - 1 - span);
    const events = await between(journal, start, end);
    looked += events.length;
    found = [...events.filter(wanted), ...found];
    end = start + 1;
    if (found.length >= search.limit || looked >= LOOKED_MAX) break;
  }
  const page = found.slice(-search.limit);
  const cut = found.length > page.length ? page[0]?.seq : end > 1 ? end : undefined;
  return { events: page, before: cut ?? null };
}

function matcher({ text, who, kind }: Search): (event: Event) => boolean {
  return (event) =>
    (kind === "" || event.type.startsWith(`${kind}.`)) &&
    (who === "" || concerns(event, who as Parameters<typeof concerns>[1])) &&
    (text === "" ||
      `${event.type} ${sentence(event).who} ${sentence(event).text}`.toLowerCase().includes(text));
}

/** Events with numbers above `start` and below `end`. */
async function between(journal: Journal, start: number, end: number): Promise<Event[]> {
  const found: Event[] = [];
  for (let at = journal.from(start); ; ) {
    const { events, cursor } = await journal.read(at, { limit: READ });
    found.push(...events.filter((event) => event.seq < end));
    const last = events.at(-1);
    // PostgreSQL orders by transaction, so a few newer numbers may come before the last older one.
    if (!last || events.length < READ || last.seq > end + READ) return found.sort((a, b) => a.seq - b.seq);
    at = cursor;
  }
}

/** The highest number there is. */
async function endSeq(journal: Journal): Promise<number> {
  const end = await journal.end();
  if (/^\d*$/.test(end)) return Number(end);
  let [low, high] = [0, 1];
  const isBeyond = async (seq: number): Promise<boolean> =>
    (await journal.read(journal.from(seq), { limit: 1 })).events.length === 0;
  while (!(await isBeyond(high))) high *= 2;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (await isBeyond(middle)) high = middle;
    else low = middle;
  }
  return high;
}

/** What lanes and replay are made of. Turns and calls, nine of ten facts of a run, only with `detail`. */
const STRUCTURE: readonly FactType[] = [
  "team.created",
  "team.resumed",
  "team.finished",
  "teammate.spawned",
  "teammate.phase",
  ...TASK_CHANGES,
  "task.queued",
  "gate.started",
  "task.landed",
  "task.reopened",
  "mail.sent",
  "mail.delivered",
  "permission.asked",
  "permission.answered",
  "plan.submitted",
  "plan.answered",
  "shutdown.asked",
  "shutdown.answered",
  "model.retried",
  "job.started",
  "job.ended",
  "warning.raised",
];
const TIMELINE_PAGE = 2_000;

export async function timeline(journal: Journal, after: string, detail: boolean): Promise<FactPage> {
  const { events, cursor } = await journal.read(after as Cursor, {
    limit: TIMELINE_PAGE,
    ...(!detail && { types: STRUCTURE }),
  });
  return { events, cursor, more: events.length === TIMELINE_PAGE };
}
