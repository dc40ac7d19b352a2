/** These tests check whether the program shortens old results in place: not where a model binds its thoughts to them. */
import { afterEach, beforeEach, expect, it } from "vitest";
import type { Entry } from "../../../src/core/conversation/chat.ts";
import { runs, says } from "../../fixtures/model-server/index.ts";
import { SERVICES, type Service } from "../../fixtures/thinking-models.ts";
import { StrictProgram } from "./strict-program.ts";

let program: StrictProgram;
beforeEach(() => {
  program = new StrictProgram();
});
afterEach(() => program.end());
const { Anthropic, Ollama } = SERVICES as Record<string, Service> & { Anthropic: Service; Ollama: Service };

it.each([
  ["shortens old results in place for a model that binds nothing", Ollama, true],
  ["never for one that binds its thoughts", Anthropic, false],
])("%s", async (_, service, shortens) => {
  let asked = 0;
  await program.serve(({ bytes }) => {
    asked += 1;
    const usage = { usage: { input: Math.round(bytes / 4) } };
    return asked < 25 ? { ...runs(`seq ${asked} ${asked + 300}`), ...usage } : says("done", usage);
  });
  program.project.write({
    ".ekiden/settings.json": JSON.stringify({ contextTokens: 100_000, trimTokens: 4_000 }),
  });
  const { code, stderr } = await program.run(service, ["run", "Run some commands."]);
  expect(code, stderr).toBe(0);
  const { entries } = await program.project.json<{ entries: { entry: Entry }[] }>(["transcript", "lead"]);
  expect(entries.some(({ entry }) => entry.kind === "trimmed")).toBe(shortens);
  if (!shortens) await program.isSound("lead");
});
