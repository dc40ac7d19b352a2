/** ACT and RECORD: the calls of one reply, run and answered. */
import { type Entry, invalidInput, type ToolCall } from "../../core/conversation/chat.ts";
import { messageOf } from "../../core/errors.ts";
import { quote } from "../../core/ids.ts";
import type { IdleReason } from "../../core/lifecycle.ts";
import type { Tool, ToolContext } from "../../ports/index.ts";
import { type Agent, workplaceOf } from "../agent/agent.ts";
import { interruptionOf } from "../agent/interruption.ts";
import { record } from "./record.ts";

/**
 * Neighbouring calls that only read run at once; everything else runs alone, in call order. Each answer is stored as soon as
 * it is there. Afterwards every call of the reply has an answer, unless the process is being taken down.
 * @throws the signal's reason for interruptions that end the member's stay in this process.
 */
export async function act(
  agent: Agent,
  calls: readonly ToolCall[],
  signal: AbortSignal,
  { rest, compact = () => {}, cutOff = false }: ActOptions,
): Promise<Entry[]> {
  const answers: Entry[] = [];
  let held = false;
  const resting = (why: IdleReason): void => {
    held ||= why === "awaiting_plan";
    rest(why);
  };
  for (const batch of batches(agent, calls))
    answers.push(
      ...(await someAtOnce(batch, (call) =>
        answer(agent, call, signal, { rest: resting, compact, cutOff }, held),
      )),
    );
  return answers;
}

export type ActOptions = {
  readonly rest: (why: IdleReason) => void;
  readonly compact?: () => void;
  /** The reply ended at the output limit: its last call may be half a call. */
  readonly cutOff?: boolean;
};

/** Searches and subagents: more of them at once would only get in each other's way. */
const AT_ONCE = 8;

async function someAtOnce<T, R>(items: readonly T[], run: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < items.length) {
      const at = next;
      next += 1;
      results[at] = await run(items[at] as T);
    }
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, items.length) }, work));
  return results;
}

function batches({ tools }: Agent, calls: readonly ToolCall[]): ToolCall[][] {
  const groups: ToolCall[][] = [];
  let reading = false;
  for (const call of calls) {
    const reads = readsOnly(tools.get(call.tool), call);
    const last = groups.at(-1);
    if (reads && reading && last) last.push(call);
    else groups.push([call]);
    reading = reads;
  }
  return groups;
}

function readsOnly(tool: Tool | undefined, call: ToolCall): boolean {
  if (tool?.accessOf === undefined) return tool?.access === "read";
  const parsed = tool.input().safeParse(call.input);
  return parsed.success && tool.accessOf(parsed.data) === "read";
}

/** Whatever a tool throws is news for the model, not for us: this is the only place that turns errors into text. */
async function answer(
  agent: Agent,
  call: ToolCall,
  signal: AbortSignal,
  { rest, compact, cutOff }: Required<ActOptions>,
  held: boolean,
): Promise<Entry> {
  const { seat, clock, conversation } = agent;
  const tool = agent.tools.get(call.tool);
  const result = (text: string, isError: boolean): Entry => ({
    kind: "result",
    result: { type: "result", id: call.id, tool: call.tool, text, isError },
  });
  const began = clock.now();
  let subject = "";
  let written: Entry | null = null;
  let entry: Entry;
  try {
    if (signal.aborted) throw signal.reason;
    if (held) throw new Error(NOT_YET);
    if (!tool)
      throw new Error(`There is no tool "${call.tool}". You have: ${[...agent.tools.keys()].join(", ")}.`);
    const input = parse(tool, call, cutOff);
    subject = tool.subject?.(input) ?? "";
    const ctx: ToolContext = {
      ...workplaceOf(agent),
      self: seat.name,
      signal,
      rest,
      compact,
      answer: (text) => {
        written = result(text, false);
        return written;
      },
    };
    const text = await agent.run({ tool, call, input, ctx });
    entry = written ?? result(text, false);
  } catch (error) {
    const interrupted = interruptionOf(signal);
    if (interrupted !== null && interrupted !== "urgent" && interrupted !== "person") throw signal.reason;
    written = null;
    entry = result(interrupted ? CUT[interrupted] : messageOf(error), true);
  }
  const { isError, text } = entry.kind === "result" ? entry.result : { isError: false, text: "" };
  const fact = {
    type: "tool.called",
    who: seat.name,
    tool: call.tool,
    subject: subject.slice(0, 200),
    ms: clock.now() - began,
    isError,
    ...(isError && { note: text.slice(0, 300) }),
    ...(agent.subagent && { subagent: agent.subagent }),
  } as const;
  await record(agent, written ? [] : [entry], { facts: [fact] });
  conversation.add(entry);
  return entry;
}

/** What follows a submitted plan in the same reply was meant for after its approval. */
const NOT_YET =
  "Not run: your plan waits for its approval. The answer comes as mail; call this again once it is approved.";

const CUT = {
  urgent:
    "Interrupted by an urgent message, before it was done. What it had begun may have taken effect: check before you repeat it.",
  person:
    "Interrupted by the person, before it was done. What it had begun may have taken effect: check before you repeat it.",
} as const;

function parse(tool: Tool, call: ToolCall, cutOff: boolean): unknown {
  const raw = invalidInput(call);
  if (raw !== null && cutOff)
    throw new Error(
      `Not run: your answer was cut off by the output limit in the middle of this ${tool.name}. Do it in smaller pieces, such as a first part of the file and then an edit_file for each further one.`,
    );
  if (raw !== null)
    throw new Error(
      `The input of ${tool.name} was not a JSON object: ${quote(raw)}. Call it again with the whole input.`,
    );
  const parsed = tool.input().safeParse(call.input);
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.map((issue) => `${issue.path.join(".") || "input"}: ${issue.message}`);
  throw new Error(
    `The input of ${tool.name} does not fit: ${issues.join("; ")}. Call it again with the right input.`,
  );
}
