/** Starts the work of a team in this process: takes over its members, gives them the work, adds the members that are missing. */

import { type Recruit, recruits } from "../core/board/recruit.ts";
import { isFinished, type Task } from "../core/board/task.ts";
import type { Image } from "../core/conversation/image.ts";
import { orElse } from "../core/errors.ts";
import type { Fact } from "../core/event.ts";
import { type HostId, LEAD, PERSON } from "../core/ids.ts";
import { keyOf, rerunOf, tasksOf } from "../core/project/rerun.ts";
import type { Runbook } from "../core/project/runbook.ts";
import { agentLine } from "../core/settings/agent-line.ts";
import { choicesOf } from "../core/settings/choices.ts";
import type { Store } from "../ports/index.ts";
import type { Team } from "../runtime/team/team.ts";
import type { HeldBoard } from "./held-board.ts";
import type { Spending } from "./money/spending.ts";
import type { Parts } from "./parts.ts";
import type { HostOptions } from "./team-host.ts";
import type { UserPrompts } from "./user-prompts.ts";

/** The work with which a host is started. */
export type Work =
  | { readonly goal: string; readonly images?: readonly Image[] }
  /** Its tasks are on the board before members join. `fresh`: also if they have been there before. */
  | { readonly runbook: Runbook; readonly fresh?: boolean }
  /** Continues: takes over every member that no process runs, with its task and its conversation. `of`: the runbook that continues. */
  | { readonly resume: true; readonly of?: Runbook }
  /** No work yet: the person will write to the lead. */
  | { readonly interactive: true };

/** Whether the work continues with what is on the board, so that it belongs to the run that began it. */
const goesOnWith = (work: Work, board: readonly Task[]): boolean =>
  "resume" in work || ("runbook" in work && work.fresh !== true && isKnown(work.runbook, board));

/** The key of the runbook that is run. Resumed: that of the latest one with an unfinished task. */
export function runbookOf(work: Work, board: readonly Task[]): string | undefined {
  const runbook = "runbook" in work ? work.runbook : "resume" in work ? work.of : undefined;
  if (runbook) return keyOf(runbook);
  if (!("resume" in work)) return undefined;
  return board.findLast((task) => task.runbook !== undefined && !isFinished(task))?.runbook;
}

const isKnown = (runbook: Runbook, board: readonly Task[]): boolean =>
  rerunOf(
    runbook,
    board.filter(({ createdBy }) => createdBy === PERSON),
  ) !== null;

export type Starting = {
  readonly parts: Parts;
  readonly team: Team;
  readonly host: HostId;
  readonly words: UserPrompts;
  readonly hold: HeldBoard;
  readonly spending: Spending;
  readonly planFirst: HostOptions["planFirst"];
};

export type RunbookWork = Extract<Work, { readonly runbook: Runbook }>;

const DEFAULT_TEAMMATES = 3;
const HELD =
  "The board is held: none of its tasks begins before you let it. To look at it: ekiden plan. To let it begin: ekiden plan begin";

/** A run begins, and its board is held where the person approves it first: in one step with its work. @throws as `storeWork` */
export async function beginRun(work: Work, tasks: readonly Task[], here: Starting): Promise<void> {
  const { spending, hold, planFirst } = here;
  const isHeld = planFirst && ("goal" in work || ("runbook" in work && planFirst === true));
  const held = isHeld ? await hold.begin(planFirst === "large") : [];
  await spending.open(!goesOnWith(work, tasks), (began) => storeWork(work, tasks, [...began, ...held], here));
  if (planFirst === false) await hold.end();
  // The question may be days old, and no line of this run says why nothing begins.
  else if (!isHeld && !("interactive" in work) && (await hold.isHeld()))
    await here.parts.store.journal.warn(null, HELD);
}

/** More work for a team that has started. */
export async function takeUp(work: RunbookWork, here: Starting): Promise<void> {
  const tasks = await here.parts.store.board.tasks();
  await storeWork(work, tasks, [], here);
  await startWork(work, tasks, here);
}

/**
 * Stores the work with the facts that begin its run, so that a process that is killed has lost neither or both. `tasks`: the board as it is now.
 * @throws EkidenError `not_permitted` with the words of the person's hook
 */
async function storeWork(
  work: Work,
  tasks: readonly Task[],
  begins: readonly Fact[],
  { parts: { store, settings }, words, host }: Starting,
): Promise<void> {
  if ("goal" in work) return void (await words.tell(work.goal, work.images, begins));
  if (!("runbook" in work)) return await store.journal.note(begins);
  const text = await words.passed(briefOf(work.runbook, teammatesOf(work, settings)));
  // The lead of another process would conclude that nobody takes the tasks.
  const isGuest = ((await store.roster.member(LEAD))?.host ?? host) !== host;
  if (isGuest) await store.roster.joining(host, true);
  if (!(await addTasks(work, tasks, store.board, { facts: begins, words: text })))
    await store.journal.note([...begins, { type: "team.resumed", host }]);
}

