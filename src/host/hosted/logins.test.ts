/** These tests check what an account of a provider may be asked, with the real adapter, HTTP, and a clock that they move. */
import { expect, it, onTestFinished } from "vitest";
import { type Failure, fails, says, startModelServer } from "../../../test/fixtures/model-server/index.ts";
import { stage } from "../../../test/fixtures/stage.ts";
import { openModel } from "../../adapters/models/index.ts";
import { isEkidenError } from "../../core/errors.ts";
import type { Model, Store } from "../../ports/index.ts";
import { Logins } from "./logins.ts";

const here = stage("sqlite");
const HOUR = 3_600_000;
const unpaid: Failure = { status: 402, kind: "billing_error", message: "Pay first" };
const weekly: Failure = {
  status: 429,
  kind: "rate_limit_error",
  message: "This request would exceed your account's rate limit.",
  headers: {
    "retry-after": "7200",
    "anthropic-ratelimit-unified-status": "rejected",
    "anthropic-ratelimit-unified-representative-claim": "seven_day",
  },
};

async function providers(store: Store): Promise<{
  readonly asked: () => number;
  fail(failure: Failure | null): void;
  open(name?: string, key?: string): Promise<Model>;
}> {
  here.clock.stall(500); // no full minute
  let failure: Failure | null = null;
  const server = await startModelServer({ anthropic: () => failure ?? says("done") });
  onTestFinished(() => server.close());
  const logins = new Logins();
  return {
    asked: () => server.requests.length,
    fail: (next) => {
      failure = next;
    },
    open: async (name = "claude-haiku-4-5", key = "one-key") => {
      const env = { ...server.env, ANTHROPIC_API_KEY: key };
      const model = await openModel(`anthropic/${name}`, { env, clock: here.clock });
      return logins.through(model, () => ({ store, clock: here.clock }));
    },
  };
}

/** "done", or the milliseconds until which the member rests and whether that is known. */
async function ask(model: Model): Promise<unknown> {
  const request = {
    system: "",
    messages: [{ role: "user", content: [{ type: "text", text: "go" }] }],
    tools: [],
  } as const;
  try {
    await model.reply(request, { signal: new AbortController().signal });
    return "done";
  } catch (error) {
    if (!isEkidenError(error) || error.details.until === undefined) throw error;
    return [error.code, error.details.until - here.clock.now(), error.details.isKnown];
  }
}

it("asks nothing of an account before its limit ends, whatever the model, also in a resumed run", async () => {
  const store = await here.open();
  const { asked, fail, open } = await providers(store);
  const [ann, bob, eve] = [
    await open(),
    await open("claude-sonnet-4-5"),
    await open(undefined, "another-key"),
  ];
  expect(await ask(ann)).toBe("done");
  fail(weekly);
  const rest = ["model_overloaded", 2 * HOUR + 5_000, true];
  expect(await ask(ann)).toEqual(rest);
  expect([await ask(ann), await ask(bob), asked()]).toEqual([rest, rest, 2]);
  expect(await store.logins.list()).toMatchObject([
    { program: "anthropic", kind: "week", usedPercent: 100, source: "answer" },
  ]);
  fail(null);
  expect([await ask(eve), asked()]).toEqual(["done", 3]);
  const again = new Logins().through(
    await openModel("anthropic/claude-haiku-4-5", {
      env: { ANTHROPIC_API_KEY: "one-key" },
      clock: here.clock,
    }),
    () => ({ store, clock: here.clock }),
  );
  expect(await ask(again)).toEqual(rest);
  here.clock.stall(2 * HOUR + 5_000);
  expect([await ask(bob), await ask(ann)]).toEqual(["done", "done"]);
  expect((await store.logins.list()).map(({ usedPercent }) => usedPercent)).toEqual([undefined]);
});

it("leaves other models alone where the limit is that of one model", async () => {
  const { asked, fail, open } = await providers(await here.open());
  const [ann, bob] = [await open(), await open("claude-sonnet-4-5")];
  fail(fails.rateLimited(600));
  const rest = ["model_overloaded", 605_000, true];
  expect([await ask(ann), await ask(ann), asked()]).toEqual([rest, rest, 1]);
  fail(null);
  expect(await ask(bob)).toBe("done");
});

it("waits longer each time for an account that is not paid", async () => {
  const { asked, fail, open } = await providers(await here.open());
  const ann = await open();
  fail(unpaid);
  for (const minutes of [1, 2, 4]) {
    const rest = ["model_refused", minutes * 60_000, false];
    expect([await ask(ann), await ask(ann)]).toEqual([rest, rest]);
    here.clock.stall(minutes * 60_000);
  }
  expect(asked()).toBe(3);
  fail(null);
  expect(await ask(ann)).toBe("done");
});

it("lets one request try after the reset, while others wait for it", async () => {
  const { asked, fail, open } = await providers(await here.open());
  const [ann, bob] = [await open(), await open()];
  fail(weekly);
  await ask(ann);
  here.clock.stall(2 * HOUR + 5_000);
  const both = await Promise.all([ask(ann), ask(bob)]);
  expect(both).toEqual([
    ["model_overloaded", 2 * HOUR + 5_000, true],
    ["model_overloaded", 5_000, true],
  ]);
  expect(asked()).toBe(2);
});
