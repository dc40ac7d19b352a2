/**
 * Measures how much the gate lets through: small faults are put into lines that landed lately, one at a time, in a clone of the target, and the
 * gate judges each. It needs no team at work, and nothing of it lands.
 */
import { createHash } from "node:crypto";
import { realpathSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Git } from "../adapters/git/git.ts";
import { openWorktrees } from "../adapters/git/index.ts";
import { FOREIGN } from "../adapters/git/variables.ts";
import { inHeldFolder } from "../adapters/held-folder.ts";
import { lateSandbox } from "../adapters/sandbox/late.ts";
import { childEnvironment } from "../adapters/shell/environment.ts";
import { createShell } from "../adapters/shell/index.ts";
import { namesIn } from "../adapters/small-files.ts";
import { isTicketHeld, newTicket, ticketIn } from "../adapters/tickets.ts";
import { startAnew } from "../core/board/worktree.ts";
import { badInput } from "../core/errors.ts";
import { keyOf, leakOf, type Mutant, mutantsOf, sampleOf, withMutant } from "../core/gate/mutants.ts";
import { asTaskId, instant, type Name } from "../core/ids.ts";
import { closedPatterns, rulesOf } from "../core/permission/permission.ts";
import { networkOf } from "../core/sandbox/sandbox.ts";
import type { Settings } from "../core/settings/settings.ts";
import { cutStart } from "../core/text/valid.ts";
import type { LeakReport } from "../core/views/leak.ts";
import { sandboxFolders } from "../project/own-folders.ts";
import type { ProjectTrust } from "../project/trust/weigh.ts";
import { openedBy } from "./permission/opened.ts";

export type LeakInput = {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly settings: Settings;
  readonly trust: Pick<ProjectTrust, "runsGit">;
  /** The commits whose lines may get a fault, newest first; [] for the last ones of the target. */
  readonly landed: readonly string[];
  /** Names of faults (`idOf`) that change nothing. */
  readonly dismissed: ReadonlySet<string>;
  readonly most: number;
  readonly tell: (text: string) => void;
  readonly signal: AbortSignal;
};

const COMMITS = 30;
const FILES_MAX = 60;
/** A gate of a few milliseconds varies by more than its own time. */
const LEAST_MS = 10_000;
const [WITHIN, RUNS] = [3, 3];

const hash = (text: string): string => createHash("sha256").update(text).digest("hex");
export const idOf = (one: Mutant): string => hash(keyOf(one)).slice(0, 8);

/** @throws EkidenError `bad_input` without a gate, on a red target, and where nothing can be tried */
export async function measureLeak(input: LeakInput): Promise<LeakReport> {
  const { settings, tell, signal } = input;
  const { gate } = settings;
  if (gate === undefined)
    throw badInput(
      'There is no gate to measure. Set one: "gate": "npm test" in .ekiden/settings.json, or EKIDEN_GATE.',
    );
  const release = takeClone(join(input.cwd, ".ekiden"));
  const bench = await openBench(input, gate).catch((error: unknown) => {
    release();
    throw error;
  });
  try {
    const usual = [];
    for (let nth = 0; nth < RUNS; nth += 1) usual.push(await bench.run(settings.gateTimeoutMs));
    const red = usual.find(({ verdict }) => verdict !== "green");
    if (red)
      throw badInput(
        `The gate ${gate} is red on ${bench.target} without any fault, so it cannot be measured. Its last output:\n${cutStart(red.output.trim(), 1_500)}`,
      );
    const median = usual.map(({ ms }) => ms).sort((a, b) => a - b)[1] ?? 0;
    const limit = Math.max(LEAST_MS, WITHIN * median);
    const { all, commits, texts } = await bench.faults(input.landed);
    const open = all.filter((one) => !input.dismissed.has(idOf(one)));
    const sample = sampleOf(open, input.most, hash);
    if (sample.length === 0)
      throw badInput(`No line of code of the last ${commits} commits on ${bench.target} can get a fault.`);
    const counts = { killed: 0, timedOut: 0 };
    const survivors: Mutant[] = [];
    for (const [nth, one] of sample.entries()) {
      if (signal.aborted) break;
      const text = texts.get(one.path) ?? "";
      const ran = await bench
        .withFault({ one, text }, () => bench.run(limit))
        .catch((error: unknown) => {
          if (!signal.aborted) throw error;
          return null;
        });
      if (ran === null) break;
      const { verdict } = ran;
      if (verdict === "late") counts.timedOut += 1;
      else if (verdict === "red") counts.killed += 1;
      else survivors.push(one);
      tell(
        `${nth + 1} of ${sample.length}: ${counts.killed} noticed, ${survivors.length} not, ${counts.timedOut} too slow`,
      );
    }
    return {
      ...{ target: bench.target, gate, commits, of: open.length, ...counts },
      ...leakOf(counts.killed, survivors.length),
      survivors: survivors.map((one) => ({ ...one, id: idOf(one) })),
      isCut: signal.aborted,
    };
  } finally {
    await bench.close().finally(release);
  }
}

const NOTE = "gate-check.";

