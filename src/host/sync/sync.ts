/**
 * Keeps a folder of task files and the board equal in both directions. One pass reads both and merges each task by what they last
 * agreed on. Where both have changed the same, the board counts, and the file's text is kept beside it and named.
 */
import type { TaskFile, TaskFolder } from "../../adapters/layout/task-folder.ts";
import { agreedOn, type FileTask, merge, sameProgress } from "../../core/board/sync.ts";
import { EDITABLE_FIELDS, isFinished, type Task } from "../../core/board/task.ts";
import type { TaskId } from "../../core/ids.ts";
import type { Store } from "../../ports/index.ts";
import { addFile, addTasks, twinOf } from "./arrivals.ts";
import { type Board, change, openOf, ownerIn, progress, sharedOf } from "./board-side.ts";
import { changedText } from "./file-side.ts";
import { Memory, mark, type Pair } from "./memory.ts";

/** A deleted file may be about to be written again. */
const DELETED_MS = 2_000;

/** The data of one pass. */
type Pass = {
  readonly files: ReadonlyMap<string, TaskFile>;
  /** Names of all task files, also of those that cannot be read. */
  readonly names: ReadonlySet<string>;
  readonly board: Board;
  /** By id: the files that name it as waiting for them. */
  readonly blocks: ReadonlyMap<string, readonly string[]>;
};

export class FolderSync {
  private readonly folder: TaskFolder;
  private readonly store: Store;
  private readonly memory: Memory;
  private readonly tell: (text: string, isNews?: boolean) => void;
  private readonly now: () => number;
  /** The notices that still hold. */
  private told = new Set<string>();
  private faults = new Set<string>();
  private readonly missing = new Map<string, number>();
  private again = false;

  /** `now`: milliseconds of the wall clock. @throws EkidenError `bad_input` when the folder is kept for another team */
  constructor(
    folder: TaskFolder,
    { store, url }: { readonly store: Store; readonly url: string },
    tell: (text: string, isNews?: boolean) => void,
    now: () => number,
  ) {
    this.folder = folder;
    this.store = store;
    this.memory = new Memory(folder, url, store.team);
    this.tell = tell;
    this.now = now;
  }

  /** One look at both sides. `again`: something may be half written. `faults`: how much waits for somebody. */
  async pass(): Promise<{ readonly again: boolean; readonly faults: number }> {
    this.faults = new Set();
    this.again = false;
    const seen = this.folder.read(this.now());
    if (seen === null) this.fault(`${this.folder.dir} is gone. Nothing is kept until it is there again.`);
    else {
      this.again = seen.young;
      for (const { file, why } of seen.faults) this.fault(`${file}: ${why}`);
      const pass = await this.look(seen.files);
      this.renamed(pass);
      for (const pair of this.memory.pairs()) {
        const file = pass.files.get(pair.id);
        if (file) await this.merged(pair, file, pass);
      }
      await this.deleted(pass);
      await this.newFiles(pass);
      this.again = !addTasks(this.folder, this.memory, pass.board, pass.files) || this.again;
      this.memory.save();
    }
    for (const text of this.faults) if (!this.told.has(text)) this.tell(text);
    this.told = this.faults;
    return { again: this.again, faults: this.faults.size };
  }

  private fault(text: string): void {
    this.faults.add(text);
  }

  private async look(files: readonly TaskFile[]): Promise<Pass> {
    const { board, roster } = this.store;
    const { memory } = this;
    const tasks = new Map((await board.tasks()).map((task) => [task.id, task]));
    const mates = (await roster.members()).filter(
      ({ kind, activity }) => kind === "teammate" && activity.phase !== "shutdown",
    );
    const blocks = new Map<string, string[]>();
    for (const file of files)
      for (const id of file.blocks) blocks.set(id, [...(blocks.get(id) ?? []), file.id]);
    return {
      files: new Map(files.map((file) => [file.id, file])),
      names: new Set(this.folder.names()),
      blocks,
      board: {
        tasks,
        mates: new Set(mates.map(({ name }) => name)),
        fileId: (task) => memory.ofTask(task)?.id,
        taskId: (id) => memory.of(id)?.task,
      },
    };
  }

