/** Tools that read the board and add tasks to it. */
import { z } from "zod";
import type { Task, TaskChange } from "../../core/board/task.ts";
import { given } from "../../core/given.ts";
import { type TaskId, teammateName } from "../../core/ids.ts";
import { withMarks, withMarksOf } from "../../core/project/mark.ts";
import { cutEnd } from "../../core/text/valid.ts";
import type { Store } from "../../ports/index.ts";
import { defineTool } from "../define.ts";
import { id, maybe, text } from "../inputs.ts";

const newTask = () =>
  z.strictObject({
    subject: text,
    description: maybe.text,
    blocked_by: maybe.ids.describe("ids that must be completed first"),
    priority: maybe.whole,
    estimate: z.number().optional(),
    role: maybe.text.describe("only this role may claim it"),
    assign: maybe.text.describe("the only teammate that may claim it"),
    needs_plan: maybe.flag,
    review: maybe.flag.describe("another agent judges it before it is completed"),
    judges: maybe.flag.describe("it is meant to change tests or the gate"),
    check: maybe.text.describe("command that proves it; must pass at complete_task"),
    touches: maybe.texts.describe("files it will change, such as src/api/**"),
    replaces: id.optional().describe("a task that failed: what waits for it waits for this one"),
  });

export const createTask = defineTool({
  name: "create_task",
  description: "Put a task on the board. Its owner sees only this text.",
  access: "team",
  effect: "creates",
  input: newTask,
  subject: ({ subject }) => subject,
  run: async (
    { subject, blocked_by: blockedBy, needs_plan: needsPlan, assign = "", review, judges, check, ...rest },
    { store, self },
  ) => {
    const words = await withReplaced(store, rest.description, rest.replaces);
    const marks = given({ review: review || undefined, judges: judges || undefined, check });
    const description = Object.keys(marks).length > 0 ? withMarks(words ?? "", marks) : words;
    const assignee = assign.trim() === "" ? undefined : teammateName(assign.trim());
    const task = await store.board.add(
      { subject, ...given({ ...rest, description, blockedBy, needsPlan, assignee }) },
      self,
    );
    const waits = task.openBlockers > 0 ? `; waits for ${list(task.blockedBy)}` : "";
    const instead = rest.replaces === undefined ? "" : `; #${rest.replaces} is cancelled`;
    return `Created #${task.id}: ${task.subject}${waits}${instead}`;
  },
});

/** Its owner learns what went wrong before. */
async function withReplaced(
  store: Store,
  description: string | undefined,
  replaces: TaskId | undefined,
): Promise<string | undefined> {
  if (replaces === undefined) return description;
  const { id: old, subject, status, ...before } = await taskOf(store, replaces);
  const why =
    "reason" in before ? `, which ${status === "failed" ? "failed" : "was cancelled"}: ${before.reason}` : "";
  return `${description ?? ""}\n\n[It takes the place of #${old} ${subject}${cutEnd(why, 1_000)}]`.trim();
}

/** A shorter one: only the lead decides about the order of tasks. */
export const createTaskAsTeammate = defineTool({
  ...createTask,
  input: () =>
    z.strictObject({
      subject: text,
      description: maybe.text,
      blocked_by: maybe.ids,
    }),
  run: (input, ctx) => createTask.run(input, ctx),
});

