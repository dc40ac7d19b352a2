/** The journal in words: one sentence per fact. A new fact does not compile until it has one. */
import type { Event } from "../event.ts";
import type { JobState } from "../job.ts";
import { oneLine } from "../one-line.ts";
import { kindWords, reasonWords } from "./reason.ts";
import { runTeam } from "./teams.ts";
import type { Tone, View } from "./view.ts";

const TEXT_MAX = 400;

export type Sentence = { readonly who: string; readonly text: string; readonly tone: Tone };

export function sentence(event: Event): Sentence {
  const say = (who: string | null, text: string, tone: Tone = "plain"): Sentence => ({
    who: who ?? "",
    text: oneLine(text, TEXT_MAX),
    tone,
  });
  switch (event.type) {
    case "team.created":
      return event.team
        ? say(event.by ?? null, `created the team ${event.team}; start it with: ${runTeam(event.team)}`)
        : say(null, "the team was created", "dim");
    case "team.deleted":
      return say(event.by, `deleted the team ${event.team}`, "warn");
    case "journal.pruned":
      return say(
        event.by,
        `deleted old facts and conversations, from before ${new Date(event.before).toISOString()}`,
        "dim",
      );
    case "team.resumed":
      return say(null, "the team was resumed", "dim");
    case "team.finished":
      return say(
        null,
        `${event.reason === "concluded" ? "finished" : `stopped (${reasonWords(event.reason)})`}: ${tally(event)}`,
        event.failed + event.cancelled + event.unfinished > 0 ? "warn" : "good",
      );
    case "teammate.spawned":
      return say(
        event.who,
        `joined${event.kind === "lead" ? " as the lead" : ""}${event.role && ` as ${event.role}`}${event.model && ` on ${event.model}`}`,
      );
    case "teammate.phase":
      if (event.phase === "work") return say(event.who, "is at work", "dim");
      return say(
        event.who,
        `${event.phase === "idle" ? "is idle" : "has stopped"}${event.reason ? ` (${reasonWords(event.reason)})` : ""}`,
        "dim",
      );
    case "task.added":
      return say(
        event.by,
        `added #${event.task} ${event.subject}${event.blockedBy.length > 0 ? `, after ${ids(event.blockedBy)}` : ""}`,
      );
    case "task.changed":
      return say(event.by, `changed #${event.task}: ${event.what.join(", ")}`, "dim");
    case "task.claimed":
      return say(
        event.by,
        `claimed #${event.task} ${event.subject}${event.attempt > 1 ? ` (attempt ${event.attempt})` : ""}`,
        "busy",
      );
    case "task.completed":
      return say(
        event.by,
        `completed #${event.task} ${event.subject}${event.result && `: ${event.result}`}`,
        "good",
      );
    case "task.failed":
      return say(event.by, `failed #${event.task} ${event.subject}: ${event.reason}`, "bad");
    case "task.released":
      return say(
        event.from,
        `#${event.task} is back on the board (${reasonWords(event.why)})${event.note ? `: ${event.note}` : ""}`,
        "warn",
      );
    case "task.cancelled":
      return say(event.by, `cancelled #${event.task}${event.reason && `: ${event.reason}`}`, "warn");
    case "task.unblocked":
      return say(null, `#${event.task} is ready now that #${event.by} is completed`, "dim");
    case "task.queued":
      return say(event.by, `waits for other tasks before #${event.task} can land on ${event.target}`, "dim");
    case "gate.started":
      return say(event.by, `runs the gate for #${event.task}: ${event.command}`, "busy");
    case "task.landed":
      return say(event.by, `landed #${event.task} on ${event.target} (${event.commit.slice(0, 9)})`, "good");
    case "task.proposed":
      return say(
        event.by,
        `proposed #${event.task} for ${event.target}${event.said && `: ${event.said}`}`,
        "good",
      );
    case "task.reopened":
      return say(
        event.by,
        `${event.why === "hook" ? `was refused the completion of #${event.task} by a hook` : `could not land #${event.task} (${reasonWords(event.why)})`} and works on it again: ${event.evidence}`,
        "warn",
      );
    case "mail.sent":
      return say(event.from, `→ ${event.to} (${kindWords(event.kind)})`, "dim");
    case "mail.delivered":
      return say(event.to, `read the ${kindWords(event.kind)} from ${event.from}`, "dim");
    case "turn.taken":
      return say(
        event.subagent ?? event.who,
        event.text ? `says: ${event.text}` : `thought${event.ms < 100 ? "" : ` for ${seconds(event.ms)}`}`,
        event.text ? "plain" : "dim",
      );
    case "tool.called":
      return say(
        event.subagent ?? event.who,
        `${event.tool}${event.subject && ` ${event.subject}`}${event.isError ? ` failed${event.note ? `: ${event.note}` : ""}` : ""} (${seconds(event.ms)})`,
        event.isError ? "warn" : "dim",
      );
    case "permission.asked":
      return say(event.who, `asks to run ${event.tool}: ${event.subject} (request ${event.request})`, "warn");
    case "permission.answered":
      return say(
        event.who,
        `${event.allowed ? "may" : "may not"} run ${event.tool}: ${event.subject} (decided by ${event.by})`,
        event.allowed ? "dim" : "warn",
      );
    case "shutdown.asked":
      return say(event.by, `asked ${event.who} to stop${event.reason && `: ${event.reason}`}`);
    case "shutdown.answered":
      return say(
        event.who,
        event.accepted ? "agreed to stop" : `refused to stop: ${event.reason}`,
        event.accepted ? "dim" : "warn",
      );
    case "plan.submitted":
      return say(
        event.who,
        `submitted a plan for #${event.task}${event.request ? ` (request ${event.request})` : ""}`,
      );
    case "plan.answered":
      return say(
        event.by,
        `${event.approved ? "approved" : "rejected"} the plan of ${event.who} for #${event.task}`,
        event.approved ? "good" : "warn",
      );
    case "answer.ignored":
      return say(event.from, `answered a request, and the answer was ignored: ${event.why}`, "warn");
    case "context.compacted":
      return say(
        event.who,
        `compacted its context (${event.layer}): ${event.before} → ${event.after} tokens`,
        "dim",
      );
    case "model.retried":
      return say(
        event.who,
        `asks the model again in ${seconds(event.waitMs)} (attempt ${event.attempt}): ${event.why}`,
        "warn",
      );
    case "job.started":
      return say(event.who, `runs j${event.job} in the background: ${event.command}`, "dim");
    case "job.ended":
      return say(
        event.who,
        `j${event.job} ${JOB_ENDS[event.state]}${event.state === "failed" && event.exitCode !== null ? ` (exit code ${event.exitCode})` : ""}`,
        event.state === "failed" || event.state === "unknown" ? "warn" : "dim",
      );
    case "cron.added":
      return say(event.by, `set the cron c${event.cron} (${event.expression}): ${event.text}`);
    case "cron.fired": {
      const what = event.task === null ? `→ ${event.to}` : `added #${event.task}`;
      return say(null, `the cron c${event.cron} fired${event.late ? " late" : ""}: ${what}`);
    }
    case "cron.cancelled":
      return say(event.by, `the cron c${event.cron} was cancelled`, "dim");
    case "memory.kept":
      return say(event.who, `noted for later sessions: ${event.topics.join(", ")}`, "dim");
    case "warning.raised":
      return say(event.who, event.text, "warn");
    default:
      return event satisfies never;
  }
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

/** Steps on the way: they matter only to a person who looks for a fault. */
const CHATTER: ReadonlySet<Event["type"]> = new Set([
  "team.created",
  "teammate.phase",
  "task.unblocked",
  "task.changed",
  "task.queued",
  "mail.sent",
  "mail.delivered",
  "job.started",
  "context.compacted",
]);

/** Whether a short feed shows the fact: results, decisions and faults, but not every step on the way. */
export function isNews(event: Event): boolean {
  // The runbook model only repeats the facts about its tasks.
  if (event.type === "turn.taken") return event.text !== "" && event.model !== "runbook";
  if (event.type === "tool.called") return event.isError;
  if (event.type === "shutdown.answered") return !event.accepted;
  if (event.type === "teammate.phase") return event.phase === "shutdown";
  if (event.type === "team.created") return event.team !== undefined;
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