/** One measure of a project at a time: all use the same clone. Of two that begin at once none may continue. @throws EkidenError `bad_input` */
function takeClone(folder: string): () => void {
  const own = `${NOTE}${newTicket()}`;
  const remove = (name: string): void => rmSync(join(folder, name), { force: true });
  writeFileSync(join(folder, own), "", { flag: "wx" });
  for (const name of namesIn(folder)) {
    const ticket = name === own ? null : ticketIn(name, NOTE);
    if (ticket === null) continue;
    if (!isTicketHeld(ticket, join(folder, name))) remove(name);
    else {
      remove(own);
      throw badInput(
        `Process ${ticket.split(".")[1]} is measuring the gate of this project. Wait until it ends, then measure again.`,
      );
    }
  }
  return () => remove(own);
}

/** `text`: of its file as it is. */
type Fault = { readonly one: Mutant; readonly text: string };
type Ran = { readonly verdict: "green" | "red" | "late"; readonly ms: number; readonly output: string };

async function openBench({ cwd, env, settings, trust, signal }: LeakInput, gate: string) {
  const project = realpathSync(cwd);
  const rules = rulesOf(settings);
  const sandbox = lateSandbox({
    ...{ mode: settings.sandbox, network: networkOf(settings.allow, settings.deny), workspace: project },
    ...{ closed: closedPatterns(rules), shown: openedBy(rules, "read"), inWorktrees: true, limits: settings },
    ...sandboxFolders(project),
  });
  const shell = createShell({
    outputDir: join(project, ".ekiden", "output"),
    sandbox,
    passEnv: settings.commandEnv,
    hideEnv: FOREIGN,
  });
  const trees = await openWorktrees({
    ...{ project, team: "gate-check" as Name, shell, sandbox, gate, gateTimeoutMs: settings.gateTimeoutMs },
    ...{ env: childEnvironment(env), target: settings.targetBranch, share: settings.worktreeShare },
    trusted: trust.runsGit,
  });
  // Always the same one: what a measure left that was killed is used again, without its fault.
  const task = { id: asTaskId(1), subject: "Measure the gate", createdAt: instant(0) };
  const { workspace } = await trees.open(task);
  await shell.run(`${startAnew(trees.target)} && git clean --quiet --force -d`, {
    ...{ cwd: workspace, signal, timeoutMs: settings.gateTimeoutMs },
  });
  const { withGit } = await import("../project/own-git.ts");

  return {
    target: trees.target,
    run: async (timeoutMs: number): Promise<Ran> => {
      const began = performance.now();
      const { exitCode, timedOut, output } = await shell.run(gate, { cwd: workspace, signal, timeoutMs });
      const verdict = timedOut ? "late" : exitCode === 0 ? "green" : "red";
      return { verdict, ms: performance.now() - began, output };
    },
    faults: (landed: readonly string[]) =>
      withGit(project, (git) => faultsIn(git, project, trees.target, landed)),
    withFault: async <T>({ text, one }: Fault, use: () => Promise<T>): Promise<T> => {
      put(workspace, one.path, withMutant(text, one));
      try {
        return await use();
      } finally {
        put(workspace, one.path, text);
      }
    },
    close: async (): Promise<void> => {
      await shell.close();
      await trees.remove(task).catch(() => {});
      await sandbox.close();
    },
  };
}

/** Null where there is none. */
async function fileAt(git: Git, project: string, commit: string, path: string): Promise<string | null> {
  const { code, out } = await git.try(project, "cat-file", "blob", `${commit}:${path}`);
  return code === 0 ? out : null;
}

/** The gate may have left a link there. */
const put = (root: string, path: string, text: string): void =>
  inHeldFolder(root, path, (file) => {
    rmSync(file, { force: true });
    writeFileSync(file, text, { flag: "wx" });
  });

/** The faults of the lines that these commits have written and that are still there. */
async function faultsIn(
  git: Git,
  project: string,
  target: string,
  landed: readonly string[],
): Promise<{
  readonly all: readonly Mutant[];
  readonly commits: number;
  readonly texts: ReadonlyMap<string, string>;
}> {
  const lines = async (...args: string[]): Promise<string[]> =>
    (await git.run(project, ...args)).split("\n").filter(Boolean);
  const commits =
    landed.length > 0
      ? landed
      : await lines("log", "--no-merges", "--format=%H", "-n", String(COMMITS), target);
  const wanted = new Set(commits);
  const paths = new Set(await lines("log", "--no-walk", "--format=", "--name-only", ...commits));
  const all: Mutant[] = [];
  const texts = new Map<string, string>();
  for (const path of [...paths].slice(0, FILES_MAX)) {
    if (mutantsOf(path, "if (a) b();", new Set([1])).length === 0) continue;
    const [text, blamed] = await Promise.all([
      fileAt(git, project, target, path),
      git.ask(project, "blame", "--root", "-s", "-l", target, "--", path),
    ]);
    if (text === null || blamed === null) continue; // it is gone
    const rows = blamed.split("\n");
    const numbers = rows.flatMap((row, nth) => (wanted.has(row.split(" ")[0] ?? "") ? [nth + 1] : []));
    texts.set(path, text);
    all.push(...mutantsOf(path, text, new Set(numbers)));
  }
  return { all, commits: commits.length, texts };
}