  private async refresh(id: TaskId, { tasks }: Board): Promise<void> {
    const task = await this.store.board.task(id);
    if (task) tasks.set(id, task);
  }

  /** A file that only its name gave an id is known again by its text. */
  private renamed({ files, names }: Pass): void {
    for (const pair of this.memory.pairs()) {
      if (pair.isDeleted || files.has(pair.id) || names.has(pair.file)) continue;
      const isIt = (file: TaskFile): boolean => !this.memory.of(file.id) && mark(file.text) === pair.text;
      const other = [...files.values()].find(isIt);
      if (!other) continue;
      this.memory.remove(pair);
      this.memory.add({ ...pair, id: other.id, file: other.file });
    }
  }

  private edges(file: TaskFile, { blocks }: Pass): string[] {
    return [...new Set([...file.blockedBy, ...(blocks.get(file.id) ?? [])])];
  }

  /** The fields of a file, with ids and names of the board. */
  private said(file: TaskFile, pass: Pass): FileTask {
    const { board } = pass;
    const edges = this.edges(file, pass);
    const unknown = edges.filter((id) => board.taskId(id) === undefined);
    if (unknown.length > 0) this.waits(file, unknown);
    const isSaid = unknown.length === 0 && (file.raw.blockedBy !== undefined || edges.length > 0);
    return {
      ...file.task,
      ...(file.task.owner !== undefined && { owner: ownerIn(board, file.task.owner) }),
      blockedBy: isSaid ? openOf(edges, board) : undefined,
    };
  }

  private waits(file: TaskFile, unknown: readonly string[]): void {
    this.fault(`${file.file}: it waits for ${unknown.join(", ")}, and no file has that id`);
  }

  private async merged(pair: Pair, file: TaskFile, pass: Pass): Promise<void> {
    const { store } = this;
    const { board } = pass;
    const task = board.tasks.get(pair.task);
    if (!task) return this.memory.remove(pair);
    const said = this.said(file, pass);
    const found = merge(pair.agreed, said, sharedOf(task, board, pair.agreed), mark);
    const { toBoard, conflicts } = found;
    const want = { status: said.status ?? task.status, owner: said.owner ?? "" };
    const lost = conflicts.length > 0 ? [`${conflicts.join(", ")}: changed on both sides`] : [];
    if (toBoard.length > 0) {
      const why = await change(store, task, toBoard, said, board);
      if (why !== null) lost.push(`${toBoard.join(", ")}: ${why}`);
    }
    let agreed = pair.agreed;
    if (found.progress === "file") {
      const why = await progress(store, task, want, file.said || `${want.status} in ${file.file}`, board);
      if (why === null) agreed = { ...agreed, ...want };
      else lost.push(`${want.status}: ${why}`);
    } else if (found.progress === "both") lost.push(`${want.status}: the status changed on both sides`);
    if (toBoard.length > 0 || found.progress === "file") await this.refresh(pair.task, board);
    this.settle(pair, file, said, { board, agreed, lost });
  }

  /** Writes the board's state into the file where they still differ. */
  private settle(
    pair: Pair,
    file: TaskFile,
    said: FileTask,
    {
      board,
      agreed,
      lost,
    }: { readonly board: Board; readonly agreed: Pair["agreed"]; readonly lost: readonly string[] },
  ): void {
    const task = board.tasks.get(pair.task) as Task;
    const shared = sharedOf(task, board, agreed);
    const isBehind = !sameProgress(
      { status: said.status ?? pair.agreed.status, owner: said.owner ?? pair.agreed.owner },
      shared,
    );
    const fields = EDITABLE_FIELDS.filter((field) => {
      const there = said[field] === undefined ? pair.agreed.marks[field] : mark(said[field]);
      return there !== mark(shared[field]);
    });
    let text = file.text;
    if (fields.length > 0 || isBehind) {
      text = changedText(file, task, shared, fields, isBehind);
      const copy = lost.length > 0 ? this.folder.keep(file.file, file.text) : "";
      if (!this.folder.write(file.file, text, file.text)) {
        this.again = true; // it was written meanwhile, and the next pass merges that
        return;
      }
      if (copy)
        this.tell(
          `${file.file}: #${task.id} stays as it is on the board (${lost.join("; ")}). The file's text is in ${copy}`,
        );
    } else for (const what of lost) this.fault(`${file.file}: ${what}`);
    pair.agreed = agreedOn(shared, mark);
    pair.file = file.file;
    pair.text = mark(text);
    pair.isDeleted = false;
    this.missing.delete(pair.id);
  }

