/**
 * The model of a member whose turns are taken by an agent outside of this program, over MCP. A request waits until that agent calls a
 * tool, and the call becomes the reply. So leases, plans, landings, hooks and mail work for this member as for any other.
 */
import { localReply } from "../../adapters/models/local.ts";
import type { Text, ToolResult } from "../../core/conversation/chat.ts";
import { readerOf } from "../../core/conversation/prompt.ts";
import type { Model, ModelRequest, Reply, ReplyOptions } from "../../ports/index.ts";

/** A request that waits for its reply. */
export type Turn = {
  readonly request: ModelRequest;
  /** The agent has read what is new in it. */
  isRead: boolean;
  /** Ends the wait with one call. Returns its id. */
  call(tool: string, input: unknown): string;
};

export class GuestModel implements Model {
  readonly spec = "mcp";
  /** The agent keeps a conversation of its own, and this one is never sent to a provider. */
  readonly window = 1_000_000_000;
  private current: Turn | null = null;
  private calls = 0;
  private readonly waiting = new Set<() => void>();

  /** The turn that waits now. */
  get turn(): Turn | null {
    return this.current;
  }

  reply(request: ModelRequest, { signal }: ReplyOptions): Promise<Reply> {
    return new Promise((resolve, reject) => {
      const end = (): void => {
        this.current = null;
        signal.removeEventListener("abort", abort);
      };
      const abort = (): void => {
        end();
        reject(signal.reason);
      };
      if (signal.aborted) return abort();
      signal.addEventListener("abort", abort);
      const call = (tool: string, input: unknown): string => {
        end();
        this.calls += 1;
        const id = `mcp-${Date.now()}-${this.calls}`;
        resolve(localReply([{ type: "call", id, tool, input }], {}));
        return id;
      };
      this.current = { request, isRead: false, call };
      for (const wake of this.waiting) wake();
    });
  }

  /** The next turn; null when `ms` pass or the signal aborts first. */
  next(ms: number, signal: AbortSignal): Promise<Turn | null> {
    if (this.current || signal.aborted) return Promise.resolve(this.current);
    return new Promise((resolve) => {
      const settle = (): void => {
        clearTimeout(timer);
        this.waiting.delete(settle);
        signal.removeEventListener("abort", settle);
        resolve(this.current);
      };
      const timer = setTimeout(settle, ms);
      this.waiting.add(settle);
      signal.addEventListener("abort", settle);
    });
  }
}

/** The results and texts that came after the last reply. */
export function newsOf({ messages, openingParts = 0 }: ModelRequest): (ToolResult | Text)[] {
  const last = messages.findLastIndex(({ role }) => role === "assistant");
  return messages
    .slice(last + 1)
    .flatMap((message) => (message.role === "user" ? message.content : []))
    .slice(last === -1 ? openingParts : 0)
    .filter((part) => part.type !== "image");
}

/** The first texts for an agent: who it is, and the opening of its conversation. */
export const aboutOf = ({ system, messages, openingParts = 0 }: ModelRequest): string[] => [
  readerOf(messages),
  system,
  ...(messages[0]?.content ?? [])
    .slice(0, openingParts)
    .flatMap((part) => (part.type === "text" ? [part.text] : [])),
];
