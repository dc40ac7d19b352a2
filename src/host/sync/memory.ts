/** The last agreement between a folder of task files and the board, task by task. It is kept in the folder, so that it goes where the files go. */

import { createHash } from "node:crypto";
import { z } from "zod";
import type { TaskFolder } from "../../adapters/layout/task-folder.ts";
import type { Agreed } from "../../core/board/sync.ts";
import { EDITABLE_FIELDS } from "../../core/board/task.ts";
import { badInput } from "../../core/errors.ts";
import type { TaskId } from "../../core/ids.ts";
import { tried } from "../../core/tried.ts";

export type Pair = {
  /** The id in the file. */
  readonly id: string;
  readonly task: TaskId;
  file: string;
  agreed: Agreed;
  /** The mark of the file's text, to know it again under another name. */
  text: string;
  /** The file was deleted; it is written again only when the task changes. */
  isDeleted: boolean;
};

const NAME = ".json";
const short = z.string().max(200);
const pair = z.object({
  id: z.string(),
  task: z.int(),
  file: short,
  agreed: z.object({
    status: z.enum(["pending", "in_progress", "completed", "failed", "cancelled"]),
    owner: z.string(),
    marks: z.object(Object.fromEntries(EDITABLE_FIELDS.map((field) => [field, short]))),
  }),
  text: short,
  isDeleted: z.boolean(),
});
const memory = z.object({ store: z.string(), team: z.string(), pairs: z.array(pair) });

const digest = (text: string): string => `sha256:${createHash("sha256").update(text).digest("base64url")}`;
const LONG = 100;
/** The text of a value, or the digest of a long one. */
export function mark(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length <= LONG ? text : digest(text);
}

export class Memory {
  private readonly folder: TaskFolder;
  private readonly about: { readonly store: string; readonly team: string };
  private readonly byId = new Map<string, Pair>();
  private readonly byTask = new Map<TaskId, Pair>();
  private written = "";

  /** @throws EkidenError `bad_input` when the folder is kept for another team */
  constructor(folder: TaskFolder, store: string, team: string) {
    this.folder = folder;
    this.about = { store: digest(store), team };
    const text = folder.own(NAME);
    if (text === null) return;
    const found = read(text);
    if (!found) return; // begins anew: what is equal on both sides is paired again
    if (found.store !== this.about.store || found.team !== team)
      throw badInput(
        `${folder.dir} is kept for team "${found.team}"${found.team === team ? " of another store" : ""}. Choose another folder, or delete .ekiden-sync.json in it to begin anew.`,
      );
    for (const one of found.pairs) this.add(one as unknown as Pair);
    this.written = text;
  }

  pairs(): Pair[] {
    return [...this.byId.values()];
  }

  of(id: string): Pair | undefined {
    return this.byId.get(id);
  }

  ofTask(task: TaskId): Pair | undefined {
    return this.byTask.get(task);
  }

  add(pair: Pair): void {
    this.byId.set(pair.id, pair);
    this.byTask.set(pair.task, pair);
  }

  remove({ id, task }: Pair): void {
    this.byId.delete(id);
    this.byTask.delete(task);
  }

  save(): void {
    const text = JSON.stringify({ ...this.about, pairs: this.pairs() });
    if (text !== this.written) this.folder.writeOwn(NAME, text);
    this.written = text;
  }
}

const read = (text: string): z.output<typeof memory> | null =>
  tried(() => memory.safeParse(JSON.parse(text)).data ?? null, null);
