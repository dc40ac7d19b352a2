/** The members as data and views: their tasks, why they are idle, and which of them no process runs. */
import { fullName, type Instant, type Name } from "../ids.ts";
import type { Member } from "../member.ts";
import type { Task } from "../task.ts";
import { colourOf } from "./identity.ts";
import { reasonWords } from "./reason.ts";
import { type Cell, type Column, money, span, tokens, type View } from "./view.ts";

export type MemberData = Member & {
  readonly subject: string | null;
  readonly hosted: boolean;
  readonly heartbeatAgeMs: number | null;
  readonly phaseAgeMs: number;
};
export type TeamData = { readonly team: Name; readonly members: readonly MemberData[] };

/** `live`: the hosts with a valid lease. A member of another host is shown as not running. */
export function teamData(
  team: Name,
  members: readonly Member[],
  live: ReadonlySet<string>,
  tasks: readonly Task[],
  now: Instant,
): TeamData {
  const subjects = new Map(tasks.map((task) => [task.id, task.subject]));
  return {
    team,
    members: members.map((member) => ({
      ...member,
      subject: member.task === null ? null : (subjects.get(member.task) ?? null),
      hosted: member.host !== null && live.has(member.host),
      heartbeatAgeMs: member.heartbeat === null ? null : now - member.heartbeat,
      phaseAgeMs: now - member.since,
    })),
  };
}

export function teamViews({ team, members }: TeamData): View[] {
  const rows = members.map((member): Cell[] => [
    { text: fullName(member.name, team), tone: "strong", colour: colourOf(member.name) },
    { text: member.role || (member.kind === "lead" ? "lead" : "") },
    doing(member),
    { text: span(member.phaseAgeMs), tone: "dim" },
    { text: member.unread > 0 ? String(member.unread) : "", tone: "warn" },
    { text: member.heartbeatAgeMs === null ? "" : `${span(member.heartbeatAgeMs)} ago`, tone: "dim" },
    { text: member.model, tone: "dim" },
    { text: tokens(member.inputTokens + member.outputTokens) },
    { text: money(member.usd) },
  ]);
  const columns: Column[] = [
    { name: "name" },
    { name: "role" },
    { name: "doing", grow: true },
    { name: "since", align: "right" },
    { name: "mail", align: "right" },
    { name: "heartbeat", align: "right", minor: true },
    { name: "model", minor: true },
    { name: "tokens", align: "right" },
    { name: "cost", align: "right" },
  ];
  return [{ kind: "table", columns, rows, empty: "Nobody is in this team yet. Start one: ekiden run GOAL" }];
}

export function doing(
  member: Member & { readonly subject?: string | null; readonly hosted?: boolean },
): Cell {
  const task = member.task === null ? "" : `#${member.task}${member.subject ? ` ${member.subject}` : ""}`;
  if (member.activity.phase === "shutdown")
    return { text: `stopped (${reasonWords(member.activity.reason)})`, tone: "dim" };
  if (member.hosted === false) return { text: `not running${task && `, has ${task}`}`, tone: "warn" };
  if (member.activity.phase === "idle")
    return { text: `idle (${reasonWords(member.activity.reason)})${task && `, has ${task}`}`, tone: "dim" };
  return { text: task || "thinking", tone: "busy" };
}
