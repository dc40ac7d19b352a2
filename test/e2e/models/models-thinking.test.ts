/** Effort, thoughts and who made them: what reaches the strict emulators, and that they refuse and drop nothing. */
import { once } from "node:events";
import { expect, it, onTestFinished } from "vitest";
import { openModel } from "../../../src/adapters/models/index.ts";
import {
  type AssistantMessage,
  heard,
  type Message,
  type ToolResult,
} from "../../../src/core/conversation/chat.ts";
import { Conversation } from "../../../src/core/conversation/conversation.ts";
import { instant } from "../../../src/core/ids.ts";
import type { Effort } from "../../../src/core/settings/effort.ts";
import type { Clock, Delta, Model, ModelRequest } from "../../../src/ports/index.ts";
import {
  calls,
  fails,
  type ModelServer,
  type Program,
  says,
  startModelServer,
} from "../../fixtures/model-server/index.ts";

const clock: Clock = { now: () => instant(0), uptime: () => 0, sleep: async () => {} };

async function serving(program: Program): Promise<ModelServer> {
  const server = await startModelServer({ any: program }, { thinks: true });
  onTestFinished(() => server.close());
  return server;
}

type Options = Partial<Parameters<typeof openModel>[1]>;
const open = async (server: ModelServer, spec: string, options: Options = {}): Promise<Model> =>
  await openModel(spec, {
    clock,
    attempts: 1,
    baseUrl: spec.startsWith("google")
      ? `${server.url}/v1beta`
      : spec.startsWith("openai-c")
        ? server.url
        : "",
    ...options,
    env: { ...server.env, GOOGLE_GENERATIVE_AI_API_KEY: "test-key-google", ...options.env },
  });

const TOOLS = [{ name: "bash", description: "Runs.", schema: { type: "object", properties: {} } }];
const user = (text: string): Message => ({ role: "user", content: [{ type: "text", text }] });
const request = (messages: readonly Message[], effort?: Effort): ModelRequest => ({
  system: "Be brief.",
  messages,
  tools: TOOLS,
  ...(effort && { effort }),
});
const quiet = { signal: new AbortController().signal };
/** As a transcript keeps it. */
const stored = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;
const answers = ({ content }: AssistantMessage): ToolResult[] =>
  content.flatMap((part) =>
    part.type === "call" ? [{ type: "result", id: part.id, tool: part.tool, text: "x", isError: false }] : [],
  );
const resultsOf = (message: AssistantMessage): Message => ({ role: "user", content: answers(message) });

it.each([
  ["anthropic/claude-sonnet-5-5", "xhigh", { output_config: { effort: "xhigh" } }],
  [
    "anthropic/claude-opus-4-6",
    "xhigh",
    { output_config: { effort: "high" }, thinking: { type: "adaptive", display: "summarized" } },
  ],
  ["anthropic/claude-haiku-4-5", "high", { output_config: undefined, thinking: undefined }],
  ["openai/gpt-6.1-sol", "minimal", { reasoning: { effort: "low", summary: "auto" }, store: false }],
  ["openai/gpt-4.1", "high", { reasoning: undefined }],
  [
    "google/gemini-3.8-flash",
    "low",
    { generationConfig: { thinkingConfig: { includeThoughts: true, thinkingLevel: "low" } } },
  ],
  [
    "google/gemini-3.8-flash",
    "minimal",
    { generationConfig: { thinkingConfig: { includeThoughts: true, thinkingLevel: "low" } } },
  ],
  [
    "google/gemini-3.6-flash",
    "minimal",
    { generationConfig: { thinkingConfig: { includeThoughts: true, thinkingLevel: "minimal" } } },
  ],
  [
    "google/gemini-2.5-flash",
    "low",
    { generationConfig: { thinkingConfig: { includeThoughts: true, thinkingBudget: 2_048 } } },
  ],
  ["openai-compatible/some-model", "high", { reasoning_effort: undefined }],
  ["openai-compatible/gpt-oss-20b", "max", { reasoning_effort: "high" }],
  ["openai-compatible/deepseek-v4-pro", "xhigh", { reasoning_effort: "high" }],
  ["openai-compatible/kimi-k3", "minimal", { reasoning_effort: "low" }],
  ["openai-compatible/glm-5.3", "max", { reasoning_effort: "max" }],
  ["openai-compatible/glm-4.7", "high", { reasoning_effort: undefined }],
  ["openai-compatible/mistral-medium-3-5", "medium", { reasoning_effort: "high" }],
  ["openai-compatible/magistral-medium", "high", { reasoning_effort: undefined }],
  ["openai-compatible/grok-4.5", "none", { reasoning_effort: "low" }],
] as [string, Effort, Record<string, unknown>][])(
  "%s with %s: the nearest level, and only what it takes",
  async (spec, effort, sent) => {
    const server = await serving(() => says("ok"));
    await (await open(server, spec)).reply(request([user("hi")], effort), quiet);
    await (await open(server, `${spec}@${effort}`)).reply(request([user("hi")]), quiet);
    const picked = server.requests.map(({ body }) =>
      Object.fromEntries(Object.keys(sent).map((key) => [key, body[key]])),
    );
    expect(picked).toEqual([expect.objectContaining(sent), expect.objectContaining(sent)]);
  },
);

