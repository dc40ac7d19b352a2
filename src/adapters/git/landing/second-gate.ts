/**
 * A candidate whose gate is green may have silenced it. Its change is looked at while the gate runs; where it has signals of that, the gate
 * runs once more on its code with the tests, scripts and settings of the base.
 */

import { createHash } from "node:crypto";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { isHollowRun } from "../../../core/gate/cases.ts";
import type { Signal } from "../../../core/gate/change.ts";
import { failsAsBase } from "../../../core/gate/failing.ts";
import { passerOf } from "../../../core/gate/passes.ts";
import { packageWithScripts, putBack } from "../../../core/gate/put-back.ts";
import { losesTests, signalsOf, told } from "../../../core/gate/tampering.ts";
import { checkOf, isMarked } from "../../../core/project/mark.ts";
import { filesIn } from "../../../core/text/diff.ts";
import { listed } from "../../../core/text/listed.ts";
import type { Doubted } from "../../../ports/worktrees.ts";
import { newTicket } from "../../tickets.ts";
import type { Candidate } from "../clones/task-branch.ts";
import type { LandingTree } from "./candidate.ts";
import { changeDiff } from "./change-diff.ts";
import { judgeBase } from "./judge-target.ts";
import { keptTexts } from "./kept-texts.ts";
import type { DoubtedLanding, LandingInput } from "./landing-job.ts";
import { type Refused, refused } from "./refusal.ts";
import { type GateResult, runGate } from "./run-gate.ts";

/** A change whose signals were looked for, and what is known of its base. */
export type Looked = {
  readonly diff: string;
  readonly signals: readonly Signal[];
  /** The cases that ran on the target, where none of them goes with the change; null where that is not known. */
  readonly casesBefore: number | null;
};
const NOTHING: Looked = { diff: "", signals: [], casesBefore: null };
/** Signals in the words to a member. */
const SHOWN = 10;
/** The command that proves the task, where the gate is another one; "" for none. */
const checkBeside = ({ task }: LandingInput, command: string): string => {
  const check = checkOf(task.description ?? "");
  return check === null || check === command ? "" : check;
};

/** The signals in what the candidate changes. A change that cannot be read has none. */
export async function doubtIn(job: LandingInput, candidate: Candidate): Promise<Looked> {
  const { git, project } = job.work;
  const { gate = "", judges = [], tampering } = job.options;
  if (tampering === "off") return NOTHING;
  const { base, commit } = candidate;
  const diff = candidate.patch ?? (await changeDiff(git, project, [base, commit], judges));
  if (diff === "") return NOTHING;
  const touched = new Set(filesIn(diff).map(({ path }) => path));
  const before = keptTexts(git, project, candidate, touched);
  const changed = new Map<string, Promise<string | null>>();
  const after = (path: string): Promise<string | null> => {
    const text = touched.has(path) ? (changed.get(path) ?? textOf(job, commit, path)) : before(path);
    changed.set(path, text);
    return text;
  };
  const change = { diff, gate, check: checkBeside(job, gate), judges, before, after };
  const [signals, casesBefore] = await Promise.all([
    signalsOf(change),
    gate === "" || losesTests(change) ? null : casesOn(job, base, gate),
  ]);
  return { diff, signals, casesBefore };
}

/** On the base, else on an earlier commit of the target. */
async function casesOn({ by, work }: LandingInput, base: string, command: string): Promise<number | null> {
  const known = await by.landings.gates.cases(base, command);
  if (!known) return null;
  const isBelow = known.commit === base || (await work.git.isAncestor(work.project, known.commit, base));
  return isBelow ? known.cases : null;
}

/** What follows from the signals. `files`: what goes back for the second run. `asked`: null where nobody must pass it. */
type Doubt = {
  readonly signals: readonly string[];
  readonly files: readonly string[];
  readonly asked: Pick<Doubted, "files" | "diff" | "of"> | null;
};

/** Its task is meant to change what judges it. */
const isMeant = ({ task }: LandingInput): boolean => isMarked(task.description ?? "", "Judges");

