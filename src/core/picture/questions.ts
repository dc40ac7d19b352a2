/**
 * The questions that wait for an answer, folded from facts. A fact names a request and not all of its words: a face reads those in
 * `store.requests`, when these facts come. Pure.
 */
import type { Event, FactType } from "../event.ts";
import { LEAD, type Name, PERSON, type RequestId } from "../ids.ts";

type Kind = "permission" | "plan" | "question" | "shutdown";
export type OpenQuestion = {
  readonly id: RequestId;
  readonly kind: Kind;
  readonly by: Name;
  readonly of: Name;
};

/** The facts after which other questions may be open. */
export const QUESTION_FACTS: ReadonlySet<FactType> = new Set<FactType>([
  ...(["permission.asked", "permission.answered", "question.asked", "question.answered"] as const),
  ...(["plan.submitted", "plan.answered", "shutdown.asked", "shutdown.answered"] as const),
  "request.withdrawn",
]);

/** Whether faces ask the person: also about plans that wait for the lead, but not about calls that the lead is to permit. */
export const isForPerson = ({ kind, of }: Pick<OpenQuestion, "kind" | "of">): boolean =>
  kind === "plan" || of === PERSON;

export class OpenQuestions {
  private readonly open = new Map<string, OpenQuestion>();

  constructor(open: readonly OpenQuestion[] = []) {
    for (const one of open) this.open.set(one.id, one);
  }

  /** The oldest first. */
  get list(): readonly OpenQuestion[] {
    return [...this.open.values()];
  }

  get size(): number {
    return this.open.size;
  }

  has(test: (one: OpenQuestion) => boolean): boolean {
    for (const one of this.open.values()) if (test(one)) return true;
    return false;
  }

  apply(event: Event): void {
    const question = asked(event);
    if (question) this.open.set(question.id, question);
    switch (event.type) {
      case "permission.answered":
        this.end(event.request, ({ kind, by }) => kind === "permission" && by === event.who);
        return;
      case "plan.answered":
        this.end(event.request, ({ kind, by }) => kind === "plan" && by === event.who);
        return;
      case "shutdown.answered":
        this.end(event.request, ({ kind, of }) => kind === "shutdown" && of === event.who);
        return;
      case "question.answered":
      case "request.withdrawn":
        this.open.delete(event.request);
    }
  }

  /** `alike`: facts of the first version name no request. */
  private end(request: RequestId | undefined, alike: (one: OpenQuestion) => boolean): void {
    if (request) this.open.delete(request);
    else for (const one of this.list) if (alike(one)) this.open.delete(one.id);
  }
}

function asked(event: Event): OpenQuestion | null {
  switch (event.type) {
    case "permission.asked":
      return { id: event.request, kind: "permission", by: event.who, of: event.of ?? PERSON };
    case "question.asked":
      return { id: event.request, kind: "question", by: event.who, of: PERSON };
    case "plan.submitted":
      return event.request ? { id: event.request, kind: "plan", by: event.who, of: event.of ?? LEAD } : null;
    case "shutdown.asked":
      return event.request ? { id: event.request, kind: "shutdown", by: event.by, of: event.who } : null;
    default:
      return null;
  }
}
