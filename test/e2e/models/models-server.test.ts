/** The loopback model server itself, spoken to by hand: other tests depend on it. */
import { expect, it, onTestFinished } from "vitest";
import {
  calls,
  conversationFaults,
  fails,
  type ModelServer,
  type Programs,
  refuses,
  runs,
  says,
  startModelServer,
} from "../../fixtures/model-server/index.ts";

async function serving(programs: Programs): Promise<ModelServer> {
  const server = await startModelServer(programs);
  onTestFinished(async () => {
    server.faults.length = 0;
    await server.close();
  });
  return server;
}

const user = (text: string) => ({ role: "user", content: text });
const ask = (server: ModelServer, messages: readonly object[], signal?: AbortSignal): Promise<Response> =>
  fetch(`${server.url}/v1/messages`, {
    method: "POST",
    headers: { "x-api-key": "key", "anthropic-version": "2023-06-01" },
    body: JSON.stringify({
      model: "m",
      max_tokens: 100,
      system: "be brief",
      messages,
      tools: [{ name: "bash", input_schema: { type: "object" } }],
    }),
    ...(signal && { signal }),
  });

it("streams what the program says and keeps what was asked", async () => {
  const server = await serving({ anthropic: (request) => says(`${request.nth}: ${request.system}`) });
  const text = await (await ask(server, [user("hello")])).text();
  expect(text).toContain(`"text":"1: "`);
  expect(text).toContain("event: message_stop");
  expect(server.requests[0]).toMatchObject({
    protocol: "anthropic",
    model: "m",
    tools: ["bash"],
    messages: [{ role: "user", content: [{ type: "text", text: "hello" }] }],
  });
  expect(await server.requests[0]?.gone).toBe(false);
});

it("answers a list of replies in order and finds the one too many", async () => {
  const server = await serving({ any: [calls("bash", { command: "ls" }), runs("pwd"), refuses()] });
  expect(await (await ask(server, [user("a")])).text()).toContain("tool_use");
  expect(await (await ask(server, [user("b")])).text()).toContain("tool_use");
  expect(await (await ask(server, [user("c")])).text()).toContain("refusal");
  expect((await ask(server, [user("d")])).status).toBe(400);
  expect(server.faults).toHaveLength(1);
});

it("refuses an unanswered call and an orphan result as vendors do, and says so when it closes", async () => {
  const server = await startModelServer({ any: () => says("never") });
  const use = { role: "assistant", content: [{ type: "tool_use", id: "t1", name: "bash", input: {} }] };
  const result = { role: "user", content: [{ type: "tool_result", tool_use_id: "t2", content: "x" }] };
  expect((await ask(server, [user("a"), use, result])).status).toBe(400);
  expect((await ask(server, [user("a"), result])).status).toBe(400);
  expect(server.refusals.map(({ message }) => message)).toEqual([
    expect.stringMatching(/^messages.1: `tool_use` ids were found without `tool_result` blocks .*: t1/),
    expect.stringContaining("unexpected `tool_use_id` found in `tool_result` blocks: t2"),
  ]);
  await expect(server.close()).rejects.toThrow("without `tool_result`");
});

it("fails as it is told: status, header, cut stream, clean early end, stall", async () => {
  const server = await serving({
    any: [
      fails.rateLimited(7),
      says("some text", { fault: "cut" }),
      says("some text", { fault: "end early" }),
      says("some text", { fault: "stall" }),
    ],
  });
  const limited = await ask(server, [user("a")]);
  expect([limited.status, limited.headers.get("retry-after")]).toEqual([429, "7"]);
  await expect(ask(server, [user("a")]).then((r) => r.text())).rejects.toThrow();
  const early = await (await ask(server, [user("a")])).text();
  expect(early).toContain("content_block_stop");
  expect(early).not.toContain("message_stop");
  const stop = new AbortController();
  const stalled = await ask(server, [user("a")], stop.signal);
  stop.abort();
  await expect(stalled.text()).rejects.toThrow();
  expect(await (await server.arrived(4)).gone).toBe(true);
});

it("knows a fit conversation from an unfit one", () => {
  const text = { type: "text", text: "x" } as const;
  expect(conversationFaults([{ role: "user", content: [text] }])).toEqual([]);
  expect(conversationFaults([{ role: "assistant", content: [text] }])).toHaveLength(1);
  expect(
    conversationFaults([
      { role: "user", content: [text] },
      { role: "assistant", content: [{ type: "call", id: "1", tool: "bash", input: {} }] },
    ]),
  ).toEqual(["call 1 (bash) has no result"]);
});
