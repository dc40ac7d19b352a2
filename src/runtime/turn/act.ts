/** ACT and RECORD: runs the calls of one reply and stores an answer to each. */

import type { IdleReason } from "../../core/board/lifecycle.ts";
import { type Entry, heard, invalidInput, type ToolCall } from "../../core/conversation/chat.ts";
import { shownResult } from "../../core/conversation/foreign.ts";
import { type Image, imageLine } from "../../core/conversation/image.ts";
import { messageOf } from "../../core/errors.ts";
import { quote } from "../../core/ids.ts";
import { lazy } from "../../core/lazy.ts";
import { cutEnd } from "../../core/text/valid.ts";
import { inputFault } from "../../core/tool-faults.ts";
import { insteadOf } from "../../core/tool-names.ts";
import type { Access, Tool, ToolContext } from "../../ports/index.ts";
import { type Agent, meant } from "../agent/agent.ts";
import type { Call } from "../agent/call.ts";
import { interruptionOf } from "../agent/interruption.ts";
import { appendNote, record } from "./record.ts";

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
  const images: Image[] = [];
  let held = false;
  const resting = (why: IdleReason): void => {
    held ||= why === "awaiting_plan" || why === "awaiting_answer";
    rest(why);
  };
  for (const batch of await batches(calls.map((call) => new PendingCall(agent, call))))
    answers.push(
      ...(await someAtOnce(batch, (call) =>
        answer(agent, call, signal, { rest: resting, compact, cutOff, images }, held),
      )),
    );
  // Not all vendors take images within a result.
  if (images.length > 0) await appendNote(agent, heard(images.map(imageLine).join("\n"), images));
  return answers;
}

export type ActOptions = {
  readonly rest: (why: IdleReason) => void;
  readonly compact?: () => void;
  /** The reply ended at the output limit: its last call may be half a call. */
  readonly cutOff?: boolean;
};

/** `images`: gets what the calls show. */
type AnswerOptions = Required<ActOptions> & { readonly images: Image[] };

/** Searches and subagents: more of them at once slow each other down. */
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

/** A call with its input, which is parsed once. */
class PendingCall {
  /** As the model made it: its answer names it so. */
  readonly asked: ToolCall;
  /** The call that is run: what `asked` passes on. */
  readonly call: ToolCall;
  private readonly agent: Agent;
  private read: Read | null = null;

  constructor(agent: Agent, asked: ToolCall) {
    this.agent = agent;
    this.asked = asked;
    const passed = agent.loadout.tools.get(asked.tool)?.passesOn?.(asked.input);
    this.call = passed ? { ...asked, ...passed } : asked;
  }

  get tool(): Tool | undefined {
    return this.agent.loadout.tools.get(this.meant.tool);
  }

  private get meant(): Pick<ToolCall, "tool" | "input"> {
    return meant(this.agent, this.call);
  }

  /** The input, and the access of the call. @throws with what was expected */
  async checked(tool: Tool, cutOff: boolean): Promise<Pick<Call, "input" | "access">> {
    const raw = invalidInput(this.call);
    if (raw !== null && cutOff)
      throw new Error(
        `Not run: the output limit cut your answer off in the middle of this ${tool.name}. Use smaller pieces, such as a first part of the file and then one edit_file for each further part.`,
      );
    if (raw !== null)
      throw new Error(
        `The input of ${tool.name} was not a JSON object: ${quote(raw)}. Call it again with the whole input.`,
      );
    const { parsed, access } = await this.readFor(tool);
    if (parsed.success) return { input: parsed.data, access };
    const { schema } = this.agent.specOf(tool);
    throw new Error(inputFault(tool.name, parsed.error.issues, schema, this.meant.input));
  }

  async onlyReads(): Promise<boolean> {
    const { tool } = this;
    return tool !== undefined && (await this.readFor(tool)).access === "read";
  }

  private async readFor(tool: Tool): Promise<Read> {
    if (this.read?.tool === tool) return this.read;
    const parsed = tool.input().safeParse(this.meant.input);
    const access = (parsed.success && (await tool.accessOf?.(parsed.data))) || tool.access;
    this.read = { tool, parsed, access };
    return this.read;
  }
}

/** The input as a tool understands it. */
type Read = {
  readonly tool: Tool;
  readonly parsed: ReturnType<ReturnType<Tool["input"]>["safeParse"]>;
  readonly access: Access;
};

