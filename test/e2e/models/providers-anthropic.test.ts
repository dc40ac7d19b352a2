/** The strict emulator of Anthropic's Messages API, spoken to by hand: each refusal once, and the seals of thoughts. */
import { expect, it, onTestFinished } from "vitest";
import {
  type ModelServer,
  type ServerOptions,
  says,
  startModelServer,
} from "../../fixtures/model-server/index.ts";

type Json = Record<string, unknown>;
type Answer = { readonly status: number; readonly text: string };

async function serving(options: ServerOptions = {}): Promise<ModelServer> {
  const server = await startModelServer({ anthropic: (request) => says(`reply ${request.nth}`) }, options);
  onTestFinished(async () => {
    server.faults.length = 0;
    await server.close();
  });
  return server;
}

const HEADERS = { "x-api-key": "key", "anthropic-version": "2023-06-01" };
const DROP = { ...HEADERS, "anthropic-beta": "thinking-binding-controls-2026-08-01" };
const ask = async (
  server: ModelServer,
  body: Json,
  headers: Record<string, string> = HEADERS,
): Promise<Answer> => {
  const answer = await fetch(`${server.url}/v1/messages`, {
    method: "POST",
    headers,
    body: JSON.stringify(body),
  });
  return { status: answer.status, text: await answer.text() };
};

const user = (...content: (Json | string)[]): Json => ({
  role: "user",
  content: content.map((part) => (typeof part === "string" ? { type: "text", text: part } : part)),
});
const assistant = (...content: Json[]): Json => ({ role: "assistant", content });
const USE = { type: "tool_use", id: "t1", name: "bash", input: {} };
const RESULT = { type: "tool_result", tool_use_id: "t1", content: "x" };
const TOOL = { name: "bash", description: "Runs.", input_schema: { type: "object" } };
const MARK = { cache_control: { type: "ephemeral" } };
const HOUR = { cache_control: { type: "ephemeral", ttl: "1h" } };
const FIT: Json = {
  model: "claude-sonnet-5-5",
  max_tokens: 100,
  stream: true,
  messages: [user("hi")],
  tools: [TOOL],
};

const REFUSED: readonly (readonly [string, Json, string, Record<string, string>?])[] = [
  ["no key", {}, "x-api-key header is required", { "anthropic-version": "2023-06-01" }],
  ["no version", {}, "anthropic-version: header is required", { "x-api-key": "key" }],
  ["a beta", {}, "Unexpected value(s) `x-2020`", { ...HEADERS, "anthropic-beta": "x-2020" }],
  ["a parameter", { effort: "low" }, "effort: Extra inputs are not permitted"],
  ["no limit", { max_tokens: undefined }, "max_tokens: Field required"],
  ["a limit", { model: "claude-opus-4-1", max_tokens: 64_000 }, "64000 > 32000, which is the maximum"],
  ["no message", { messages: [] }, "at least one message is required"],
  [
    "the assistant first",
    { messages: [assistant({ type: "text", text: "x" }), user("y")] },
    "first message must use",
  ],
  ["an empty message", { messages: [user(), user("x")] }, "must have non-empty content"],
  ["an empty text", { messages: [user("")] }, "text content blocks must be non-empty"],
  ["a blank text", { messages: [user(" \n")] }, "must contain non-whitespace text"],
  ["a blank system prompt", { system: " " }, "system: text content blocks must be non-empty"],
  ["an unknown block", { messages: [user({ type: "sound" })] }, "Input tag 'sound'"],
  [
    "a field of a block",
    { messages: [user({ type: "text", text: "x", meta: 1 })] },
    "text.meta: Extra inputs",
  ],
  [
    "five marks",
    { messages: [user(...["a", "b", "c", "d", "e"].map((text) => ({ type: "text", text, ...MARK })))] },
    "Found 5",
  ],
  [
    "an hour behind five minutes",
    { tools: [{ ...TOOL, ...MARK }], messages: [user({ type: "text", text: "x", ...HOUR })] },
    "a ttl='1h' cache_control block must not come after",
  ],
  [
    "an open call",
    { messages: [user("x"), assistant(USE), user("y")] },
    "without `tool_result` blocks immediately after: t1",
  ],
  [
    "text before a result",
    { messages: [user("x"), assistant(USE), user("y", RESULT)] },
    "immediately after: t1",
  ],
  ["an orphan", { messages: [user(RESULT)] }, "unexpected `tool_use_id` found in `tool_result` blocks: t1"],
  [
    "two results",
    { messages: [user("x"), assistant(USE), user(RESULT, RESULT)] },
    "Found multiple `tool_result`",
  ],
  [
    "an id",
    { messages: [user("x"), assistant({ ...USE, id: "a b" }), user({ ...RESULT, tool_use_id: "a b" })] },
    "should match pattern",
  ],
  [
    "input",
    { messages: [user("x"), assistant({ ...USE, input: "ls" }), user(RESULT)] },
    "should be a valid dictionary",
  ],
  [
    "one id twice",
    { messages: [user("x"), assistant(USE), user(RESULT), assistant(USE), user(RESULT)] },
    "ids must be unique",
  ],
  [
    "an empty error",
    { messages: [user("x"), assistant(USE), user({ ...RESULT, content: "", is_error: true })] },
    "cannot be empty if",
  ],
  ["a name of a tool", { tools: [{ ...TOOL, name: "a.b" }] }, "tools.0.custom.name: String should match"],
  ["a tool twice", { tools: [TOOL, TOOL] }, "Tool names must be unique"],
  ["a schema", { tools: [{ ...TOOL, input_schema: {} }] }, "Input should be 'object'"],
  [
    "a union at the top",
    { tools: [{ ...TOOL, input_schema: { type: "object", anyOf: [] } }] },
    "at the top level",
  ],
  ["a temperature", { temperature: 0 }, "`temperature` is deprecated"],
  ["top_p", { top_p: 1 }, "`top_p` is deprecated"],
  ["top_k", { top_k: 1 }, "`top_k` is deprecated"],
  ["a forced tool", { tool_choice: { type: "any" } }, `tool_choice: type "tool" and "any" are not supported`],
  [
    "a budget",
    { thinking: { type: "enabled", budget_tokens: 1024 } },
    `"thinking.type.enabled" is not supported`,
  ],
  ["no thinking", { thinking: { type: "disabled" } }, `"thinking.type.disabled" is not supported`],
  [
    "adaptive thinking of old models",
    { model: "claude-haiku-4-5", thinking: { type: "adaptive" } },
    "is not supported on this model",
  ],
  [
    "effort of old models",
    { model: "claude-haiku-4-5", output_config: { effort: "low" } },
    "does not support the effort parameter",
  ],
  [
    "an effort",
    { model: "claude-opus-4-6", output_config: { effort: "xhigh" } },
    "does not support effort level 'xhigh'. Supported levels: high, low, max, medium.",
  ],
  [
    "a prefill",
    { messages: [user("x"), assistant({ type: "text", text: "y" })] },
    "does not support assistant message prefill",
  ],
  [
    "binding without its header",
    { thinking: { type: "adaptive", block_binding: { prefix_mismatch_behavior: "drop_block" } } },
    "block_binding: Extra inputs",
  ],
  [
    "a forged thought",
    {
      messages: [
        user("x"),
        assistant({ type: "thinking", thinking: "", signature: "c2ln" }, { type: "text", text: "y" }),
        user("z"),
      ],
    },
    "messages.1.content.0: Invalid `signature` in `thinking` block",
  ],
];

