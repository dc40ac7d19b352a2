/** Every provider over loopback HTTP: what is sent, what comes back, and how each way of failing is told. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { chooseModel, openModel } from "../../../src/adapters/models/index.ts";
import type { Message, ToolCall } from "../../../src/core/conversation/chat.ts";
import { invalidInput } from "../../../src/core/conversation/chat.ts";
import type { EkidenError } from "../../../src/core/errors.ts";
import { instant } from "../../../src/core/ids.ts";
import type { Clock, Delta, Model, ModelRequest, ReplyOptions } from "../../../src/ports/index.ts";
import {
  calls,
  fails,
  type ModelServer,
  type Program,
  refuses,
  says,
  startModelServer,
} from "../../fixtures/model-server/index.ts";
import { freePort } from "../../fixtures/ports.ts";

const VENDORS = {
  anthropic: "anthropic/claude-haiku-4-5",
  responses: "openai/gpt-5-mini",
  google: "google/gemini-2.5-flash",
  openai: "openai-compatible/some-model",
} as const;
type Vendor = keyof typeof VENDORS;
const vendors = Object.keys(VENDORS) as Vendor[];

/** Time passes when somebody sleeps, and only then. */
let now = 0;
const clock: Clock = {
  now: () => instant(now),
  uptime: () => now,
  sleep: async (ms) => {
    now += ms;
  },
};

async function opened(
  vendor: Vendor,
  program: Program,
  options: { attempts?: number; stallMs?: number; env?: Record<string, string> } = {},
): Promise<{ model: Model; server: ModelServer }> {
  const server = await startModelServer({ any: program }, { thinks: false });
  onTestFinished(() => server.close());
  const { env: more, ...rest } = options;
  const env = { ...server.env, GOOGLE_GENERATIVE_AI_API_KEY: "test-key-google", ...more };
  const baseUrl = { google: `${server.url}/v1beta`, openai: server.url, anthropic: "", responses: "" }[
    vendor
  ];
  const model = await openModel(VENDORS[vendor], {
    env,
    clock,
    baseUrl,
    attempts: 1,
    random: () => 0,
    ...rest,
  });
  return { model, server };
}

const BASH = {
  name: "bash",
  description: "Runs a command.",
  schema: { type: "object", properties: { command: { type: "string" } }, required: ["command"] },
};
const user = (text: string): Message => ({ role: "user", content: [{ type: "text", text }] });
const request = (...messages: Message[]): ModelRequest => ({ system: "Be brief.", messages, tools: [BASH] });
const quiet = (): ReplyOptions => ({ signal: new AbortController().signal });
const failing = (model: Model, options = quiet()): Promise<EkidenError> =>
  model.reply(request(user("hi")), options).then(
    () => expect.unreachable("it should have failed"),
    (error: EkidenError) => error,
  );

it.each(vendors)("%s: a tool call and its result make a round trip", async (vendor) => {
  const { model, server } = await opened(vendor, [
    calls("bash", { command: "ls" }, { text: "Looking.", usage: { input: 30, cached: 70, output: 9 } }),
    says("Two files."),
  ]);
  const deltas: Delta[] = [];
  const first = await model.reply(request(user("What is here?")), {
    ...quiet(),
    onDelta: (d) => deltas.push(d),
  });
  expect(first).toMatchObject({
    stop: "calls",
    usage: { inputTokens: 100, cachedTokens: 70, outputTokens: 9 },
    message: {
      role: "assistant",
      content: [
        { type: "text", text: "Looking." },
        { type: "call", tool: "bash", input: { command: "ls" } },
      ],
    },
  });
  expect(deltas.map((d) => d.text).join("")).toBe("Looking.");
  expect(deltas.length).toBeGreaterThan(1);
  expect(first.usd > 0).toBe(vendor !== "openai");

  const call = first.message.content.at(-1) as ToolCall;
  const result: Message = {
    role: "user",
    content: [
      { type: "result", id: call.id, tool: "bash", text: "a\nb", isError: false },
      { type: "text", text: "and mail" },
    ],
  };
  const second = await model.reply(request(user("What is here?"), first.message, result), quiet());
  expect(second).toMatchObject({ stop: "end", message: { content: [{ type: "text", text: "Two files." }] } });

  const [, sent] = server.requests;
  expect(sent).toMatchObject({ model: VENDORS[vendor].split("/")[1], system: "Be brief.", tools: ["bash"] });
  // Gemini gets a short reply between a result and a text: without one it continues with the text in place of an answer.
  const isBridged = vendor === "google";
  expect(sent?.messages).toHaveLength(isBridged ? 5 : 3);
  expect(sent?.messages[1]?.content).toMatchObject([
    { type: "text", text: "Looking." },
    { type: "call", tool: "bash", input: { command: "ls" } },
  ]);
  const mail = { type: "text", text: "and mail" };
  expect(sent?.messages[2]?.content).toMatchObject([
    { type: "result", tool: "bash", text: "a\nb" },
    ...(isBridged ? [] : [mail]),
  ]);
  expect(sent?.messages.at(-1)?.content.at(-1)).toMatchObject(mail);
});

