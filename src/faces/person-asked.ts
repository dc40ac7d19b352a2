/**
 * Mail of members to the person during `run` and `resume`: it is printed with the line that answers it. A member that waits for an
 * answer where nobody is asked at a terminal or a page gets one after a while, so that the run goes on or ends with a reason.
 */
import { systemClock } from "../adapters/clock.ts";
import { messageOf } from "../core/errors.ts";
import type { Event } from "../core/event.ts";
import { escapes } from "../core/hidden.ts";
import { HARNESS, LEAD, type MailId, type Name, PERSON, type RequestId } from "../core/ids.ts";
import { optionLines } from "../core/question.ts";
import type { Settings } from "../core/settings.ts";
import { span } from "../core/views/view.ts";
import type { Request, Store } from "../ports/index.ts";
import { answer } from "../team/actions/answer.ts";
import { againLine } from "./again-line.ts";
import type { Invocation } from "./invocation.ts";
import type { AskForm } from "./terminal/asking.ts";
import { toPerson } from "./terminal/news.ts";

type Parts = {
  readonly call: Invocation;
  readonly store: Store;
  readonly settings: Pick<Settings, "questionDeadlineMs">;
  /** Somebody sees it, at a terminal or at the page of the run. */
  readonly isWatched: boolean;
  readonly tell: (text: string) => void;
  readonly signal: AbortSignal;
  /** Asks at this terminal; null: only the line that answers is printed. */
  readonly askForm: AskForm | null;
  /** The questions that were shown. */
  readonly open: Map<RequestId, AbortController>;
};

/** Of each page of the journal. */
export async function showAsked(parts: Parts, events: readonly Event[]): Promise<void> {
  const { call, store } = parts;
  for (const event of events) {
    if (event.type === "question.answered") parts.open.get(event.request)?.abort();
    if (event.type === "question.asked") {
      const request = await store.requests.request(event.request);
      if (request?.state === "open") showQuestion(parts, request);
    }
    const text = await toPerson(event, store);
    if (text === null || event.type !== "mail.sent") continue;
    const line = againLine(call, store.team, `send ${event.from} "…"`);
    parts.tell(`${event.from} ${text}\n  To answer: ${line}`);
    if (!parts.isWatched && event.from !== LEAD) void limit(parts, event.from, event.mail);
  }
}

/** Questions from before this run, which still wait. */
export async function showOpen(parts: Parts): Promise<void> {
  for (const request of await parts.store.requests.open({ of: PERSON, kind: "question" }))
    showQuestion(parts, request);
}

/** It has its limit in the store, so that it holds also after a restart. */
function showQuestion({ call, store, open, askForm, tell, signal }: Parts, { id, by, ask }: Request): void {
  if (ask.kind !== "question" || open.has(id)) return;
  const over = new AbortController();
  open.set(id, over);
  const text = `${by} asks you: ${escapes(ask.question)}\n${optionLines(ask).map(escapes).join("\n")}\n`;
  const numbers = ask.options.map((_, i) => i + 1).join("|");
  if (!askForm) {
    tell(
      `${text}  To answer: ${againLine(call, store.team, `answer ${id} ${numbers}`)}, or your own words in place of the number`,
    );
    return;
  }
  const form = {
    text: `${text}Your answer (${numbers}, or your own words; enter alone leaves it to \`ekiden answer ${id}\`): `,
    ...{ read: (line: string) => line, none: "", signal: AbortSignal.any([over.signal, signal]) },
  };
  void askForm(form)
    .then((line) => (line.trim() === "" ? undefined : answer(store, id, line)))
    .catch((error: unknown) => tell(messageOf(error)));
}

async function limit({ store, settings, signal }: Parts, who: Name, mail: MailId): Promise<void> {
  const { questionDeadlineMs } = settings;
  try {
    await systemClock.sleep(questionDeadlineMs, signal);
    if (signal.aborted) return;
    const [answered] = await store.mail.box(who, 1, PERSON);
    const [latest] = await store.mail.box(PERSON, 1, who);
    const activity = (await store.roster.member(who))?.activity;
    const waits = activity?.phase === "idle" && activity.reason === "awaiting_messages";
    // A later question has a limit of its own.
    if (!waits || (answered?.id ?? 0) > mail || (latest?.id ?? 0) > mail) return;
    const text = `Nobody has answered your question to the person for ${span(questionDeadlineMs)}, and nobody watches this run. Decide yourself and go on. If you cannot, end your task with fail_task and give the question as the reason.`;
    await store.mail.send(HARNESS, { to: who, body: { kind: "note", text } });
  } catch {
    // The run ends, or its store is away: it is said elsewhere.
  }
}
