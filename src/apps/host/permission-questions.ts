/**
 * Questions about permissions: put to the person or to the lead, and waited for while the member is shown as awaiting one. The
 * store holds them, so that any terminal may answer; a terminal of this process is only the quickest of them.
 */
import { LEAD, later, type Name, PERSON, type RequestId } from "../../core/ids.ts";
import type { Seat } from "../../core/member.ts";
import type { Answer, Request, Tool, ToolContext } from "../../ports/index.ts";
import { reviewPermission } from "../../tools/index.ts";
import type { Parts } from "./parts.ts";
import { allowForGood } from "./save-rule.ts";

export type Question = {
  readonly who: Name;
  readonly tool: string;
  readonly subject: string;
  /** Why it is asked about. */
  readonly reason: string;
  /** The rule that "always" stands for; null when nothing would allow it for good. */
  readonly rule: string | null;
  /** Aborts when the question is answered elsewhere, or the call is over. */
  readonly signal?: AbortSignal | undefined;
};
/** What the person at the terminal said; `text`: what to do instead. */
export type TerminalAnswer = { readonly word: "yes" | "no" | "always"; readonly text: string };
export type AskAtTerminal = (question: Question) => Promise<TerminalAnswer>;

export type Given = Answer & { readonly by: Name | null; readonly state: "answered" | "expired" };

type QuestionParts = Pick<Parts, "store" | "settings" | "clock" | "workspace">;
const FLOOR_MS = 1_000;

export class PermissionQuestions {
  private readonly parts: QuestionParts;
  private readonly terminal: AskAtTerminal | undefined;
  /** How many questions each member has open, for calls that read run at once. */
  private readonly open = new Map<Name, number>();
  private leadWasAsked = false;

  constructor(parts: QuestionParts, terminal: AskAtTerminal | undefined) {
    this.parts = parts;
    this.terminal = terminal;
  }

  /** Null: there is nobody to be asked. Rejects with the call's reason when it is cut short meanwhile. */
  async put(
    question: Question,
    { seat, signal }: Pick<ToolContext, "seat" | "signal">,
  ): Promise<Given | null> {
    const of = this.whom(seat.name);
    if (of === null) return null;
    const { store, clock, settings } = this.parts;
    const { tool, subject, rule } = question;
    const request = await store.requests.ask(
      seat.name,
      of,
      { kind: "permission", tool, subject, ...(rule !== null && { rule }) },
      later(clock.now(), settings.permissionDeadlineMs),
    );
    const over = new AbortController();
    await this.show(seat, 1);
    try {
      if (of === PERSON && this.terminal) void this.ask(this.terminal, question, request.id, over.signal);
      const given = await this.answer(request, signal);
      if (given.yes && given.always && given.by === PERSON && rule !== null) await this.keep(rule);
      return given;
    } finally {
      over.abort();
      await this.show(seat, -1).catch(() => {}); // then it is another process that shows it
    }
  }

  /** What the lead answers with, as long as it is asked at all. */
  async toolsOfLead(): Promise<readonly Tool[]> {
    if (this.parts.settings.permissionsTo !== "lead") return [];
    const { requests } = this.parts.store;
    this.leadWasAsked ||= (await requests.open({ of: LEAD, kind: "permission" })).length > 0;
    return this.leadWasAsked ? [reviewPermission] : [];
  }

  private whom(asker: Name): Name | null {
    switch (this.parts.settings.permissionsTo) {
      case "nobody":
        return null;
      case "person":
        return PERSON;
      case "lead":
        if (asker !== LEAD) return LEAD;
        return this.terminal ? PERSON : null; // nobody permits itself
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

  /** Whoever is first answers; who comes too late changes nothing. */
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
    await this.parts.store.requests.answer(PERSON, id, "permission", answer).catch(() => {});
  }

  private async keep(rule: string): Promise<void> {
    const why = await allowForGood(this.parts.workspace, rule);
    if (why === null) return;
    const text = `The rule ${rule} holds until this process ends; it was not written down: ${why}`;
    await this.parts.store.journal.note([{ type: "warning.raised", who: null, text }]);
  }

  private async show(seat: Seat, change: 1 | -1): Promise<void> {
    const before = this.open.get(seat.name) ?? 0;
    const count = before + change;
    if (count > 0) this.open.set(seat.name, count);
    else this.open.delete(seat.name);
    if (before > 0 && count > 0) return;
    await this.parts.store.roster.setActivity(
      seat,
      count > 0 ? { phase: "idle", reason: "awaiting_permission" } : { phase: "work" },
    );
  }
}
