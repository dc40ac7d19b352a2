/**
 * Runs that the page starts: processes of this program as a terminal would start them, in a session of their own. They continue when the
 * page ends; workers, which would wait for the next run for ever, end with the page and with the run that they joined. Their output is
 * in `.ekiden/output`, for this user alone.
 */
import type { ChildProcess } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { systemClock } from "../../adapters/clock.ts";
import { PROJECT_FILE_MAX, readRegular } from "../../adapters/small-files.ts";
import { badInput, EkidenError, notFound } from "../../core/errors.ts";
import { quote } from "../../core/ids.ts";
import { parseRunbook } from "../../core/project/runbook.ts";
import { ASK_EACH } from "../../core/settings/choices.ts";
import type { Store } from "../../ports/index.ts";
import { hasLead, logFile, saidIn, startOwn } from "../kit/own-process.ts";
import { keepPlan, makeRepository } from "./new-project.ts";
import { liveHostIds } from "./read/snapshot.ts";
import type { Runbooks, StartOptions } from "./wire.ts";

export type Launch = {
  readonly cwd: string;
  /** Options for the project's commands: `--store …`, `--trust`. */
  readonly flags: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly redact: (text: string) => string;
};
export type Launched = "goal" | "plan" | "runbook" | "resume" | "spawn";

/** Less than the page waits for an answer. */
const WAIT_MS = 15_000;
const LOOK_MS = 100;
const SPAWN_MAX = 16;

/** Resolves with a sentence once the team runs, or the run is over. @throws EkidenError with what the run said when it could not begin */
export async function launch(
  store: Store,
  at: Launch,
  what: Launched,
  text: string,
  options: StartOptions,
): Promise<string> {
  const [isLed, before] = [await hasLead(store), await liveHostIds(store)];
  if (what !== "spawn" && isLed)
    throw new EkidenError(
      "already_started",
      "The team is already running. Add tasks, or write to the lead; to start it differently, stop it first.",
    );
  if (what === "spawn" && !isLed)
    throw badInput("The team is not running, so nobody can join it. Start it first.");
  const words = commandOf(at, what, text, options);
  if (options.repository) await makeRepository(at.cwd);
  const log = logOf(at, store.team, what);
  const line = [...words.slice(0, 1), ...at.flags, "--team", store.team, ...words.slice(1)];
  const run = startOwn(at, line, log);
  for (let waited = 0; waited < WAIT_MS; waited += LOOK_MS) {
    if (run.ended !== null) {
      const said = saidIn(log, at.redact);
      if (run.ended !== 0) throw badInput(said || `The run ended with code ${run.ended}.`);
      return what === "resume" && said !== "" ? said : "It is done already.";
    }
    if (what !== "spawn" && (await hasLead(store))) return "The team works.";
    if (what === "spawn" && (await liveHostIds(store)) !== before) {
      keep(run.child);
      return "They join.";
    }
    await systemClock.sleep(LOOK_MS);
  }
  return `It is about to begin. Its output is in ${log}.`;
}

function commandOf({ cwd }: Launch, what: Launched, text: string, options: StartOptions): string[] {
  if (what === "spawn") {
    const count = options.teammates ?? 1;
    if (count < 1 || count > SPAWN_MAX)
      throw badInput(`Between 1 and ${SPAWN_MAX} teammates can join at once.`);
    return [
      "worker",
      "--with-run",
      "--count",
      String(count),
      ...modelOf({ ...options, lead: "" }),
      ...askOf(options),
      ...trustOf(options),
    ];
  }
  const how = [
    ...modelOf(options),
    ...(options.teammates !== undefined ? ["--teammates", String(options.teammates)] : []),
    ...(options.budgetUsd ? ["--budget-usd", options.budgetUsd] : []),
    ...(options.planFirst ? ["--plan-first"] : []),
    ...(options.worktrees === undefined ? [] : [options.worktrees ? "--worktrees" : "--no-worktrees"]),
    ...(options.mode ? ["--permission-mode", options.mode] : []),
    ...askOf(options),
    ...trustOf(options),
  ];
  if (what === "resume") return ["resume", ...how];
  if (what === "runbook" && !runbooksIn(cwd).some(({ file }) => file === text))
    throw notFound(`${quote(text)} is not a runbook in ${cwd}.`);
  if (text.trim() === "") throw badInput("Say what the team should do.");
  return ["run", ...how, "--", what === "plan" ? keepPlan(cwd, text) : text.trim()];
}

const modelOf = ({ model, lead, effort }: StartOptions): string[] => [
  ...(model ? ["--model", model] : []),
  ...(lead ? ["--lead", lead] : []),
  ...(effort ? ["--effort", effort] : []),
];
const askOf = ({ ask }: StartOptions): string[] => (ask ? ["--ask", ASK_EACH] : []);
const trustOf = ({ trust }: StartOptions): string[] => (trust ? ["--trust"] : []);

const logOf = ({ cwd }: Launch, team: string, what: Launched): string =>
  logFile(cwd, `page-${team}${what === "spawn" ? "-more" : ""}`);

const workers = new Set<ChildProcess>();

/** Until it ends, with the run that it joined, or with this page. */
function keep(worker: ChildProcess): void {
  workers.add(worker);
  worker.once("exit", () => workers.delete(worker));
}

/** Ends the workers with the page; their tasks in progress go back to the board. */
export function endWorkers(): void {
  for (const worker of workers) worker.kill("SIGTERM");
  workers.clear();
}

const RUNBOOKS_MAX = 40;
/** They have headings as a runbook has, and are none. */
const ABOUT =
  /^(readme|changelog|contributing|license|security|code_of_conduct|architecture|agents|claude)\b/i;

/** Markdown files of the folder that hold tasks. */
export function runbooksIn(cwd: string): Runbooks {
  const names = readdirSync(cwd, { withFileTypes: true })
    .filter((one) => one.isFile() && /\.(md|markdown)$/i.test(one.name) && !ABOUT.test(one.name))
    .map(({ name }) => name)
    .sort();
  return names.slice(0, RUNBOOKS_MAX).flatMap((file) => {
    try {
      const { tasks } = parseRunbook(readRegular(join(cwd, file), PROJECT_FILE_MAX, { within: cwd }), file);
      return tasks.length > 0 ? [{ file, tasks: tasks.length }] : [];
    } catch {
      return []; // a text like any other
    }
  });
}
