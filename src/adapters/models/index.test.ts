import { expect, it } from "vitest";
import { ManualClock } from "../clock.ts";
import { chooseModel, openModel, PROVIDERS } from "./index.ts";

const clock = new ManualClock();
/** Nothing listens at port 9, so no Ollama of this machine gets in the way. */
const NO_OLLAMA = { OLLAMA_HOST: "127.0.0.1:9" };
const refused = (spec: string, env = {}) =>
  openModel(spec, { env, clock }).then(
    () => expect.unreachable("it should have been refused"),
    (error: Error) => error,
  );

it("opens each provider by its spec and by its name alone", async () => {
  const env = {
    ANTHROPIC_API_KEY: "k",
    OPENAI_API_KEY: "k",
    GOOGLE_GENERATIVE_AI_API_KEY: "k",
    OLLAMA_HOST: "localhost:1",
  };
  const specs = [
    "anthropic/claude-haiku-4-5",
    "openai/gpt-5",
    "google/gemini-2.5-pro",
    "ollama/qwen3:8b",
    "openai-compatible/a/b",
  ];
  for (const spec of specs) {
    const model = await openModel(spec, { env, clock, baseUrl: "http://127.0.0.1:9" });
    expect(model.spec).toBe(spec);
  }
  expect((await openModel("anthropic", { env, clock })).spec).toMatch(/^anthropic\/claude-/);
  expect((await openModel("anthropic/claude-haiku-4-5", { env, clock })).window).toBe(200_000);
  expect((await openModel("runbook", { env: {}, clock })).spec).toBe("runbook");
});

it("says what is missing, and never guesses", async () => {
  expect(await refused("anthropic/x")).toMatchObject({ code: "model_auth", exitCode: 3 });
  expect((await refused("openai/x")).message).toContain("set OPENAI_API_KEY");
  expect((await refused("anthropc/x")).message).toMatch(
    /Did you mean "anthropic"\? Known: anthropic\/…, openai\/…, /,
  );
  expect((await refused("claude-opus-5")).message).toContain('Did you mean "anthropic/claude-opus-5"?');
  expect(await refused("")).toMatchObject({ code: "model_missing" });
  expect((await refused("openai-compatible/x")).message).toContain("--base-url");
  expect((await refused("ollama", NO_OLLAMA)).message).toContain("ollama/MODEL");
  expect(await refused("scripted:/no/such/file")).toMatchObject({ code: "model_missing" });
});

it("says where a provider is, the same for a run and for doctor", () => {
  const where = (name: string, env: Record<string, string>, baseUrl = ""): string | null | undefined =>
    PROVIDERS.find((provider) => provider.name === name)?.address({ env, baseUrl });
  expect(where("ollama", {})).toBe("http://127.0.0.1:11434");
  expect(where("ollama", { OLLAMA_HOST: "0.0.0.0" })).toBe("http://127.0.0.1:11434");
  expect(where("ollama", { OLLAMA_HOST: "box:80" }, "http://other/v1/")).toBe("http://other");
  expect(() => where("ollama", { OLLAMA_HOST: "http://[" })).toThrow(/OLLAMA_HOST is not an address: "http:/);
  expect(where("anthropic", { ANTHROPIC_BASE_URL: "http://proxy/v1" })).toBe("http://proxy");
  expect(where("openai-compatible", {})).toBeNull();
  expect(where("openai-compatible", {}, "http://vllm:8000")).toBe("http://vllm:8000/v1");
  expect(where("openai-compatible", { OPENAI_COMPATIBLE_BASE_URL: "http://x/api/" })).toBe("http://x/api");
});

it("chooses: the setting, EKIDEN_MODEL, a key, and for a runbook file the embedded model", async () => {
  const env = {
    ...NO_OLLAMA,
    EKIDEN_MODEL: "from/env",
    OPENAI_API_KEY: "k",
    GOOGLE_GENERATIVE_AI_API_KEY: "k",
  };
  expect(await chooseModel({ env, setting: "from/setting" })).toBe("from/setting");
  expect(await chooseModel({ env })).toBe("from/env");
  const keyed = { ...env, EKIDEN_MODEL: "" };
  expect(await chooseModel({ env: keyed, runbook: true })).toMatch(/^openai\//);
  expect(await chooseModel({ env: NO_OLLAMA, runbook: true })).toBe("runbook");
  expect(await chooseModel({ env: { OLLAMA_HOST: "http://[bad" }, runbook: true })).toBe("runbook");
  await expect(chooseModel({ env: { OLLAMA_HOST: "http://[bad" } })).rejects.toThrow(
    /OLLAMA_HOST is not an address/,
  );
  const error = await chooseModel({ env: NO_OLLAMA }).catch((thrown: Error) => thrown);
  expect(error).toMatchObject({ code: "model_missing" });
  for (const { keyVariable, defaultModel } of PROVIDERS)
    if (defaultModel !== "") expect((error as Error).message).toContain(keyVariable);
});

it.each([["one-key"], ["one-key,another-key"]])(
  "says of a model what its vendor does, with %s",
  async (keys) => {
    const open = (spec: string) => openModel(spec, { env: { ANTHROPIC_API_KEY: keys }, clock });
    const sonnet = await open("anthropic/claude-sonnet-5-5");
    expect(sonnet).toMatchObject({
      bindsPrefix: true,
      caches: true,
      longestReply: 64_000,
      window: 1_000_000,
    });
    expect(await open("anthropic/claude-haiku-4-5")).toMatchObject({ bindsPrefix: false, caches: true });
  },
);