it("shows thoughts in summary while they come, and asks for a net below the binding", async () => {
  const server = await serving(() => says("ok"));
  const deltas: Delta[] = [];
  await (await open(server, "anthropic/claude-sonnet-5-5")).reply(request([user("hi")]), {
    ...quiet,
    onDelta: (delta) => deltas.push(delta),
  });
  expect(
    deltas
      .filter(({ type }) => type === "thinking")
      .map(({ text }) => text)
      .join(""),
  ).toBe("I know what to do next.");
  expect(server.requests[0]?.body.thinking).toEqual({
    type: "adaptive",
    display: "summarized",
    block_binding: { prefix_mismatch_behavior: "drop_block" },
  });
  expect(server.requests[0]?.headers["anthropic-beta"]).toBe("thinking-binding-controls-2026-08-01");
});

it("gives a short reply room to think first", async () => {
  const server = await serving(() => says("ok"));
  const model = await open(server, "anthropic/claude-sonnet-5-5");
  await model.reply({ ...request([user("hi")]), maxOutputTokens: 16 }, quiet);
  expect(server.requests[0]?.body.max_tokens).toBe(4_016);
});

it("sends back what the vendor encrypted, and no thought that it would refuse or leave out", async () => {
  const server = await serving(({ nth }) => {
    if (nth === 1) return { ...calls("bash"), redacted: true };
    if (nth === 2) return { ...calls("bash"), text: " \n", afterthought: "bound to the blank text" };
    if (nth === 3) return { ...calls("bash"), text: "I look.", afterthought: "Now." };
    if (nth === 4) return { text: "Half", afterthought: "cut off", stop: "length" };
    return nth === 5 ? { thinking: "Nothing else.", text: "", stop: "length" } : says("done");
  });
  const model = await open(server, "anthropic/claude-sonnet-5-5");
  const conversation = new Conversation([heard("begin")]);
  for (let turn = 1; turn <= 6; turn += 1) {
    const { message } = await model.reply(request(conversation.messages()), quiet);
    const accepted = conversation.accepted(stored(message));
    conversation.add({ kind: "said", message: accepted });
    for (const result of answers(accepted)) conversation.add({ kind: "result", result });
    conversation.add(heard("go on"));
  }
  type Sent = { role: string; content: { type: string }[] };
  const replies = ((server.requests.at(-1)?.body.messages ?? []) as Sent[])
    .filter(({ role }) => role === "assistant")
    .map(({ content }) => content.map(({ type }) => type).join(" "));
  expect(replies).toEqual([
    "redacted_thinking tool_use",
    "thinking tool_use",
    "thinking text thinking tool_use",
    "thinking text",
    "thinking",
  ]);
  expect([server.refusals, server.dropped]).toEqual([[], []]);
});

it("sends back whether a text of OpenAI was said on the way or at the end", async () => {
  const server = await serving(({ nth }) =>
    nth === 1 ? { ...calls("bash"), text: "I look." } : says("done"),
  );
  const model = await open(server, "openai/gpt-6.1-sol");
  const messages: Message[] = [user("begin")];
  for (let turn = 1; turn <= 3; turn += 1) {
    const { message } = await model.reply(request(messages), quiet);
    messages.push(stored(message), {
      role: "user",
      content: [...answers(message), { type: "text", text: "go on" }],
    });
  }
  const input = server.requests.at(-1)?.body.input as { role?: string; phase?: string }[];
  expect(input.flatMap(({ role, phase }) => (role === "assistant" ? [phase] : []))).toEqual([
    "commentary",
    "final_answer",
  ]);
});

