/** Services by name, a conversation that goes from one provider to the next, and several keys: on the strict emulators. */
import { expect, it, onTestFinished } from "vitest";
import { openModel } from "../../../src/adapters/models/index.ts";
import { callsOf, type Message } from "../../../src/core/conversation/chat.ts";
import { instant } from "../../../src/core/ids.ts";
import type { Clock, Model } from "../../../src/ports/index.ts";
import { boardTools, fileTools, rosterTools, specOf } from "../../../src/tools/index.ts";
import {
  fails,
  type ModelServer,
  type Program,
  says,
  startModelServer,
} from "../../fixtures/model-server/index.ts";

let now = 0;
const clock: Clock = {
  now: () => instant(now),
  uptime: () => now,
  sleep: async (ms) => {
    now += ms;
  },
};
const KEYS = Object.fromEntries(
  [
    "OPENROUTER",
    "GROQ",
    "MISTRAL",
    "DEEPSEEK",
    "XAI",
    "MOONSHOT",
    "ZAI",
    "AZURE_OPENAI",
    "GOOGLE_VERTEX",
    "GOOGLE_GENERATIVE_AI",
  ].map((name) => [`${name}_API_KEY`, `key-of-${name}`]),
);
/** Where the emulator of each service is. */
const PATHS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ["openrouter", "groq", "mistral", "deepseek", "xai", "moonshot", "zai"].map((name) => [
      name,
      `/${name}/v1`,
    ]),
  ),
  google: "/v1beta",
  vertex: "/v1/publishers/google",
  azure: "",
  bedrock: "",
  "openai-compatible": "/v1",
  ollama: "/ollama",
};

async function serving(program: Program): Promise<ModelServer> {
  const server = await startModelServer({ any: program }, { thinks: true });
  onTestFinished(() => server.close());
  return server;
}
const open = async (server: ModelServer, spec: string, env: Record<string, string> = {}): Promise<Model> => {
  const path = PATHS[spec.split("/")[0] ?? ""];
  const given = { ...server.env, ...KEYS, AWS_BEARER_TOKEN_BEDROCK: "key-of-bedrock", ...env };
  return await openModel(spec, {
    clock,
    attempts: 1,
    random: () => 0,
    baseUrl: path === undefined ? "" : server.url + path,
    env: given,
  });
};
const user = (text: string): Message => ({ role: "user", content: [{ type: "text", text }] });
const quiet = { signal: new AbortController().signal };
const TOOLS = [...fileTools, ...boardTools.lead, ...boardTools.teammate, ...rosterTools.lead]
  .filter(({ name }, i, all) => all.findIndex((tool) => tool.name === name) === i)
  .map(specOf);

const SPECS = [
  ...["anthropic/claude-sonnet-5-5", "openai/gpt-6.1-sol", "google/gemini-3.8-flash", "deepseek/deepseek-v4"],
  ...[
    "mistral/devstral-3",
    "groq/openai/gpt-oss-120b",
    "openrouter/anthropic/claude-sonnet-5.5",
    "openrouter/google/gemini-3.1-pro",
    "xai/grok-4",
    "xai/grok-4.3",
  ],
  ...["moonshot/kimi-k3", "zai/glm-5", "azure/gpt-5.4", "vertex/gemini-3.1-pro", "ollama/qwen3:8b"],
  ...["bedrock/anthropic.claude-opus-4-8", "bedrock/openai.gpt-oss-120b", "openai-compatible/some-model"],
];

it("goes from provider to provider and back with all tools, and none refuses or drops a thing", async () => {
  const server = await serving(({ nth }) =>
    nth % 3 === 0
      ? nth % 2 === 0
        ? says(`reply ${nth}`)
        : { thinking: "Hm.", text: "" }
      : {
          text: `look ${nth}`,
          calls: [
            { tool: "read_file", input: { path: "a" } },
            { tool: "glob", input: { pattern: "*" } },
          ],
        },
  );
  const models = await Promise.all(SPECS.map((spec) => open(server, spec)));
  const messages: Message[] = [user("begin")];
  for (const model of [...models, ...models])
    for (let turn = 0; turn < 3; turn += 1) {
      const { message } = await model.reply(
        { system: "Be brief.", messages, tools: TOOLS, effort: "high" },
        quiet,
      );
      messages.push(JSON.parse(JSON.stringify(message)) as Message);
      const results = callsOf(message).map(
        ({ id, tool }) => ({ type: "result", id, tool, text: "x", isError: false }) as const,
      );
      messages.push({ role: "user", content: [...results, { type: "text", text: "news" }] });
    }
  expect([server.refusals, server.dropped]).toEqual([[], []]);
  expect(server.requests).toHaveLength(SPECS.length * 6);
  const [azure] = server.requests.filter(({ model }) => model === "gpt-5.4");
  expect(azure?.headers).toMatchObject({ "api-key": "key-of-AZURE_OPENAI" });
  expect(azure?.headers.authorization).toBeUndefined();
});

