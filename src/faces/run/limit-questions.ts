/**
 * The time that questions of members wait during `run` and `resume`: as long as somebody looks on. A member that waits for an answer to its
 * mail where nobody is asked at a terminal or a page gets one after a while, so that the run continues or ends with a reason.
 */
import { systemClock } from "../../adapters/clock.ts";
import type { Event } from "../../core/event.ts";
import { HARNESS, LEAD, type MailId, type Name, PERSON } from "../../core/ids.ts";
import type { Settings } from "../../core/settings/settings.ts";
import { span } from "../../core/views/view.ts";
import type { Store } from "../../ports/index.ts";
import { toPerson } from "../kit/news.ts";

const LOOK_MS = 10_000;

type Parts = {
  readonly store: Store;
  readonly settings: Pick<Settings, "questionDeadlineMs">;
  /** Whether somebody sees it, at a terminal or at the page of the run: a terminal may join, and leave. */
  readonly isWatched: () => boolean;
  readonly signal: AbortSignal;
};

/** Begins with the run. Returns what takes the events of its journal. */
export function limitQuestions(parts: Parts): (events: readonly Event[]) => Promise<void> {
  void postpone(parts);
  return async (events) => {
    for (const event of events) {
      if (event.type !== "mail.sent" || event.from === LEAD || parts.isWatched()) continue;
      if ((await toPerson(event, parts.store)) !== null) void limit(parts, event.from, event.mail);
    }
  };
}

/** Questions do not end while somebody looks on. Until the signal aborts. */
async function postpone({ store, settings, isWatched, signal }: Parts): Promise<void> {
  const { questionDeadlineMs: limitMs } = settings;
  while (!signal.aborted) {
    await systemClock.sleep(Math.min(LOOK_MS, limitMs / 4), signal).catch(() => {});
    // Where the store is away, nothing ends either.
    if (!signal.aborted && isWatched()) await store.requests.postpone(PERSON, limitMs).catch(() => {});
  }
}

async function limit({ store, settings, isWatched, signal }: Parts, who: Name, mail: MailId): Promise<void> {
  const { questionDeadlineMs } = settings;
  try {
    do await systemClock.sleep(questionDeadlineMs, signal);
    while (!signal.aborted && isWatched());
    if (signal.aborted) return;
    const [answered] = await store.mail.box(who, 1, PERSON);
    const [latest] = await store.mail.box(PERSON, 1, who);
    const activity = (await store.roster.member(who))?.activity;
    const waits = activity?.phase === "idle" && activity.reason === "awaiting_messages";
    // A later question has a limit of its own.
    if (!waits || (answered?.id ?? 0) > mail || (latest?.id ?? 0) > mail) return;
    const text = `Nobody has answered your question to the person for ${span(questionDeadlineMs)}, and nobody watches this run. Decide yourself and continue. If you cannot, end your task with fail_task and give the question as the reason.`;
    await store.mail.send(HARNESS, { to: who, body: { kind: "note", text } });
  } catch {
    // The run ends, or its store is away: it is said elsewhere.
  }
}
