/** The journal in pages: backwards for reading, forwards for lanes and replay. */
import { type Event, type FactType, TASK_CHANGES } from "../../../core/event.ts";
import { fits, type Search } from "../../../core/views/search.ts";
import type { Cursor, Store } from "../../../ports/index.ts";
import type { FactPage, JournalPage } from "../wire.ts";

type Journal = Store["journal"];

export type PageOfSearch = Search & { readonly before: number | null; readonly limit: number };

/** Facts looked at for one page of a search; the answer says where to continue. */
const LOOKED_MAX = 50_000;
const READ = 1_000;

/** The facts before a number that the search is for, newest last. */
export async function journalBefore(journal: Journal, search: PageOfSearch): Promise<JournalPage> {
  let end = search.before ?? (await endSeq(journal)) + 1;
  let found: Event[] = [];
  let looked = 0;
  for (let span = search.limit * 2; end > 1; span = Math.min(span * 2, 20_000)) {
    const start = Math.max(0, end - 1 - span);
    const events = await between(journal, start, end);
    looked += events.length;
    found = [...events.filter((event) => fits(event, search)), ...found];
    end = start + 1;
    if (found.length >= search.limit || looked >= LOOKED_MAX) break;
  }
  const page = found.slice(-search.limit);
  const cut = found.length > page.length ? page[0]?.seq : end > 1 ? end : undefined;
  return { events: page, before: cut ?? null };
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

/** The facts that lanes and replay need. Turns and calls, nine of ten facts of a run, are only sent with `detail`. */
const STRUCTURE: readonly FactType[] = [
  "team.created",
  "team.resumed",
  "team.finished",
  "teammate.spawned",
  "teammate.changed",
  "teammate.phase",
  ...TASK_CHANGES,
  "task.queued",
  "gate.started",
  "task.landed",
  "task.reviewed",
  "task.reopened",
  "mail.sent",
  "mail.delivered",
  "mail.withdrawn",
  "permission.asked",
  "permission.answered",
  "question.asked",
  "question.answered",
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
