/** Ten teammates, one key: a provider that limits them, and is gone for two seconds. Real HTTP, real time. */
import { expect, it, onTestFinished } from "vitest";
import { systemClock } from "../../../src/adapters/clock.ts";
import { openModel } from "../../../src/adapters/models/index.ts";
import type { ModelRequest } from "../../../src/ports/index.ts";
import { fails, says, startModelServer } from "../../fixtures/model-server/index.ts";

it("every reply arrives, and few requests are wasted on the outage", async () => {
  let outage: { from: number; until: number } | null = null;
  let during = 0;
  const server = await startModelServer({
    anthropic: ({ nth, at }) => {
      if (nth === 20) outage = { from: at, until: at + 2_000 };
      if (outage && at >= outage.from && at < outage.until) {
        during += 1;
        return fails.overloaded();
      }
      return nth % 3 === 0 ? fails.rateLimited(0.05) : says("done");
    },
  });
  onTestFinished(() => server.close());
  const request: ModelRequest = {
    system: "",
    messages: [{ role: "user", content: [{ type: "text", text: "go" }] }],
    tools: [],
  };
  const retries: number[] = [];
  const teammate = async (): Promise<number> => {
    const model = await openModel("anthropic/claude-haiku-4-5", {
      env: server.env,
      clock: systemClock,
      random: () => 0.3,
    });
    for (let turn = 0; turn < 4; turn += 1)
      await model.reply(request, {
        signal: new AbortController().signal,
        onRetry: ({ waitMs }) => retries.push(waitMs),
      });
    return 4;
  };
  const done = await Promise.all(Array.from({ length: 10 }, teammate));
  expect(done).toEqual(Array(10).fill(4));
  // Up to ten were on their way when it began; after that one at a time, 0.3, 0.6, 1.2 s apart.
  expect(during).toBeLessThanOrEqual(14);
  expect(retries.length).toBeGreaterThan(0);
  expect(server.requests.length).toBeLessThanOrEqual(90);
});
