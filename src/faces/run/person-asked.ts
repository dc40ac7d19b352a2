/**
 * Shows the person the questions of members during `run` and `resume`: permissions and questions at the terminal of the run, and mail, which is
 * printed with the line that answers it. A member that waits for an answer to its mail where nobody is asked at a terminal or a page gets one after
 * a while, so that the run goes on or ends with a reason.
 */
import { systemClock } from "../../adapters/clock.ts";
import { messageOf } from "../../core/errors.ts";
import type { Event } from "../../core/event.ts";
import { HARNESS, LEAD, type MailId, type Name, PERSON } from "../../core/ids.ts";
import type { Settings } from "../../core/settings/settings.ts";
import { span } from "../../core/views/view.ts";
import type { Request, Store } from "../../ports/index.ts";
import { answer } from "../../team/actions/answer.ts";
import { WaitingQuestions } from "../../team/queries/requests.ts";
import { againLine } from "../kit/again-line.ts";
import { type AskForm, type Form, NO, questionText, readPermission } from "../kit/asking.ts";
import type { Invocation } from "../kit/invocation.ts";
import { toPerson } from "../kit/news.ts";

const LOOK_MS = 10_000;

type Parts = {
  readonly call: Invocation;
  readonly store: Store;
  readonly settings: Pick<Settings, "questionDeadlineMs">;
  /** Whether somebody sees it, at a terminal or at the page of the run: a terminal may join, and leave. */
  readonly isWatched: () => boolean;
  readonly tell: (text: string) => void;
  readonly signal: AbortSignal;
  /** Asks at this terminal; null: only the line that answers is printed. */
  readonly askForm: AskForm | null;
};

export class PersonAsked {
  private readonly parts: Parts;
  private readonly questions: WaitingQuestions;

  constructor(parts: Parts) {
    this.parts = parts;
    this.questions = new WaitingQuestions(parts.store, (request, over) => showQuestion(parts, request, over));
    void postpone(parts);
  }

  /** Questions from before this run, which still wait. */
  async showOpen(): Promise<void> {
    await this.questions.read();
  }

  /** Takes the events of a page of the journal. */
  async take(events: readonly Event[]): Promise<void> {
    const { call, store, isWatched, tell } = this.parts;
    await this.questions.take(events);
    for (const event of events) {
      const text = await toPerson(event, store);
      if (text === null || event.type !== "mail.sent") continue;
      const line = againLine(call, store.team, `send ${event.from} "…"`);
      tell(`${event.from} ${text}\n  To answer: ${line}`);
      if (!isWatched() && event.from !== LEAD) void limit(this.parts, event.from, event.mail);
    }
  }
}

type Typed = { readonly word: string; readonly text: string };

/** It has its limit in the store, so that it holds also after a restart. */
function showQuestion(
  { call, store, askForm, tell, signal }: Parts,
  request: Request,
  over: AbortSignal,
): void {
  const { id, ask } = request;
  const text = questionText(request);
  const numbers = ask.kind === "question" ? ask.options.map((_, i) => i + 1).join("|") : "";
  if (!askForm) {
    // A permission is in the journal, with its request.
    if (ask.kind === "question")
      tell(
        `${text}  To answer: ${againLine(call, store.team, `answer ${id} ${numbers}`)}, or your own words in place of the number`,
      );
    return;
  }
  const form: Pick<Form<Typed>, "text" | "read" | "none"> = ask.kind === "question"
    ? {
        text: `${text}Your answer (${numbers}, or your own words; enter alone leaves it to \`ekiden answer ${id}\`): `,
        ...{ read: (line) => ({ word: line, text: "" }), none: { word: "", text: "" } },
      }
    : { text, read: (line) => readPermission(line, ask), none: NO };
  void askForm({ ...form, signal: AbortSignal.any([over, signal]) })
    .then(({ word, text }) => {
      if (word.trim() === "" || over.aborted || signal.aborted) return undefined;
      return answer(store, id, word, text);
    })
    .catch((error: unknown) => tell(messageOf(error)));
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
    const text = `Nobody has answered your question to the person for ${span(questionDeadlineMs)}, and nobody watches this run. Decide yourself and go on. If you cannot, end your task with fail_task and give the question as the reason.`;
    await store.mail.send(HARNESS, { to: who, body: { kind: "note", text } });
  } catch {
    // The run ends, or its store is away: it is said elsewhere.
  }
}
