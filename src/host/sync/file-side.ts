/** The file's side: a task of the board as the text of its file. Fields that mean nothing here stay as another program wrote them. */
import type { TaskFile } from "../../adapters/layout/task-folder.ts";
import { unusual } from "../../adapters/layout/write.ts";
import type { SharedField, SharedTask } from "../../core/board/sync.ts";
import type { Task } from "../../core/board/task.ts";

/** courses: `task_1.json` with a number as its id. claude: `1.json` with a text. */
export type Style = "courses" | "claude";

export const styleOf = (names: readonly string[]): Style =>
  names.some((name) => /^\d/.test(name)) && !names.some((name) => name.startsWith("task_"))
    ? "claude"
    : "courses";

export const fileName = (id: number, style: Style): string =>
  style === "claude" ? `${id}.json` : `task_${id}.json`;

type Fields = Record<string, unknown>;

export function newText(
  id: number,
  style: Style,
  task: Task,
  shared: SharedTask,
  edges: readonly string[],
): string {
  const isClaude = style === "claude";
  const fields: Fields = {
    id: isClaude ? String(id) : id,
    subject: task.subject,
    description: task.description,
  };
  Object.assign(fields, progressFields(task, shared, style, {}));
  if (isClaude) fields.blocks = [];
  return json({ ...fields, blockedBy: idsLike(fields.id, edges), ...unusual(task) });
}

/** `fields` of the task and, with `progress`, its status and owner. */
export function changedText(
  { raw, blockedBy, file }: TaskFile,
  task: Task,
  shared: SharedTask,
  fields: readonly SharedField[],
  progress: boolean,
): string {
  const style: Style = /^\d/.test(file) ? "claude" : "courses";
  const after: Fields = { ...raw };
  for (const field of fields) {
    if (field !== "blockedBy") after[field] = shared[field];
    // Completed blockers stay as the file has them.
    else
      after.blockedBy = idsLike(raw.id, [
        ...blockedBy.filter((id) => shared.blockedBy.includes(id)),
        ...shared.blockedBy.filter((id) => !blockedBy.includes(id)),
      ]);
  }
  if (progress) Object.assign(after, progressFields(task, shared, style, raw));
  return json(after);
}

function progressFields(
  task: Task,
  { status, owner }: SharedTask,
  style: Style,
  raw: Readonly<Fields>,
): Fields {
  const isEnded = status === "failed" || status === "cancelled";
  const nobody = raw.owner === "" ? "" : style === "claude" ? undefined : null;
  return {
    // Claude Code has one word for what will not be done.
    status: isEnded && style === "claude" ? "deleted" : status,
    owner: owner === "" ? nobody : owner,
    result: task.status === "completed" ? task.result : undefined,
    reason: task.status === "failed" || task.status === "cancelled" ? task.reason : undefined,
  };
}

/** Ids as the file writes its own: numbers or texts. */
const idsLike = (own: unknown, ids: readonly string[]): (string | number)[] =>
  ids.map((id) => (typeof own === "number" && /^\d{1,15}$/.test(id) ? Number(id) : id));

const json = (fields: Fields): string => `${JSON.stringify(fields, null, 2)}\n`;