it.each(vendors)("%s: thinking is kept, with what seals it, and goes back", async (vendor) => {
  const { model, server } = await opened(vendor, [
    calls("bash", { command: "ls" }, { thinking: "I should look first." }),
    says("ok"),
  ]);
  const deltas: Delta[] = [];
  const { message } = await model.reply(request(user("hi")), { ...quiet(), onDelta: (d) => deltas.push(d) });
  expect(message.content[0]).toMatchObject({ type: "thinking", text: "I should look first." });
  expect(deltas.some((d) => d.type === "thinking")).toBe(true);
  const call = message.content.at(-1) as ToolCall;
  const stored = JSON.parse(JSON.stringify(message)) as typeof message; // as a transcript keeps it
  await model.reply(
    request(user("hi"), stored, {
      role: "user",
      content: [{ type: "result", id: call.id, tool: "bash", text: "", isError: true }],
    }),
    quiet(),
  );
  const back = JSON.stringify(server.requests[1]?.body);
  const seals = {
    anthropic: `"signature":"ey`,
    responses: `"encrypted_content":"ey`,
    google: `"thoughtSignature":"ey`,
    openai: "I should look",
  };
  expect(back).toContain(seals[vendor]);
});

it.each(vendors)("%s: the ways of failing have their codes", async (vendor) => {
  const overflow = fails.overflow[vendor]();
  const { model } = await opened(vendor, [
    fails.unauthorized(),
    fails.rateLimited(7),
    fails.rateLimited("Thu, 01 Jan 1970 00:00:00 GMT"),
    fails.overloaded(),
    fails.broken(),
    overflow,
    fails.badRequest("tools.0: no such thing"),
    says("half of it", { fault: "cut" }),
    says("half of it", { fault: "end early" }),
    says("half of it", { fault: "break" }),
  ]);
  const failures: EkidenError[] = [];
  for (let i = 0; i < 10; i += 1) failures.push(await failing(model));
  expect(failures.map(({ code }) => code)).toEqual([
    "model_auth",
    "model_overloaded",
    "model_overloaded",
    "model_overloaded",
    "model_overloaded",
    "context_overflow",
    "model_refused",
    "model_overloaded",
    "model_overloaded",
    "model_overloaded",
  ]);
  expect(failures[1]?.details).toMatchObject({ status: 429, retryAfterMs: 7_000 });
  expect(failures[2]?.details.retryAfterMs).toBe(0);
  expect(failures[6]?.message).toContain("no such thing");
  expect(failures.every(({ message }) => message.startsWith(VENDORS[vendor]))).toBe(true);
});

