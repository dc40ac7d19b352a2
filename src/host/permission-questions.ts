/**
 * Asks the person or the lead about a permission and waits for the answer; meanwhile the member is shown as awaiting it. The store
 * holds the questions, so that any terminal may answer, not only the one of this process.
 */
import { LEAD, later, type Name, PERSON, type RequestId } from "../core/ids.ts";
import type { Answer, Request, ToolContext } from "../ports/index.ts";
import { answerAlike } from "../team/actions/answer.ts";
import type { Parts } from "./parts.ts";
import { allowForGood } from "./save-rule.ts";

export type Question = {
  readonly who: Name;
  readonly tool: string;
  readonly subject: string;
  /** What an edit would change, as a unified diff. */
  readonly diff?: string | undefined;
  /** Why the policy does not decide itself. */
  readonly reason: string;
  /** The rule that "always" adds; null when no rule would allow the call. */
  readonly rule: string | null;
  /** Aborts when the question is answered elsewhere, or the call has ended. */
  readonly signal?: AbortSignal | undefined;
};
/** The answer of the person at the terminal; `text`: what to do instead. `all`: yes, also to the others with the same rule. */
export type TerminalAnswer = { readonly word: "yes" | "no" | "all" | "always"; readonly text: string };
export type AskAtTerminal = (question: Question) => Promise<TerminalAnswer>;

export type Given = Answer & { readonly by: Name | null; readonly state: "answered" | "expired" };

type QuestionParts = Pick<Parts, "store" | "settings" | "clock" | "workspace">;
const FLOOR_MS = 1_000;
/** Longer than a team lives. */
export const WATCHED_MS = 30 * 24 * 3_600_000;
const UNWATCHED_MS = 300_000;

export class PermissionQuestions {
  private readonly parts: QuestionParts;
  private readonly terminal: AskAtTerminal | undefined;

  constructor(parts: QuestionParts, terminal: AskAtTerminal | undefined) {
    this.parts = parts;
    this.terminal = terminal;
  }

  /** The person sees questions: at the terminal of this process, or where the settings send permissions. */
  get isWatched(): boolean {
    return this.terminal !== undefined || this.parts.settings.permissionsTo === "person";
  }

  /** Null: nobody can be asked. Rejects with the signal's reason when the call is interrupted. */
  async put(
    question: Question,
    { seat, signal, waitingFor }: Pick<ToolContext, "seat" | "signal" | "waitingFor">,
  ): Promise<Given | null> {
    const of = this.whom(seat.name);
    if (of === null) return null;
    const { store, clock, settings } = this.parts;
    const { tool, subject, reason: why, diff, rule } = question;
    const request = await store.requests.ask(
      seat.name,
      of,
      { kind: "permission", tool, subject, why, ...(diff && { diff }), ...(rule !== null && { rule }) },
      later(clock.now(), settings.permissionDeadlineMs ?? this.patienceFor(of)),
    );
    const over = new AbortController();
    const endWait = await waitingFor("awaiting_permission");
    try {
      if (of === PERSON && this.terminal) void this.ask(this.terminal, question, request.id, over.signal);
      const given = await this.answer(request, signal);
      if (given.yes && given.always && given.by === PERSON && rule !== null) await this.keep(rule);
      return given;
    } finally {
      over.abort();
      await endWait().catch(() => {}); // another process has the member now
    }
  }

  /** A person who watches may be away for an hour. Nobody else is waited for without an end. */
  private patienceFor(of: Name): number {
    return of === PERSON && this.isWatched ? WATCHED_MS : UNWATCHED_MS;
  }

  private whom(asker: Name): Name | null {
    switch (this.parts.settings.permissionsTo) {
      case "nobody":
        return null;
      case "person":
        return PERSON;
      case "lead":
        if (asker !== LEAD) return LEAD;
        return this.terminal ? PERSON : null; // no member answers its own question
      default:
        return this.terminal ? PERSON : null;
    }
  }

  private async answer(request: Request, signal: AbortSignal): Promise<Given> {
    const { store, clock } = this.parts;
    for (;;) {
      const mark = store.wake.mark();
      const now = await store.requests.request(request.id);
      if (now?.state === "answered" && now.answer) return { ...now.answer, state: "answered" };
      if (now?.state !== "open") return { yes: false, text: "", by: null, state: "expired" };
      if (signal.aborted) {
        await store.requests.withdraw(request.id);
        throw signal.reason;
      }
      const left = request.deadline - clock.now();
      if (left <= 0) await store.requests.expire("Nobody answered before the deadline.");
      else await store.wake.changed(mark, [`mail:${request.by}`], Math.min(left, FLOOR_MS), signal);
    }
  }

  /** The first answer counts; a later one changes nothing. */
  private async ask(
    terminal: AskAtTerminal,
    question: Question,
    id: RequestId,
    signal: AbortSignal,
  ): Promise<void> {
    const { word, text } = await terminal({ ...question, signal }).catch(
      () => ({ word: "no", text: "" }) as const,
    );
    if (signal.aborted) return;
    const answer = { yes: word !== "no", text, ...(word === "always" && { always: true }) };
    const { store } = this.parts;
    await store.requests.answer(PERSON, id, "permission", answer).catch(() => {});
    if ((word === "all" || word === "always") && question.rule !== null)
      await answerAlike(store, question.rule).catch(() => {}); // the store is away: they wait on
  }

  private async keep(rule: string): Promise<void> {
    const why = await allowForGood(this.parts.workspace, rule);
    if (why === null) {
      // The person's own word: the next start need not ask about it.
      const [{ allowRuleItem }, { recordItems }] = await Promise.all([
        import("../project/trust/items.ts"),
        import("../project/trust/weigh.ts"),
      ]);
      recordItems(this.parts.workspace, [allowRuleItem(rule)]);
      return;
    }
    const text = `The rule ${rule} is in force until this process ends; it was not saved: ${why}`;
    await this.parts.store.journal.warn(null, text);
  }
}