it("refuses what Anthropic refuses, in its words", async () => {
  const server = await serving();
  expect((await ask(server, FIT)).status).toBe(200);
  for (const [what, change, words, headers] of REFUSED) {
    const { status, text } = await ask(server, { ...FIT, ...change }, headers);
    expect([
      what,
      status >= 400 && (JSON.parse(text) as { error: { message: string } }).error.message,
    ]).toEqual([what, expect.stringContaining(words)]);
  }
  expect(server.refusals).toHaveLength(REFUSED.length);
});

type Event = { delta?: { signature?: string; text?: string } };

/** Asks, and gives the conversation with the reply at its end. */
async function said(server: ModelServer, body: Json): Promise<Json[]> {
  const { text } = await ask(server, body);
  const deltas = text
    .split("\n")
    .flatMap((line) => (line.startsWith("data:") ? ((JSON.parse(line.slice(5)) as Event).delta ?? []) : []));
  const signature = deltas.map((delta) => delta.signature ?? "").join("");
  const words = deltas.map((delta) => delta.text ?? "").join("");
  return [
    ...(body.messages as Json[]),
    assistant({ type: "thinking", thinking: "", signature }, { type: "text", text: words }),
  ];
}

it("binds a thought to everything before it", async () => {
  const server = await serving({ thinks: true });
  const start = { ...FIT, system: "Be brief." };
  const one = [...(await said(server, start)), user("two")];
  const two = [...(await said(server, { ...start, messages: one })), user("three")];
  const status = async (change: Json, headers?: Record<string, string>): Promise<number> =>
    (await ask(server, { ...start, messages: two, ...change }, headers)).status;

  expect(await status({})).toBe(200);
  // marks, effort and another form of the same words change nothing
  expect(
    await status({
      system: [{ type: "text", text: "Be brief.", ...MARK }],
      output_config: { effort: "low" },
    }),
  ).toBe(200);
  expect(await status({ messages: [{ role: "user", content: "hi" }, ...two.slice(1)] })).toBe(200);
  const without = (at: number): Json[] =>
    two.map((message, i) =>
      i === at ? { ...message, content: (message.content as Json[]).slice(1) } : message,
    );
  expect(await status({ messages: without(1) })).toBe(200); // the first thought may go
  expect(server.dropped).toEqual([]);

  const changes: Json[] = [
    { system: "Be brief!" },
    { tools: [TOOL, { ...TOOL, name: "other" }] },
    { messages: [user("ho"), ...two.slice(1)] },
    { messages: [...two.slice(0, 2), user("2"), ...two.slice(3)] },
  ];
  for (const change of changes) expect(await status(change)).toBe(400);
  expect(server.refusals.map(({ message }) => message)).toEqual(
    changes.map(() => expect.stringContaining("The block is bound to a different conversation")),
  );
  const drop = { thinking: { type: "adaptive", block_binding: { prefix_mismatch_behavior: "drop_block" } } };
  for (const change of changes) expect(await status({ ...drop, ...change }, DROP)).toBe(200);
  expect(server.dropped).toHaveLength(7); // both thoughts, but for the last change, which follows the first

  server.dropped.length = 0;
  expect(await status({}, { ...HEADERS, "x-api-key": "other" })).toBe(200);
  expect(await status({ model: "claude-opus-5-5" })).toBe(200);
  expect(server.dropped.map((line) => line.split(": ").at(-1))).toEqual([
    "account_binding_mismatch",
    "account_binding_mismatch",
    "model_binding_mismatch",
    "model_binding_mismatch",
  ]);
});
