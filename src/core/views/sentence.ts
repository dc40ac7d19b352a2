/** The journal in words: one sentence per fact. A new fact does not compile until it has one. */
import type { JobState } from "../board/job.ts";
import { kindWords } from "../board/mail.ts";
import { orderWords } from "../board/orders.ts";
import { endWords, reasonWords } from "../board/reason.ts";
import { stalledWords } from "../board/stalled.ts";
import type { Event, Fact, FactOf, FactType } from "../event.ts";
import { HARNESS, OWNER, PERSON } from "../ids.ts";
import { isOver, windowWords } from "../limits/window.ts";
import { PLAN_SENTENCES } from "../plan/sentences.ts";
import { oneLine } from "../text/one-line.ts";
import { BASE_SENTENCES } from "./red-target.ts";
import { runTeam } from "./teams.ts";
import { undoneWords } from "./undone-words.ts";
import { does, noOf, toDo } from "./verbs.ts";
import { CHECK_SENTENCES, JUDGED, REVIEWED } from "./verdict-words.ts";
import type { Tone, View } from "./view.ts";

const TEXT_MAX = 400;

export type Sentence = { readonly who: string; readonly text: string; readonly tone: Tone };

/** Who, what they did, and the tone if it is not plain. */
type Words = readonly [who: string | null, text: string, tone?: Tone];

