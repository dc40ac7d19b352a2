/**
 * These tests check what changes in the middle of a conversation, on emulators that refuse what their providers refuse, with models that think: the
 * model, the mode, the tools, the process, the key and the provider.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { sampled } from "../../fixtures/fuzz.ts";
import { calls, fails, type ModelCall, runs, says } from "../../fixtures/model-server/index.ts";
import { soon } from "../../fixtures/soon.ts";
import { SERVICES, type Service, thoughtsIn } from "../../fixtures/thinking-models.ts";
import { hasThoughts, isLead, lastOf, StrictProgram } from "./strict-program.ts";

let program: StrictProgram;
beforeEach(() => {
  program = new StrictProgram();
});
afterEach(() => program.end());

const {
  Anthropic,
  "OpenAI Responses": OpenAI,
  Gemini,
  DeepSeek,
} = SERVICES as Record<string, Service> & {
  Anthropic: Service;
};
const WITH_SEALS = Object.entries({ Anthropic, OpenAI, Gemini, DeepSeek }) as [string, Service][];

/** An MCP server that ends at the tool `die`. From its second life on it has one tool more and other words. */
const MORTAL = `import { existsSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";
const second = existsSync("born");
writeFileSync("born", "");
const tool = (name) => ({ name, description: second ? "Says it again." : "Says it.", inputSchema: { type: "object", properties: { text: { type: "string" } } } });
const answer = (id, result) => console.log(JSON.stringify({ jsonrpc: "2.0", id, result }));
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (method === "initialize")
    answer(id, { protocolVersion: params.protocolVersion, capabilities: { tools: { listChanged: true } }, serverInfo: { name: "mortal", version: "1" } });
  if (method === "tools/list") answer(id, { tools: [tool("echo"), tool("die"), ...(second ? [tool("extra")] : [])] });
  if (method === "tools/call" && params.name === "die") process.exit(1);
  if (method === "tools/call") answer(id, { content: [{ type: "text", text: "echo: " + params.arguments.text }] });
});
`;

describe.each(sampled(WITH_SEALS, 4, 1))("%s", (_, service) => {
  it("keeps its tools while an MCP server dies, comes back and has other tools", async () => {
    program.project.write({
      "mortal.mjs": MORTAL,
      ".mcp.json": JSON.stringify({
        mcpServers: { mortal: { command: process.execPath, args: ["mortal.mjs"] } },
      }),
    });
    const steps = ["echo", "die", "echo", "die", "extra", "echo"];
    let step = 0;
    await program.serve(() => {
      const tool = steps[step];
      step += 1;
      return tool ? calls(`mcp__mortal__${tool}`, { text: `step ${step}` }) : says("done");
    });
    const { code, stderr } = await program.run(service, ["run", "Talk to the server."]);
    expect(code, stderr).toBe(0);
    const { requests } = program.server;
    expect(requests.map(lastOf).filter((text) => text.includes("echo: step")).length).toBeGreaterThanOrEqual(
      2,
    );
    expect(new Set(requests.map(({ body }) => JSON.stringify(body.tools))).size).toBe(1);
    await program.isSound("lead");
    hasThoughts(requests.at(-1), service);
  });

  it("continues after kill -9, in the middle of a command and of a request", async () => {
    let asked = 0;
    let hang = true;
    await program.serve((request) => {
      asked += 1;
      if (lastOf(request).includes("Reached.") || asked > 12) return says("done");
      if (asked === 6 && hang) return { ...says("never"), fault: "stall" };
      return asked === 4 ? runs("touch begun; sleep 60; echo late") : runs(`echo step ${asked}`);
    });
    const first = program.start(service, ["run", "Take some steps."]);
    await soon(() => expect(existsSync(join(program.project.dir, "begun"))).toBe(true));
    first.kill();
    await first.over;
    const second = program.start(service, ["resume"]);
    await program.server.arrived(6);
    hang = false;
    second.kill();
    await second.over;
    const { code, stderr } = await program.run(service, ["resume"]);
    expect(code, stderr).toBe(0);
    expect(JSON.stringify(program.server.requests.at(-1)?.messages)).toContain("may or may not");
    await program.isSound("lead");
    hasThoughts(program.server.requests.at(-1), service);
  });

  it("changes effort, mode and rules in the middle of a conversation", async () => {
    let asked = 0;
    await program.serve(() => {
      asked += 1;
      return asked % 2 ? calls("list_tasks") : says(`answer ${asked}`);
    });
    const input = [
      ...["One.", "/mode plan", "Two.", "/effort high", "Three.", "/mode bypass", "/effort low", "Four."],
      ...["/effort auto", "/add A new task", "Five.", "/compact", "Six.", ""],
    ].join("\n");
    const { code, stderr } = await program.run(service, [], input);
    expect(code, stderr).toBe(0);
    expect(asked).toBeGreaterThanOrEqual(12);
    await program.isSound("lead");
    hasThoughts(program.server.requests.at(-1), service);
  });
});

