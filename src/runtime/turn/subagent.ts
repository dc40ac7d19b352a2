/**
 * A subagent: a fresh conversation that works on one job by its member's seat and returns only its final text. Same turn, same
 * wraps, so the same permissions; fewer tools, a bounded number of rounds, a transcript of its own ("alice/1"), its costs
 * booked on its member. It does not outlive the call that started it.
 */
import { heard } from "../../core/conversation/chat.ts";
import { Conversation } from "../../core/conversation/conversation.ts";
import { subagentPrompt } from "../../core/conversation/prompt.ts";
import { escapeTags } from "../../core/conversation/tags.ts";
import { EkidenError } from "../../core/errors.ts";
import { type Name, subagentName } from "../../core/ids.ts";
import { applyRole, findRole, type Role } from "../../core/project/role.ts";
import type { Model, Store, Tool, ToolContext, ToolSpec } from "../../ports/index.ts";
import { type Agent, type TurnOutcome, workplaceOf } from "../agent/agent.ts";
import type { Run } from "../agent/call.ts";
import { appendNote } from "./record.ts";
import { ReplyRecovery } from "./reply-recovery.ts";
import { turn } from "./turn.ts";

/** What its member asks of it. */
export type Delegation = {
  readonly prompt: string;
  /** Only tools that change nothing. */
  readonly readOnly: boolean;
  /** A role by name; "" for none. */
  readonly role: string;
};

export type SubagentParts = {
  /** Its member's model, or the one its role names ("" never comes here). */
  readonly model: (spec?: string) => Promise<Model>;
  /** What its member has; those of them that a subagent may not have are left out here. */
  readonly tools: readonly Tool[];
  readonly specOf: (tool: Tool) => ToolSpec;
  /** The tool behind all its wraps, as its member runs it. */
  readonly run: Run;
  /** Sections of its member's prompt that hold for it too: project rules, skills. */
  readonly sections: readonly string[];
  readonly roles: readonly Role[];
  /** Model calls it makes at most. Default 20. */
  readonly rounds?: number;
  /** For budgets: after each of its turns, with its member's name. */
  readonly onTurn?: (of: Name, outcome: TurnOutcome) => void;
  /** Last hand on the agent before it starts: compaction, for one. */
  readonly finish?: (agent: Agent) => Agent;
};

const ROUNDS = 20;
/** The board, the mailboxes, the roster and jobs are its member's; and a subagent has no subagents. */
const ITS_MEMBERS: ReadonlySet<string> = new Set([
  "task",
  "todo_write",
  "list_tasks",
  "get_task",
  "list_teammates",
  "check_inbox",
  "check_background",
  "stop_background",
  "list_crons",
]);
const LAST_ROUND = "This is your last round: no more calls are run. Answer now with what you have found out.";

/** Its member's tools without those of the team; with `readOnly` only those that change nothing. */
function fitting(tools: readonly Tool[], readOnly: boolean): Tool[] {
  return tools.filter(
    ({ name, access }) => access !== "team" && !ITS_MEMBERS.has(name) && (!readOnly || access === "read"),
  );
}

/** Makes what the `task` tool calls: one subagent a call, as many at once as there are calls. */
export function subagents(parts: SubagentParts): (job: Delegation, ctx: ToolContext) => Promise<string> {
  const names = namesUnder();
  return async (job, ctx) => {
    const role = job.role === "" ? null : findRole(parts.roles, job.role);
    const tools = applyRole(role, fitting(parts.tools, job.readOnly));
    if (tools.length === 0)
      throw new EkidenError("bad_input", `The role "${job.role}" leaves a subagent no tool to work with.`);
    const subagent = await names(ctx.store, ctx.self);
    const made: Agent = {
      ...workplaceOf(ctx),
      workspaceOf: undefined,
      jobs: undefined, // they would outlive it
      subagent,
      kind: "subagent",
      system: subagentPrompt(
        { name: subagent, member: ctx.self, team: ctx.store.team },
        ctx.workspace,
        [role?.prompt ?? "", ...parts.sections].filter(Boolean),
      ),
      model: await parts.model(role?.model || undefined),
      tools: new Map(tools.map((tool) => [tool.name, tool])),
      specs: tools.map(parts.specOf),
      run: parts.run,
      conversation: new Conversation(),
      about: () => null,
    };
    return await work(parts.finish?.(made) ?? made, job.prompt, parts, ctx.signal);
  };
}

async function work(
  agent: Agent,
  prompt: string,
  { rounds = ROUNDS, onTurn }: SubagentParts,
  signal: AbortSignal,
): Promise<string> {
  await appendNote(agent, heard(prompt));
  const replies = new ReplyRecovery({ ...agent, holds: () => Promise.resolve([`Your job:\n${prompt}`]) });
  let text = "";
  for (let round = 1; round <= rounds; round += 1) {
    const isLast = round === rounds;
    if (isLast && round > 1) await appendNote(agent, heard(LAST_ROUND));
    const outcome = await replies.patiently(signal, () =>
      turn(isLast ? { ...agent, run: refuse } : agent, signal, replies),
    );
    signal.throwIfAborted();
    onTurn?.(agent.seat.name, outcome);
    text = outcome.text || text;
    if (outcome.kind === "rested") return report(agent, text);
  }
  return report(agent, text, `It was stopped after ${rounds} rounds, so this may be incomplete.`);
}

const refuse: Run = () =>
  Promise.reject(
    new EkidenError("budget", "You have no rounds left: nothing is run any more. Answer in text."),
  );

/** What it says comes from an agent that may have read anything: it must not pass for the harness. */
function report({ subagent }: Agent, text: string, note = ""): string {
  const said = text === "" ? "It ended without a word." : escapeTags(text);
  return [said, `[subagent ${subagent}${note && `. ${note}`}]`].join("\n\n");
}

/** "alice/1", "alice/2" …: the first number that has no transcript yet. One after the other, or two at once would share it. */
function namesUnder(): (store: Store, member: Name) => Promise<Name> {
  let last = 0;
  let queue: Promise<unknown> = Promise.resolve();
  const next = async (store: Store, member: Name): Promise<Name> => {
    if (last === 0) while (await isTaken(store, member, last + 1)) last += 1;
    last += 1;
    return subagentName(member, last);
  };
  return (store, member) => {
    const name = queue.then(() => next(store, member));
    queue = name.catch(() => {});
    return name;
  };
}

const isTaken = async (store: Store, member: Name, n: number): Promise<boolean> =>
  (await store.transcript.all(subagentName(member, n), 0, 1)).length > 0;
