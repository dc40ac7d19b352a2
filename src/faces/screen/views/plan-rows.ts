/** The rows of the editor of a plan, and what each field of a task reads before it is edited. */
import { type PlanField, whoOf } from "../../../core/plan/plan-views.ts";
import { checkOf } from "../../../core/project/mark.ts";
import type { TaskData } from "../../../core/views/board.ts";
import { counted } from "../../../core/views/view.ts";
import type { Row } from "../draw/list.ts";
import { exact, oneLine, type Style, shortened, spread } from "../draw/style.ts";

type Edited = {
  readonly key: string;
  /** In the line of keys. */
  readonly word: string;
  /** In front of what is typed. */
  readonly prompt: string;
  read(task: TaskData): string;
};

/** One line of text for each field; as `editPlanned` takes it. */
export const EDITED: Readonly<Record<PlanField, Edited>> = {
  subject: { key: "e", word: "words", prompt: "subject", read: ({ subject }) => oneLine(subject) },
  after: {
    ...{ key: "b", word: "waits for", prompt: "waits for (none, or 1, 2)" },
    read: ({ blockedBy }) => blockedBy.join(", "),
  },
  check: {
    ...{ key: "c", word: "check", prompt: "check (empty: none)" },
    read: ({ description }) => oneLine(checkOf(description) ?? ""),
  },
  who: { key: "w", word: "who", prompt: "who (@name, a role, or empty for any)", read: whoOf },
  touches: {
    ...{ key: "f", word: "files", prompt: "files that it changes" },
    read: ({ touches }) => touches.join(", "),
  },
  estimate: {
    ...{ key: "n", word: "size", prompt: "size, in units of the other tasks" },
    read: ({ estimate }) => String(estimate),
  },
};

/** Two lines: the words and who does it; what it waits for, its proof and its files. */
export function planRow(task: TaskData, nth: number, remarks: number, { paint }: Style): Row {
  const { id, subject, blockedBy, touches, estimate, description } = task;
  const check = checkOf(description);
  const who = whoOf(task);
  const right = [
    ...(remarks > 0 ? [paint("warn", counted(remarks, "remark"))] : []),
    ...(estimate === 1 ? [] : [paint("dim", `size ${estimate}`)]),
    who === "" ? paint("dim", "anybody") : oneLine(who),
  ].join("  ");
  const below = [
    blockedBy.length > 0 ? `after ${blockedBy.map((one) => `#${one}`).join(" ")}` : "",
    check === null ? "" : `check ${exact(check)}`,
    touches.length > 0 ? oneLine(touches.join(", ")) : "",
  ].filter((part) => part !== "");
  const isUnproven = check === null && touches.length > 0 ? paint("warn", "no check · ") : "";
  return {
    id: String(id),
    text: `#${id} ${subject} ${who} ${check ?? ""} ${touches.join(" ")}`,
    actions: [],
    lines: (width) => [
      spread(
        `${paint("dim", String(nth).padStart(3))} ${paint("dim", `#${id}`)} ${oneLine(subject)}`,
        right,
        width,
      ),
      shortened(`      ${isUnproven}${paint("dim", below.join(" · "))}`, width),
    ],
  };
}
