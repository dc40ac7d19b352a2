/** The open requests: plans, permissions, stops. Views: core/views/request.ts. */
import { systemClock } from "../../adapters/clock.ts";
import type { Event } from "../../core/event.ts";
import { PERSON, type RequestId } from "../../core/ids.ts";
import { type OpenQuestion, QUESTION_FACTS } from "../../core/picture/questions.ts";
import type { QuestionData, QuestionsData } from "../../core/views/request.ts";
import type { Request, Store } from "../../ports/index.ts";

export async function requests({ team, requests }: Store): Promise<QuestionsData> {
  return { team, requests: (await requests.open()).map(questionData) };
}

/** As the picture of a team has it. */
export const openQuestion = ({ id, ask, by, of }: Request): OpenQuestion => ({ id, kind: ask.kind, by, of });

/**
 * Shows each permission and question that waits for the person, of any process, once. `over` aborts when it waits no more. For faces
 * that show one after the other; the picture of a team has them all.
 */
export class WaitingQuestions {
  private readonly shown = new Map<RequestId, AbortController>();
  private readonly store: Store;
  private readonly show: (request: Request, over: AbortSignal) => void;

  constructor(store: Store, show: (request: Request, over: AbortSignal) => void) {
    this.store = store;
    this.show = show;
  }

  /** Reads the questions again if one of these facts opened or ended one. */
  async take(events: readonly Event[]): Promise<void> {
    if (events.some(({ type }) => QUESTION_FACTS.has(type))) await this.read();
  }

  async read(): Promise<void> {
    const open = (await this.store.requests.open({ of: PERSON })).filter(
      ({ ask }) => ask.kind === "permission" || ask.kind === "question",
    );
    const ids = new Set(open.map(({ id }) => id));
    for (const [id, over] of this.shown)
      if (!ids.has(id)) {
        this.shown.delete(id);
        over.abort();
      }
    for (const request of open.filter(({ id }) => !this.shown.has(id))) {
      const over = new AbortController();
      this.shown.set(request.id, over);
      this.show(request, over.signal);
    }
  }
}

function questionData({ id, ask, by, of, at, deadline }: Request): QuestionData {
  const leftMs = Math.max(0, deadline - systemClock.now());
  const shared = { id, kind: ask.kind, by, of, at, deadline, leftMs, task: null, attempt: null } as const;
  switch (ask.kind) {
    case "plan":
      return { ...shared, task: ask.task, attempt: ask.attempt, text: ask.plan };
    case "permission":
      return {
        ...shared,
        text: `${ask.tool}: ${ask.subject}`,
        ...(ask.why && { why: ask.why }),
        ...(ask.diff !== undefined && { diff: ask.diff }),
        ...(ask.rule && { rule: ask.rule }),
      };
    case "question":
      return { ...shared, text: ask.question, options: ask.options };
    case "shutdown":
      return { ...shared, text: ask.reason };
  }
}
