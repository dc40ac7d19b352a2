/** The members as data and views: their tasks, why they are idle, which of them no process runs; and the processes that run them. */
import type { Host } from "../board/host.ts";
import { RESTING } from "../board/lifecycle.ts";
import type { Member } from "../board/member.ts";
import { reasonWords } from "../board/reason.ts";
import type { Task } from "../board/task.ts";
import { fullName, type Instant, type Name } from "../ids.ts";
import type { LoginWindow } from "../limits/window.ts";
import { oneLine } from "../text/one-line.ts";
import { colourOf } from "./identity.ts";
import { loginsView, openWindows } from "./logins.ts";
import { redViews } from "./red-target.ts";
import { type Cell, type Column, money, span, tokens, type View } from "./view.ts";

/** Characters of the last words of a member that cannot work. */
const NOTE_SHOWN = 120;

export type MemberData = Member & {
  readonly subject: string | null;
  readonly hosted: boolean;
  /** The id of its process, where that stands still. */
  readonly frozen?: number | undefined;
  readonly heartbeatAgeMs: number | null;
  readonly phaseAgeMs: number;
};
export type HostData = Host & { readonly leaseLeftMs: number };
export type TeamData = {
  readonly team: Name;
  readonly members: readonly MemberData[];
  readonly hosts: readonly HostData[];
  readonly logins: readonly LoginWindow[];
  /** The sentence about a red target. */
  readonly red?: string;
  readonly now: Instant;
};

/** A member of a host without a valid lease is shown as not running. */
export function teamData(
  team: Name,
  members: readonly Member[],
  hosts: readonly Host[],
  tasks: readonly Task[],
  now: Instant,
  logins: readonly LoginWindow[] = [],
  still: readonly Host[] = [],
): TeamData {
  const live = new Set(hosts.filter(({ leaseUntil }) => leaseUntil > now).map(({ id }) => id));
  const frozen = new Map(still.map(({ id, pid }) => [id, pid]));
  const subjects = new Map(tasks.map((task) => [task.id, task.subject]));
  return {
    team,
    members: members.map((member) => ({
      ...member,
      subject: member.task === null ? null : (subjects.get(member.task) ?? null),
      hosted: member.host !== null && live.has(member.host),
      frozen: member.host === null ? undefined : frozen.get(member.host),
      heartbeatAgeMs: member.heartbeat === null ? null : now - member.heartbeat,
      phaseAgeMs: now - member.since,
    })),
    hosts: hosts.map((host) => ({ ...host, leaseLeftMs: host.leaseUntil - now })),
    logins: openWindows(logins, now),
    now,
  };
}

export function teamViews({ team, members, hosts, logins, now, red }: TeamData): View[] {
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
  const empty = "Nobody is in this team yet. Start one: ekiden run GOAL";
  const waiting = members.map(({ model, activity, task }) => ({
    ...{ model, task, isAtLimit: activity.phase === "idle" && activity.reason === "at_limit" },
  }));
  return [
    ...redViews(red),
    { kind: "table", columns, rows, empty },
    ...(logins.length > 0 ? [loginsView(logins, waiting, now)] : []),
    ...(hosts.length > 0 ? [hostView(hosts)] : []),
  ];
}

/** The end of the lease of a process whose members were given to others is set to the beginning of time. */
const FENCED_MS = -10 * 365 * 86_400_000;

function hostView(hosts: readonly HostData[]): View {
  const columns: Column[] = [
    { name: "host", grow: true },
    { name: "members", align: "right" },
    { name: "at work", align: "right" },
    { name: "lease", align: "right" },
    { name: "version" },
  ];
  const rows = hosts.map(({ machine, pid, members, working, capacity, leaseLeftMs, version }): Cell[] => [
    { text: `${machine}, pid ${pid}`, tone: "strong" },
    { text: capacity > 0 ? `${members} of ${capacity}` : String(members) },
    { text: String(working), tone: working > 0 ? "busy" : "dim" },
    leaseLeftMs > 0
      ? { text: `${span(leaseLeftMs)} left`, tone: "dim" }
      : { text: leaseLeftMs < FENCED_MS ? "taken over" : `over for ${span(-leaseLeftMs)}`, tone: "warn" },
    { text: version, tone: "dim" },
  ]);
  return { kind: "table", columns, rows, empty: "" };
}

export function doing(member: Member & Partial<Pick<MemberData, "subject" | "hosted" | "frozen">>): Cell {
  const task = member.task === null ? "" : `#${member.task}${member.subject ? ` ${member.subject}` : ""}`;
  if (member.activity.phase === "shutdown")
    return { text: `stopped (${reasonWords(member.activity.reason)})`, tone: "dim" };
  const still = member.frozen === undefined ? "not running" : `process ${member.frozen} stands still`;
  if (member.hosted === false) return { text: `${still}${task && `, has ${task}`}`, tone: "warn" };
  if (member.activity.phase === "idle") return idle(member.activity, task && `, has ${task}`);
  return { text: task || "thinking", tone: "busy" };
}

function idle({ reason, note }: Extract<Member["activity"], { phase: "idle" }>, has: string): Cell {
  const words = `${reasonWords(reason)}${note ? `: ${oneLine(note, NOTE_SHOWN)}` : ""}`;
  return RESTING.has(reason)
    ? { text: `${words}${has}`, tone: "warn" }
    : { text: `idle (${words})${has}`, tone: "dim" };
}
