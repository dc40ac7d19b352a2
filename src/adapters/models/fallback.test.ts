/** These tests check what a caller with a fallback model waits for: seconds, and never behind other callers. */
import { expect, it } from "vitest";
import { EkidenError, type ErrorDetails } from "../../core/errors.ts";
import type { Model } from "../../ports/model.ts";
import { ManualClock } from "../clock.ts";
import { localReply } from "./local.ts";
import { RateLimitGate } from "./rate-limit-gate.ts";
import { retrying } from "./retrying.ts";

const request = { system: "", messages: [], tools: [] };
function model(details: ErrorDetails, clock: ManualClock, gate = new RateLimitGate()) {
  const asked: number[] = [];
  const state = { busy: true };
  const inner: Model = {
    spec: "test/model",
    window: 1,
    reply: () => {
      asked.push(clock.now());
      if (!state.busy) return Promise.resolve(localReply([{ type: "text", text: "ok" }], {}));
      return Promise.reject(new EkidenError("model_overloaded", "busy", { details }));
    },
  };
  return { model: retrying(inner, { clock, random: () => 0.99, gate }), asked, state };
}
const ask = (asked: Model, hasFallback = true) => {
  const reply = asked.reply(request, { signal: new AbortController().signal, hasFallback });
  const ended = reply.then(
    () => "answered",
    (error: EkidenError) => error.code,
  );
  return ended;
};
const failing = async (clock: ManualClock, ended: Promise<string>): Promise<string> => {
  for (let i = 0; i < 10; i += 1) await clock.advance(1_000);
  return await ended;
};

it("gives up after three overloads, in seconds", async () => {
  const clock = new ManualClock();
  const { model: busy, asked } = model({ everyone: true }, clock);
  expect(await failing(clock, ask(busy))).toBe("model_overloaded");
  expect(asked).toHaveLength(3);
  expect((asked[2] ?? 0) - (asked[0] ?? 0)).toBeLessThan(10_000);
});

it("does not wait when the provider asks for a long time, which others still respect", async () => {
  const clock = new ManualClock();
  const { model: busy, asked, state } = model({ retryAfterMs: 60_000 }, clock);
  expect(await ask(busy)).toBe("model_overloaded");
  expect(await ask(busy)).toBe("model_overloaded");
  expect(asked).toHaveLength(1);
  const patient = ask(busy, false);
  state.busy = false;
  await clock.advance(30_000);
  expect(asked).toHaveLength(1);
  await clock.advance(40_000);
  expect(await patient).toBe("answered");
});

it("tries again once the time of the gate is over", async () => {
  const clock = new ManualClock();
  const { model: busy, state } = model({ everyone: true }, clock);
  expect(await failing(clock, ask(busy))).toBe("model_overloaded");
  state.busy = false;
  await clock.advance(120_000);
  expect(await ask(busy)).toBe("answered");
});

it("lets ten callers fail within seconds, not one behind the other", async () => {
  const clock = new ManualClock();
  const { model: busy, asked } = model({ everyone: true }, clock);
  const all = Array.from({ length: 10 }, () => ask(busy));
  for (let i = 0; i < 15; i += 1) await clock.advance(1_000);
  expect(await Promise.all(all)).toEqual(Array.from({ length: 10 }, () => "model_overloaded"));
  expect(asked.length).toBeLessThanOrEqual(14);
});
