/**
 * A board that the person approves before anything of it runs: folded from facts, so that it is the same in each process and after a kill. The
 * person is asked by a question of the lead, and its answer releases the board in the same step. Pure.
 */
import type { Asked } from "../board/question.ts";
import type { Event, FactType } from "../event.ts";
import { LEAD, type Name, type RequestId } from "../ids.ts";
import { oneLine } from "../text/one-line.ts";

export const HOLD_FACTS = [
  "board.held",
  "board.shown",
  "board.released",
  "question.answered",
] as const satisfies readonly FactType[];

/** A board with more tasks is shown where nobody said anything about it. */
export const LARGE = 5;

/** What the setting means where a person watches, or not: on a terminal a large board is shown. */
export const planFirstOf = (
  { planFirst }: { readonly planFirst: boolean | "auto" },
  isOnTerminal: boolean,
): boolean | "large" | undefined => (planFirst !== "auto" ? planFirst : isOnTerminal ? "large" : undefined);

export const BEGIN = "Begin";

/** Whether a question is the one of the lead whether its board may begin. */
export const isBoardQuestion = ({ by, kind, options }: AskedBy): boolean =>
  by === LEAD && kind === "question" && options?.[0]?.label === BEGIN;

type AskedBy = {
  readonly by: Name;
  readonly kind: string;
  readonly options?: readonly { readonly label: string }[];
};

export class Hold {
  private request: RequestId | null = null;
  is: "free" | "held" | "approved" = "free";
  large = false;

  take(events: readonly Event[]): void {
    for (const event of events) {
      if (event.type === "board.held") [this.is, this.large, this.request] = ["held", event.large, null];
      if (event.type === "board.shown") this.request = event.request;
      if (event.type === "board.released") this.is = "free";
      const isAnswer = event.type === "question.answered" && event.request === this.request;
      if (!isAnswer || this.request === null || this.is !== "held") continue;
      this.request = null;
      if (event.answer === BEGIN) this.is = "approved";
    }
  }

  /** The person has been asked and has not answered. */
  get isAsked(): boolean {
    return this.request !== null;
  }
}

type Shown = { readonly id: number; readonly subject: string; readonly blockedBy: readonly number[] };
const TASKS_SHOWN = 20;
const SUBJECT_SHOWN = 100;
const REMARKS_SHOWN = 5;
const REMARK_SHOWN = 220;

/** `plan`: how long it takes; "" where that is not known. */
export function boardQuestion(open: readonly Shown[], plan: string, remarks: readonly string[]): Asked {
  const tasks = open.slice(0, TASKS_SHOWN).map(({ id, subject, blockedBy }) => {
    const after =
      blockedBy.length > 0
        ? ` (after ${blockedBy
            .slice(0, 8)
            .map((one) => `#${one}`)
            .join(", ")})`
        : "";
    return `#${id} ${oneLine(subject, SUBJECT_SHOWN)}${after}`;
  });
  const more = open.length - TASKS_SHOWN;
  return {
    question: [
      `The board has ${open.length} tasks, and nothing has begun.${plan === "" ? "" : ` It takes ${plan}.`}`,
      ...tasks,
      ...(more > 0 ? [`(${more} more: ekiden plan)`] : []),
      ...remarks.slice(0, REMARKS_SHOWN).map((one) => `Remark: ${oneLine(one, REMARK_SHOWN)}`),
      "Change it as you like (edit, add, cancel; the page; or say what to change), then let the team begin. This is the board as it was when you were asked; ekiden plan shows it as it is.",
    ].join("\n"),
    options: [
      { label: BEGIN, description: "the team works on the board as it is then" },
      { label: "Plan again", description: "better: say in your own words what to change" },
    ],
  };
}
