/** The lists of models that providers give: in `ekiden doctor` and `/model`, never for a completion; nothing fails where a provider gives none. */
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { modelsOf, modelsOffered } from "../../../src/adapters/models/index.ts";
import { fails, says, startModelServer } from "../../fixtures/model-server/index.ts";
import { project } from "../../fixtures/project.ts";
import { addressIn } from "../../fixtures/web-program.ts";
import { Project } from "../cli-program.ts";

async function serve(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const CHAT = { data: [{ id: "b" }, { id: "a" }, { id: "a" }, { id: "\u001b[31mred" }, { id: 5 }, {}] };
const GEMINI = {
  models: [
    { name: "models/gemini-3-pro", supportedGenerationMethods: ["generateContent"] },
    { name: "models/embedding", supportedGenerationMethods: ["embedContent"] },
  ],
};

it.each([
  ["anthropic", "ANTHROPIC_API_KEY", "/v1/models?limit=1000", "x-api-key", "k", CHAT, ["a", "b"]],
  ["openai", "OPENAI_API_KEY", "/v1/models", "authorization", "Bearer k", CHAT, ["a", "b"]],
  ["deepseek", "DEEPSEEK_API_KEY", "/models", "authorization", "Bearer k", CHAT, ["a", "b"]],
  [
    ...(["google", "GOOGLE_GENERATIVE_AI_API_KEY", "/models?pageSize=1000", "x-goog-api-key"] as const),
    ...(["k", GEMINI, ["gemini-3-pro"]] as const),
  ],
])("asks %s as it wants to be asked, once", async (provider, variable, path, header, value, list, names) => {
  const asked: unknown[] = [];
  const baseUrl = await serve((request, response) => {
    asked.push([request.url, request.headers[header]]);
    response.end(JSON.stringify(list));
  });
  const where = { env: { [variable]: "k, other" }, baseUrl };
  expect(await modelsOf(provider, where)).toEqual(names);
  expect(await modelsOf(provider, where)).toEqual(names);
  expect(asked).toEqual([[path, value]]);
});

it.each<[string, RequestListener]>([
  ["a refusal", (_, response) => void response.writeHead(401).end('{"data":[{"id":"a"}]}')],
  ["no JSON", (_, response) => void response.end("<html>")],
  ["another shape", (_, response) => void response.end('{"data":"many"}')],
  ["null", (_, response) => void response.end("null")],
  ["an end in the middle", (_, response) => void response.write("{", () => response.destroy())],
  ["silence", () => {}],
  ["a list without an end", (_, response) => void response.end(`{"data":["${"x".repeat(5_000_000)}"]}`)],
])("has no list for %s, and no error", async (_, answer) => {
  const where = { env: { OPENAI_API_KEY: "k" }, baseUrl: await serve(answer) };
  expect(await modelsOf("openai", where)).toBeNull();
});

it("is of each provider whose key is there, also beside the model that needs none", async () => {
  const others: unknown[] = [];
  const baseUrl = await serve((request, response) => {
    others.push(request.headers);
    response.end(JSON.stringify({ data: [{ id: "own" }] }));
  });
  const ANTHROPIC_BASE_URL = await serve((_, response) =>
    response.end(JSON.stringify({ data: [{ id: "new" }] })),
  );
  const env = { ANTHROPIC_API_KEY: "secret", ANTHROPIC_BASE_URL };
  expect(await modelsOffered(new Set(["runbook"]), { env, baseUrl: "" })).toEqual(["anthropic/new"]);
  expect(await modelsOffered(new Set(["openai-compatible"]), { env, baseUrl })).toEqual([
    "anthropic/new",
    "openai-compatible/own",
  ]);
  // The address of one provider gets no key of another.
  expect(JSON.stringify(others)).not.toContain("secret");
});

it("is shown by doctor and in the conversation", async () => {
  const project = new Project();
  onTestFinished(() => project.end());
  const server = await startModelServer(
    { anthropic: (request) => (request.model === "claude-typo" ? fails.unauthorized() : says("Heard.")) },
    { offers: ["claude-haiku-4-5", "claude-next"] },
  );
  onTestFinished(() => server.close());
  const env = { ...server.env, OPENAI_API_KEY: "", OLLAMA_HOST: "http://127.0.0.1:9" };
  const good = await project.run(["doctor", "--model", "anthropic/claude-haiku-4-5"], { env });
  expect(good.stdout, good.stderr).toContain("2 models are offered");
  const bad = await project.run(["doctor", "--model", "anthropic/claude-typo"], { env });
  expect(bad.stdout).toContain("It offers claude-haiku-4-5, claude-next.");
  const talk = await project.run(["--model", "anthropic/claude-haiku-4-5"], {
    env,
    input: "hello\n/model\n",
  });
  expect(talk.stdout).toMatch(/offered +anthropic\/claude-next/);
});

it("is asked for by no completion: of a shell, of the menu behind /model, and of the page", async () => {
  const place = project();
  const asked: unknown[] = [];
  const ANTHROPIC_BASE_URL = await serve((request, response) => {
    asked.push(request.url);
    response.end(JSON.stringify(CHAT));
  });
  const env = { ANTHROPIC_API_KEY: "k", ANTHROPIC_BASE_URL, OLLAMA_HOST: "127.0.0.1:9" };
  place.write({
    ".ekiden/settings.json": JSON.stringify({ models: { "anthropic/own": { window: 9_000 } } }),
  });
  const values = async (begun: string) => {
    const { stdout } = await place.run(["completion", "values", "--", "run", "--model", begun], { env });
    return stdout.split("\n").filter(Boolean);
  };
  expect(await values("anthropic/")).toEqual(["anthropic/own\t", "anthropic/claude-sonnet-5-5\t"]);
  expect(await values("groq")).toEqual(["groq/\t"]);
  const terminal = await place.open(["--model", "runbook"], { columns: 100, rows: 24, env });
  await terminal.shows("Type what you want");
  terminal.type("/model o");
  await terminal.shows(/runbook[\s\S]*anthropic\/own[\s\S]*openai\/gpt/);
  const web = place.start(["web", "--port", "0"], env);
  const { origin, hash } = new URL(await addressIn(web.stdout));
  const steering = await fetch(`${origin}/api/default/steering`, {
    headers: { Authorization: `Bearer ${hash.replace("#token=", "")}` },
  });
  expect(await steering.json()).toMatchObject({
    offered: expect.arrayContaining(["runbook", "anthropic/own", "anthropic/claude-sonnet-5-5"]),
  });
  expect(asked).toEqual([]);
});
