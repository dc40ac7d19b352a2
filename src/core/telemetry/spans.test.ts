import { expect, it } from "vitest";
import { modelNames, type Span, SpanWriter } from "./spans.ts";
import type { ToldEvent } from "./told.ts";

/** The spans of these facts, one each second, with their writer. Ids count on: "t1" for traces, "s2" for spans. */
function spansOf(...facts: readonly object[]): { spans: Span[]; writer: SpanWriter } {
  let ids = 0;
  const writer = new SpanWriter("red" as never, (bytes) => {
    ids += 1;
    return `${bytes === 16 ? "t" : "s"}${ids}`;
  });
  const events = facts.map(
    (fact, i) => ({ seq: i, at: 10_000 + 1_000 * i, ...fact }) as unknown as ToldEvent,
  );
  return { spans: events.flatMap((event) => writer.take(event)), writer };
}
const claimed = (task = 1, by = "alice") => ({ type: "task.claimed", task, by, attempt: 2, subject: "x" });
const phase = (phase: string, who = "alice") => ({ type: "teammate.phase", who, phase });
const called = (more: object = {}) => ({
  type: "tool.called",
  who: "alice",
  tool: "bash",
  ms: 300,
  isError: false,
  ...more,
});
const taken = {
  ...{ type: "turn.taken", who: "alice", model: "google/gemini-x", ms: 500, usd: 0.25 },
  ...{ inputTokens: 7, cachedTokens: 3, outputTokens: 5 },
};

it("writes an attempt with the calls below it, in one trace, when the member continues", () => {
  const completed = { type: "task.completed", task: 1, by: "alice", attempt: 2 };
  const { spans } = spansOf(claimed(), taken, called({ isError: true }), completed, phase("idle"));
  const agent = { "gen_ai.agent.name": "alice", "gen_ai.conversation.id": "red/alice" };
  expect(spans).toEqual([
    {
      ...{ traceId: "t1", spanId: "s3", parentId: "s2", name: "chat gemini-x", kind: "client" },
      ...{ start: 10_500, end: 11_000, error: null },
      attributes: {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "gcp.gemini",
        "gen_ai.request.model": "gemini-x",
        "gen_ai.usage.input_tokens": 7,
        "gen_ai.usage.cache_read.input_tokens": 3,
        "gen_ai.usage.output_tokens": 5,
        "ekiden.cost.usd": 0.25,
        ...agent,
      },
    },
    {
      ...{ traceId: "t1", spanId: "s4", parentId: "s2", name: "execute_tool bash", kind: "internal" },
      ...{ start: 11_700, end: 12_000, error: "tool_error" },
      attributes: {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "bash",
        "gen_ai.tool.type": "function",
        ...agent,
      },
    },
    {
      ...{ traceId: "t1", spanId: "s2", parentId: null, name: "invoke_agent alice", kind: "internal" },
      ...{ start: 10_000, end: 13_000, error: null },
      attributes: {
        "gen_ai.operation.name": "invoke_agent",
        ...agent,
        "ekiden.task.id": 1,
        "ekiden.task.attempt": 2,
        "ekiden.task.outcome": "completed",
      },
    },
  ]);
});

it("writes a stint without a task from its first call, and names a subagent", () => {
  const { spans } = spansOf(called({ subagent: "alice/1" }), phase("work"), phase("idle"));
  expect(spans.map(({ name, start, end }) => [name, start, end])).toEqual([
    ["execute_tool bash", 9_700, 10_000],
    ["invoke_agent alice", 9_700, 10_000],
  ]);
  expect(spans[0]).toMatchObject({ error: null, attributes: { "gen_ai.agent.name": "alice/1" } });
  expect(Object.keys(spans[1]?.attributes ?? {}).filter((key) => key.startsWith("ekiden"))).toEqual([]);
});

it.each([
  [{ type: "task.failed", task: 1, by: "alice" }, "failed", "failed"],
  [{ type: "task.released", task: 1, from: "alice", why: "given_back" }, "released", "given_back"],
])("keeps how the task ended: %j", (fact, outcome, error) => {
  const { spans } = spansOf(claimed(), fact, phase("shutdown"));
  expect(spans).toMatchObject([{ error, end: 11_000, attributes: { "ekiden.task.outcome": outcome } }]);
});

it("ends an attempt with the next claim, at a stop and at the end of the process, not at a wait in its middle", () => {
  const names = (spans: readonly Span[]) => spans.map(({ attributes }) => attributes["ekiden.task.id"]);
  expect(names(spansOf(claimed(1), claimed(2)).spans)).toEqual([1]);
  expect(names(spansOf(claimed(1), phase("shutdown")).spans)).toEqual([1]);
  const { spans, writer } = spansOf(claimed(1), claimed(3, "bob"), phase("idle"), phase("work"));
  expect(spans).toEqual([]);
  expect(names(writer.closeAll())).toEqual([1, 3]);
  expect(writer.closeAll()).toEqual([]);
});

it("takes the end of another task, of nobody's task and of an unknown member for nothing", () => {
  const { spans } = spansOf(
    claimed(1),
    { type: "task.completed", task: 9, by: "alice" },
    { type: "task.failed", task: 1, by: null },
    { type: "task.released", task: 1, from: null, why: "retry" },
    { type: "task.completed", task: 1, by: "bob" },
    { type: "task.added", task: 2 },
    phase("shutdown", "bob"),
    phase("shutdown"),
  );
  expect(spans).toMatchObject([{ error: null, end: 10_000 }]);
  expect(spans[0]?.attributes).not.toHaveProperty("ekiden.task.outcome");
});

it.each([
  ["anthropic/claude-x", ["anthropic", "claude-x"]],
  ["openai-compatible/a/b", ["openai-compatible", "a/b"]],
  ["google/gemini", ["gcp.gemini", "gemini"]],
  ["runbook", ["runbook", "runbook"]],
])("reads the model %s as %j", (spec, names) => expect(modelNames(spec)).toEqual(names));
