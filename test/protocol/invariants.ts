/** Lists the invariants that no step may break. Judged from the states before and after it, without the rules of the model. */
import { BLOCKERS, type Op, runs, type State, type Stepped } from "./model.ts";

type Judge = (before: State, op: Op, after: Stepped) => boolean;

/** True: kept. */
export const INVARIANTS: Readonly<Record<string, Judge>> = {
  "a task is completed once": (before, _, { state }) =>
    state.tasks === before.tasks ||
    before.tasks.every(({ status }, id) => status !== "completed" || state.tasks[id]?.status === "completed"),
  "a completion belongs to the claim of the time": (before, op, { answer }) => {
    if (!answer.startsWith("ready")) return true;
    const claim = op.op === "land" ? before.flight : op.op === "complete" ? op.claim : null;
    const task = claim && before.tasks[claim.task];
    return task?.status === "in_progress" && task.owner === claim?.member && task.attempt === claim.attempt;
  },
  "who writes as a member has its seat": (before, op, { answer }) => {
    const claim = op.op === "land" ? before.flight : "claim" in op ? op.claim : null;
    const isRefused = /^(stale|bad|null|taken|busy|blocked|finished|nothing)/.test(answer) || answer === "";
    if (isRefused || op.op === "issue" || op.op === "adopt") return true;
    if (claim) return before.seats[claim.member] === claim.host;
    if ("member" in op) return before.seats[op.member] === op.host;
    return op.op !== "send" || before.seats[op.from] === op.host;
  },
  "a claimed task was pending, its blockers completed": (before, _, { state }) =>
    state.tasks === before.tasks ||
    state.tasks.every(({ status }, id) => {
      const was = before.tasks[id]?.status;
      if (status !== "in_progress" || was === "in_progress") return true;
      const isFree = (BLOCKERS[id] ?? []).every((blocker) => before.tasks[blocker]?.status === "completed");
      return was === "pending" && isFree;
    }),
  "attempts increase by one with each claim": (before, _, { state }) =>
    state.tasks === before.tasks ||
    state.tasks.every(({ status, attempt }, id) => {
      const was = before.tasks[id];
      const isNew = status === "in_progress" && was?.status !== "in_progress";
      return attempt === (was?.attempt ?? 0) + (isNew ? 1 : 0);
    }),
  "a claim passes to another only by the board": (before, _, { state }) =>
    state.tasks === before.tasks ||
    state.tasks.every(({ status, owner, attempt }, id) => {
      const was = before.tasks[id];
      if (was?.status !== "in_progress" || status !== "in_progress") return true;
      return was.owner === owner && was.attempt === attempt;
    }),
  "a member has one task": (before, _, { state }) => {
    if (state.tasks === before.tasks) return true;
    const owners = state.tasks.filter(({ status }) => status === "in_progress").map(({ owner }) => owner);
    return new Set(owners).size === owners.length;
  },
  "nobody takes the claims of a host that lives": (before, op, { state }) => {
    if (op.op !== "reap" && op.op !== "adopt") return true;
    return before.seats.every((host, member) => {
      const lives = host >= 0 && before.leases[host] === "live" && runs(before, host);
      return !lives || state.seats[member] === host;
    });
  },
  "open blockers are those that are not completed": (before, _, { state }) =>
    state.tasks === before.tasks ||
    state.tasks.every(
      ({ openBlockers }, id) =>
        openBlockers ===
        (BLOCKERS[id] ?? []).filter((one) => state.tasks[one]?.status !== "completed").length,
    ),
  "a letter is delivered once, unread before": (before, _, { state }) => {
    if (state.unread === before.unread && state.delivered === before.delivered) return true;
    const all = [...state.unread, ...state.delivered].map(({ from, nth }) => `${from}.${nth}`);
    const kept = [...before.unread, ...before.delivered].every(({ from, nth }) =>
      all.includes(`${from}.${nth}`),
    );
    return kept && new Set(all).size === all.length;
  },
  "letters of one sender keep their order": (before, _, { state }) =>
    state.delivered === before.delivered ||
    state.delivered.every((letter, i) =>
      state.delivered
        .slice(0, i)
        .every(
          (earlier) => earlier.from !== letter.from || earlier.to !== letter.to || earlier.nth < letter.nth,
        ),
    ),
};

const ALL = Object.entries(INVARIANTS);

export function brokenBy(before: State, op: Op, after: Stepped): string | null {
  for (const [what, isKept] of ALL) if (!isKept(before, op, after)) return what;
  return null;
}
