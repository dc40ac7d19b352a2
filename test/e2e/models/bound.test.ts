/**
 * These tests check who shortens old results: the program where nothing binds thoughts to them, the provider where it can, else nobody
 * before the next summary.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { Entry, Trim } from "../../../src/core/conversation/chat.ts";
import { calls, runs, says } from "../../fixtures/model-server/index.ts";
import { pictureHead } from "../../fixtures/pictures.ts";
import type { Body } from "../../fixtures/providers/anthropic.ts";
import { clearedResults } from "../../fixtures/providers/anthropic-context.ts";
import { SERVICES, type Service } from "../../fixtures/thinking-models.ts";
import { isSummary, StrictProgram } from "./strict-program.ts";

let program: StrictProgram;
beforeEach(() => {
  program = new StrictProgram();
});
afterEach(() => program.end());
const {
  Anthropic,
  Ollama,
  "OpenAI Responses": OpenAI,
} = SERVICES as Record<string, Service> & {
  Anthropic: Service;
  Ollama: Service;
  "OpenAI Responses": Service;
};

/** Runs 24 commands with long results. The decisions to shorten them. */
async function decided(service: Service): Promise<Trim[]> {
  let asked = 0;
  await program.serve(({ bytes, body, protocol }) => {
    asked += 1;
    const left = protocol === "anthropic" ? clearedResults(body as unknown as Body).join("").length : 0;
    const usage = { usage: { input: Math.round((bytes - left) / 4) } };
    return asked < 25 ? { ...runs(`seq ${asked} ${asked + 300}`), ...usage } : says("done", usage);
  });
  program.project.write({
    ".ekiden/settings.json": JSON.stringify({ contextTokens: 100_000, trimTokens: 4_000 }),
  });
  const { code, stderr } = await program.run(service, ["run", "Run some commands."]);
  expect(code, stderr).toBe(0);
  const { entries } = await program.project.json<{ entries: { entry: Entry }[] }>(["transcript", "lead"]);
  return entries.flatMap(({ entry }) => (entry.kind === "trimmed" ? [entry.trim] : []));
}

it("shortens old results in place for a model that binds nothing", async () => {
  expect(await decided(Ollama)).toContainEqual(expect.objectContaining({ results: expect.any(Number) }));
});

it("never for one that binds its thoughts", async () => {
  expect(await decided(OpenAI)).toEqual([]);
  await program.isSound("lead");
});

it("lets the provider clear them where it can: exactly what was decided, and no thought is lost", async () => {
  const trims = await decided(Anthropic);
  const counts = trims.map(({ cleared }) => cleared?.results ?? 0);
  expect(counts.length).toBeGreaterThan(1);
  expect(trims.every(({ steps, results, reads }) => steps + results + reads === 0)).toBe(true);
  const cleared = program.server.requests.map(({ body }) => clearedResults(body as unknown as Body));
  // the set changes with a decision only, so the cache of the provider holds in between
  expect(new Set(cleared.map(({ length }) => length))).toEqual(new Set([0, ...counts]));
  for (const [i, texts] of cleared.entries())
    expect(texts.slice(0, cleared[i - 1]?.length ?? 0)).toEqual(cleared[i - 1] ?? []);
  await program.isSound("lead");
});

it.each([
  ["sums up", "Anthropic", 1],
  ["sums up", "OpenAI Responses", 1],
  ["trims", "Ollama", 0],
])(
  "%s before the 21st image where %s answers, so that none is taken back that was sent",
  async (_, name, summaries) => {
    for (let n = 1; n <= 25; n += 1)
      writeFileSync(
        join(program.project.dir, `${n}.png`),
        Buffer.concat([pictureHead("image/png"), Buffer.from([n])]),
      );
    let asked = 0;
    await program.serve((request) => {
      if (isSummary(request)) return says("Goal: look.");
      asked += 1;
      return asked <= 25 ? calls("read_file", { path: `${asked}.png` }) : says("seen");
    });
    const { code, stderr } = await program.run(SERVICES[name] as Service, ["run", "Look at the images."]);
    expect(code, stderr).toBe(0);
    if (summaries > 0) await program.isSound("lead");
    const { requests } = program.server;
    expect(requests.filter(isSummary)).toHaveLength(summaries);
    // Each image was seen once it was read, and no request has more than a provider takes.
    const seen = requests.filter((request) => !isSummary(request)).map(({ body }) => JSON.stringify(body));
    const count = (body: string): number =>
      body.split(pictureHead("image/png").toString("base64").slice(0, 20)).length - 1;
    expect(
      seen
        .slice(1)
        .map(count)
        .every((images) => images > 0 && images <= 20),
    ).toBe(true);
  },
);