it("goes from model to model and back, each with its own thoughts", async () => {
  let asked = 0;
  const own = (model: string): ModelCall[] =>
    program.server.requests.filter((request) => request.model === model);
  await program.serve(() => {
    asked += 1;
    return asked % 2 ? calls("list_tasks") : says(`answer ${asked}`);
  });
  const specs = [
    ...[
      "anthropic/claude-opus-5-5",
      "openai/gpt-6.1-sol",
      "deepseek/deepseek-reasoner",
      "mistral/magistral-medium",
    ],
    ...[
      "groq/openai/gpt-oss-120b",
      "openai/gpt-6-sol",
      "anthropic/claude-haiku-4-5",
      "openrouter/google/gemini-3.1-pro",
      "anthropic/claude-sonnet-5-5",
    ],
  ];
  const input = [
    "Begin.",
    ...specs.flatMap((spec) => [`/model ${spec}`, "Continue.", "/mode plan", "And on.", "/mode bypass"]),
    "",
  ];
  const { code, stderr } = await program.run(Anthropic, [], input.join("\n"));
  expect(code, stderr).toBe(0);
  expect(new Set(program.server.requests.map(({ model }) => model)).size).toBe(specs.length);
  await program.isSound("lead");
  // back with the first model: its own two thoughts, and those since
  expect(thoughtsIn(own("claude-sonnet-5-5").at(-1) as ModelCall)).toBe(5);
});

it.each(sampled(WITH_SEALS, 4, 2))(
  "%s: a worker with another key takes over, and the first key comes back",
  async (_, service) => {
    const another: Record<string, string> = {
      ANTHROPIC_API_KEY: "key-of-another",
      OPENAI_API_KEY: "key-of-another",
      GOOGLE_GENERATIVE_AI_API_KEY: "key-of-another",
      DEEPSEEK_API_KEY: "key-of-another",
    };
    const keyOf = ({ headers }: ModelCall): string =>
      String(headers["x-api-key"] ?? headers["x-goog-api-key"] ?? headers.authorization);
    const isAnother = (request: ModelCall): boolean => keyOf(request).includes("another");
    let waits = true;
    await program.serve((request) => {
      if (isLead(request)) return says("I see.");
      const text = JSON.stringify(request.messages);
      if (text.includes("Take the rest") || text.includes("done here")) return says("Done.");
      const steps = text.split("echo step").length - 1;
      if (steps < 8) return runs(`echo step ${steps}`);
      if (!isAnother(request) && waits) return { ...says("never"), fault: "stall" };
      return steps < 20 ? runs(`echo step ${steps}`) : calls("complete_task", { result: "done here" });
    });
    await program.add("Take steps");
    const first = program.start(service, ["run", "See to it.", "--teammate", "alice"]);
    await soon(() => expect(program.server.requests.filter((one) => !isLead(one)).length).toBeGreaterThan(4));
    await soon(() =>
      expect(
        program.server.requests.some((one) => JSON.stringify(one.messages).split("echo step").length > 8),
      ).toBe(true),
    );
    first.kill();
    await first.over;
    const worker = program.start(service, ["worker", "--count", "2"], another);
    await soon(() => expect(program.server.requests.filter(isAnother).length).toBeGreaterThan(1));
    waits = false;
    worker.kill();
    await worker.over;
    const { code, stderr } = await program.run(service, ["resume"]);
    expect(code, stderr).toBe(0);
    const ofAlice = program.server.requests.filter((one) => !isLead(one)).map(isAnother);
    expect([...new Set(ofAlice), ofAlice.at(-1)]).toEqual([false, true, false]);
    await program.isSound("alice");
  },
);

