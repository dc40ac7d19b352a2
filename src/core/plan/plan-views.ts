/** A planned board as it is shown: its tasks in their order, how long they take, and the remarks on them. */
import type { Name, RequestId } from "../ids.ts";
import { checkOf } from "../project/mark.ts";
import type { TaskData } from "../views/board.ts";
import { counted, type Figure, type View } from "../views/view.ts";

/** What is edited of a planned task, each as one line of text. */
export const PLAN_FIELDS = ["subject", "after", "check", "who", "touches", "estimate"] as const;
export type PlanField = (typeof PLAN_FIELDS)[number];
export type PlanTexts = { readonly [F in PlanField]?: string | undefined };

export type PlanData = {
  readonly team: Name;
  /** The question that the person answers to let it begin; null where nothing waits for that. */
  readonly question: RequestId | null;
  /** "about 40 min with three, 1 h 35 min with one; the chain #2 → #5 decides; about $1.20"; "" where that is not known. */
  readonly takes: string;
  readonly remarks: readonly string[];
  /** Those that have not begun, each behind what it waits for. */
  readonly tasks: readonly TaskData[];
};

/** Who may do a task: "@alice", a role, or "" for anybody. */
export const whoOf = ({ assignee, role }: Pick<TaskData, "assignee" | "role">): string =>
  assignee ? `@${assignee}` : (role ?? "");

export function planViews({ question, takes, remarks, tasks }: PlanData): View[] {
  const told = [
    ...(takes === "" ? [] : [line("takes", takes)]),
    ...remarks.map((one) => line("remark", one)),
    ...(question === null
      ? []
      : [line("to begin", `ekiden plan begin; until then none of ${counted(tasks.length, "task")} begins`)]),
  ];
  return [
    {
      kind: "table",
      columns: [
        { name: "id", align: "right" },
        { name: "subject", grow: true },
        { name: "after" },
        { name: "check" },
        { name: "who" },
        { name: "files", minor: true },
      ],
      rows: tasks.map((task) => [
        { text: `#${task.id}` },
        { text: task.subject },
        { text: task.blockedBy.map((one) => `#${one}`).join(" "), tone: "dim" },
        checkOf(task.description) === null && task.touches.length > 0
          ? { text: "none", tone: "warn" }
          : { text: checkOf(task.description) ?? "" },
        { text: whoOf(task) },
        { text: task.touches.join(", "), tone: "dim" },
      ]),
      empty: "No task is waiting to start.",
    },
    ...(told.length === 0 ? [] : [{ kind: "figures", figures: told } as const]),
  ];
}

const line = (label: string, text: string): Figure => ({ label, text });
