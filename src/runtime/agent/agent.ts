/** An agent is a member or a subagent: where it works, its model, its conversation and its features. */

import type { IdleReason } from "../../core/board/lifecycle.ts";
import type { Task } from "../../core/board/task.ts";
import type { Entry, Opening, ToolCall } from "../../core/conversation/chat.ts";
import type { ContextSettings } from "../../core/conversation/compaction.ts";
import type { Conversation } from "../../core/conversation/conversation.ts";
import type { Image, ImageFile } from "../../core/conversation/image.ts";
import type { TaskId } from "../../core/ids.ts";
import type { Step, ToolTraits } from "../../core/progress/steps.ts";
import { inOurNames, ourName } from "../../core/tool-names.ts";
import type { Besides, Delta, Model, Outgoing, Tool, ToolSpec, Workplace } from "../../ports/index.ts";
import type { MemberHooks } from "../hooks/member-hooks.ts";
import type { ProviderTimeout } from "../team/provider-timeout.ts";
import type { Stagger } from "../turn/stagger.ts";
import type { Spool } from "../wraps/result-size.ts";
import type { ActivityWriter } from "./activity.ts";
import type { Run, Wrap } from "./call.ts";

export type Agent = Workplace & {
  readonly model: Model;
  /** Used while `model` is overloaded. */
  readonly fallback?: Model | undefined;
  readonly features: readonly Feature[];
  /** The runbook that is run here (`Task.runbook`), for a member that only runs blocks. */
  readonly runbook?: (() => string | undefined) | undefined;
  /** Replaced as a whole, by `collect` alone. */
  loadout: Loadout;
  /** How the logins of teammates decide who of them takes a task. */
  readonly logins?: (() => Besides["logins"]) | undefined;
  /** A tool as the model is told of it. */
  readonly specOf: (tool: Tool) => ToolSpec;
  readonly activity: ActivityWriter;
  readonly conversation: Conversation;
  /** The sentence that says who it is: the notes of a summary need not repeat it. */
  readonly identity: string;
  /** The task of this stint, for reports. */
  readonly about: () => TaskId | null;
  /** When its context is made smaller. */
  readonly context: ContextSettings;
  readonly spool?: Spool | undefined;
  /** Keeps the bytes of an image that a model is to be shown. Without it nothing is shown. */
  readonly keepImage?: ((image: ImageFile) => Promise<Image>) | undefined;
  /** The facts that a summary must keep, one paragraph each. Without it: its task, an open plan, unread mail. */
  readonly holds?: (() => Promise<readonly string[]>) | undefined;
  /** The person's hooks at the end of a stint and before a summary. The hooks around calls are a wrap. */
  readonly hooks?: Pick<MemberHooks, "stop" | "idle" | "compact" | "asksAtStop"> | undefined;
  readonly providerTimeout?: Pick<ProviderTimeout, "down" | "up"> | undefined;
  /**
   * Others of its kind: those with the same prefix `enter` one after the other. While some `areHere`, each of their requests keeps what
   * they share in the provider's cache.
   */
  readonly siblings?: (Pick<Stagger, "enter"> & { areHere(): boolean }) | undefined;
  readonly onDelta?: ((delta: Delta) => void) | undefined;
  readonly hold?: BoardHold | undefined;
};

/** A board that begins only when the person has approved it. */
export type BoardHold = {
  /** Teammates rest. */
  isHeld(): Promise<boolean>;
  /** The lead has planned: asks the person, where that is wanted. True while the lead waits for the answer. */
  ask(): Promise<boolean>;
  /** The lead has heard the answer: an approved board begins. */
  settle(): Promise<void>;
};

/** What the counting of a turn says: "rest" where the task was ended, so that the stint ends too. */
export type Booked = Promise<"rest" | undefined> | undefined;