it("sends thoughts back only to the model and the account that made them", async () => {
  const server = await serving(({ nth }) => (nth % 2 === 1 ? calls("bash") : says(`reply ${nth}`)));
  const sonnet = await open(server, "anthropic/claude-sonnet-5-5");
  const opus = await open(server, "anthropic/claude-opus-5-5");
  const other = await open(server, "anthropic/claude-sonnet-5-5", {
    env: { ANTHROPIC_API_KEY: "another-account" },
  });
  const messages: Message[] = [user("begin")];
  for (const model of [sonnet, sonnet, opus, opus, sonnet, sonnet, other, other, sonnet, opus]) {
    const { message } = await model.reply(request(messages), quiet);
    expect(message.by?.model).toBe(model.spec);
    messages.push(stored(message));
    const results = resultsOf(message);
    messages.push(results.content.length > 0 ? results : user("go on"));
  }
  const thoughts = server.requests.map(
    ({ messages: sent }) =>
      sent.flatMap(({ content }) => content.filter(({ type }) => type === "thinking")).length,
  );
  expect(thoughts).toEqual([0, 1, 0, 1, 2, 3, 0, 1, 4, 2]);
  expect([server.refusals, server.dropped]).toEqual([[], []]);
});

it("continues without the net where a gateway does not know it", async () => {
  const server = await serving(({ headers }) =>
    headers["anthropic-beta"]
      ? fails.badRequest(
          "Unexpected value(s) `thinking-binding-controls-2026-08-01` for the `anthropic-beta` header.",
        )
      : says("ok"),
  );
  const model = await open(server, "anthropic/claude-sonnet-5-5");
  for (let i = 0; i < 2; i += 1) await model.reply(request([user("hi")]), quiet);
  expect(server.requests.map(({ headers }) => headers["anthropic-beta"] !== undefined)).toEqual([
    true,
    false,
    false,
  ]);
});

it("continues without summaries where an organisation may not have them", async () => {
  const server = await serving(({ body }) =>
    (body.reasoning as { summary?: string } | undefined)?.summary
      ? fails.badRequest("Your organization must be verified to generate reasoning summaries.")
      : says("ok"),
  );
  const model = await open(server, "openai/gpt-5-mini");
  for (let i = 0; i < 2; i += 1) await model.reply(request([user("hi")]), quiet);
  expect(server.requests.map(({ body }) => body.reasoning !== undefined)).toEqual([true, false, false]);
});

it("knows a new model by the settings, and passes its options through", async () => {
  const server = await serving(() => says("ok", { usage: { input: 1e6, cached: 0, output: 0 } }));
  const models = {
    "openai-compatible/newest": {
      efforts: ["low", "max"],
      window: 5_000,
      price: { input: 3, output: 9 },
      options: { top_k: 7 },
    },
    "anthropic/claude-haiku-4-5": { options: { metadata: { user_id: "me" } } },
  } as const;
  const newest = await open(server, "openai-compatible/newest", { models });
  expect(newest.window).toBe(5_000);
  const { usd } = await newest.reply(request([user("hi")], "high"), quiet);
  expect(usd).toBe(3);
  await (await open(server, "anthropic/claude-haiku-4-5", { models })).reply(request([user("hi")]), quiet);
  expect(server.requests.map(({ body }) => body)).toMatchObject([
    { reasoning_effort: "low", top_k: 7 },
    { metadata: { user_id: "me" } },
  ]);
});

it("leaves a silent provider soon where another one can be asked", async () => {
  const server = await serving(({ nth }) =>
    says("slow", { fault: nth === 1 ? "stall" : "pings", ...(nth === 1 && { thinking: "" }) }),
  );
  const options = { fallbackSilenceMs: 500, fallbackContentMs: 1_500, attempts: 8 };
  const model = await open(server, "anthropic/claude-sonnet-5-5", options);
  const given = async (hasFallback: boolean): Promise<unknown> =>
    await model.reply(request([user("hi")]), { ...quiet, hasFallback }).catch((error: unknown) => error);
  const silent = await open(
    { ...server, env: { ...server.env, ANTHROPIC_BASE_URL: await mute() } },
    "anthropic/claude-sonnet-5-5",
    options,
  );
  await expect(silent.reply(request([user("hi")]), { ...quiet, hasFallback: true })).rejects.toThrow(
    "nothing was heard for 0.5 s",
  );
  expect(await given(true)).toMatchObject({
    message: expect.stringContaining("nothing was heard for 1.5 s") as string,
  });
  expect(await given(true)).toMatchObject({
    message: expect.stringContaining("1.5 s (fallbackContentMs)") as string,
  });
  expect(server.requests).toHaveLength(2);
});

/** A server that takes requests and never answers. */
async function mute(): Promise<string> {
  const { createServer } = await import("node:http");
  const server = createServer(() => {});
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as { port: number }).port}`;
}
