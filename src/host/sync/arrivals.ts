/** Carries over the news of one side of a folder of task files: a file becomes a task, a task becomes a file. */
import type { TaskFile, TaskFolder } from "../../adapters/layout/task-folder.ts";
import { agreedOn, type FileTask, outsider } from "../../core/board/sync.ts";
import { isFinished, type NewTask, type Task } from "../../core/board/task.ts";
import { messageOf } from "../../core/errors.ts";
import { given } from "../../core/given.ts";
import type { TaskId } from "../../core/ids.ts";
import type { Store } from "../../ports/index.ts";
import { assigneeFor, type Board, BY, isRefusal, progress, sharedOf } from "./board-side.ts";
import { fileName, newText, styleOf } from "./file-side.ts";
import { type Memory, mark } from "./memory.ts";

type Added = { readonly ok: true; readonly task: Task } | { readonly ok: false; readonly why: string };

const subjectOf = (file: TaskFile, { subject }: FileTask): string => subject ?? `task ${file.id}`;
const numberOf = (id: string): number => Number(/^(?:task_)?(\d{1,15})$/.exec(id)?.[1] ?? 0);

/** The task that this file became before its process was killed, or that an export wrote into it. */
export function twinOf(file: TaskFile, said: FileTask, board: Board): Task | undefined {
  const [subject, description] = [subjectOf(file, said), said.description ?? ""];
  return [...board.tasks.values()].find(
    (task) =>
      task.subject === subject &&
      task.description === description &&
      board.fileId(task.id) === undefined &&
      (task.id === numberOf(file.id) || task.createdBy === BY),
  );
}

/** A task that somebody outside of the team has, or has ended, is never free on the board, not even for a moment. */
export async function addFile(store: Store, file: TaskFile, said: FileTask, board: Board): Promise<Added> {
  const { status = "pending", owner = "", priority, estimate, touches, needsPlan } = said;
  const isOver = status === "completed" || status === "failed" || status === "cancelled";
  const assignee = isOver ? outsider(owner) : assigneeFor({ status, owner }, board);
  const task: NewTask = {
    subject: subjectOf(file, said),
    description: said.description ?? "",
    blockedBy: file.blockedBy.length > 0 || said.blockedBy ? edgesOf(file, said, board) : [],
    ...given({ priority, estimate, touches, needsPlan, role: said.role || undefined, assignee }),
  };
  try {
    const added = await store.board.add(task, BY);
    if (!isOver) return { ok: true, task: added };
    await progress(store, added, { status, owner }, file.said || `${status} in ${file.file}`, board);
    return { ok: true, task: (await store.board.task(added.id)) ?? added };
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return { ok: false, why: messageOf(error) };
  }
}

/** Also completed blockers, which the graph shows. */
const edgesOf = (file: TaskFile, said: FileTask, board: Board): TaskId[] =>
  [...new Set([...file.blockedBy, ...(said.blockedBy ?? [])])].flatMap((id) => board.taskId(id) ?? []);

/** Writes a file for each task that has none. False: some could not be written now. */
export function addTasks(
  folder: TaskFolder,
  memory: Memory,
  board: Board,
  files: ReadonlyMap<string, TaskFile>,
): boolean {
  const names = new Set(folder.names());
  const style = styleOf([...names]);
  const used = new Set([...memory.pairs().map(({ id }) => id), ...files.keys()].map(numberOf));
  let last = Math.max(0, ...used);
  let isWhole = true;
  for (const task of board.tasks.values()) {
    const pair = memory.ofTask(task.id);
    if (pair && (!pair.isDeleted || isFinished(task))) continue;
    let id: number = task.id;
    if (pair) {
      id = numberOf(pair.id) || id;
      memory.remove(pair);
    } else while (used.has(id) || names.has(fileName(id, style))) id = last += 1;
    used.add(id);
    last = Math.max(last, id);
    const shared = sharedOf(task, board, null);
    const edges = task.blockedBy.map((blocker) => board.fileId(blocker) ?? String(blocker));
    const text = newText(id, style, task, shared, edges);
    const file = fileName(id, style);
    if (folder.write(file, text, null)) {
      const agreed = agreedOn(shared, mark);
      memory.add({ id: String(id), task: task.id, file, agreed, text: mark(text), isDeleted: false });
    } else isWhole = false;
  }
  return isWhole;
}