const SENTENCES: { readonly [T in FactType]: (fact: FactOf<T>) => Words } = {
  "team.created": ({ team, by }) =>
    team
      ? [by ?? null, `created the team ${team}; start it with: ${runTeam(team)}`]
      : [null, "the team was created", "dim"],
  "team.deleted": ({ team, by }) => [by, `deleted the team ${team}`, "warn"],
  "team.forked": ({ from, line, time, by }) => [
    by,
    `forked this team from ${from}, as it was at line ${line} (${new Date(time).toISOString()})`,
  ],
  "journal.pruned": ({ before, by }) => [
    by,
    `deleted facts and conversations from before ${new Date(before).toISOString()}`,
    "dim",
  ],
  "run.began": () => [null, "a run began", "dim"],
  "team.resumed": () => [null, "the team was resumed", "dim"],
  "team.finished": (end) => [
    null,
    `${end.reason === "concluded" ? "finished" : `stopped (${endWords(end.reason)})`}: ${tally(end)}`,
    end.failed + end.cancelled + end.unfinished > 0 ? "warn" : "good",
  ],
  "teammate.spawned": ({ who, kind, role, model }) => [
    who,
    `joined${kind === "lead" ? " as the lead" : ""}${role && ` as ${role}`}${model && ` on ${model}`}`,
  ],
  "teammate.changed": ({ who, by, role, name }) => [
    by,
    [
      name === undefined ? "" : `renamed ${who} to ${name}`,
      role === undefined
        ? ""
        : role === ""
          ? `removed the role of ${name ?? who}`
          : `made ${name ?? who} ${role}`,
    ]
      .filter(Boolean)
      .join(" and "),
  ],
  "teammate.phase": ({ who, phase, reason, note }) => {
    if (phase === "work") return [who, "is at work", "dim"];
    if (reason === "cannot_work" || reason === "at_limit")
      return [who, `${RESTS[reason]}${note ? `: ${oneLine(note)}` : ""}`, "warn"];
    const now = phase === "idle" ? "is idle" : "has stopped";
    return [who, `${now}${reason ? ` (${reasonWords(reason)})` : ""}`, "dim"];
  },
  "task.added": ({ by, task, subject, blockedBy }) => [
    by,
    `added #${task} ${subject}${blockedBy.length > 0 ? `, after ${ids(blockedBy)}` : ""}`,
  ],
  "task.changed": ({ by, task, what }) => [by, `changed #${task}: ${what.join(", ")}`, "dim"],
  "task.claimed": ({ by, task, subject, attempt }) =>
    by === HARNESS
      ? [by, `keeps #${task} ${subject} until its pull request is merged`, "dim"]
      : [by, `claimed #${task} ${subject}${attempt > 1 ? ` (attempt ${attempt})` : ""}`, "busy"],
  "task.completed": ({ by, task, subject, result }) => [
    by,
    `completed #${task} ${subject}${result && `: ${result}`}`,
    "good",
  ],
  "task.failed": ({ by, task, subject, reason }) => [by, `failed #${task} ${subject}: ${reason}`, "bad"],
  "task.released": ({ from, task, why, note, parts }) =>
    parts
      ? [from, `split #${task}, which waits for ${ids(parts)} now${note ? `: ${note}` : ""}`]
      : why === "proposed"
        ? [from, `#${task} ${reasonWords(why).replace(/^it /, "")}`, "dim"]
        : [from, `#${task} is back on the board (${reasonWords(why)})${note ? `: ${note}` : ""}`, "warn"],
  "task.cancelled": ({ by, task, reason }) => [by, `cancelled #${task}${reason && `: ${reason}`}`, "warn"],
  "task.unblocked": ({ by, task }) => [null, `#${task} is ready now that #${by} is completed`, "dim"],
  "task.queued": ({ by, task, target }) => [
    by,
    `waits for other tasks before #${task} can land on ${target}`,
    "dim",
  ],
  "gate.started": ({ by, task, command }) => [by, `runs the gate for #${task}: ${command}`, "busy"],
  "task.signalled": ({ by, task, signals, gate }) => [
    by,
    `changed how #${task} is judged${gate === "none" ? "" : ` (with the tests of the target: ${gate})`}: ${signals.join("; ")}`,
    gate === "red" ? "bad" : "warn",
  ],
  ...BASE_SENTENCES,
  "task.landed": ({ by, task, target, commit }) => [
    by,
    `landed #${task} on ${target} (${commit.slice(0, 9)})`,
    "good",
  ],
  "task.proposed": ({ by, task, target, said }) => [
    by,
    `proposed #${task} for ${target}${said && `: ${said}`}`,
    "good",
  ],
  "task.reviewed": ({ by, task, verdict, text }) => [by, ...REVIEWED[verdict](task, text)],
  ...CHECK_SENTENCES,
  "mail.sent": ({ from, to, kind }) => [from, `→ ${to} (${kindWords(kind)})`, "dim"],
  "mail.delivered": ({ from, to, kind }) => [to, `read the ${kindWords(kind)} from ${from}`, "dim"],
  "mail.withdrawn": ({ from, to, kind }) => [from, `took back the unread ${kindWords(kind)} to ${to}`, "dim"],
  "turn.taken": ({ who, subagent, text, ms }) =>
    text
      ? [subagent ?? who, `says: ${text}`]
      : [subagent ?? who, `thought${ms < 100 ? "" : ` for ${seconds(ms)}`}`, "dim"],
  "tool.called": ({ who, subagent, tool, subject, ms, isError, note }) => {
    const no = isError ? noOf(note ?? "") : null;
    if (no !== null) return [subagent ?? who, `${does(tool, subject)}: ${no}`, "plain"];
    const failed = isError ? ` and fails${note ? `: ${note}` : ""}` : "";
    return [subagent ?? who, `${does(tool, subject)}${failed} (${seconds(ms)})`, isError ? "warn" : "dim"];
  },
  "permission.asked": ({ who, tool, subject, request }) => [
    who,
    `asks to ${toDo(tool, subject)} (request ${request})`,
    "warn",
  ],
  "permission.answered": ({ who, tool, subject, allowed, by }) => [
    who,
    `${allowed ? "may" : "may not"} ${toDo(tool, subject)} (${by === PERSON ? "your decision" : `decided by ${by}`})`,
    allowed ? "dim" : "warn",
  ],
  "question.asked": ({ who, question, request }) => [
    who,
    `asks you: ${question} (request ${request})`,
    "warn",
  ],
  "question.answered": ({ who, answer, by }) =>
    answer === null
      ? [who, "got no answer to its question in time", "warn"]
      : [by, `answered ${who}: ${answer}`],
  "shutdown.asked": ({ who, by, reason }) => [by, `asked ${who} to stop${reason && `: ${reason}`}`],
  "shutdown.answered": ({ who, accepted, reason }) =>
    accepted ? [who, "agreed to stop", "dim"] : [who, `refused to stop: ${reason}`, "warn"],
  "plan.submitted": ({ who, task, request }) => [
    who,
    `submitted a plan for #${task}${request ? ` (request ${request})` : ""}`,
  ],
  "plan.answered": ({ who, task, by, approved }) => [
    by,
    `${approved ? "approved" : "rejected"} the plan of ${who} for #${task}`,
    approved ? "good" : "warn",
  ],
  "request.withdrawn": ({ who, request }) => [who, `withdrew the request ${request}`, "dim"],
  "answer.ignored": ({ from, why }) => [
    from,
    `answered a request, and the answer was ignored: ${why}`,
    "warn",
  ],
  "context.compacted": ({ who, layer, before, after }) => [
    who,
    `compacted its context (${layer}): ${before} → ${after} tokens`,
    "dim",
  ],
  "model.changed": ({ who, model, by }) => [
    by,
    `set the model ${model} for ${who ?? "all members"}`,
    "plain",
  ],
  "effort.changed": ({ who, effort, by }) => [
    by,
    `set the effort ${effort ?? "from the settings"} for ${who ?? "all members"}`,
    "plain",
  ],
  "order.given": ({ what, by }) => [by, `orders: ${orderWords(what)}`, "dim"],
  "order.done": ({ isDone, text }) => [null, isDone ? text : `an order was refused: ${text}`, "dim"],
  "person.acted": ({ name, what }) => [name, `on the page: ${what}`, "dim"],
  "work.undone": (undone) => [undone.by, undoneWords(undone)],
  "mode.changed": ({ mode, by }) => [by, `set the permission mode ${mode}`, "plain"],
  "model.retried": ({ who, why, attempt, waitMs }) => [
    who,
    `retries the model call in ${seconds(waitMs)} (attempt ${attempt}): ${why}`,
    "warn",
  ],
  "job.started": ({ who, job, command }) => [who, `runs j${job} in the background: ${command}`, "dim"],
  "job.ended": ({ who, job, state, exitCode }) => {
    const code = state === "failed" && exitCode !== null ? ` (exit code ${exitCode})` : "";
    const isBad = state === "failed" || state === "unknown";
    return [who, `j${job} ${JOB_ENDS[state]}${code}`, isBad ? "warn" : "dim"];
  },
  "cron.added": ({ by, cron, expression, text }) => [by, `set the cron c${cron} (${expression}): ${text}`],
  "cron.fired": ({ cron, to, task, late }) => {
    const what = task === null ? `→ ${to}` : `added #${task}`;
    return [null, `the cron c${cron} fired${late ? " late" : ""}: ${what}`];
  },
  "cron.cancelled": ({ by, cron }) => [by, `the cron c${cron} was cancelled`, "dim"],
  "work.judged": ({ who, task, calls, spent, verdict, text, model }) => {
    const [words, tone] = JUDGED[verdict];
    const of = task === null ? "the goal" : `#${task}`;
    const cost = spent > 0 ? ` and $${spent.toFixed(2)}` : "";
    const seen = `${model} looked at ${of} after ${calls} model calls${cost}`;
    return [who, `${seen}: ${words}${text && `: ${text}`}`, tone];
  },
  ...PLAN_SENTENCES,
  "memory.kept": ({ who, topics }) => [who, `noted for later sessions: ${topics.join(", ")}`, "dim"],
  "login.window": (window) => [null, windowWords(window), isOver(window) ? "warn" : "dim"],
  "work.stalled": (stalled) => [null, stalledWords(stalled), "bad"],
  "work.recovered": () => [null, "a member can work again", "good"],
  "warning.raised": ({ who, text }) => [who, text, "warn"],
};

