/**
 * The files of a fork: a clone of the project on the branch and the commit of then, with what was not committed, from which the recorded changes
 * since then are taken back. It is made beside its place and gets its name when it is whole.
 */
import { existsSync, lstatSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { bindingsOf, hasWorktrees } from "../../../adapters/git/bindings.ts";
import { draftName, draftOf, finishDrafts } from "../../../adapters/git/clones/clone.ts";
import { repositoryOf } from "../../../adapters/git/clones/preflight.ts";
import type { Git } from "../../../adapters/git/git.ts";
import { putState, stateOf } from "../../../adapters/git/undo/disk.ts";
import { OwnRepository } from "../../../adapters/git/undo/own-repository.ts";
import { Records } from "../../../adapters/git/undo/records.ts";
import { WatchedFolder } from "../../../adapters/git/undo/watched-folder.ts";
import { removeTree } from "../../../adapters/remove-tree.ts";
import { childEnvironment } from "../../../adapters/shell/environment.ts";
import { newTicket } from "../../../adapters/tickets.ts";
import { branchOf, slugOf, worktreePath } from "../../../core/board/worktree.ts";
import { EkidenError, isEkidenError } from "../../../core/errors.ts";
import type { Name } from "../../../core/ids.ts";
import { listed } from "../../../core/text/listed.ts";
import { tried } from "../../../core/tried.ts";
import { isSince, type PathChange } from "../../../core/undo/change.ts";
import { unwind } from "../../../core/undo/unwind.ts";
import type { PointThen, Store } from "../../../ports/index.ts";
import { forksIn, partOf } from "../../../project/fork-folder.ts";
import { withGit } from "../../../project/own-git.ts";
import { blobsOf, SAME } from "../undo/carry-out.ts";
import { mergeIn } from "../undo/merge.ts";

export type ForkFiles = {
  /** Where the fork works. */
  readonly folder: string;
  /** The commit that it begins with; null without a repository. */
  readonly commit: string | null;
  /** The files from which later changes were taken back. */
  readonly takenBack: number;
  /** Where that was not possible, and what else is not as it was, in sentences. */
  readonly said: readonly string[];
};

/** @throws EkidenError `name_taken` */
export function makeFiles(store: Store, project: string, to: Name, point: PointThen): Promise<ForkFiles> {
  const place = join(forksIn(project), to);
  return withGit(project, async (git, sandbox) => {
    const own = new OwnRepository(project, sandbox, childEnvironment(process.env));
    own.make();
    mkdirSync(forksIn(project), { recursive: true, mode: 0o700 });
    writeFileSync(join(forksIn(project), ".gitignore"), "*\n");
    finishDrafts(forksIn(project));
    const watched = new WatchedFolder(own, project);
    await watched.look();
    const cloned = await cloneThen(store, git, project, to, point);
    const draft = cloned?.draft ?? join(forksIn(project), draftName());
    try {
      const workspace = join(draft, partOf(project));
      mkdirSync(workspace, { recursive: true });
      await put(own, { project, workspace }, await watched.changesFrom(cloned?.commit ?? EMPTY));
      const back = await takeBack(store, own, workspace, point);
      if (existsSync(place))
        throw new EkidenError(
          "name_taken",
          `There is a folder ${place} already. Choose another name for the fork, or remove it.`,
        );
      renameSync(draft, place);
      const folder = join(place, partOf(project));
      if (hasWorktrees({ project, team: store.team })) bindingsOf({ project: folder, team: to }).inUse = true;
      return {
        folder,
        commit: cloned?.commit ?? null,
        takenBack: back.files,
        said: [...(cloned?.said ?? []), ...back.said],
      };
    } finally {
      removeTree(draft);
    }
  });
}

/** The tree without a file. */
const EMPTY = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";

type Cloned = { readonly draft: string; readonly commit: string; readonly said: readonly string[] };

/** Null without a repository that can be cloned. */
async function cloneThen(
  store: Store,
  git: Git,
  project: string,
  to: Name,
  point: PointThen,
): Promise<Cloned | null> {
  const found = await repositoryOf(git, project, undefined, false, false).catch((error: unknown) => {
    if (isEkidenError(error, "bad_input")) return null;
    throw error;
  });
  if (!found) return null;
  const { target } = found;
  const said: string[] = [];
  const later = await landedSince(store, point);
  const then = await commitThen(git, project, `refs/heads/${target}`, point, later);
  const commit = then ?? (await git.run(project, "rev-parse", `refs/heads/${target}`));
  if (then === null)
    said.push(`git does not say where ${target} was then, so the fork begins with its present commit`);
  const all = await git.run(
    project,
    "for-each-ref",
    "--format=%(objectname) %(refname)",
    "refs/heads",
    "refs/tags",
    "refs/remotes",
  );
  const place = join(forksIn(project), to);
  const refs = all.split("\n").filter(Boolean);
  const branches = await taskBranches(store, git, project, to, point, said);
  const making = {
    folder: forksIn(project),
    root: place,
    branch: target,
    commit,
    refs: [...refs, ...branches],
  };
  const draft = await draftOf({ ...found, git, project, share: [] }, making);
  await withGit(draft, (own) => own.run(draft, "checkout", "--quiet", "--force", target));
  return { draft, commit, said };
}

/** The commits that landed after the point: they are not in the fork, also where git noted them in the same second. */
async function landedSince({ journal }: Store, { seq }: PointThen): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  for await (const { events } of journal.pages(journal.from(seq), ["task.landed"]))
    for (const event of events) if (event.type === "task.landed") found.add(event.commit);
  return found;
}

