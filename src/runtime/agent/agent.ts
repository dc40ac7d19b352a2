/** What a member is made of, and what comes of one of its turns. Everything in the runtime speaks of them. */
import type { ToolCall } from "../../core/conversation/chat.ts";
import type { ContextSettings } from "../../core/conversation/compaction.ts";
import type { Conversation } from "../../core/conversation/conversation.ts";
import type { TodoWatch } from "../../core/conversation/todo.ts";
import type { Name, TaskId } from "../../core/ids.ts";
import type { IdleReason } from "../../core/lifecycle.ts";
import type { Delta, Model, Tool, ToolSpec, Workplace } from "../../ports/index.ts";
import type { MemberHooks } from "../hooks/member-hooks.ts";
import type { ProviderTimeout } from "../team/provider-timeout.ts";
import type { Spool } from "../wraps/result-size.ts";
import type { Run } from "./call.ts";

/** Everything one member, or a subagent of one, is made of. Built once by the composition root, used for all its turns. */
export type Agent = Workplace & {
  /** A subagent's own name ("alice/1"): it acts by its member's seat and costs are its member's, but its transcript is its own. */
  readonly subagent?: Name;
  readonly system: string;
  readonly model: Model;
  /** Asked while `model` is overloaded. */
  readonly fallback?: Model | undefined;
  readonly tools: ReadonlyMap<string, Tool>;
  readonly specs: readonly ToolSpec[];
  /** The tool behind all its wraps. */
  readonly run: Run;
  readonly conversation: Conversation;
  /** The task of this stint, for reports. */
  readonly about: () => TaskId | null;
  /** When its context is made smaller; the defaults without it. */
  readonly context?: ContextSettings | undefined;
  readonly spool?: Spool | undefined;
  /** What a summary must not lose, one paragraph each. Without it: its claimed task, a plan that waits, unread mail. */
  readonly holds?: (() => Promise<readonly string[]>) | undefined;
  /** The person's hooks where it would rest or sum up. Those around calls are a wrap. */
  readonly hooks?: Pick<MemberHooks, "stop" | "idle" | "compact"> | undefined;
  readonly providerTimeout?: Pick<ProviderTimeout, "down" | "up"> | undefined;
  readonly onDelta?: ((delta: Delta) => void) | undefined;
  /** Follows its todo list: reminds it, and carries the list over a summary. */
  readonly todos?: TodoWatch;
  /** Before a stint: brings prompt and tools up to date. During a stint they do not change. */
  readonly beginStint?: () => Promise<void>;
  /** When the member found nothing more to do, before it is shown as idle. What it throws is a warning. */
  readonly endStint?: (signal: AbortSignal) => Promise<void>;
};

/** Of an agent or a call, what the other has of it too. */
export const workplaceOf = ({
  kind,
  seat,
  store,
  clock,
  shell,
  commandTimeoutMs,
  workspace,
  workspaceOf,
  readable,
  team,
  jobs,
}: Workplace): Workplace => ({
  kind,
  seat,
  store,
  clock,
  shell,
  commandTimeoutMs,
  workspace,
  workspaceOf,
  readable,
  team,
  jobs,
});

export type TurnOutcome = {
  readonly kind: "acted" | "rested";
  readonly reason: IdleReason;
  readonly calls: readonly ToolCall[];
  readonly text: string;
  readonly usd: number;
  readonly tokens: number;
};
