/** These tests check what proxies between us and the vendor may do to an answer, and what is asked of old models. */
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { expect, it, onTestFinished } from "vitest";
import type { Message } from "../../../core/conversation/chat.ts";
import { systemClock } from "../../clock.ts";
import { openModel } from "../index.ts";

const sse = (...events: object[]): string => events.map((e) => `data: ${JSON.stringify(e)}\n\n`).join("");
const HELLO = sse(
  { type: "message_start", message: { usage: { input_tokens: 3 } } },
  { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
  { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "héllo" } },
  { type: "content_block_stop", index: 0 },
  { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 2 } },
  { type: "message_stop" },
);
const HI: Message = { role: "user", content: [{ type: "text", text: "hi" }] };

async function asking(
  listener: RequestListener,
  messages: readonly Message[] = [HI],
  name = "claude-x",
  progressMs = 600_000,
) {
  const bodies: { max_tokens: number; messages: unknown }[] = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request.setEncoding("utf8")) body += chunk;
    if (body) bodies.push(JSON.parse(body));
    listener(request, response);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(async () => {
    server.close();
    server.closeAllConnections();
    await once(server, "close");
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const env = { ANTHROPIC_API_KEY: "a-key", ANTHROPIC_BASE_URL: url };
  const model = await openModel(`anthropic/${name}`, { env, clock: systemClock, attempts: 1, progressMs });
  const reply = await model.reply(
    { system: "", messages, tools: [] },
    { signal: new AbortController().signal },
  );
  return { reply, bodies };
}

const HEARD = { stop: "end", message: { content: [{ type: "text", text: "héllo" }] } };

it("counts what was written for an hour at twice the price of fresh input, and the rest at 1.25 times", async () => {
  const usage = {
    input_tokens: 0,
    cache_creation_input_tokens: 2e6,
    cache_creation: { ephemeral_5m_input_tokens: 1e6, ephemeral_1h_input_tokens: 1e6 },
    output_tokens: 0,
  };
  const { reply } = await asking(
    (_, response) =>
      response.end(
        sse(
          { type: "message_start", message: { usage } },
          { type: "message_delta", delta: { stop_reason: "end_turn" } },
          { type: "message_stop" },
        ),
      ),
    [HI],
    "claude-sonnet-5-5",
  );
  expect(reply.usd).toBeCloseTo(2 * 1.25 + 2 * 2);
});

it("follows a redirect with what it was to send", async () => {
  const { reply, bodies } = await asking((request, response) => {
    if (request.url === "/v1/messages") response.writeHead(307, { location: "/there" }).end();
    else response.end(HELLO);
  });
  expect(reply).toMatchObject(HEARD);
  expect(bodies.length).toBeGreaterThan(1);
  expect(bodies.at(-1)).toEqual(bodies[0]);
});

it("reads an answer that was compressed on the way", async () => {
  const { reply } = await asking((_, response) =>
    response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync(HELLO)),
  );
  expect(reply).toMatchObject({ ...HEARD, usage: { inputTokens: 3, outputTokens: 2 } });
});

it("reads an answer that was cut into bytes, with other line ends and comments", async () => {
  const bytes = Buffer.from(`: keep alive\r\n\r\n${HELLO.replaceAll("\n", "\r\n")}`);
  const { reply } = await asking(async (_, response) => {
    for (const byte of bytes) {
      response.write(Buffer.of(byte));
      await new Promise(setImmediate);
    }
    response.end();
  });
  expect(reply).toMatchObject(HEARD);
});

it("leaves out what another vendor's model thought, also when it said nothing else", async () => {
  const thought: Message = {
    role: "assistant",
    content: [{ type: "thinking", text: "hm", meta: { google: { thoughtSignature: "x" } } }],
  };
  const { bodies } = await asking((_, response) => response.end(HELLO), [HI, thought, HI]);
  expect(bodies[0]?.messages).toMatchObject([
    { role: "user", content: [{ text: "hi" }, { text: "hi", cache_control: { type: "ephemeral" } }] },
  ]);
});

it.each([
  ["claude-3-haiku-20240307", 4_096],
  ["claude-3-5-haiku-latest", 8_192],
  ["claude-opus-4-1", 32_000],
  ["claude-sonnet-5-5", 32_000],
])("asks %s for at most %d tokens", async (name, most) => {
  const { bodies } = await asking((_, response) => response.end(HELLO), [HI], name);
  expect(bodies[0]?.max_tokens).toBe(most);
});

it("gives up a stream of nothing but pings, which never stays silent", async () => {
  const pings: NodeJS.Timeout[] = [];
  onTestFinished(() => pings.forEach(clearInterval));
  const answer = asking(
    (_, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      pings.push(setInterval(() => response.write(sse({ type: "ping" })), 10));
    },
    [HI],
    "claude-x",
    300,
  );
  await expect(answer).rejects.toThrow("no piece of the reply came for 0.3 s");
});

it("sends what the program says as a system message, behind a message of the user only", async () => {
  const news = { type: "text", text: "Bob came.", ofProgram: true } as const;
  const said: Message = { role: "assistant", content: [{ type: "text", text: "Yes." }] };
  const heard: Message = { role: "user", content: [news, { type: "text", text: "Continue." }] };
  const alone: Message = { role: "user", content: [news] };
  const { bodies } = await asking(
    (_, response) => response.end(HELLO),
    [HI, said, heard, said, alone],
    "claude-opus-5",
  );
  const sent = bodies[0]?.messages as { role: string; content: { text: string }[] }[];
  expect(sent.map(({ role, content }) => [role, content.map(({ text }) => text).join()])).toEqual([
    ["user", "hi"],
    ["assistant", "Yes."],
    ["user", "Continue."],
    ["system", "Bob came."],
    ["assistant", "Yes."],
    ["user", "Bob came."],
  ]);
});

it("asks again without betas where they are refused, and no longer lets old results be cleared", async () => {
  const betas: unknown[] = [];
  const server = createServer(async (request, response) => {
    request.resume();
    await once(request, "end");
    betas.push(request.headers["anthropic-beta"]);
    if (!request.headers["anthropic-beta"]) return void response.end(HELLO);
    response
      .writeHead(400)
      .end('{"error":{"message":"Unexpected value(s) for the `anthropic-beta` header."}}');
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const env = { ANTHROPIC_API_KEY: "a-key", ANTHROPIC_BASE_URL: url };
  const model = await openModel("anthropic/claude-opus-5", { env, clock: systemClock, attempts: 1 });
  expect(model.clears).toBe(true);
  const request = { system: "", messages: [HI], tools: [], clearing: { keep: 3, except: [] } };
  expect(await model.reply(request, { signal: new AbortController().signal })).toMatchObject(HEARD);
  expect(betas).toEqual(["context-management-2025-06-27", undefined]);
  expect(model.clears).toBe(false);
});
