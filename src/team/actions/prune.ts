/** Deletes what has become old: facts and conversations, whole teams, output files, images, records of gates. Counts only, on a dry run. */
import { lstatSync, readdirSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { imagesIn, MAILBOX_MAX } from "../../core/board/mail.ts";
import type { Image } from "../../core/conversation/image.ts";
import { type Instant, LEAD, type Name, PERSON } from "../../core/ids.ts";
import { isActive, type PruneData, type PrunedTeam } from "../../core/views/prune.ts";
import type { Store } from "../../ports/index.ts";

export type PruneOptions = {
  readonly before: Instant;
  /** Whether silent teams are deleted whole. Never the team of `store`. */
  readonly teams: boolean;
  readonly dryRun: boolean;
  /** Of background commands and long results; files in it are deleted by age. */
  readonly outputDir: string;
};

/** @throws what the store throws; rows that were deleted until then stay deleted */
export async function prune(store: Store, options: PruneOptions): Promise<PruneData> {
  const { before, dryRun, outputDir } = options;
  const teams: PrunedTeam[] = [];
  const inUse = new Set<string>();
  const images = new Set<string>();
  let gates = 0;
  const imageDir = join(outputDir, "images");
  const hasImages = pruneFiles(imageDir, before, () => false, true) > 0;
  for (const name of await store.teams()) {
    const team = await store.forTeam(name);
    try {
      const pruned = await pruneTeam(team, name === store.team, options);
      teams.push(pruned);
      gates += await team.landings.gates.prune(before, !dryRun);
      if (hasImages && pruned.deleted !== "yes")
        for await (const { sha256 } of imagesNamedIn(team)) images.add(sha256);
      for (const { state, outputPath } of await team.jobs.list(null, JOBS))
        if (state === "running") inUse.add(outputPath);
    } finally {
      await team.close();
    }
  }
  for (const { name, deleted } of teams)
    if (deleted === "yes" && !dryRun) await store.removeTeam(name, PERSON);
  return {
    before,
    dryRun,
    teams,
    outputFiles: pruneFiles(outputDir, before, (path) => inUse.has(path), dryRun),
    images: pruneFiles(imageDir, before, (path) => images.has(basename(path).split(".")[0] ?? ""), dryRun),
    gates,
  };
}

/** Enough for all that run: a host ends its commands with itself. */
const JOBS = 10_000;

async function pruneTeam(team: Store, isOurs: boolean, options: PruneOptions): Promise<PrunedTeam> {
  const { before, dryRun, teams } = options;
  const deleted = !teams || isOurs ? "no" : await obstacle(team, before);
  const only = dryRun || deleted === "yes";
  const { facts, entries } = await team.prune(before, only ? null : PERSON);
  return { name: team.team, facts, entries, deleted };
}

/** "yes", or why the team is kept. */
async function obstacle({ board, roster, prune }: Store, before: Instant): Promise<string> {
  const { newest } = await prune(before, null);
  if (newest === null || newest >= before) return "no";
  const counts = await board.counts();
  const unfinished = counts.pending + counts.inProgress;
  if (unfinished > 0) return `kept: ${unfinished} unfinished`;
  const active = (await roster.members()).filter(isActive).map(({ name }): Name => name);
  return active.length > 0 ? `kept: ${active.join(", ")} not stopped` : "yes";
}

/** The images that mail and conversations of a team name. */
async function* imagesNamedIn({ roster, mail, transcript }: Store): AsyncGenerator<Image> {
  const members = (await roster.members()).map(({ name }) => name);
  for (const name of new Set([PERSON, LEAD, ...members])) {
    for (const one of await mail.box(name, MAILBOX_MAX)) yield* imagesIn(one);
    for await (const page of transcript.pages(name))
      for (const { entry } of page) if (entry.kind === "heard") yield* entry.images ?? [];
  }
}

/** Regular files only, and none through a link: the folder belongs to a project. */
function pruneFiles(
  folder: string,
  before: number,
  isInUse: (path: string) => boolean,
  dryRun: boolean,
): number {
  if (!lstatSync(folder, { throwIfNoEntry: false })?.isDirectory()) return 0;
  let count = 0;
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (!found?.isFile() || found.mtimeMs >= before || isInUse(path)) continue;
    if (!dryRun) rmSync(path, { force: true });
    count += 1;
  }
  return count;
}
