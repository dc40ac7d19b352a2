/** A team as the page begins with it: every task in short, every member, and the place in the journal where the stream goes on. */
import { hostname } from "node:os";
import { systemClock } from "../../adapters/clock.ts";
import type { Member } from "../../core/member.ts";
import type { Task } from "../../core/task.ts";
import type { Store } from "../../ports/index.ts";
import type { MemberRow, Snapshot, TaskRow } from "./wire.ts";

const WHY_MAX = 400;
/** Facts that were written while the tables were read make it begin anew, so that nothing is counted twice. */
const TRIES = 4;

export async function snapshot(store: Store): Promise<Snapshot> {
  for (let tries = 1; ; tries += 1) {
    const cursor = await store.journal.end();
    const [tasks, members, questions] = [
      await store.board.tasks(),
      await memberRows(store),
      await store.requests.open(),
    ];
    if (tries < TRIES && (await store.journal.end()) !== cursor) continue;
    return {
      team: store.team,
      cursor,
      now: systemClock.now(),
      tasks: tasks.map(taskRow),
      members,
      questions: questions.length,
    };
  }
}

export function taskRow(task: Task): TaskRow {
  const why = "reason" in task ? task.reason : (task.lastFailure ?? "");
  const owner = task.status === "pending" ? null : task.owner;
  return {
    id: task.id,
    subject: task.subject,
    status: task.status,
    ...(task.blockedBy.length > 0 && { blockedBy: task.blockedBy }),
    ...(owner !== null && { owner }),
    ...(task.attempt > 0 && { attempt: task.attempt }),
    ...(task.priority !== 0 && { priority: task.priority }),
    ...(task.estimate !== 1 && { estimate: task.estimate }),
    ...(task.role !== null && { role: task.role }),
    ...(task.touches.length > 0 && { touches: task.touches }),
    ...(task.needsPlan && { needsPlan: true }),
    createdAt: task.createdAt,
    ...("startedAt" in task && { startedAt: task.startedAt }),
    ...("endedAt" in task && { endedAt: task.endedAt }),
    ...(why !== "" && { why: why.slice(0, WHY_MAX) }),
  };
}

export async function memberRows({ roster }: Pick<Store, "roster">): Promise<MemberRow[]> {
  const [members, hosts] = [await roster.members(), await roster.hosts()];
  const now = systemClock.now();
  const live = new Map(hosts.filter((host) => host.leaseUntil > now).map((host) => [host.id, host.machine]));
  return members.map((member) => memberRow(member, member.host === null ? undefined : live.get(member.host)));
}

function memberRow(member: Member, machine: string | undefined): MemberRow {
  const { name, kind, role, model, activity, since, task, unread, turns, joinedAt } = member;
  const { inputTokens, cachedTokens, outputTokens, usd } = member;
  return {
    name,
    kind,
    role,
    model,
    phase: activity.phase,
    reason: "reason" in activity ? activity.reason : "",
    since,
    hosted: machine !== undefined,
    machine: machine === undefined || machine === hostname() ? "" : machine,
    task,
    unread,
    turns,
    inputTokens,
    cachedTokens,
    outputTokens,
    usd,
    joinedAt,
  };
}
