/** One turn: read, think, act, record. The rest of the runtime decides when to take one. */

import type { IdleReason } from "../../core/board/lifecycle.ts";
import { type Mail, taskTaken } from "../../core/board/mail.ts";
import { type AssistantMessage, callsOf, type Entry, heard, textOf } from "../../core/conversation/chat.ts";
import { lastWords } from "../../core/conversation/last-words.ts";
import { delivered } from "../../core/conversation/prompt.ts";
import { LEAD, PERSON } from "../../core/ids.ts";
import { stepsOf } from "../../core/progress/steps.ts";
import { cutEnd } from "../../core/text/valid.ts";
import type { MakeEntries, Outgoing, Reply, Tool, Usage } from "../../ports/index.ts";
import { type Agent, meant, type TurnOutcome, traitsOf, UNANSWERED } from "../agent/agent.ts";
import { act } from "./act.ts";
import { appendNote, record } from "./record.ts";
import { ReplyRecovery } from "./reply-recovery.ts";

/** Replies that are no whole answer. */
const FAULTY: ReadonlySet<Reply["stop"]> = new Set(["refused", "length"]);

/** Mails taken into one request. The rest follows at the next turn. */
const MAIL_PER_TURN = 100;

/**
 * READ: unread mail enters the conversation and is marked read in the same step. The next owner of a task that was taken waits for that
 * (adapters/store/hands.ts), so background commands end before.
 */
export async function readMail(agent: Agent): Promise<Mail[]> {
  const { store, seat, conversation, jobs } = agent;
  if (jobs?.has(seat.name)) await endTaken(agent, await store.mail.unread(seat.name, MAIL_PER_TURN));
  let entries: readonly Entry[] = [];
  const make: MakeEntries = (letters, left) => {
    entries = delivered(letters, left);
    return entries;
  };
  const mail = await store.mail.deliver(seat, make, MAIL_PER_TURN);
  for (const entry of mail.length > 0 ? entries : []) conversation.add(entry);
  await endTaken(agent, mail);
  return mail;
}

/** Ends the background commands of tasks that were taken from the member. */
async function endTaken({ jobs, seat }: Agent, mail: readonly Mail[]): Promise<void> {
  for (const task of mail.map(taskTaken)) if (task !== null) await jobs?.endAll(seat.name, task);
}

/**
 * THINK, ACT, RECORD. The mail must have been read. A caller that takes several turns passes the same `replies` to all of them.
 * Rejects with the signal's reason when the step is interrupted.
 */
export async function turn(
  agent: Agent,
  signal: AbortSignal,
  replies: ReplyRecovery = new ReplyRecovery(agent),
): Promise<TurnOutcome> {
  const { reply, text, report, hint } = await think(agent, signal, replies);
  const besides = replies.takeSpent();
  const calls = callsOf(reply.message);
  const round: Entry[] = [{ kind: "said", message: reply.message }];
  let unanswered: TurnOutcome["unanswered"] = null;
  let reason: IdleReason | null = calls.length === 0 ? "no_tool_use" : null;
  if (calls.length > 0) {
    const rest = (why: IdleReason): void => {
      reason = why;
    };
    const results = await act(agent, calls, signal, {
      rest,
      compact: () => replies.context.ask(),
      cutOff: reply.stop === "length",
    });
    round.push(...results);
    for (const feature of agent.features) {
      const reminder = feature.afterRound?.(round);
      if (reminder) await appendNote(agent, reminder);
    }
  } else if (hint !== null) {
    await appendNote(agent, heard(hint));
    reason = null;
    // The built-in model says nothing where it has nothing to run.
  } else if ((text === "" && agent.model.spec !== "runbook") || FAULTY.has(reply.stop)) {
    unanswered = reply.stop === "refused" ? "filtered" : reply.stop === "length" ? "cut" : "empty";
    if (!agent.activity.isUnable)
      await agent.store.journal.warn(
        agent.seat.name,
        `The answer of ${agent.seat.name} ${UNANSWERED[unanswered]}, again after a hint. It rests until it hears something; another model may continue (/model, --model).`,
      );
  }
  const steps = stepsOf(round, traitsOf(agent));
  return {
    kind: reason === null ? "acted" : "rested",
    reason: reason ?? "no_tool_use",
    calls,
    round,
    steps,
    worked: steps.some(({ tool, isError }) => !isError && isWork(agent.loadout.tools.get(tool))),
    text,
    unanswered,
    report,
    usd: reply.usd + besides.usd,
    tokens: total(reply.usage) + total(besides),
  };
}

/** A letter to somebody, or the end of a turn, is no work. */
const isWork = (tool: Tool | undefined): boolean =>
  tool !== undefined && (tool.access !== "team" || tool.effect !== undefined || tool.passesOn !== undefined);

/** The reply is stored before its calls run: after a crash the member must know which calls it began. */
async function think(
  agent: Agent,
  signal: AbortSignal,
  replies: ReplyRecovery,
): Promise<{ reply: Reply; text: string; report: readonly Outgoing[]; hint: string | null }> {
  const { seat, clock, conversation } = agent;
  const began = clock.now();
  const { reply: given, model, opened, prefix } = await replies.next(signal);
  const reply = { ...given, message: described(agent, conversation.accepted(given.message)) };
  const entry: Entry = {
    kind: "said",
    message: reply.message,
    prefix,
    ...(model.bindsPrefix && { binds: true }),
  };
  const { unanswered, whole } = conversation;
  const text = lastWords([...whole, ...(unanswered ? [unanswered] : []), reply.message]);
  const hint = replies.hint(reply);
  const fact = {
    type: "turn.taken",
    who: seat.name,
    model: model.spec,
    ...reply.usage,
    usd: reply.usd,
    ms: clock.now() - began,
    text: cutEnd(textOf(reply.message), 300),
    ...(agent.subagent && { subagent: agent.subagent }),
  } as const;
  const report = await finalReport(agent, reply, hint === null || reply.stop !== "length" ? text : "");
  const waits = agent.hooks?.asksAtStop === true;
  await record(agent, [...opened, entry], {
    facts: [fact],
    spent: { turns: 1, ...reply.usage, usd: reply.usd },
    mail: waits ? [] : report,
  });
  for (const one of [...opened, entry]) conversation.add(one);
  return { reply, text, report: waits ? report : [], hint };
}

/** Each call with the way its tool is shown, for those who read the transcript and do not know the tool. */
const described = (agent: Agent, message: AssistantMessage): AssistantMessage => ({
  ...message,
  content: message.content.map((part) => {
    const shows = part.type === "call" ? agent.loadout.tools.get(meant(agent, part).tool)?.shows : undefined;
    return shows ? { ...part, shows } : part;
  }),
});

/**
 * The last words of a stint are mailed without the member's help: a teammate's to the lead, the lead's to the person. They are sent
 * in the same step as the reply, so a crash cannot lose them; with a Stop hook only after it let the member rest, or each retry
 * would send another report.
 */
async function finalReport(agent: Agent, reply: Reply, text: string): Promise<Outgoing[]> {
  const { kind, about, store, seat } = agent;
  if (kind === "subagent") return []; // its last words are the result of its member's call
  if (agent.activity.isUnable) return []; // they are shown with it
  if (text === "" || callsOf(reply.message).length > 0) return [];
  const task = about();
  const held = task === null ? null : await store.board.task(task);
  const inHand = held?.status === "in_progress" && held.owner === seat.name;
  return [{ to: kind === "lead" ? PERSON : LEAD, body: { kind: "result", task, inHand, text } }];
}

const total = ({ inputTokens, outputTokens }: Usage): number => inputTokens + outputTokens;
