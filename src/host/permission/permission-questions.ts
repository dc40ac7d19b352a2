/**
 * Asks the person or the lead about a permission and waits for the answer; meanwhile the member is shown as awaiting it. The store
 * holds the questions: every face shows them and answers there, also one of another process.
 */
import { LEAD, later, type Name, PERSON } from "../../core/ids.ts";
import type { Answer, Request, ToolContext } from "../../ports/index.ts";
import type { Parts } from "../parts.ts";
import { allowForGood } from "./save-rule.ts";

export type Question = {
  readonly who: Name;
  readonly tool: string;
  readonly subject: string;
  /** The change that an edit would make, as a unified diff. */
  readonly diff?: string | undefined;
  /** The reason why the policy does not decide itself. */
  readonly reason: string;
  /** The rule that "always" adds; null when no rule would allow the call. */
  readonly rule: string | null;
};

export type Given = Answer & { readonly by: Name | null; readonly state: "answered" | "expired" };

/** Whether a face shows questions to the person: of this process, or one that has joined it and may leave. */
export type Asks = boolean | (() => boolean);
type QuestionParts = Pick<Parts, "store" | "settings" | "clock" | "workspace">;
/** In the place of a tool, in a question about a landing. */
export const LANDING = "land";
const FLOOR_MS = 1_000;
/** Longer than a team lives. */
export const WATCHED_MS = 30 * 24 * 3_600_000;
const UNWATCHED_MS = 300_000;

export class PermissionQuestions {
  private readonly parts: QuestionParts;
  private readonly asks: Asks;

  constructor(parts: QuestionParts, asks: Asks) {
    this.parts = parts;
    this.asks = asks;
  }

  /** The person sees questions at all times: in this process, or where the settings send permissions. */
  get isWatched(): boolean {
    return this.asks === true || this.parts.settings.permissionsTo === "person";
  }

  /** Whether the person would see a question of now. */
  get reachesPerson(): boolean {
    const { permissionsTo } = this.parts.settings;
    return permissionsTo === "person" || (permissionsTo !== "nobody" && this.asksNow);
  }

  /** `of`: else who decides about permissions. `isAllowedNow`: a rule that came up meanwhile answers the question. Null: nobody can be asked. Rejects with the signal's reason when the call is interrupted. */
  async put(
    question: Question,
    { seat, signal, waitingFor }: Pick<ToolContext, "seat" | "signal" | "waitingFor">,
    isAllowedNow: () => Promise<boolean> = async () => false,
    of = this.whom(seat.name),
  ): Promise<Given | null> {
    if (of === null) return null;
    const { store, clock, settings } = this.parts;
    const { tool, subject, reason: why, diff, rule } = question;
    const request = await store.requests.ask(
      seat.name,
      of,
      { kind: "permission", tool, subject, why, ...(diff && { diff }), ...(rule !== null && { rule }) },
      later(clock.now(), settings.permissionDeadlineMs ?? this.patienceFor(of)),
    );
    const endWait = await waitingFor("awaiting_permission");
    try {
      const given = await this.answer(request, signal, isAllowedNow);
      const isKept = given.yes && given.always && !given.session && given.by === PERSON;
      if (isKept && rule !== null) await this.keep(given.rule ?? rule);
      return given;
    } finally {
      await endWait().catch(() => {}); // another process has the member now
    }
  }

  /** A person who watches may be away for an hour. Nobody else is waited for without an end. */
  private patienceFor(of: Name): number {
    return of === PERSON ? WATCHED_MS : UNWATCHED_MS;
  }

  /** The settings send such questions to the person, also where nobody watches. */
  private isAwaited({ ask }: Request): boolean {
    return this.parts.settings.tampering === "person" && ask.kind === "permission" && ask.tool === LANDING;
  }

  private get asksNow(): boolean {
    return typeof this.asks === "function" ? this.asks() : this.asks;
  }

  private whom(asker: Name): Name | null {
    const asks = this.asksNow;
    switch (this.parts.settings.permissionsTo) {
      case "nobody":
        return null;
      case "person":
        return PERSON;
      case "lead":
        if (asker !== LEAD) return LEAD;
        return asks ? PERSON : null; // no member answers its own question
      default:
        return asks ? PERSON : null;
    }
  }

  private async answer(
    request: Request,
    signal: AbortSignal,
    isAllowedNow: () => Promise<boolean>,
  ): Promise<Given> {
    const { store, clock, settings } = this.parts;
    let seenAt = clock.now();
    for (;;) {
      const mark = store.wake.mark();
      const now = await store.requests.request(request.id);
      if (now?.state === "answered" && now.answer) return { ...now.answer, state: "answered" };
      if (now?.state !== "open") return { yes: false, text: "", by: null, state: "expired" };
      if (signal.aborted) {
        await store.requests.withdraw(request.id);
        throw signal.reason;
      }
      if (await isAllowedNow()) {
        await store.requests.withdraw(request.id);
        return { yes: true, text: "", by: PERSON, state: "answered" };
      }
      if (request.of !== PERSON || this.isAwaited(request) || this.isWatched || this.asksNow)
        seenAt = clock.now();
      // The person has left, and nobody else watches.
      const isLeft = clock.now() - seenAt >= (settings.permissionDeadlineMs ?? UNWATCHED_MS);
      if (isLeft) await store.requests.withdraw(request.id);
      const left = now.deadline - clock.now(); // it may have been postponed
      if (left <= 0) await store.requests.expire("Nobody answered before the deadline.");
      else await store.wake.changed(mark, [`mail:${request.by}`], Math.min(left, FLOOR_MS), signal);
    }
  }

  private async keep(rule: string): Promise<void> {
    const why = await allowForGood(this.parts.workspace, rule);
    if (why === null) return;
    const text = `The rule ${rule} is in force until this process ends; it was not saved: ${why}`;
    await this.parts.store.journal.warn(null, text);
  }
}