it.each(vendors)(
  "%s: invalid tool input, refusal, empty reply and the output limit are replies",
  async (vendor) => {
    const raw = '{"command": "l';
    const { model } = await opened(vendor, [
      { calls: [{ tool: "bash", raw }] },
      refuses("I must not"),
      {},
      says("cut h", { stop: "length" }),
    ]);
    if (vendor === "google")
      await model.reply(request(user("hi")), quiet()); // its calls are objects on the wire: they cannot be broken so
    else {
      const { message } = await model.reply(request(user("hi")), quiet());
      const call = message.content[0] as ToolCall;
      expect(invalidInput(call)).toBe(raw);
    }
    expect((await model.reply(request(user("hi")), quiet())).stop).toBe("refused");
    expect(await model.reply(request(user("hi")), quiet())).toMatchObject({
      stop: "end",
      message: { content: [] },
    });
    expect((await model.reply(request(user("hi")), quiet())).stop).toBe("length");
  },
);

it.each(vendors)(
  "%s: an abort ends the request at the server and rejects with its reason",
  async (vendor) => {
    const { model, server } = await opened(vendor, () => says("slow", { fault: "stall" }));
    const stop = new AbortController();
    const why = new Error("urgent mail");
    const reply = model.reply(request(user("hi")), { signal: stop.signal });
    const arrived = await server.arrived(1);
    stop.abort(why);
    await expect(reply).rejects.toBe(why);
    expect(await arrived.gone).toBe(true);
    await expect(model.reply(request(user("hi")), { signal: stop.signal })).rejects.toBe(why);
  },
);

it.each(vendors)("%s: silence ends the call as overloaded", async (vendor) => {
  const { model, server } = await opened(vendor, () => says("slow", { fault: "stall" }), { stallMs: 500 });
  const error = await failing(model);
  expect(error).toMatchObject({ code: "model_overloaded", retryable: true });
  expect(error.message).toContain("nothing was heard for 0.5 s");
  const { gone } = await server.arrived(1);
  expect(await gone).toBe(true);
});

it("asks Anthropic to cache the system prompt, the tools and the conversation", async () => {
  const { model, server } = await opened("anthropic", () => says("ok"));
  const messages = [
    user("one"),
    { role: "assistant", content: [{ type: "text", text: "two" }] },
    user("three"),
  ] as const;
  await model.reply({ ...request(...messages), tools: [BASH, { ...BASH, name: "other" }] }, quiet());
  const body = server.requests[0]?.body as {
    system: object[];
    tools: object[];
    messages: { content: object[] }[];
    max_tokens: number;
  };
  const mark = { cache_control: { type: "ephemeral" } };
  expect(body.system).toMatchObject([mark]);
  expect(JSON.stringify(body.tools)).not.toContain("cache_control"); // the mark of the system prompt covers them
  // where this request ends, and where the last one did: behind a reply with many calls it is too far back to be found
  expect(body.messages.map(({ content }) => content)).toMatchObject([[mark], [{}], [mark]]);
  expect(JSON.stringify(body).match(/cache_control/g)).toHaveLength(3);
  expect(body.max_tokens).toBe(32_000);
});

it("asks Anthropic to keep for an hour what siblings share, where the member waits", async () => {
  const { model, server } = await opened("anthropic", () => says("ok"));
  const parts = ["rules", "who", "go"].map((text) => ({ type: "text" as const, text }));
  const first: Message = { role: "user", content: parts };
  const cache = { key: "team/alice", sharedParts: 1, waits: true };
  await model.reply({ ...request(first), cache }, quiet());
  await model.reply({ ...request(first), cache: { ...cache, waits: false } }, quiet());
  const marks = server.requests.map(({ body }) => JSON.stringify(body).match(/"cache_control":\{[^}]*\}/g));
  const [hour, short] = [
    '"cache_control":{"type":"ephemeral","ttl":"1h"}',
    '"cache_control":{"type":"ephemeral"}',
  ];
  expect(marks).toEqual([
    [hour, hour, short],
    [short, short, short],
  ]);
});

it("counts cache writes in the price and not as cached", async () => {
  const { model } = await opened("anthropic", () =>
    says("ok", { usage: { input: 10, cached: 0, written: 1e6, output: 0 } }),
  );
  const { usage, usd } = await model.reply(request(user("hi")), quiet());
  expect(usage).toEqual({ inputTokens: 1_000_010, cachedTokens: 0, outputTokens: 0 });
  expect(usd).toBeCloseTo(1.25, 3);
});