export function sentence(event: Event): Sentence {
  const say = SENTENCES[event.type] as (fact: Fact) => Words;
  const [who, text, tone = "plain"] = say(event);
  return { who: who ?? "", text: oneLine(text, TEXT_MAX), tone };
}

export const journalView = (events: readonly Event[], empty = "The journal is empty."): View => ({
  kind: "feed",
  lines: events.map((event) => ({ at: event.at, ...sentence(event) })),
  empty,
});

/** "3 completed, 1 failed" */
export function tally(counts: {
  readonly completed: number;
  readonly failed: number;
  readonly cancelled: number;
  readonly unfinished: number;
}): string {
  const rest = (["failed", "cancelled", "unfinished"] as const)
    .filter((key) => counts[key] > 0)
    .map((key) => `${counts[key]} ${key}`);
  return [`${counts.completed} completed`, ...rest].join(", ");
}

const RESTS = {
  cannot_work: "cannot work now and will try again",
  at_limit: "waits for the end of a limit",
} as const;

/** Steps on the way: they matter only to a person who looks for a fault. */
const CHATTER: ReadonlySet<Event["type"]> = new Set([
  "team.created",
  "teammate.phase",
  "task.unblocked",
  "task.changed",
  "task.queued",
  "mail.sent",
  "question.asked", // it is shown with its options
  "mail.delivered",
  "mail.withdrawn",
  "request.withdrawn",
  "job.started",
  "context.compacted",
  ...(["model.changed", "effort.changed", "mode.changed", "order.given", "order.done"] as const), // the person was told
]);

/** Whether a short feed shows the fact: results, decisions and faults, but not every step on the way. */
export function isNews(event: Event): boolean {
  // The runbook model only repeats the facts about its tasks.
  if (event.type === "turn.taken") return event.text !== "" && event.model !== "runbook";
  if (event.type === "tool.called") return event.isError;
  if (event.type === "shutdown.answered") return !event.accepted;
  if (event.type === "teammate.phase") return event.phase === "shutdown" || event.note !== undefined;
  if (event.type === "login.window") return event.usedPercent === undefined || isOver(event);
  if (event.type === "team.created") return event.team !== undefined;
  // Each goal begins and ends so where only large boards are shown.
  if (event.type === "board.held") return !event.large;
  if (event.type === "board.released") return event.why === "approved";
  // The owner knows what she did herself.
  if (event.type === "person.acted") return event.name !== OWNER;
  return !CHATTER.has(event.type);
}

const JOB_ENDS: Readonly<Record<JobState, string>> = {
  running: "runs",
  done: "is done",
  failed: "failed",
  stopped: "was stopped",
  unknown: "was lost with the process that ran it",
};

const ids = (list: readonly number[]): string => list.map((id) => `#${id}`).join(" ");
const seconds = (ms: number): string => (ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`);
