/**
 * Spans from the facts of the journal, named after OpenTelemetry's conventions for generative AI: `invoke_agent` for an attempt at a
 * task (or a stint without one), with a `chat` for each model call and an `execute_tool` for each tool call below it. They hold names
 * and numbers, no texts: neither prompts nor commands leave the store. Pure; the caller makes the ids.
 */
import type { FactOf } from "../event.ts";
import type { Name, TaskId } from "../ids.ts";
import type { ToldEvent } from "./told.ts";

export type Attributes = Readonly<Record<string, string | number | boolean>>;
export type Span = {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentId: string | null;
  readonly name: string;
  readonly kind: "internal" | "client";
  /** Milliseconds since 1970. */
  readonly start: number;
  readonly end: number;
  readonly attributes: Attributes;
  /** The kind of error; null if it went well. */
  readonly error: string | null;
};
/** A random id of so many bytes, in hexadecimal digits. */
export type NewId = (bytes: number) => string;

/** An `invoke_agent` that has not ended. */
type Open = {
  readonly traceId: string;
  readonly spanId: string;
  readonly start: number;
  readonly task: TaskId | null;
  readonly attempt: number | null;
  /** The end of its task; "" before that. */
  outcome: string;
  error: string | null;
  last: number;
};

const TRACE_BYTES = 16;
const SPAN_BYTES = 8;

export class SpanWriter {
  private readonly open = new Map<Name, Open>();
  private readonly team: Name;
  private readonly newId: NewId;

  constructor(team: Name, newId: NewId) {
    this.team = team;
    this.newId = newId;
  }

  /** The spans that end with this fact. */
  take(event: ToldEvent): Span[] {
    switch (event.type) {
      case "task.claimed": {
        const before = this.close(event.by);
        this.begin(event.by, event.at, event.task, event.attempt);
        return before;
      }
      case "task.completed":
        return this.taskEnded(event.by, event.task, "completed", null, event.at);
      case "task.failed":
        return event.by === null ? [] : this.taskEnded(event.by, event.task, "failed", "failed", event.at);
      case "task.released":
        return event.from === null
          ? []
          : this.taskEnded(event.from, event.task, "released", event.why, event.at);
      case "turn.taken":
        return [this.chat(event)];
      case "tool.called":
        return [this.tool(event)];
      case "teammate.phase":
        return event.phase === "work" || this.holdsTask(event.who, event.phase) ? [] : this.close(event.who);
      default:
        return [];
    }
  }

  /** Ends what is open, for the end of the process. */
  closeAll(): Span[] {
    return [...this.open.keys()].flatMap((who) => this.close(who));
  }

  /** A member may be idle in the middle of a task: it waits for an answer to its plan. */
  private holdsTask(who: Name, phase: "idle" | "shutdown"): boolean {
    const open = this.open.get(who);
    return phase === "idle" && open !== undefined && open.task !== null && open.outcome === "";
  }

  private begin(who: Name, start: number, task: TaskId | null, attempt: number | null): Open {
    const open: Open = {
      traceId: this.newId(TRACE_BYTES),
      spanId: this.newId(SPAN_BYTES),
      ...{ start, task, attempt, outcome: "", error: null, last: start },
    };
    this.open.set(who, open);
    return open;
  }

  /** The span stays open for the last words about the task. */
  private taskEnded(who: Name, task: TaskId, outcome: string, error: string | null, at: number): Span[] {
    const open = this.open.get(who);
    if (open?.task === task) Object.assign(open, { outcome, error, last: at });
    return [];
  }

  private close(who: Name): Span[] {
    const open = this.open.get(who);
    if (!open) return [];
    this.open.delete(who);
    const { traceId, spanId, start, task, attempt, outcome, error, last } = open;
    const attributes = {
      "gen_ai.operation.name": "invoke_agent",
      ...this.agent(who),
      ...(task !== null && { "ekiden.task.id": task }),
      ...(attempt !== null && { "ekiden.task.attempt": attempt }),
      ...(outcome && { "ekiden.task.outcome": outcome }),
    };
    return [
      {
        ...{ traceId, spanId, parentId: null, name: `invoke_agent ${who}`, kind: "internal" },
        ...{ start, end: last, attributes, error },
      },
    ];
  }

  private chat(event: FactOf<"turn.taken"> & { readonly at: number }): Span {
    const { who, model, inputTokens, cachedTokens, outputTokens, usd, subagent } = event;
    const [provider, name] = modelNames(model);
    return this.below(event, `chat ${name}`, "client", null, {
      "gen_ai.operation.name": "chat",
      "gen_ai.provider.name": provider,
      "gen_ai.request.model": name,
      "gen_ai.usage.input_tokens": inputTokens,
      "gen_ai.usage.cache_read.input_tokens": cachedTokens,
      "gen_ai.usage.output_tokens": outputTokens,
      "ekiden.cost.usd": usd,
      ...this.agent(subagent ?? who),
    });
  }

  private tool(event: FactOf<"tool.called"> & { readonly at: number }): Span {
    const { who, tool, isError, subagent } = event;
    return this.below(event, `execute_tool ${tool}`, "internal", isError ? "tool_error" : null, {
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": tool,
      "gen_ai.tool.type": "function",
      ...this.agent(subagent ?? who),
    });
  }

  private below(
    { who, at, ms }: { readonly who: Name; readonly at: number; readonly ms: number },
    name: string,
    kind: Span["kind"],
    error: string | null,
    attributes: Attributes,
  ): Span {
    const parent = this.open.get(who) ?? this.begin(who, at - ms, null, null);
    parent.last = Math.max(parent.last, at);
    const { traceId, spanId: parentId } = parent;
    const span = { traceId, spanId: this.newId(SPAN_BYTES), parentId, name, kind };
    return { ...span, start: at - ms, end: at, attributes, error };
  }

  private agent(name: Name): Attributes {
    return { "gen_ai.agent.name": name, "gen_ai.conversation.id": `${this.team}/${name}` };
  }
}

/** The conventions' names of providers, where they differ from ours. */
const PROVIDERS: Readonly<Record<string, string>> = { google: "gcp.gemini" };

/** "anthropic/claude-x" → provider and model; the embedded models have one name for both. */
export function modelNames(spec: string): [provider: string, model: string] {
  const [provider = spec, model = spec] = /^([^/]*)\/(.*)$/s.exec(spec)?.slice(1) ?? [];
  return [PROVIDERS[provider] ?? provider, model];
}