const falling = sampled(WITH_SEALS, 4, 3);
it.each(falling)("%s: falls back to another provider and comes back", async (_, service) => {
  const fallbackModel = service === Anthropic ? "openai/gpt-6.1-sol" : "anthropic/claude-sonnet-5-5";
  program.project.write({ ".ekiden/settings.json": JSON.stringify({ fallbackModel }) });
  let asked = 0;
  let isDown = false;
  await program.serve((request) => {
    asked += 1;
    if (asked === 5) isDown = true;
    if (isDown && service.model.endsWith(request.model)) return fails.overloaded();
    return asked % 12 ? calls("list_tasks", {}) : says("A pause.");
  });
  await program.run(service, ["run", "Look."]);
  const { requests } = program.server;
  expect(requests.some(({ model }) => fallbackModel.endsWith(model))).toBe(true);
  isDown = false;
  await program.project.run(["send", "lead", "Continue."]);
  const { code, stderr } = await program.run(service, ["resume"]);
  expect(code, stderr).toBe(0);
  const back = requests.at(-1) as ModelCall;
  expect(service.model.endsWith(back.model)).toBe(true);
  expect(thoughtsIn(back)).toBeGreaterThanOrEqual(4); // those of before it was down
  await program.isSound("lead");
});

/** An MCP server with more tools than some services take, long words, and schemas that are no schemas. */
const ODD = `import { createInterface } from "node:readline";
const odd = {
  type: "object",
  properties: {
    list: { type: "array" },
    pair: { type: "array", items: [{ type: "string" }, { type: "number" }] },
    level: { type: "integer", enum: [1, 2, 3] },
    mixed: { type: ["string", "null"], default: null },
    either: { oneOf: [{ type: "string" }, { type: "object", properties: { a: { type: "array" } }, required: ["a", "ghost"] }] },
    any: true,
    ref: { $ref: "#/$defs/thing" },
    above: { type: "number", minimum: 0, exclusiveMinimum: true },
    fixed: { const: "x" },
    map: { type: "object", additionalProperties: { type: "string" }, patternProperties: { "^x": { type: "number" } } },
    "a name/with signs": { type: "string", format: "uri", examples: ["x"] },
    deep: { type: "object", properties: { "odd name": { type: "string", description: null } }, required: "odd name" },
    nothing: { type: "file" },
    "1st": { const: 4, format: "uri" },
  },
  required: ["list", "ghost", "list"],
  $defs: { thing: { type: "string" } },
  additionalProperties: false,
  $schema: "http://json-schema.org/draft-07/schema#",
};
const tools = Array.from({ length: 140 }, (_, i) => ({
  name: i === 0 ? "odd" : "tool.with_a_long_name_" + "x".repeat(60) + i,
  description: "What it does, at length. ".repeat(80) + "\\ud83d",
  inputSchema: i % 2 ? { type: "object" } : odd,
}));
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  const answer = (result) => console.log(JSON.stringify({ jsonrpc: "2.0", id, result }));
  if (method === "initialize") answer({ protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "odd", version: "1" } });
  if (method === "tools/list") answer({ tools });
  if (method === "tools/call") answer({ content: [{ type: "text", text: "half \\ud83d of it" }, { type: "text", text: "  " }] });
});
`;

it.each(sampled(Object.entries(SERVICES), 4))(
  "%s takes the tools of an odd MCP server",
  async (_, service) => {
    program.project.write({
      "odd.mjs": ODD,
      ".mcp.json": JSON.stringify({ mcpServers: { odd: { command: process.execPath, args: ["odd.mjs"] } } }),
    });
    let asked = 0;
    await program.serve(() => {
      asked += 1;
      return asked < 3 ? calls("mcp__odd__odd", { list: [], level: 1 }) : says("done");
    });
    const { code, stderr } = await program.run(service, ["run", "Talk to the server."]);
    expect(code, stderr).toBe(0);
    expect(program.server.requests[0]?.tools).toContain("mcp__odd__odd");
    expect(lastOf(program.server.requests.at(-1) as ModelCall)).toContain("of it");
    await program.isSound("lead");
  },
);
