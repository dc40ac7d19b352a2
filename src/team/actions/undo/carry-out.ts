/**
 * Carries out an undo that is recorded. It is recorded before the first file changes, so that the next process can finish it after a crash: a file
 * is then as before or as after it. One that somebody has changed meanwhile stays.
 */
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { putState, stateOf } from "../../../adapters/git/undo/disk.ts";
import type { Records } from "../../../adapters/git/undo/records.ts";
import { newTicket } from "../../../adapters/tickets.ts";
import { messageOf } from "../../../core/errors.ts";
import type { Fact } from "../../../core/event.ts";
import type { Blob, Change } from "../../../core/undo/change.ts";
import { isSameState, type State } from "../../../core/undo/unwind.ts";
import type { Store } from "../../../ports/index.ts";

export const SAME = { isSame: (one: Buffer, other: Buffer): boolean => one.equals(other) };
const PATHS_MAX = 50;

/** The contents that a record names. */
export const blobsOf = (changes: readonly Change[]): string[] => [
  ...new Set(
    changes.flatMap(({ roots }) =>
      roots.flatMap(({ paths }) =>
        paths.flatMap(({ before, after }) => [before, after].flatMap((one) => one?.oid ?? [])),
      ),
    ),
  ),
];

/** Each change of it that could not be made, with the reason. Files are removed first: a folder may take the place of one. */
export async function carryOut(project: string, records: Records, change: Change): Promise<string[]> {
  const contents = await records.contents(blobsOf([change]));
  const load = (blob: Blob | null): Exclude<State<Buffer>, "other"> | undefined => {
    const content = blob && contents.get(blob.oid);
    return blob === null ? null : content && { mode: blob.mode, content };
  };
  const faults: string[] = [];
  const draft = join(project, ".ekiden", "undo", "drafts", newTicket());
  const all = change.roots.flatMap(({ root, paths }) => paths.map((path) => ({ root, ...path })));
  const removedFirst = all.sort((a, b) => Number(a.after !== null) - Number(b.after !== null));
  for (const { root, path, before, after } of removedFirst) {
    const [was, wanted] = [load(before), load(after)];
    const folder = join(project, root);
    const name = root === "" ? path : `${root}/${path}`;
    if (wanted === undefined || was === undefined || !existsSync(folder)) {
      faults.push(`${name}: its content or its workspace is gone`);
      continue;
    }
    const now = stateOf(folder, path);
    if (isSameState(now, wanted, SAME)) continue;
    if (!isSameState(now, was, SAME)) faults.push(`${name}: it was changed meanwhile`);
    else
      try {
        putState(folder, path, wanted, draft);
      } catch (error) {
        faults.push(`${name}: ${messageOf(error)}`);
      }
  }
  rmSync(draft, { force: true });
  return faults;
}

/** As the journal tells it. `of`: the changes that were taken back. */
export function factOf(change: Change, of: readonly Change[], kept: readonly string[]): Fact {
  const files = change.roots.flatMap(({ root, paths }) =>
    paths.map(({ path }) => (root === "" ? path : `${root}/${path}`)),
  );
  const tasks = [...new Set(of.map(({ task }) => task))];
  return {
    type: "work.undone",
    by: change.who,
    whose: [...new Set(of.map(({ who }) => who))],
    task: tasks.length === 1 ? (tasks[0] ?? null) : null,
    files: files.length,
    paths: files.slice(0, PATHS_MAX),
    kept: kept.slice(0, PATHS_MAX),
    again: change.kind === "redo",
  };
}

/** The members' changes that an undo, or the undo behind a redo, is about. */
export function changesOf(change: Change, all: readonly Change[]): Change[] {
  const found = all.filter(({ id }) => change.of.includes(id));
  return found.flatMap((one) => (one.kind === "call" ? [one] : changesOf(one, all)));
}

/** Finishes what a process that was killed has begun. */
export async function finishPending(store: Store, project: string, records: Records): Promise<void> {
  const pending = await records.list("pending");
  if (pending.length === 0) return;
  const all = await records.list();
  for (const change of pending) {
    const faults = await carryOut(project, records, change);
    await records.finish(change);
    await store.journal.note([factOf(change, changesOf(change, all), faults)]);
  }
}
