/** An agent is a member or a subagent: where it works, its model, its conversation and its features. */
import type { Entry, ToolCall } from "../../core/conversation/chat.ts";
import type { ContextSettings } from "../../core/conversation/compaction.ts";
import type { Conversation } from "../../core/conversation/conversation.ts";
import type { Name, TaskId } from "../../core/ids.ts";
import type { IdleReason } from "../../core/lifecycle.ts";
import type { ToolTraits } from "../../core/loop.ts";
import type { Delta, Model, Outgoing, Tool, ToolSpec, Workplace } from "../../ports/index.ts";
import type { MemberHooks } from "../hooks/member-hooks.ts";
import type { ProviderTimeout } from "../team/provider-timeout.ts";
import type { Spool } from "../wraps/result-size.ts";
import type { ActivityWriter } from "./activity.ts";
import type { Feature, Loadout } from "./feature.ts";

export type Agent = Workplace & {
  /** A subagent's own name ("alice/1"). It acts by its member's seat and its member pays, but its transcript is its own. */
  readonly subagent?: Name | undefined;
  readonly model: Model;
  /** Used while `model` is overloaded. */
  readonly fallback?: Model | undefined;
  readonly features: readonly Feature[];
  /** Replaced as a whole, by `beginStint` and `offerTools` alone. */
  loadout: Loadout;
  /** A tool as the model is told of it. */
  readonly specOf: (tool: Tool) => ToolSpec;
  readonly activity: ActivityWriter;
  readonly conversation: Conversation;
  /** The task of this stint, for reports. */
  readonly about: () => TaskId | null;
  /** When its context is made smaller. */
  readonly context: ContextSettings;
  readonly spool?: Spool | undefined;
  /** What a summary must keep, one paragraph each. Without it: its task, an open plan, unread mail. */
  readonly holds?: (() => Promise<readonly string[]>) | undefined;
  /** The person's hooks at the end of a stint and before a summary. The hooks around calls are a wrap. */
  readonly hooks?: Pick<MemberHooks, "stop" | "idle" | "compact" | "asksAtStop"> | undefined;
  /** False: it may run in another process by now. */
  readonly isFresh?: (() => boolean) | undefined;
  readonly providerTimeout?: Pick<ProviderTimeout, "down" | "up"> | undefined;
  readonly onDelta?: ((delta: Delta) => void) | undefined;
};

export type TurnOutcome = {
  readonly kind: "acted" | "rested";
  readonly reason: IdleReason;
  readonly calls: readonly ToolCall[];
  /** The reply and the results of its calls. */
  readonly round: readonly Entry[];
  readonly text: string;
  /** The report of the stint, where a Stop hook decides whether it ends; otherwise it was sent with the reply. */
  readonly report: readonly Outgoing[];
  readonly usd: number;
  readonly tokens: number;
};

/** What loop detection has to know of the agent's tools. */
export const traitsOf =
  (agent: Pick<Agent, "loadout">) =>
  (tool: string): ToolTraits => {
    const known = agent.loadout.tools.get(tool);
    return { aboutTeam: known?.access === "team", createsTasks: known?.effect === "creates" };
  };
