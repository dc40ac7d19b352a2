/**
 * A subagent is a copy of its member with a fresh conversation: it does one job and returns only its final text. It has the same
 * wraps, so the same permissions, but fewer tools, a limited number of rounds and its own transcript ("alice/1"). Its member pays.
 * It does not outlive the call that started it.
 */
import { heard } from "../../core/conversation/chat.ts";
import { Conversation } from "../../core/conversation/conversation.ts";
import { identity, whoIsSubagent } from "../../core/conversation/prompt.ts";
import { escapeTags } from "../../core/conversation/tags.ts";
import { derived } from "../../core/derived.ts";
import { badInput, EkidenError } from "../../core/errors.ts";
import { type Name, subagentName } from "../../core/ids.ts";
import { LoopDetector } from "../../core/progress/loop.ts";
import { applyRole, findRole, type Role, rolePrompt } from "../../core/project/role.ts";
import type { Model, Store, Tool, ToolContext } from "../../ports/index.ts";
import type { Agent, Booked, Section, TurnOutcome } from "../agent/agent.ts";
import type { Run } from "../agent/call.ts";
import { appendNote } from "./record.ts";
import { ReplyRecovery } from "./reply-recovery.ts";
import { turn } from "./turn.ts";

/** The job that a member gives to a subagent. */
export type Delegation = {
  readonly prompt: string;
  /** Only tools that change nothing. */
  readonly readOnly: boolean;
  /** A role by name; "" for none. */
  readonly role: string;
  /** The model instead of the one that its member or its role would give. */
  readonly model?: (usual: Model) => Promise<Model>;
};

/** `stopped`: why it was ended before it was done; "" if it was not. */
export type Delegated = { readonly name: Name; readonly text: string; readonly stopped: string };

export type SubagentParts = {
  readonly model: (spec: string) => Promise<Model>;
  /** The sections at the beginning of a subagent's conversation: guidance, the project. */
  readonly sections: (model: Model) => Promise<readonly Section[]>;
  readonly roles: () => readonly Role[];
  /** For budgets: after each turn, with the name of the member. */
  readonly onTurn?: (member: Name, outcome: TurnOutcome) => Booked;
};

/** Model calls of one subagent at most. */
const ROUNDS = 20;
const LAST_ROUND = "This is your last round: no more calls are run. Answer now with what you have found out.";

/** The member's tools without those that are about the team; with `readOnly` only those that change nothing. */
const fitting = (tools: Iterable<Tool>, readOnly: boolean): Tool[] =>
  [...tools].filter(
    ({ access, membersOnly }) => access !== "team" && !membersOnly && (!readOnly || access === "read"),
  );

/** Runs one subagent a call, as many at once as there are calls. */
export function subagents(
  parts: SubagentParts,
): (member: Agent, job: Delegation, ctx: ToolContext) => Promise<Delegated> {
  const names = namesUnder();
  return async (member, job, ctx) => {
    const role = job.role === "" ? null : findRole(parts.roles(), job.role);
    const tools = applyRole(role, fitting(member.loadout.tools.values(), job.readOnly));
    if (tools.length === 0) throw badInput(`The role "${job.role}" leaves a subagent no tool to work with.`);
    const subagent = await names(ctx.store, ctx.self);
    const usual = role?.model ? await parts.model(role.model) : member.model;
    const model = thinkingAs(role, (await job.model?.(usual)) ?? usual);
    const sections = await parts.sections(model);
    const at = (place: Section["place"]): string =>
      sections.flatMap((one) => (one.place === place && one.text) || []).join("\n\n");
    const who = whoIsSubagent({ name: subagent, member: ctx.self, team: ctx.store.team });
    const inTree = ctx.workspace === member.workspace ? "" : `Workspace of this job: ${ctx.workspace}`;
    const agent: Agent = {
      ...member,
      subagent,
      kind: "subagent",
      workspace: ctx.workspace,
      workspaceOf: undefined,
      jobs: undefined, // they would outlive it
      model,
      features: [],
      loadout: {
        ...member.loadout,
        opening: {
          system: at("system"),
          tools: tools.map(member.specOf),
          shared: at("shared"),
          own: [rolePrompt(role), inTree, identity(who)].filter(Boolean).join("\n\n"),
          told: {},
        },
        tools: new Map(tools.map((tool) => [tool.name, tool])),
        readable: ctx.readable,
      },
      conversation: new Conversation(),
      identity: who,
      about: () => null,
      holds: () => Promise.resolve([`Your job:\n${job.prompt}`]),
      hooks: undefined,
      onDelta: undefined,
    };
    return { name: subagent, ...(await work(agent, job.prompt, parts, ctx.signal)) };
  };
}

/** The effort of a role counts before that of its member and of a phase. */
const thinkingAs = (role: Role | null, model: Model): Model => {
  const { effort } = role ?? {};
  return effort === undefined
    ? model
    : derived(model, { reply: (request, options) => model.reply({ ...request, effort }, options) });
};

async function work(
  agent: Agent,
  prompt: string,
  { onTurn }: SubagentParts,
  signal: AbortSignal,
): Promise<Omit<Delegated, "name">> {
  await appendNote(agent, heard(prompt));
  const replies = new ReplyRecovery(agent);
  const loop = new LoopDetector();
  let text = "";
  for (let round = 1; round <= ROUNDS; round += 1) {
    const isLast = round === ROUNDS;
    if (isLast && round > 1) await appendNote(agent, heard(LAST_ROUND));
    const outcome = await replies.patiently(signal, () =>
      turn(isLast ? { ...agent, loadout: { ...agent.loadout, run: refuse } } : agent, signal, replies),
    );
    const rests = (await onTurn?.(agent.seat.name, outcome)) === "rest";
    text = outcome.text || text;
    if (rests) return { text, stopped: "It was stopped, because the task of its member was ended." };
    if (outcome.kind === "rested") return { text, stopped: "" };
    const verdict = loop.observe(outcome.round, outcome.steps, agent.clock.now());
    if (verdict.kind === "told") await appendNote(agent, heard(verdict.text));
    if (verdict.kind === "ended")
      return { text, stopped: `It was stopped because it repeated itself: it ${verdict.text}` };
  }
  return { text, stopped: `It was stopped after ${ROUNDS} rounds, so this may be incomplete.` };
}

const refuse: Run = () =>
  Promise.reject(
    new EkidenError("budget", "You have no rounds left: nothing is run any more. Answer in text."),
  );

/** The text comes from an agent that may have read anything, so it must not look like text of the harness. */
export function report({ name, text, stopped }: Delegated): string {
  const said = text === "" ? "It ended without an answer." : escapeTags(text);
  return [said, `[subagent ${name}${stopped && `. ${stopped}`}]`].join("\n\n");
}

/** "alice/1", "alice/2" …: the first number without a transcript. One at a time, or two at once would share it. */
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