export const updateTask = defineTool({
  name: "update_task",
  description: "Change a task; its blockers only before it starts.",
  access: "team",
  effect: "replans",
  input: () =>
    z.strictObject({
      id,
      subject: maybe.text,
      description: maybe.text,
      add_blocked_by: maybe.ids,
      remove_blocked_by: maybe.ids,
      priority: maybe.whole,
      estimate: z.number().optional(),
      role: maybe.text,
      assign: maybe.text.describe("the only teammate that may claim it"),
      needs_plan: maybe.flag,
      check: maybe.text,
      touches: maybe.texts,
    }),
  subject: (input) => `#${input.id}`,
  run: async (
    { id: task, add_blocked_by, remove_blocked_by, needs_plan, assign, check, ...rest },
    { store, self },
  ) => {
    const known = rest.description ?? check;
    const before = known === undefined ? "" : (await taskOf(store, task)).description;
    const words = withMarksOf(before, rest.description ?? before);
    const change: TaskChange = given({
      ...rest,
      ...(known !== undefined && { description: withMarks(words, given({ check })) }),
      addBlockedBy: add_blocked_by,
      removeBlockedBy: remove_blocked_by,
      needsPlan: needs_plan,
    });
    if (assign !== undefined)
      await store.board.assign(task, assign.trim() === "" ? null : teammateName(assign.trim()), self);
    else if (Object.keys(change).length === 0)
      throw new Error(`Nothing to change about #${task}: name at least one field.`);
    return line(await store.board.change(task, change, self));
  },
});

const FINISHED_SHOWN = 20;

export const listTasks = defineTool({
  name: "list_tasks",
  description: "The board: id, status, owner, blockers.",
  access: "read",
  membersOnly: true,
  input: () => z.strictObject({ all: maybe.flag }),
  run: async ({ all }, { store }) => {
    const tasks = await store.board.tasks();
    if (tasks.length === 0) return "The board is empty.";
    const open = tasks.filter((task) => task.status !== "completed" && task.status !== "cancelled");
    const done = tasks.filter((task) => task.status === "completed" || task.status === "cancelled");
    const shown = all ? done : done.slice(-FINISHED_SHOWN);
    const hidden = done.length - shown.length;
    const lines = [...shown, ...open].sort((a, b) => a.id - b.id).map(line);
    return [...(hidden > 0 ? [`(${hidden} older finished tasks; all: true shows them)`] : []), ...lines].join(
      "\n",
    );
  },
});

export const getTask = defineTool({
  name: "get_task",
  description: "A task in full, with its blockers' results.",
  access: "read",
  membersOnly: true,
  input: () => z.strictObject({ id }),
  subject: (input) => `#${input.id}`,
  reads: () => [],
  run: async ({ id: wanted }, { store }) => {
    const task = await taskOf(store, wanted);
    const blockers = await Promise.all(task.blockedBy.map((blocker) => store.board.task(blocker)));
    const results = blockers.flatMap((b) =>
      b?.status === "completed" ? [`Result of #${b.id} ${b.subject}:\n${b.result}`] : [],
    );
    return [
      line(task),
      `priority ${task.priority}, estimate ${task.estimate}, attempt ${task.attempt}${task.role ? `, role ${task.role}` : ""}`,
      task.description,
      outcome(task),
      ...results,
    ]
      .filter(Boolean)
      .join("\n\n");
  },
});

export const noTask = (wanted: TaskId): string => `There is no task #${wanted}. list_tasks shows all tasks.`;

export async function taskOf({ board }: Store, wanted: TaskId): Promise<Task> {
  const task = await board.task(wanted);
  if (!task) throw new Error(noTask(wanted));
  return task;
}

/** One task on one line, as list_tasks shows it. */
function line(task: Task): string {
  const owner = "owner" in task && task.owner ? ` (${task.owner})` : "";
  const waits =
    task.status === "pending" && task.openBlockers > 0 ? ` [waits for ${list(task.blockedBy)}]` : "";
  const kept = task.assignee && task.status === "pending" ? ` [for ${task.assignee}]` : "";
  const role = task.role && task.status === "pending" ? ` [role ${task.role}]` : "";
  return `#${task.id} ${task.status === "pending" && task.openBlockers === 0 ? "ready" : task.status}${owner}${waits}${kept}${role} ${task.subject}`;
}

function outcome(task: Task): string {
  switch (task.status) {
    case "completed":
      return `Result:\n${task.result}`;
    case "failed":
    case "cancelled":
      return `Reason:\n${task.reason}`;
    default:
      return task.lastFailure ? `The last attempt ended: ${task.lastFailure}` : "";
  }
}

const list = (blockers: readonly number[]): string => blockers.map((blocker) => `#${blocker}`).join(", ");