it("gives OpenRouter the details of each thought back, in the pieces of which they were made", async () => {
  const server = await serving(({ nth }) => ({
    thinking: `A thought in pieces, number ${nth}.`,
    calls: [{ tool: "glob", input: { pattern: "*" } }],
  }));
  const model = await open(server, "openrouter/google/gemini-3.1-pro");
  const messages: Message[] = [user("begin")];
  for (let turn = 0; turn < 3; turn += 1) {
    const { message } = await model.reply({ system: "Be brief.", messages, tools: TOOLS }, quiet);
    messages.push(JSON.parse(JSON.stringify(message)) as Message);
    const results = callsOf(message).map(
      ({ id, tool }) => ({ type: "result", id, tool, text: "x", isError: false }) as const,
    );
    messages.push({ role: "user", content: results });
    if (turn === 0) expect(message.content[0]).toMatchObject({ text: "A thought in pieces, number 1." });
  }
  const sent = server.requests[1]?.body.messages as { role: string; reasoning_details?: unknown }[];
  const said = sent.find(({ role }) => role === "assistant");
  expect(said?.reasoning_details).toMatchObject([
    { type: "reasoning.text", text: "A thought in pieces, number 1.", index: 0 },
    { type: "reasoning.encrypted", index: 1 },
  ]);
  expect(said).not.toHaveProperty("reasoning_content");
  expect(server.refusals).toEqual([]);
});

it("asks the next key when one is told to wait or is refused, and stays with it", async () => {
  const server = await serving(({ headers }) => {
    const key = headers["x-api-key"];
    if (key === "first-key-0123") return fails.rateLimited(30);
    return key === "second-key-0123" ? fails.unauthorized() : says("ok");
  });
  const model = await open(server, "anthropic/claude-haiku-4-5", {
    ANTHROPIC_API_KEY: "first-key-0123, second-key-0123,third-key-0123",
  });
  for (let i = 0; i < 2; i += 1) await model.reply({ system: "", messages: [user("hi")], tools: [] }, quiet);
  expect(server.requests.map(({ headers }) => String(headers["x-api-key"]).split("-")[0])).toEqual([
    "first",
    "second",
    "third",
    "third",
  ]);
});

it("waits as with one key when all of them must wait", async () => {
  const server = await serving([fails.rateLimited(3), fails.rateLimited(5), says("ok")]);
  const given = { clock, attempts: 4, random: () => 0, env: { ...server.env, ANTHROPIC_API_KEY: "k1,k2" } };
  const model = await openModel("anthropic/claude-haiku-4-5", given);
  const before = now;
  await model.reply({ system: "", messages: [user("hi")], tools: [] }, quiet);
  expect(now - before).toBe(5_000);
});

it("says what is missing", async () => {
  await expect(openModel("azure/gpt-5.4", { clock, env: KEYS })).rejects.toThrow("Set AZURE_OPENAI_ENDPOINT");
  await expect(openModel("groq/x", { clock, env: {} })).rejects.toThrow("needs a key: set GROQ_API_KEY");
  await expect(openModel("groq", { clock, env: KEYS })).rejects.toThrow("names no model. Write groq/MODEL");
});

it("asks Z.AI alone to keep the thoughts of earlier turns, which go back to it", async () => {
  const server = await serving(() => says("ok"));
  const request = (messages: readonly Message[]) => ({ system: "", messages, tools: TOOLS });
  const zai = await open(server, "zai/glm-5.3@max");
  const first = await zai.reply(request([user("hi")]), quiet);
  await zai.reply(request([user("hi"), first.message, user("go on")]), quiet);
  await (await open(server, "deepseek/deepseek-v4-pro@medium")).reply(request([user("hi")]), quiet);
  const bodies = server.requests.map(({ body }) => body as Record<string, unknown>);
  const kept = { type: "enabled", clear_thinking: false };
  expect(bodies.map(({ thinking }) => thinking)).toEqual([kept, kept, undefined]);
  expect(bodies.map(({ reasoning_effort: level }) => level)).toEqual(["max", "max", "low"]);
  expect(JSON.stringify(bodies[1]?.messages)).toContain("reasoning_content");
});
