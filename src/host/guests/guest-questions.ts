/**
 * Questions of a guest to the person, put to the client of its agent, in front of which that person sits: a form of the protocol
 * (elicitation). The question stays in the store and can be answered anywhere else, too.
 */

import { optionLines } from "../../core/board/question.ts";
import { messageOf } from "../../core/errors.ts";
import { LEAD, type Name, PERSON, type RequestId } from "../../core/ids.ts";
import type { Request, Store } from "../../ports/index.ts";
import { answer } from "../../team/actions/answer.ts";

/** A form that a client shows. All fields are texts. */
export type Form = {
  readonly message: string;
  readonly requestedSchema: {
    readonly type: "object";
    readonly properties: Record<string, { type: "string"; title: string; enum?: string[] }>;
    readonly required?: string[];
  };
};

export const NOT_HERE =
  "The person has not answered here. The question stays open; wait_for_work returns the answer when it is given.";

const CHOICE = "choice";
const WORDS = "words";
const APPROVE = "approve";
const REJECT = "reject";

export class GuestQuestions {
  private readonly shown = new Set<RequestId>();

  /** The next open question of this member that the client was not shown yet. A lead at work answers about plans itself. */
  async next(store: Store, name: Name): Promise<Request | null> {
    const open = await store.requests.open({ by: name });
    const isLed = (await store.roster.member(LEAD))?.host != null;
    const isMeant = ({ id, ask, of }: Request): boolean =>
      !this.shown.has(id) && ((ask.kind === "question" && of === PERSON) || (ask.kind === "plan" && !isLed));
    const found = open.find(isMeant) ?? null;
    if (found) this.shown.add(found.id);
    return found;
  }

  /** Takes the person's answers from forms, by the ids of the questions. Returns why a question stays open; "" where none does. */
  async take(store: Store, given: Readonly<Record<string, unknown>>): Promise<string> {
    const told: string[] = [];
    for (const [id, one] of Object.entries(given))
      told.push(await this.answer(store, id, one).then((isGiven) => (isGiven ? "" : NOT_HERE), messageOf));
    return told.filter(Boolean).join(" ");
  }

  /** @throws EkidenError `bad_input` | `answered` */
  private async answer(store: Store, id: string, given: unknown): Promise<boolean> {
    const { action, content } = (given ?? {}) as { action?: unknown; content?: Record<string, unknown> };
    // A client answers what it was asked.
    if (action !== "accept" || !this.shown.has(id as RequestId)) return false;
    const request = await store.requests.request(id as RequestId);
    const [choice, words] = [CHOICE, WORDS].map((field) => {
      const value = content?.[field];
      return typeof value === "string" ? value.trim() : "";
    }) as [string, string];
    if (request?.ask.kind === "plan") {
      if (choice !== APPROVE && choice !== REJECT) return false;
      await answer(store, id, choice, words);
      return true;
    }
    const text = words === "" ? choice : words;
    if (text === "") return false;
    await answer(store, id, text);
    return true;
  }
}

/** Null where a form cannot ask about it. */
export function formOf({ by, ask }: Request): Form | null {
  if (ask.kind === "plan")
    return form(
      `${by} asks whether it may work by this plan for #${ask.task}:\n\n${ask.plan}`,
      { type: "string", title: "Answer", enum: [APPROVE, REJECT] },
      { type: "string", title: "To reject it: what must change" },
      [CHOICE],
    );
  if (ask.kind === "question")
    return form(
      `${by} asks: ${ask.question}\n${optionLines(ask).join("\n")}`,
      { type: "string", title: "Answer", enum: ask.options.map(({ label }) => label) },
      { type: "string", title: "Or in your own words" },
    );
  return null;
}

type Field = Form["requestedSchema"]["properties"][string];
const form = (message: string, choice: Field, words: Field, required?: string[]): Form => ({
  message,
  requestedSchema: {
    type: "object",
    properties: { [CHOICE]: choice, [WORDS]: words },
    ...(required && { required }),
  },
});