it("keeps the key out of messages, also when the provider repeats it", async () => {
  const key = "secret-value-0123456789";
  const { model } = await opened("anthropic", () => fails.unauthorized(`invalid x-api-key: ${key}`), {
    env: { ANTHROPIC_API_KEY: key },
  });
  const error = await failing(model);
  expect(error.message).toContain("ANTHROPIC_API_KEY");
  expect(`${error.message} ${JSON.stringify(error)} ${error.stack} ${String(error.cause)}`).not.toContain(
    key,
  );
});

it.each(["", "/", "/v1", "/v1/"])("honours base addresses that end in %o", async (end) => {
  const server = await startModelServer({ any: () => says("ok") });
  onTestFinished(() => server.close());
  const env = { ...server.env, ANTHROPIC_BASE_URL: server.url + end, OPENAI_BASE_URL: server.url + end };
  for (const spec of ["anthropic/claude-x", "openai/gpt-x"])
    await (await openModel(spec, { env, clock })).reply(request(user("hi")), quiet());
  const compatible = await openModel("openai-compatible/x", { env, clock, baseUrl: server.url + end });
  await compatible.reply(request(user("hi")), quiet());
  const local = await openModel("ollama/x", { env: { OLLAMA_HOST: server.url }, clock });
  await local.reply(request(user("hi")), quiet());
  expect(server.requests.map(({ protocol }) => protocol)).toEqual([
    "anthropic",
    "responses",
    "openai",
    "ollama",
  ]);
});

it("does not wait for the end of the response, nor lose the connection over it", async () => {
  let end = (): void => {};
  const { model, server } = await opened("anthropic", () =>
    says("ok", { lingers: new Promise((resolve) => (end = resolve)) }),
  );
  // The client hears of the end a moment later, so the next request may come before that.
  for (let i = 0; i < 3 || (server.connections === i && i < 100); i += 1) {
    await model.reply(request(user("hi")), quiet());
    expect(server.requests[i]?.endedAt).toBe(0);
    end();
    expect(await server.requests[i]?.gone).toBe(false);
    await new Promise(setImmediate);
  }
  expect(server.connections).toBeLessThan(server.requests.length);
});

it("says when nobody listens", async () => {
  const baseUrl = `http://127.0.0.1:${await freePort()}`;
  const model = await openModel("openai-compatible/x", { env: {}, clock, baseUrl, attempts: 1 });
  const error = await failing(model);
  expect(error).toMatchObject({ code: "model_overloaded", details: { everyone: true } });
  expect(error.message).toContain("ECONNREFUSED");
});

it("tries again what a retry mends, and tells of it", async () => {
  const { model, server } = await opened(
    "anthropic",
    [fails.rateLimited(3), says("half", { fault: "end early" }), says("whole")],
    { attempts: 5 },
  );
  const told: number[] = [];
  const reply = await model.reply(request(user("hi")), {
    ...quiet(),
    onRetry: ({ waitMs }) => told.push(waitMs),
  });
  expect(reply.message.content).toEqual([{ type: "text", text: "whole" }]);
  expect([server.requests.length, told]).toEqual([3, [3_000, 0]]);
});

it("takes the first model of an Ollama that answers, when nothing else is configured", async () => {
  const ollama = createServer((_, response) => response.end('{"models":[{"name":"qwen3:8b"}]}'));
  ollama.listen(0, "127.0.0.1");
  await once(ollama, "listening");
  onTestFinished(() => void ollama.close());
  const { port } = ollama.address() as AddressInfo;
  const env = { OLLAMA_HOST: `127.0.0.1:${port}` };
  expect(await chooseModel({ env, runbook: true })).toBe("ollama/qwen3:8b");
  expect((await openModel("ollama", { env, clock })).spec).toBe("ollama/qwen3:8b");
});