async function batches(calls: readonly PendingCall[]): Promise<PendingCall[][]> {
  const groups: PendingCall[][] = [];
  let reads = false;
  for (const call of calls) {
    const follows = reads;
    reads = await call.onlyReads();
    if (follows && reads) groups.at(-1)?.push(call);
    else groups.push([call]);
  }
  return groups;
}

type Result = Extract<Entry, { kind: "result" }>;

/** An error of a tool is news for the model: this is the only place that turns errors into text. */
async function answer(
  agent: Agent,
  pending: PendingCall,
  signal: AbortSignal,
  { rest, compact, cutOff, images }: AnswerOptions,
  held: boolean,
): Promise<Entry> {
  const { seat, clock, conversation, store, loadout, keepImage } = agent;
  const { asked, call, tool } = pending;
  const result = (text: string, isError: boolean): Result => ({
    kind: "result",
    result: {
      type: "result",
      id: asked.id,
      tool: asked.tool,
      text: shown(text, isError),
      isError,
      ...(tool?.lasting && !isError && { lasting: true }),
    },
  });
  const shown = (text: string, isError: boolean): string => {
    const known = agent.secrets?.redact(text) ?? text;
    return tool?.ownTags && !isError ? known : shownResult(known);
  };
  let began = clock.now();
  let hasRun = false;
  let subject = "";
  let wrote: readonly string[] = [];
  let written: Result | null = null;
  let entry: Result;
  try {
    if (signal.aborted) throw signal.reason;
    if (held) throw new Error(NOT_YET);
    if (!tool) throw new Error(unknownTool(agent, call.tool));
    const { input, access } = await pending.checked(tool, cutOff);
    subject = tool.subject?.(input) ?? "";
    wrote = tool.writes?.(input) ?? [];
    const ends: (() => Promise<void>)[] = [];
    const ctx: ToolContext = {
      ...agent,
      self: seat.name,
      readable: loadout.readable,
      signal,
      currentTask: lazy(() => store.board.mine(seat.name)),
      rest,
      compact,
      onEnd: (end) => void ends.push(end),
      showImage: keepImage && (async (image) => void images.push(await keepImage(image))),
      waitingFor: (reason) => agent.activity.waitFor(reason),
      answer: (text) => {
        written = result(text, false);
        return written;
      },
    };
    const onPermitted = (): void => {
      began = clock.now();
    };
    const onRun = (): void => {
      hasRun = true;
    };
    const text = await loadout.run({ tool, call, input, access, ctx, onPermitted, onRun });
    for (const end of ends) await end();
    entry = written ?? result(text, false);
  } catch (error) {
    const interrupted = interruptionOf(signal);
    if (interrupted !== null && interrupted !== "urgent" && interrupted !== "person") throw signal.reason;
    written = null;
    entry = result(interrupted ? cut(interrupted, hasRun) : messageOf(error), true);
  }
  const { isError, text } = entry.result;
  const fact = {
    type: "tool.called",
    who: seat.name,
    tool: tool?.name ?? call.tool,
    subject: factText(agent, subject),
    ...(!isError &&
      wrote.length > 0 && { wrote: wrote.slice(0, WROTE_MAX).map((path) => factText(agent, path)) }),
    ms: clock.now() - began,
    isError,
    ...(isError && { note: cutEnd(text, 300) }),
    ...(agent.subagent && { subagent: agent.subagent }),
  } as const;
  await record(agent, written ? [] : [entry], { facts: [fact] });
  conversation.add(entry);
  return entry;
}

/** The number of written files that a fact names; a call that writes more names the first ones. */
const WROTE_MAX = 50;
const factText = ({ secrets }: Agent, text: string): string => cutEnd(secrets?.redact(text) ?? text, 200);

/** A conversation keeps the list of tools that it began with. */
const unknownTool = ({ conversation, loadout }: Agent, name: string): string =>
  conversation.opening?.tools.some((tool) => tool.name === name)
    ? `${name} cannot be called now: its server is not connected, or your role does not have it any more. Continue without it.`
    : `There is no tool "${name}". ${insteadOf(name) ?? `You have: ${[...loadout.tools.keys()].join(", ")}.`}`;

/** Calls behind a plan or a question in the same reply were meant for the time after its answer. */
const NOT_YET =
  "Not run: you wait for an answer first. It comes as mail; call this again then, if it still fits.";

const CUT = { urgent: "an urgent message", person: "the person" } as const;
const cut = (by: keyof typeof CUT, hasRun: boolean): string =>
  hasRun
    ? `Interrupted by ${CUT[by]} before it was done. It may have taken effect in part: check before you repeat it.`
    : `Interrupted by ${CUT[by]} before it began. It was not run.`;
