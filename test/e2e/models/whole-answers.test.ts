/** JSON with status 200 in the place of a stream, in every protocol: a whole reply is taken, an error is told in its words. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { ManualClock } from "../../../src/adapters/clock.ts";
import { openModel } from "../../../src/adapters/models/index.ts";
import type { EkidenError } from "../../../src/core/errors.ts";
import type { Model } from "../../../src/ports/index.ts";

const SPECS = {
  anthropic: "anthropic/claude-haiku-4-5",
  responses: "openai/gpt-5-mini",
  google: "google/gemini-2.5-flash",
  chat: "openai-compatible/some-model",
  openrouter: "openrouter/some-model",
  ollama: "ollama/some-model",
} as const;
type Protocol = keyof typeof SPECS;
const protocols = Object.keys(SPECS) as Protocol[];

/** How often the server was asked, and a model that asks it. */
async function answering(protocol: Protocol, body: string, type = "application/json", attempts = 3) {
  let asked = 0;
  const server = createServer((incoming, response) => {
    if (incoming.method === "GET") return void response.writeHead(404).end();
    asked += 1;
    response.writeHead(200, { "content-type": type });
    // In pieces, the first of one byte.
    response.write(Buffer.from(body).subarray(0, 1), () => response.end(Buffer.from(body).subarray(1)));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const keys = ["ANTHROPIC", "OPENAI", "GOOGLE_GENERATIVE_AI", "OPENROUTER"].map((name) => [
    `${name}_API_KEY`,
    "key",
  ]);
  const clock = new ManualClock();
  const env = Object.fromEntries(keys);
  const model = await openModel(SPECS[protocol], { env, clock, baseUrl: url, attempts, random: () => 0 });
  return { model, asked: () => asked };
}

const BASH = { name: "bash", description: "Runs a command.", schema: { type: "object", properties: {} } };
const ask = (model: Model) =>
  model.reply(
    { system: "", messages: [{ role: "user", content: [{ type: "text", text: "hi" }] }], tools: [BASH] },
    { signal: new AbortController().signal },
  );
const failing = (model: Model): Promise<EkidenError> =>
  ask(model).then(
    () => expect.unreachable("it should have failed"),
    (error: EkidenError) => error,
  );

const input = { command: "ls" };
const CALL = { id: "call_1", type: "function", function: { name: "bash", arguments: JSON.stringify(input) } };
const completion = {
  id: "c1",
  object: "chat.completion",
  created: 1,
  model: "m",
  choices: [
    {
      index: 0,
      message: {
        role: "assistant",
        content: "Looking.",
        reasoning_content: "Hm.",
        refusal: null,
        tool_calls: [CALL],
      },
      finish_reason: "tool_calls",
    },
  ],
  usage: { prompt_tokens: 70, completion_tokens: 9, total_tokens: 79 },
};
const WHOLE: Record<Protocol, object> = {
  chat: completion,
  openrouter: completion,
  anthropic: {
    id: "msg_1",
    type: "message",
    role: "assistant",
    content: [
      { type: "thinking", thinking: "Hm.", signature: "c2ln" },
      { type: "text", text: "Looking." },
      { type: "tool_use", id: "call_1", name: "bash", input },
    ],
    stop_reason: "tool_use",
    usage: { input_tokens: 70, output_tokens: 9 },
  },
  responses: {
    id: "resp_1",
    object: "response",
    created_at: 1,
    model: "m",
    status: "completed",
    error: null,
    incomplete_details: null,
    output: [
      {
        type: "reasoning",
        id: "rs_1",
        summary: [{ type: "summary_text", text: "Hm." }],
        encrypted_content: "AAAA",
      },
      {
        type: "message",
        id: "msg_1",
        role: "assistant",
        status: "completed",
        content: [{ type: "output_text", text: "Looking.", annotations: [] }],
      },
      {
        type: "function_call",
        id: "fc_1",
        call_id: "call_1",
        name: "bash",
        arguments: JSON.stringify(input),
        status: "completed",
      },
    ],
    usage: { input_tokens: 70, output_tokens: 9, total_tokens: 79 },
  },
  google: {
    candidates: [
      {
        content: {
          role: "model",
          parts: [
            { text: "Hm.", thought: true },
            { text: "Looking." },
            { functionCall: { name: "bash", args: input } },
          ],
        },
        finishReason: "STOP",
        index: 0,
      },
    ],
    usageMetadata: { promptTokenCount: 70, candidatesTokenCount: 9, totalTokenCount: 79 },
  },
  ollama: {
    model: "m",
    message: {
      role: "assistant",
      thinking: "Hm.",
      content: "Looking.",
      tool_calls: [{ id: "call_1", function: { name: "bash", arguments: input } }],
    },
    done: true,
    done_reason: "stop",
    prompt_eval_count: 70,
    eval_count: 9,
  },
};

const forms = (value: object): readonly (readonly [string, string])[] => [
  [JSON.stringify(value), "application/json"],
  [`\uFEFF\n${JSON.stringify(value, null, 2)}\n`, "text/event-stream"],
];

it.each(protocols)("%s: a whole reply is taken", async (protocol) => {
  for (const [body, type] of forms(WHOLE[protocol])) {
    const { model } = await answering(protocol, body, type);
    const { message, stop, usage } = await ask(model);
    expect(message.content).toEqual([
      expect.objectContaining({ type: "thinking", text: "Hm." }),
      expect.objectContaining({ type: "text", text: "Looking." }),
      expect.objectContaining({ type: "call", tool: "bash", input }),
    ]);
    expect(stop).toBe("calls");
    expect(usage).toMatchObject({ inputTokens: 70, outputTokens: 9 });
  }
});

it("google: the pieces of a reply may be one list", async () => {
  const piece = (text: string, more = {}) => ({ candidates: [{ content: { parts: [{ text }] }, ...more }] });
  const list = [piece("One, "), piece("two."), { ...piece("", { finishReason: "STOP" }) }];
  const { model } = await answering("google", JSON.stringify(list));
  expect((await ask(model)).message.content).toMatchObject([{ type: "text", text: "One, two." }]);
});

const ERRORS: readonly (readonly [what: object, code: string, words: string, asked: number])[] = [
  [
    { error: { message: "Insufficient credits", code: 402 } },
    "model_refused",
    "(402). Insufficient credits",
    1,
  ],
  [
    { error: { message: "No credits", type: "insufficient_quota", code: null } },
    "model_refused",
    "No credits",
    1,
  ],
  [{ error: "Pay first", status: 402 }, "model_refused", "(402). Pay first", 1],
  [{ code: "401", msg: "bad token" }, "model_auth", "bad token", 1],
  [
    { type: "error", error: { type: "not_found_error", message: "model: x" } },
    "model_refused",
    "model: x",
    1,
  ],
  [{ detail: "no such model", status_code: 404 }, "model_refused", "(404). no such model", 1],
];

it.each(protocols)("%s: an error is told in its words and judged by its code", async (protocol) => {
  for (const [what, code, words, times] of ERRORS) {
    const { model, asked } = await answering(protocol, JSON.stringify(what));
    const error = await failing(model);
    expect([what, error.code, error.message]).toEqual([what, code, expect.stringContaining(words)]);
    expect(asked()).toBe(times);
  }
});

it.each(protocols)(
  "%s: an error that may pass is worth another try, and JSON that is no reply is shown",
  async (protocol) => {
    const busy = { error: { code: 503, message: "no room" } };
    const { model } = await answering(protocol, JSON.stringify(busy), "application/json", 1);
    expect(await failing(model)).toMatchObject({
      code: "model_overloaded",
      message: expect.stringContaining("(503). no room"),
    });
    if (protocol === "ollama") return;
    for (const [body, words] of [
      ['{"ok": true}', 'JSON that is no reply: {"ok": true}'],
      ['{"choices": [', "JSON that cannot be read"],
    ] as const) {
      const { model } = await answering(protocol, body, "application/json", 1);
      expect(await failing(model)).toMatchObject({
        code: "model_overloaded",
        message: expect.stringContaining(words),
      });
    }
  },
);

it("an error in a stream is judged by its code, too", async () => {
  const event = `data: ${JSON.stringify({ error: { message: "Insufficient credits", code: 402 } })}\n\n`;
  const { model, asked } = await answering("openrouter", event, "text/event-stream");
  expect(await failing(model)).toMatchObject({
    code: "model_refused",
    message: expect.stringContaining("Insufficient credits"),
  });
  expect(asked()).toBe(1);
});