/** The tip of a branch at that time, as git has logged it; null where the log does not reach as far. */
async function commitThen(
  git: Git,
  project: string,
  ref: string,
  { at }: PointThen,
  not: ReadonlySet<string>,
): Promise<string | null> {
  const { code, out } = await git.try(
    project,
    "log",
    "--walk-reflogs",
    "--format=%H %gd",
    "--date=unix",
    ref,
    "--",
  );
  if (code !== 0) return null;
  for (const line of out.split("\n")) {
    const [, commit = "", time = ""] = /^(\w+) .*@\{(\d+)\}$/.exec(line) ?? [];
    if (commit !== "" && Number(time) * 1_000 <= at && !not.has(commit)) return commit;
  }
  return null;
}

/** Tasks that were under way in clones continue with what of them was on their branches. */
async function taskBranches(
  store: Store,
  git: Git,
  project: string,
  to: Name,
  point: PointThen,
  said: string[],
): Promise<string[]> {
  const bindings = bindingsOf({ project, team: store.team });
  const found: string[] = [];
  for (const task of await store.board.tasks()) {
    const binding = bindings.read(task);
    const commit =
      binding && (await commitThen(git, project, `refs/heads/${binding.branch}`, point, new Set()));
    if (commit)
      found.push(`${commit} refs/heads/${branchOf(worktreePath(to, task.id, slugOf(task.subject)))}`);
  }
  if (found.length > 0)
    said.push(
      "tasks under way begin with what was on their branches; what they had not committed is not there",
    );
  return found;
}

/** `project`: a file that is not recorded, because it is too large, is there and seems to be removed. */
async function put(
  own: OwnRepository,
  { project, workspace }: { readonly project: string; readonly workspace: string },
  changes: readonly PathChange[],
): Promise<void> {
  const contents = await new Records(own, "none" as Name).contents(
    changes.flatMap(({ after }) => after?.oid ?? []),
  );
  const draft = join(own.folder, "drafts", newTicket());
  for (const { path, after } of [...changes].sort(
    (a, b) => Number(a.after !== null) - Number(b.after !== null),
  )) {
    if (after === null && lstatSync(join(project, path), { throwIfNoEntry: false })) continue;
    const content = after && contents.get(after.oid);
    if (content !== undefined)
      putState(workspace, path, after && content ? { mode: after.mode, content } : null, draft);
  }
}

/** What members have changed since, in the files that all share. */
async function takeBack(
  { team }: Store,
  own: OwnRepository,
  workspace: string,
  { at }: PointThen,
): Promise<{ readonly files: number; readonly said: readonly string[] }> {
  const records = new Records(own, team);
  const since = (await records.list())
    .filter((one) => isSince(one, at + 1))
    .map((one) => ({ ...one, roots: one.roots.filter(({ root }) => root === "") }))
    .reverse();
  const contents = await records.contents(blobsOf(since));
  const { targets, conflicts } = await unwind<Buffer>(since, {
    ...SAME,
    content: async (oid) => contents.get(oid) ?? Buffer.alloc(0),
    now: (_, path) => stateOf(workspace, path),
    merge: (base, ours, theirs) => mergeIn(own, base, ours, theirs),
  });
  const draft = join(own.folder, "drafts", newTicket());
  const removedFirst = targets.toSorted((a, b) => Number(a.was !== null) - Number(b.was !== null));
  for (const { path, was } of removedFirst) putState(workspace, path, was, draft);
  tried(() => rmSync(draft, { force: true }), undefined);
  const said =
    conflicts.length > 0
      ? [`as they are now, because the same lines were changed since: ${listed(conflicts)}`]
      : [];
  return { files: targets.length, said };
}
