/** These tests check the size of the context with Ollama, which would cut a conversation that is too long without a word. */
import { afterEach, beforeEach, expect, it } from "vitest";
import { runs, says } from "../../fixtures/model-server/index.ts";
import { SERVICES, type Service } from "../../fixtures/thinking-models.ts";
import { isSummary, StrictProgram } from "./strict-program.ts";

let program: StrictProgram;
beforeEach(() => {
  program = new StrictProgram();
});
afterEach(() => program.end());
const { Ollama } = SERVICES as Record<string, Service> & { Ollama: Service };
/** The emulator loads it with 8,192 tokens. */
const Tiny: Service = { ...Ollama, model: "ollama/tiny" };

type Sent = { readonly options: { readonly num_ctx?: number }; readonly truncate?: boolean };
const sent = (): Sent[] => program.server.requests.map(({ body }) => body as unknown as Sent);

it("sums up before the window that the model is loaded with is full", async () => {
  let asked = 0;
  let summaries = 0;
  await program.serve((request) => {
    const usage = { usage: { input: Math.round(request.bytes / 4) } };
    if (isSummary(request)) {
      summaries += 1;
      return says(`${asked} commands ran.`, usage);
    }
    asked += 1;
    return asked < 20 ? { ...runs(`seq ${asked} ${asked + 600}`), ...usage } : says("done", usage);
  });
  const { code, stderr } = await program.run(Tiny, ["run", "Run some commands."]);
  expect(code, stderr).toBe(0);
  expect(summaries).toBeGreaterThan(0);
  expect(new Set(sent().map(({ truncate }) => truncate))).toEqual(new Set([false]));
  await program.isSound("lead");
});

it("loads the model with the window of the settings", async () => {
  const models = { "ollama/tiny": { window: 64_000 } };
  program.project.write({ ".ekiden/settings.json": JSON.stringify({ models }) });
  await program.serve(() => says("done"));
  const { code, stderr } = await program.run(Tiny, ["run", "Say something."]);
  expect(code, stderr).toBe(0);
  expect(sent().map(({ options }) => options.num_ctx)).toEqual(sent().map(() => 64_000));
});

it("warns of a small window in doctor", async () => {
  await program.serve(() => says("ok"));
  const { stdout } = await program.run(Tiny, ["doctor"]);
  expect(stdout).toContain("ollama/tiny is loaded with 8192 tokens of context only");
});
