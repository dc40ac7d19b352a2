/** A store that signs the texts of tasks which the person of this process puts on its board. */

import type { NewTask, Task, TaskChange } from "../../core/board/task.ts";
import { type Name, PERSON } from "../../core/ids.ts";
import { tried } from "../../core/tried.ts";
import type { Board, Store } from "../../ports/index.ts";
import { userFolder } from "../own-folders.ts";
import { Provenance } from "./provenance.ts";

type Text = { readonly description?: string | undefined };

/** Where the person's folder cannot be written nothing is signed: such tasks are asked about. */
export function signing(store: Store, url: string): Store {
  const provenance = new Provenance(userFolder());
  const sign = (by: Name, texts: readonly Text[]): void => {
    if (by !== PERSON) return;
    const signed = texts.map(({ description }) => description);
    tried(() => provenance.sign({ store: url, team: store.team }, signed), null); // such as in a sandbox
  };
  const { board } = store;
  const own: Pick<Board, "add" | "addAll" | "addUnlessNewer" | "change"> = {
    add: async (task: NewTask, by: Name): Promise<Task> => {
      sign(by, [task]);
      const added = await board.add(task, by);
      sign(by, [added]); // as it is on the board, which may be without blanks at its ends
      return added;
    },
    addAll: async (tasks: readonly NewTask[], by: Name): Promise<Task[]> => {
      sign(by, tasks);
      const added = await board.addAll(tasks, by);
      sign(by, added);
      return added;
    },
    addUnlessNewer: async (tasks: readonly NewTask[], by: Name, ...more): Promise<Task[] | null> => {
      sign(by, tasks);
      const added = await board.addUnlessNewer(tasks, by, ...more);
      sign(by, added ?? []);
      return added;
    },
    change: async (id, change: TaskChange, by: Name): Promise<Task> => {
      sign(by, [change]);
      const changed = await board.change(id, change, by);
      if (change.description !== undefined) sign(by, [changed]);
      return changed;
    },
  };
  return Object.assign(Object.create(store), { board: Object.assign(Object.create(board), own) }) as Store;
}
