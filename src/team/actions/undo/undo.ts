/**
 * Takes back what members changed in files, and puts it back again. What was changed since stays: per file, the lines are merged, and a file
 * where that fails is left as it is and named. Git of the project is not touched: no index, branch or stash of the person.
 */
import { join } from "node:path";
import { systemClock } from "../../../adapters/clock.ts";
import { isRoot, stateOf } from "../../../adapters/git/undo/disk.ts";
import { recordKilled } from "../../../adapters/git/undo/killed.ts";
import { OwnRepository } from "../../../adapters/git/undo/own-repository.ts";
import { Records } from "../../../adapters/git/undo/records.ts";
import { childEnvironment } from "../../../adapters/shell/environment.ts";
import { badInput, isEkidenError, messageOf } from "../../../core/errors.ts";
import { HARNESS, type Name, name, PERSON, taskId } from "../../../core/ids.ts";
import {
  type Change,
  isSince,
  notEmpty,
  type PathChange,
  toRedo,
  toUndo,
  type Wanted,
} from "../../../core/undo/change.ts";
import { type Target, type Unwound, unwind } from "../../../core/undo/unwind.ts";
import { type ChangeRow, changeRows, type UndoneData, undoneText } from "../../../core/undo/views.ts";
import type { Store } from "../../../ports/index.ts";
import { withGit } from "../../../project/own-git.ts";
import type { ShowDiff } from "../../queries/shown-diff.ts";
import { mustExist } from "../../queries/team.ts";
import type { Done } from "../done.ts";
import { notDecidedBy } from "../tasks.ts";
import { blobsOf, carryOut, changesOf, factOf, finishPending, SAME } from "./carry-out.ts";
import { cutConversations } from "./conversation.ts";
import { diffOf } from "./diff.ts";
import { takeBackLanded } from "./landed.ts";
import { mergeIn } from "./merge.ts";
import { outsideCalls } from "./outside.ts";

/** `what`: a member, a task, or nothing for the last change of anybody. `since`: the number of a fact. */
export type Asked = {
  readonly what?: string | undefined;
  readonly since?: string | undefined;
  readonly dryRun?: boolean;
  /** Cut the conversations of the members at the same turn. */
  readonly conversation?: boolean;
};

/** @throws EkidenError `not_permitted` (a member) | `bad_input` (nothing to undo) | `not_found` */
export const undo = (store: Store, cwd: string, by: Name, asked: Asked): Promise<Done<UndoneData>> =>
  withRecords(store, cwd, by, async (own) => {
    const wanted = await wantedOf(store, asked);
    if (!asked.dryRun) await finishPending(store, cwd, own.records);
    const all = await own.records.list();
    const chosen = notEmpty(toUndo(all, wanted), wanted);
    const { since = 0 } = wanted;
    const partly = all.filter((one) => one.calls !== undefined && one.at >= since && !isSince(one, since));
    return await takeBack(own, chosen, chosen, {
      ...{ kind: "undo", by, dryRun: asked.dryRun === true, cuts: asked.conversation === true },
      apart: partly.map(
        ({ who, what, began }) =>
          `${what} of ${who} are kept as one and stay: to undo them, too, give --since a line from before ${new Date(began).toISOString().slice(0, 19).replace("T", " ")} UTC`,
      ),
    });
  });

/** @throws as `undo` */
export const redo = (store: Store, cwd: string, by: Name, dryRun = false): Promise<Done<UndoneData>> =>
  withRecords(store, cwd, by, async (own) => {
    if (!dryRun) await finishPending(store, cwd, own.records);
    const all = await own.records.list();
    const last = toRedo(all);
    if (!last) throw badInput("Nothing was undone that could be put back.");
    return await takeBack(own, [last], changesOf(last, all), {
      ...{ kind: "redo", by, dryRun, cuts: false },
    });
  });

/** What `undo` and `redo` would do now; null where there is nothing to. `text`: apart from the diff, or why there is nothing. */
export type Preview = {
  readonly undo: { readonly data: UndoneData | null; readonly text: string };
  readonly redo: string | null;
};