async function doubtOf(job: LandingInput, looked: Looked, fewer: string | null): Promise<Doubt> {
  const { judges = [], tampering = "second gate" } = job.options;
  const { diff } = looked;
  const named = looked.signals.filter((one) => !one.isNote);
  const signals = [...looked.signals.map(told), ...(fewer === null ? [] : [fewer])];
  const meant = isMeant(job);
  if (tampering === "note" || (named.length === 0 && fewer === null))
    return { signals, files: [], asked: null };
  const nobody = passerOf(tampering, meant, { reviewer: false, person: false });
  const passer = (await job.by.passer?.(meant)) ?? nobody;
  const isAsked = passer === "reviewer" || passer === "person";
  const paths = [...new Set(named.map(({ path }) => path))];
  return {
    signals,
    files: meant ? [] : putBack(diff, judges, looked.signals),
    asked: isAsked ? { files: paths, diff, of: hashOf(diff) } : null,
  };
}

/**
 * Where a project has no gate, the check of a task is all that judges it. It is run as a gate where the change has signals of tampering, once as it
 * is and once with the files of the base; undefined where there is nothing to doubt.
 */
export async function doubtedCheck(job: LandingInput, candidate: Candidate): Promise<string | undefined> {
  const check = checkOf(job.task.description ?? "");
  if (check === null) return undefined;
  const { signals, files, asked } = await doubtOf(job, await doubtIn(job, candidate), null);
  if (files.length > 0 || asked) return check;
  if (signals.length > 0) await job.by.onSignals(signals, "none");
  return undefined;
}

/** Of what changes, whatever is around it: the same on another commit of the target. */
const hashOf = (diff: string): string =>
  createHash("sha256")
    .update(diff.match(/^(?:[+-]|diff ).*$/gm)?.join("\n") ?? "")
    .digest("hex")
    .slice(0, 32);

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
  looked: Looked,
  cases: GateResult["cases"],
  signal: AbortSignal,
): Promise<Refused | DoubtedLanding | "green"> {
  const { by, work } = job;
  const { casesBefore } = looked;
  const isFewer = casesBefore !== null && cases !== undefined && (cases ?? 0) < casesBefore;
  const fewer = isFewer ? `the gate ran ${cases ?? 0} of the ${casesBefore} tests that it ran before` : null;
  const { signals, files, asked } = await doubtOf(job, looked, fewer);
  if (signals.length === 0 || (asked && (await by.isPassed?.(asked.of)))) return "green";
  const second =
    files.length === 0 ? null : await secondRun(job, worktree, command, candidate, files, signal);
  const failing = second?.failing ?? null;
  // A target that is red without any task judges nothing: this change may be its repair.
  const hasGate = job.options.gate !== undefined;
  const base = failing && hasGate ? await judgeBase(job, worktree, candidate, signal) : null;
  // A run that was ended at its limit says nothing: tests that are only slow must not go for that.
  const isSame = failing && base && base.verdict !== "green" && failsAsBase(failing, base.failing);
  const isOfBase = isSame && second?.isLate === false;
  const ran = second ? second.cases : cases;
  const counts = isFewer && !isMeant(job) && job.options.tampering !== "note";
  const isHollow = counts && ran !== undefined && isHollowRun(ran, casesBefore);
  const isGreen = !isHollow && (failing === null || isOfBase);
  const gate = isGreen ? (second === null || isOfBase ? "none" : "green") : "red";
  await by.onSignals(signals, gate);
  const said = second?.said ?? "";
  if (asked) return { kind: "doubted", ...asked, signals, gate, said };
  if (isGreen) return "green";
  const list = signals.slice(0, SHOWN).map((line) => `\n- ${line}`);
  const why = isHollow
    ? `The gate is green, but it ran ${ran ?? 0} of the ${casesBefore} tests that it ran before: what your code does at its import or its end keeps the others from running.`
    : `The gate is green with it, but with the tests and scripts of ${work.onto} your change fails. Taken from there: ${listed(files)}. Make your code pass with them.`;
  return refused(
    "gate",
    `Your change alters what judges it:${list.join("")}\n${why} If the task is meant to change them, say so to the lead: such a task has the line "Judges: yes".\n${said}`,
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
  const check = checkBeside(job, command);
  return await worktree.withFiles(candidate.tip, tree, async () => {
    const gate = await runGate(job, command, where, signal);
    return gate.failing !== null || check === "" ? gate : await runGate(job, check, where, signal);
  });
}