/** Starts it, once it is stored. `tasks`: the board before. */
export async function startWork(work: Work, tasks: readonly Task[], here: Starting): Promise<void> {
  const { team, host } = here;
  const { settings, store } = here.parts;
  if ("resume" in work) await here.parts.endOrphans();
  const adopted = await team.adoptAll({ revive: "resume" in work && !tasks.every(isFinished) });
  if ("resume" in work) await store.journal.note([{ type: "team.resumed", host, how: choicesOf(settings) }]);
  if ("runbook" in work) {
    await ensure(teammatesOf(work, settings), here);
    if (!team.names.includes(LEAD)) await store.roster.joining(host, false);
    return;
  }
  const isNew = !("resume" in work && adopted.includes(LEAD));
  if (isNew || settings.teammates) await ensure(settings.teammates ?? [], here);
  if (settings.teammates || !("resume" in work)) return;
  // A lead of the embedded model adds no teammates. It may be alone: after a kill before they joined, or on a board that a person filled.
  const active = (await store.roster.members()).filter(({ activity }) => activity.phase !== "shutdown");
  const model = active[0]?.model || settings.lead || settings.model;
  if (active.length !== 1 || model !== "runbook" || !team.names.includes(LEAD)) return;
  const open = tasks.filter((task) => !isFinished(task)).length;
  await ensure(recruits(Math.min(DEFAULT_TEAMMATES, open)), here);
}

const teammatesOf = ({ runbook }: RunbookWork, { teammates }: Parts["settings"]): readonly Recruit[] =>
  teammates ?? recruits(Math.min(DEFAULT_TEAMMATES, runbook.tasks.length));

function briefOf({ goal, tasks }: Runbook, teammates: readonly Recruit[]): string {
  const who = teammates.map(({ name }) => name).join(", ") || "There are no teammates yet; spawn some. They";
  return `${goal}\n\n${tasks.length === 1 ? "A task for this is" : `${tasks.length} tasks for this are`} on the board already. ${who} will pull ${tasks.length === 1 ? "it" : "them"}. You are told when the board is quiet.`;
}

/** False if another process has put the same runbook on the board a moment ago. */
async function addTasks(
  { runbook, fresh = false }: RunbookWork,
  known: readonly Task[],
  board: Store["board"],
  begins: { readonly facts: readonly Fact[]; readonly words: string },
): Promise<boolean> {
  for (let tasks = known; ; tasks = await board.tasks()) {
    const there = tasks.filter(({ createdBy }) => createdBy === PERSON);
    if (!fresh && rerunOf(runbook, there) !== null) return false;
    if (await board.addUnlessNewer(tasksOf(runbook), PERSON, there.at(-1)?.id ?? 0, begins)) return true;
  }
}

/** Refuses programs that are not there, and notes the others, so that a later process may take their members over. */
async function admitAgents(parts: Parts, specs: readonly string[]): Promise<void> {
  const agents = [...new Set(specs)].filter((spec) => agentLine(spec) !== null);
  if (agents.length === 0) return;
  for (const line of agents.map(agentLine)) if (line) await parts.agents.check(line, false, parts);
  const [{ agentItem }, { recordItems }] = await Promise.all([
    import("../project/trust/items.ts"),
    import("../project/trust/weigh.ts"),
  ]);
  recordItems(parts.workspace, agents.map(agentItem));
}

/** Adds the lead and these teammates, except those that this process adopted or another one runs. */
async function ensure(teammates: readonly Recruit[], { parts, team }: Starting): Promise<void> {
  const { lead: named } = parts.settings;
  const model = named === undefined ? parts.models.ofNew : agentLine(named) ? named : "";
  // Before anybody joins: a lead that is alone concludes.
  await admitAgents(parts, [...teammates.map(({ agent = "" }) => agent), model, parts.models.ofNew]);
  const lead = { name: LEAD, role: "", kind: "lead", model } as const;
  for (const mate of teammates) parts.coming.set(mate.name, mate);
  for (const wanted of [lead, ...teammates.map((mate) => ({ ...mate, kind: "teammate" }) as const)]) {
    const known = await parts.store.roster.member(wanted.name);
    if (known && known.activity.phase !== "shutdown") continue;
    await orElse(join({ parts, team }, wanted), "name_taken", null); // another process was faster
  }
  parts.coming.clear();
}

type Joining = Pick<Recruit, "name" | "role" | "agent"> & {
  readonly kind: "lead" | "teammate";
  readonly model?: string;
};

async function join(
  { parts, team }: Pick<Starting, "parts" | "team">,
  { agent, ...who }: Joining,
): Promise<void> {
  await team.join({ model: agent ?? parts.models.ofNew, prompt: "", needsPlan: false, ...who }, PERSON);
}

/** Adds a teammate to a team at work. @throws EkidenError `name_taken`, or the one of an agent program that is not there */
export async function addTeammate(own: Pick<Starting, "parts" | "team">, mate: Recruit): Promise<void> {
  await admitAgents(own.parts, [mate.agent ?? own.parts.models.ofNew]);
  await join(own, { ...mate, kind: "teammate" });
}