export type TurnOutcome = {
  readonly kind: "acted" | "rested";
  readonly reason: IdleReason;
  readonly calls: readonly ToolCall[];
  /** The reply and the results of its calls. */
  readonly round: readonly Entry[];
  /** The calls with their results, for loop detection and looks at the work. */
  readonly steps: readonly Step[];
  /** A call succeeded that was more than a letter. */
  readonly worked: boolean;
  readonly text: string;
  /** The member rests, because the reply was no answer, also after a hint. */
  readonly unanswered: keyof typeof UNANSWERED | null;
  /** The report of the stint, where a Stop hook decides whether it ends; otherwise it was sent with the reply. */
  readonly report: readonly Outgoing[];
  readonly usd: number;
  readonly tokens: number;
};

export const UNANSWERED = {
  filtered: "was stopped by the provider's filter",
  empty: "had no words and no calls",
  cut: "was cut off by the output limit",
} as const;

/** A call in our names, where the agent has that tool and no other one of exactly the name that the model used. */
export const meant = (
  { loadout: { tools } }: Pick<Agent, "loadout">,
  call: Pick<ToolCall, "tool" | "input">,
): Pick<ToolCall, "tool" | "input"> => {
  const ours = inOurNames(call);
  const isOther = ourName(call.tool) !== call.tool || !tools.has(ours.tool);
  return isOther && tools.has(call.tool) ? call : ours;
};

/** The traits of the agent's tools, for loop detection. */
export const traitsOf =
  (agent: Pick<Agent, "loadout">) =>
  (tool: string): ToolTraits => ({ watches: agent.loadout.tools.get(tool)?.watches === true });

/**
 * A part of what a conversation begins with.
 *
 * | place  | where                                                | for what                                       |
 * |--------|------------------------------------------------------|------------------------------------------------|
 * | system | the system prompt, the same for all of a kind        | texts of this program alone                    |
 * | shared | the first message, the same for all members          | the project: its rules, its skills, its memory |
 * | own    | behind that                                          | role, hooks, team, and at last the identity    |
 *
 * `about`: its name when a change of it is told in the middle of a conversation. "": it stays as it was at the beginning.
 */
export type Section = {
  readonly place: "system" | "shared" | "own";
  readonly about: string;
  readonly text: string;
  /** But for names its words are this program's: a change of it may reach the model as a system message. */
  readonly ofProgram?: true;
};

export type Feature = {
  /** Updates what the other parts read, such as files of the project, before a stint. */
  refresh?(): Promise<void>;
  /**
   * Its tools: all that the role of the agent can ever need, because a conversation keeps the list that it began with. A tool that
   * does not apply yet refuses with the reason. A later feature replaces a tool of the same name.
   */
  tools?(agent: Agent): readonly Tool[] | Promise<readonly Tool[]>;
  /** Leaves out tools of any feature. */
  narrow?(tools: readonly Tool[]): readonly Tool[];
  /** Its parts of what a conversation begins with; those without text are left out. */
  sections?(): readonly Section[];
  /** Around every call of the member and its subagents. May refuse or change it. */
  readonly wrap?: Wrap;
  /** The folder in which the tools work during a task, if not the project. */
  workspaceOf?(task: Task): string;
  /** Folders outside the workspace that file tools may read. */
  readable?(): readonly string[];
  /** After each round of calls: a reminder that is due. */
  afterRound?(round: readonly Entry[]): Entry | null;
  /** The text that a summary of the conversation keeps word for word; "" for none. */
  pinned?(): string;
  /** A summary is about to replace the conversation. An error becomes a warning. */
  onSummary?(agent: Agent, signal: AbortSignal): Promise<void>;
  /** The member has nothing more to do. An error becomes a warning. */
  onStintEnd?(agent: Agent, signal: AbortSignal): Promise<void>;
  /** The member is about to let go of its task, or to end here. Has a few seconds; an error becomes a warning. */
  beforeRelease?(signal: AbortSignal): Promise<void>;
};

/** The texts that a member reads at the beginning of a conversation, and the tools that it may call. */
export type Loadout = {
  /** The opening of a conversation that would begin now. One that has begun keeps its own. */
  readonly opening: Opening;
  /** The tools that can be called now. */
  readonly tools: ReadonlyMap<string, Tool>;
  readonly readable: readonly string[];
  /** A tool behind all wraps. */
  readonly run: Run;
};
