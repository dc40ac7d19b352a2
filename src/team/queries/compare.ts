/** Compares two teams of a store: what they have done since they were one, and their files. */
import { OwnRepository } from "../../adapters/git/undo/own-repository.ts";
import { WatchedFolder } from "../../adapters/git/undo/watched-folder.ts";
import { childEnvironment } from "../../adapters/shell/environment.ts";
import { notFound } from "../../core/errors.ts";
import type { Event, FactType } from "../../core/event.ts";
import type { CompareData, SideData } from "../../core/fork/compare.ts";
import type { Name } from "../../core/ids.ts";
import { SPENDING_FACTS, Spent } from "../../core/picture/spent.ts";
import { cutEnd } from "../../core/text/valid.ts";
import type { Store } from "../../ports/index.ts";
import { forkFolder, originalOf, partOf } from "../../project/fork-folder.ts";
import { withGit } from "../../project/own-git.ts";
import type { ShowDiff } from "./shown-diff.ts";

/** `show`: with the diff of the files, as it may be seen. @throws EkidenError `not_found` for a team that is not there */
export async function compare(
  store: Store,
  project: string,
  names: readonly [Name, Name],
  show?: ShowDiff,
): Promise<CompareData> {
  const known = await store.teams();
  const missing = names.find((one) => !known.includes(one));
  if (missing !== undefined) throw notFound(`There is no team "${missing}". The teams: ${known.join(", ")}.`);
  const [a, b] = [await store.forTeam(names[0]), await store.forTeam(names[1])];
  try {
    const [ofA, ofB] = [await forkedOf(a), await forkedOf(b)];
    const [baseA, baseB] = basesOf(names, ofA, ofB);
    const sides = [await sideOf(a, baseA), await sideOf(b, baseB)] as const;
    return {
      sides,
      sinceFork: baseA + baseB > 0,
      tasks: await differing(a, b),
      ...(await filesOf(project, names, show)),
    };
  } finally {
    await a.close();
    await b.close();
  }
}

/** Null for a team that is no fork. */
async function forkedOf({ journal }: Store): Promise<Forked | null> {
  let found: Forked | null = null;
  for await (const { events } of journal.pages(journal.from(0), ["team.forked"]))
    for (const event of events) if (event.type === "team.forked") found = event;
  return found;
}

type Forked = Extract<Event, { type: "team.forked" }>;

/** The facts from which each is counted; 0: from the beginning. */
function basesOf([a, b]: readonly [Name, Name], ofA: Forked | null, ofB: Forked | null): [number, number] {
  if (ofB?.from === a) return [ofB.line, ofB.seq];
  if (ofA?.from === b) return [ofA.seq, ofA.line];
  if (ofA && ofB && ofA.from === ofB.from) return [ofA.seq, ofB.seq];
  return [0, 0];
}

const COUNTED = [
  ...SPENDING_FACTS,
  "tool.called",
  "task.reopened",
  "team.finished",
] as const satisfies readonly FactType[];

/** What a team has done behind the fact `base`. */
async function sideOf({ team, board, journal }: Store, base: number): Promise<SideData> {
  const spent = new Spent();
  const found = { outcome: "", calls: 0, refusals: 0, from: 0, to: 0 };
  for await (const { events } of journal.pages(journal.from(0), COUNTED))
    for (const event of events) {
      const isOwn = event.seq > base;
      // Who had what in hand is from before, too.
      if (isOwn || event.type !== "turn.taken") spent.apply(event);
      if (!isOwn) continue;
      if (event.type === "tool.called") found.calls += 1;
      if (event.type === "task.reopened") found.refusals += 1;
      if (event.type === "team.finished") found.outcome = event.reason;
      else if (event.type !== "teammate.phase") {
        found.from ||= event.at;
        found.to = event.at;
      }
    }
  const { outcome, calls, refusals, from, to } = found;
  const { total, tasks } = spent.costs();
  const done = new Set(
    (await board.tasks()).flatMap(({ id, status }) => (status === "completed" ? [String(id)] : [])),
  );
  const lost = Object.entries(tasks).filter(([task]) => /^\d+$/.test(task) && !done.has(task));
  return {
    ...{ team, outcome, counts: await board.counts(), calls, refusals, ms: to - from },
    ...{ usd: total.usd, turns: total.turns, lostUsd: lost.reduce((sum, [, { usd }]) => sum + usd, 0) },
  };
}

async function differing(a: Store, b: Store): Promise<CompareData["tasks"]> {
  const [ofA, ofB] = [await a.board.tasks(), await b.board.tasks()];
  const inB = new Map(ofB.map((task) => [task.id, task]));
  const inA = new Set(ofA.map(({ id }) => id));
  return [
    ...ofA.map((task) => ({ task, states: [task.status, inB.get(task.id)?.status ?? null] as const })),
    ...ofB.filter(({ id }) => !inA.has(id)).map((task) => ({ task, states: [null, task.status] as const })),
  ].flatMap(({ task: { id, subject }, states }) =>
    states[0] === states[1] ? [] : [{ id, subject, states }],
  );
}

const DIFF_MAX = 400_000;

/** Null where both work in one folder. */
async function filesOf(
  project: string,
  names: readonly [Name, Name],
  show: ShowDiff | undefined,
): Promise<Pick<CompareData, "files" | "diff">> {
  const [a, b] = names.map((one) => forkFolder(project, one) ?? originalOf(project)) as [string, string];
  if (a === b) return { files: null };
  return await withGit(project, async (_, sandbox) => {
    const own = new OwnRepository(project, sandbox, childEnvironment(process.env));
    const trees: string[] = [];
    for (const folder of [a, b]) {
      const watched = new WatchedFolder(own, folder);
      await watched.look();
      trees.push(await watched.tree());
    }
    const part = partOf(project);
    const diff = (how: readonly string[]): Promise<string> =>
      own.git(["diff", ...how, "--no-renames", ...(part === "" ? [] : [`--relative=${part}`]), ...trees]);
    const files = (await diff(["--numstat", "-z"])).split("\0").flatMap((line) => {
      const [, added = "", removed = "", path = ""] = /^(\d+|-)\t(\d+|-)\t(.+)$/s.exec(line) ?? [];
      const count = (text: string): number | null => (text === "-" ? null : Number(text));
      return path === "" ? [] : [{ path, added: count(added), removed: count(removed) }];
    });
    return { files, ...(show && { diff: cutEnd(show(await diff(["--no-color"]), ""), DIFF_MAX) }) };
  });
}
