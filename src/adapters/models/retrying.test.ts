import { expect, it } from "vitest";
import { EkidenError, type ErrorDetails } from "../../core/errors.ts";
import type { Model, Reply, ReplyOptions } from "../../ports/model.ts";
import { ManualClock } from "../clock.ts";
import { localReply } from "./local.ts";
import { RateLimitGate } from "./rate-limit-gate.ts";
import { retrying } from "./retrying.ts";
import type { AliveOptions } from "./vendor-model.ts";

const busy = (details: ErrorDetails = { everyone: true }): EkidenError =>
  new EkidenError("model_overloaded", "busy", { details });
const request = { system: "", messages: [], tools: [] };

/** A model whose calls are answered by hand, or at once by a function of the number of the call. */
function made(answer?: (nth: number) => EkidenError | null) {
  const open: { resolve: () => void; reject: (error: unknown) => void; options: AliveOptions }[] = [];
  let calls = 0;
  const model: Model = {
    spec: "test/model",
    window: 1,
    reply: (_, options) => {
      calls += 1;
      const error = answer?.(calls);
      if (error) return Promise.reject(error);
      const reply = localReply([{ type: "text", text: "ok" }], {});
      if (answer) return Promise.resolve(reply);
      return new Promise<Reply>((resolve, reject) => {
        open.push({ resolve: () => resolve(reply), reject, options });
      });
    },
  };
  return { model, open, calls: () => calls };
}

const settle = async (): Promise<void> => {
  for (let i = 0; i < 20; i += 1) await Promise.resolve();
};
const options = (waits: number[] = [], signal = new AbortController().signal): ReplyOptions => ({
  signal,
  onRetry: ({ waitMs }) => waits.push(waitMs),
});

it("waits as long as it was asked to, then exponentially with full jitter", async () => {
  const clock = new ManualClock();
  const { model } = made((nth) => (nth === 1 ? busy({ retryAfterMs: 30_000 }) : nth < 6 ? busy() : null));
  const waits: number[] = [];
  const reply = retrying(model, { clock, random: () => 0.5 }).reply(request, options(waits));
  for (let i = 0; i < 5; i += 1) {
    await settle();
    await clock.advance(120_000);
  }
  await reply;
  expect(waits).toEqual([30_500, 1_000, 2_000, 4_000, 8_000]);
});

it("asks after each wait whether it may continue, and makes no call when it may not", async () => {
  const clock = new ManualClock();
  const gate = new RateLimitGate();
  const { model, calls } = made(() => busy());
  let asked = 0;
  const afterWait = async (): Promise<void> => {
    asked += 1;
    if (asked === 3) throw new EkidenError("stale_seat", "hosted elsewhere");
  };
  const reply = retrying(model, { clock, random: () => 0.5, gate }).reply(request, {
    ...options(),
    afterWait,
  });
  const ended = expect(reply).rejects.toThrow("hosted elsewhere");
  for (let i = 0; i < 6; i += 1) {
    await settle();
    await clock.advance(120_000);
  }
  await ended;
  expect([calls(), asked, gate.open]).toEqual([2, 3, false]);
});

it("gives up after the last attempt, and at once when the wait would be too long", async () => {
  const clock = new ManualClock();
  const always = made(() => busy());
  await expect(
    retrying(always.model, { clock, random: () => 0, attempts: 3 }).reply(request, options()),
  ).rejects.toMatchObject({ code: "model_overloaded" });
  expect(always.calls()).toBe(3);
  const long = made(() => busy({ retryAfterMs: 3_600_000 }));
  const waits: number[] = [];
  await expect(
    retrying(long.model, { clock, random: () => 0 }).reply(request, options(waits)),
  ).rejects.toMatchObject({ details: { retryAfterMs: 3_600_000 } });
  expect([long.calls(), waits]).toEqual([1, []]);
});

it("does not repeat what a retry cannot mend", async () => {
  const { model, calls } = made(() => new EkidenError("model_refused", "no"));
  await expect(
    retrying(model, { clock: new ManualClock(), random: () => 0 }).reply(request, options()),
  ).rejects.toThrow("no");
  expect(calls()).toBe(1);
});

it("ends a wait at once when it is aborted, alone and in the line", async () => {
  const clock = new ManualClock();
  const { model } = made(() => busy({ retryAfterMs: 60_000 }));
  const gate = new RateLimitGate();
  const stop = new AbortController();
  const replies = [1, 2, 3].map(() =>
    retrying(model, { clock, random: () => 0, gate }).reply(request, options([], stop.signal)),
  );
  await settle();
  stop.abort(new Error("stopped"));
  for (const reply of replies) await expect(reply).rejects.toThrow("stopped");
});

it("lets ten teammates try a broken provider one at a time, and everybody through when it is back", async () => {
  const clock = new ManualClock();
  const { model, open } = made();
  const gate = new RateLimitGate();
  const waits: number[] = [];
  const ten = Array.from({ length: 10 }, () => retrying(model, { clock, random: () => 0.5, gate }));
  const replies = [ten[0]?.reply(request, options(waits))];
  open[0]?.reject(busy({ retryAfterMs: 10_000, everyone: true }));
  await settle();
  replies.push(...ten.slice(1).map((one) => one.reply(request, options(waits))));
  await settle();
  expect(open).toHaveLength(1);
  expect(waits).toEqual(Array(10).fill(10_500));

  await clock.advance(10_499);
  await settle();
  expect(open).toHaveLength(1);
  await clock.advance(1);
  await settle();
  expect(open).toHaveLength(2); // one, not nine
  open[1]?.reject(busy());
  await settle();
  expect(open).toHaveLength(2);
  await clock.advance(60_000);
  await settle();
  expect(open).toHaveLength(3);

  open[2]?.options.onAlive?.(); // it begins to answer, which is enough for the next one
  await settle();
  expect(open).toHaveLength(4);
  for (let i = 2; i < 12; i += 1) {
    open[i]?.resolve();
    await settle();
    await clock.advance(1_000);
  }
  await Promise.all(replies);
  expect(open).toHaveLength(12); // ten replies and the two failures
  expect(gate.open).toBe(true);
});

it("keeps a failure of one call to that call", async () => {
  const clock = new ManualClock();
  const { model, open } = made();
  const gate = new RateLimitGate();
  const cut = retrying(model, { clock, random: () => 1, gate }).reply(request, options());
  open[0]?.reject(busy({}));
  await settle();
  expect(gate.open).toBe(true);
  const other = retrying(model, { clock, random: () => 1, gate }).reply(request, options());
  expect(open).toHaveLength(2);
  open[1]?.resolve();
  await other;
  await clock.advance(2_000);
  await settle();
  open[2]?.resolve();
  await cut;
});
