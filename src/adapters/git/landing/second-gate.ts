/**
 * A candidate whose gate is green may have silenced it. Its change is looked at while the gate runs; where it has signals of that, the gate
 * runs once more on its code with the tests, scripts and settings of the base.
 */
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { packageWithScripts, putBack } from "../../../core/gate/put-back.ts";
import { failsAsBase } from "../../../core/gate/red-target.ts";
import { signalsOf, told } from "../../../core/gate/tampering.ts";
import { isMarked } from "../../../core/project/mark.ts";
import { newTicket } from "../../tickets.ts";
import { listed } from "../clones/preflight.ts";
import type { Candidate } from "../clones/task-branch.ts";
import type { LandingTree } from "./candidate.ts";
import { judgeBase } from "./judge-target.ts";
import type { LandingInput } from "./landing-job.ts";
import { type Refused, refused } from "./refusal.ts";
import { type GateResult, runGate } from "./run-gate.ts";

/** `files`: what goes back for the second run; empty where only a note is left. */
export type Doubt = { readonly signals: readonly string[]; readonly files: readonly string[] };

const NOTHING: Doubt = { signals: [], files: [] };
/** Larger changes are not read: nobody would read the notes either. */
const DIFF_MAX = 4_000_000;
/** Signals in the words to a member. */
const SHOWN = 10;
const FLAGS = ["--no-renames", "--no-color", "--no-ext-diff", "--no-textconv"];

/** The signals in what the candidate changes. A change that cannot be read has none. */
export async function doubtIn(job: LandingInput, command: string, candidate: Candidate): Promise<Doubt> {
  const { git, project } = job.work;
  const { judges = [], tampering } = job.options;
  if (tampering === "off") return NOTHING;
  const { base, commit } = candidate;
  const diff = await git.run(project, "diff", ...FLAGS, base, commit).catch(() => "");
  if (diff === "" || diff.length > DIFF_MAX) return NOTHING;
  const read = (of: string) => (path: string) => textOf(job, of, path);
  const signals = await signalsOf({ diff, gate: command, judges, before: read(base), after: read(commit) });
  const isMeant = isMarked(job.task.description ?? "", "Judges");
  const isNote = tampering === "note" || isMeant || signals.every((one) => one.isNote);
  return { signals: signals.map(told), files: isNote ? [] : putBack(diff, judges, signals) };
}

async function textOf({ work }: LandingInput, commit: string, path: string): Promise<string | null> {
  const ran = await work.git.try(work.project, "cat-file", "blob", `${commit}:${path}`);
  return ran.code === 0 ? ran.out : null;
}

/** The tree of the candidate with these files as they are in the base. */
async function judgedByBase(
  job: LandingInput,
  { base, commit }: Candidate,
  files: readonly string[],
): Promise<string> {
  const { git, project, commonDir } = job.work;
  const listed = await git.run(project, "--literal-pathspecs", "ls-tree", "-r", "-z", base, "--", ...files);
  const entries = new Map(listed.split("\0").map((entry) => [entry.slice(entry.indexOf("\t") + 1), entry]));
  const lines = await Promise.all(
    files.map(async (path) => {
      const entry = entries.get(path);
      if (entry === undefined) return `0 ${"0".repeat(commit.length)}\t${path}`;
      if (!/(?:^|\/)package\.json$/.test(path)) return entry;
      const [now, before] = await Promise.all([commit, base].map((one) => textOf(job, one, path)));
      const merged = packageWithScripts(now ?? "", before ?? "");
      if (merged === null) return entry;
      const blob = await git.tryWith({ input: merged }, project, "hash-object", "-w", "--stdin");
      return `100644 blob ${blob.out.trim()}\t${path}`;
    }),
  );
  // Git writes it in the sandbox, which sees no folder for temporary files of ours.
  const index = join(commonDir, `ekiden-index.${newTicket()}`);
  try {
    const own = { index };
    await must(git.tryWith(own, project, "read-tree", commit));
    const input = lines.map((line) => `${line}\0`).join("");
    await must(git.tryWith({ ...own, input }, project, "update-index", "-z", "--index-info"));
    return (await must(git.tryWith(own, project, "write-tree"))).trim();
  } finally {
    await rm(index, { force: true });
  }
}

async function must(ran: Promise<{ readonly code: number; readonly out: string; readonly err: string }>) {
  const { code, out, err } = await ran;
  if (code !== 0) throw new Error(`git could not prepare the second run of the gate: ${err}`);
  return out;
}

/** The verdict of a green gate, after another run with the judging files of the base where the change has signals of tampering. */
export async function judgedTwice(
  job: LandingInput,
  worktree: LandingTree,
  command: string,
  candidate: Candidate,
  { signals, files }: Doubt,
  signal: AbortSignal,
): Promise<Refused | "green"> {
  const { by, work } = job;
  if (signals.length === 0) return "green";
  const second =
    files.length === 0 ? null : await secondRun(job, worktree, command, candidate, files, signal);
  const failing = second?.failing ?? null;
  // A target that is red without any task judges nothing: this change may be its repair.
  const base = failing && (await judgeBase(job, worktree, candidate, signal));
  const isOfBase = failing && base && base.verdict !== "green" && failsAsBase(failing, base.failing);
  if (second === null || failing === null || isOfBase) {
    await by.onSignals(signals, second === null || isOfBase ? "none" : "green");
    return "green";
  }
  await by.onSignals(signals, "red");
  const list = signals.slice(0, SHOWN).map((line) => `\n- ${line}`);
  return refused(
    "gate",
    `Your change alters what judges it:${list.join("")}\nThe gate is green with it, but with the tests and scripts of ${work.onto} your change fails. Taken from there: ${listed(files)}. Make your code pass with them. If the task is meant to change them, say so to the lead: such a task has the line "Judges: yes".\n${second.said}`,
  );
}

async function secondRun(
  job: LandingInput,
  worktree: LandingTree,
  command: string,
  candidate: Candidate,
  files: readonly string[],
  signal: AbortSignal,
): Promise<GateResult> {
  const tree = await judgedByBase(job, candidate, files);
  const where = `with the tests and scripts of ${job.work.onto}`;
  return await worktree.withFiles(candidate.tip, tree, () => runGate(job, command, where, signal));
}