  private async deleted({ files, names, board }: Pass): Promise<void> {
    const gone = this.memory
      .pairs()
      .filter((pair) => !pair.isDeleted && !files.has(pair.id) && !names.has(pair.file));
    for (const id of this.missing.keys()) if (!gone.some((pair) => pair.id === id)) this.missing.delete(id);
    const isOpen = ({ task }: Pair): boolean => {
      const found = board.tasks.get(task);
      return found !== undefined && !isFinished(found);
    };
    // An emptied folder is more likely an accident than the end of all work.
    const isEmptied = names.size === 0 && gone.filter(isOpen).length > 1;
    for (const pair of gone) {
      const since = this.missing.get(pair.id) ?? this.now();
      this.missing.set(pair.id, since);
      if (this.now() - since < DELETED_MS) this.again = true;
      else await this.followDeletion(pair, board, isEmptied);
    }
    if (isEmptied && this.missing.size === 0)
      this.tell("All task files were deleted. Those of unfinished tasks are written again.");
  }

  private async followDeletion(pair: Pair, board: Board, isEmptied: boolean): Promise<void> {
    this.missing.delete(pair.id);
    const task = board.tasks.get(pair.task);
    if (!task) return this.memory.remove(pair);
    if (!isFinished(task)) {
      const want = { status: "cancelled", owner: "" } as const;
      const why = isEmptied ? "" : await progress(this.store, task, want, `${pair.file} was deleted`, board);
      if (why !== null) {
        this.memory.remove(pair); // so its file is written again
        if (why) this.tell(`${pair.file} was deleted and is written again: ${why}`);
        return;
      }
      this.tell(`${pair.file} was deleted: #${task.id} is cancelled (to undo it: ekiden retry ${task.id})`);
      await this.refresh(task.id, board);
    }
    pair.agreed = agreedOn(sharedOf(board.tasks.get(pair.task) as Task, board, null), mark);
    pair.isDeleted = true;
  }

  /** In several rounds: a task goes on the board after those that it waits for. */
  private async newFiles(pass: Pass): Promise<void> {
    const isOpen = (id: string): boolean => !this.memory.of(id);
    const tried = new Set<string>();
    let left = [...pass.files.keys()].filter(isOpen);
    for (let before = -1; left.length !== before; ) {
      before = left.length;
      for (const id of left) {
        const file = pass.files.get(id) as TaskFile;
        if (this.edges(file, pass).some(isOpen)) continue;
        tried.add(id);
        await this.newFile(file, pass);
      }
      left = left.filter((id) => !tried.has(id));
    }
    for (const id of left) {
      const file = pass.files.get(id) as TaskFile;
      const edges = this.edges(file, pass).filter(isOpen);
      const unknown = edges.filter((one) => !pass.files.has(one));
      if (unknown.length > 0) this.waits(file, unknown);
      else this.fault(`${file.file}: it waits for ${edges.join(", ")}, which waits for it or cannot be used`);
    }
  }

  private async newFile(file: TaskFile, pass: Pass): Promise<void> {
    const { board } = pass;
    const said = this.said(file, pass);
    const twin = twinOf(file, said, board);
    const pairWith = (task: Task): Pair => {
      const agreed = agreedOn(sharedOf(task, board, null), mark);
      const pair = { id: file.id, task: task.id, file: file.file, agreed, text: "", isDeleted: false };
      this.memory.add(pair);
      return pair;
    };
    if (twin) return this.merged(pairWith(twin), file, pass);
    const added = await addFile(this.store, file, said, board);
    if (!added.ok) return this.fault(`${file.file}: ${added.why}`);
    board.tasks.set(added.task.id, added.task);
    const pair = pairWith(added.task);
    const { status = "pending", owner = "" } = said;
    this.settle(pair, file, said, { board, agreed: { ...pair.agreed, status, owner }, lost: [] });
    this.tell(`${file.file} is #${added.task.id} on the board`, true);
  }
}