/** `show`: the diff as it may be seen. */
export async function previewed(store: Store, cwd: string, what: string, show: ShowDiff): Promise<Preview> {
  const nothing = (error: unknown): null => {
    if (isEkidenError(error, "bad_input")) return null;
    throw error;
  };
  let why = "";
  const shown = await undo(store, cwd, PERSON, { what, dryRun: true }).catch((error: unknown) => {
    why = messageOf(error);
    return nothing(error);
  });
  const back = await redo(store, cwd, PERSON, true).catch(nothing);
  return {
    undo: shown
      ? {
          data: { ...shown.data, diff: show(shown.data.diff, "") },
          text: shown.data.diff === "" ? shown.text : undoneText(shown.data),
        }
      : { data: null, text: why },
    redo: back && undoneText(back.data),
  };
}

/** The recorded changes, the newest first. */
export const changesIn = (store: Store, cwd: string): Promise<ChangeRow[]> =>
  withOwn(store, cwd, async ({ records }) => changeRows(await records.list()));

type Own = {
  readonly store: Store;
  readonly cwd: string;
  readonly repository: OwnRepository;
  readonly records: Records;
};

const withOwn = <T>(store: Store, cwd: string, use: (own: Own) => Promise<T>): Promise<T> =>
  withGit(cwd, async (_, sandbox) => {
    const repository = new OwnRepository(cwd, sandbox, childEnvironment(process.env));
    const records = new Records(repository, store.team);
    if (repository.isThere) await recordKilled(repository, store.team, records).catch(() => {}); // undo is of what is recorded
    return await use({ store, cwd, repository, records });
  });

async function withRecords<T>(
  store: Store,
  cwd: string,
  by: Name,
  use: (own: Own) => Promise<T>,
): Promise<T> {
  if (by !== PERSON) throw notDecidedBy(by, "Ask the person with ask_person.");
  return await withOwn(store, cwd, async (own) => {
    if (own.repository.isThere) own.repository.make();
    return await use(own);
  });
}

