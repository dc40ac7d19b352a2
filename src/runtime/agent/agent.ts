/** An agent is a member or a subagent: where it works, its model, its conversation and its features. */

import type { IdleReason } from "../../core/board/lifecycle.ts";
import type { Entry, ToolCall } from "../../core/conversation/chat.ts";
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
import type { Feature, Loadout } from "./feature.ts";

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