async function wantedOf(store: Store, { what, since }: Asked): Promise<Wanted> {
  const time = since === undefined ? {} : { since: await timeOf(store, since) };
  if (what === undefined || what === "") return time;
  if (/^#?\d+$/.test(what)) return { ...time, task: taskId(what) };
  const who = name(what);
  await mustExist(store, who);
  return { ...time, who };
}

/** Of a fact, by its number. */
async function timeOf(store: Store, text: string): Promise<number> {
  const seq = Number(text.replace(/^#/, ""));
  const { events } =
    Number.isSafeInteger(seq) && seq > 0
      ? await store.journal.read(store.journal.from(seq - 1), { limit: 1 })
      : { events: [] };
  if (!events[0])
    throw badInput(
      `--since ${text} is not the number of a journal line, such as 120. ekiden log --json shows them.`,
    );
  return events[0].at;
}

type How = {
  readonly kind: "undo" | "redo";
  readonly by: Name;
  readonly dryRun: boolean;
  readonly cuts: boolean;
  /** Sentences about what is not taken back, although it was asked for. */
  readonly apart?: readonly string[];
};

/** `chosen`: the records that are taken back. `of`: the changes of members that they are about. */
async function takeBack(
  own: Own,
  chosen: readonly Change[],
  of: readonly Change[],
  how: How,
): Promise<Done<UndoneData>> {
  const { store, cwd } = own;
  const gone = chosen.flatMap(({ roots }) => roots.filter(({ root }) => !isRoot(cwd, root)));
  if (how.kind === "undo" && gone.length > 0 && gone.length === chosen.flatMap(({ roots }) => roots).length)
    return await takeBackLanded(store, of, how.dryRun);
  const here = chosen.map((one) => ({ ...one, roots: one.roots.filter(({ root }) => isRoot(cwd, root)) }));
  const unwound = await unwindIn(own, here);
  // Where everything is left as it is, the change stays one that can be undone later.
  const isNothing = unwound.targets.length === 0 && unwound.conflicts.length > 0;
  const made = how.dryRun || isNothing ? null : await recordAndCarryOut(own, chosen, unwound.targets, how);
  const conflicts = [...unwound.conflicts, ...(made?.faults ?? [])];
  const isDone = made !== null || how.dryRun;
  const cut = how.cuts && isDone ? await cutConversations(store, how.by, of, how.dryRun) : [];
  if (made) {
    const fact = factOf(made.change, of, conflicts);
    await store.journal.note([fact]);
    await tellMembers(store, fact as Undone);
  }
  const tasks = [...new Set(of.map(({ task }) => task))];
  const data: UndoneData = {
    ...{ id: made?.change.id ?? null, redo: how.kind === "redo", dryRun: how.dryRun },
    whose: [...new Set(of.map(({ who }) => who))],
    task: tasks.length === 1 ? (tasks[0] ?? null) : null,
    files: unwound.targets.map(({ root, path, now, was }) => ({
      path: root === "" ? path : `${root}/${path}`,
      how: now === null ? "restored" : was === null ? "removed" : "changed back",
    })),
    conflicts,
    left: [
      ...new Set([
        ...of.flatMap(({ left }) => left),
        ...unwound.gone.map((path) => `${path} (its content is gone, such as by a git gc of the project)`),
        ...gone.flatMap(({ root, paths }) =>
          paths.map(({ path }) => `${root}/${path} (its workspace is gone)`),
        ),
      ]),
    ],
    outside: how.kind === "redo" ? [] : await outsideCalls(store, of),
    conversations: [...(how.apart ?? []), ...cut],
    diff: how.dryRun ? await diffOf(unwound.targets) : "",
  };
  return {
    data,
    text: how.dryRun && data.diff !== "" ? `${data.diff}\n${undoneText(data)}` : undoneText(data),
  };
}

/** `gone`: paths whose content went with objects of the project. */
async function unwindIn(
  { cwd, repository, records }: Own,
  changes: readonly Change[],
): Promise<Unwound<Buffer> & { readonly gone: readonly string[] }> {
  const contents = await records.contents(blobsOf(changes));
  const gone = new Set<string>();
  const isThere = (root: string, { path, before, after }: PathChange): boolean => {
    const isWhole = [before, after].every((one) => one === null || contents.has(one.oid));
    if (!isWhole) gone.add(root === "" ? path : `${root}/${path}`);
    return isWhole;
  };
  const whole = changes.map((change) => ({
    ...change,
    roots: change.roots.map((one) => ({
      ...one,
      paths: one.paths.filter((path) => isThere(one.root, path)),
    })),
  }));
  const unwound = await unwind<Buffer>(whole, {
    ...SAME,
    content: async (oid) => contents.get(oid) ?? Buffer.alloc(0),
    now: (root, path) => stateOf(join(cwd, root), path),
    merge: (base, ours, theirs) => mergeIn(repository, base, ours, theirs),
  });
  return { ...unwound, gone: [...gone] };
}

async function recordAndCarryOut(
  { records, cwd }: Own,
  chosen: readonly Change[],
  targets: readonly Target<Buffer>[],
  { kind, by }: How,
): Promise<{ change: Change; faults: string[] }> {
  const roots = [...new Set(targets.map(({ root }) => root))].map((root) => ({
    root,
    paths: targets
      .filter((one) => one.root === root)
      .map(({ path, now, was }) => ({ path, before: now, after: was })),
  }));
  const at = systemClock.now();
  const change = await records.add(
    {
      ...{ kind, who: by, task: null, reply: "", what: kind, began: at, at, beside: [], left: [] },
      ...{ roots, of: chosen.map(({ id }) => id) },
    },
    "pending",
  );
  const faults = await carryOut(cwd, records, change);
  await records.finish(change);
  return { change, faults };
}

type Undone = Extract<ReturnType<typeof factOf>, { type: "work.undone" }>;

/** One letter to each member that is there: its files are not as it left them. */
async function tellMembers(store: Store, { whose, files, paths, again }: Undone): Promise<void> {
  if (files === 0) return;
  const members = new Map((await store.roster.members()).map((one) => [one.name, one]));
  const more = files - paths.length;
  const text = `The person has ${again ? "put back" : "undone"} changes of yours in these files: ${paths.join(", ")}${more > 0 ? ` and ${more} more` : ""}. Read a file again before you change it, and do not repeat ${again ? "the undo" : "what was undone"} unless you are asked to.`;
  for (const who of whose) {
    const member = members.get(who);
    if (!member || member.host === null || member.activity.phase === "shutdown") continue;
    await store.mail.send(HARNESS, { to: who, body: { kind: "note", text } }).catch(() => {});
  }
}
