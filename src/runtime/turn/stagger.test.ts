/** The first of several siblings goes ahead; the others follow when its answer begins. */
import { setImmediate } from "node:timers/promises";
import { expect, it } from "vitest";
import { ManualClock } from "../../adapters/clock.ts";
import { Stagger } from "./stagger.ts";

const never = new AbortController().signal;

it("lets the first go, the others when its answer begins, and those of another prefix at once", async () => {
  const clock = new ManualClock();
  const stagger = new Stagger((ms, signal) => clock.sleep(ms, signal));
  const went: string[] = [];
  const begun = await stagger.enter("shared", never);
  const others = ["b", "c"].map((who) => stagger.enter("shared", never).then(() => went.push(who)));
  await stagger.enter("another", never);
  await setImmediate();
  expect(went).toEqual([]);
  begun();
  await Promise.all(others);
  expect(went).toEqual(["b", "c"]);
  await stagger.enter("shared", never); // it is cached by now
});

it("waits for a moment only, and for nobody who is interrupted", async () => {
  const clock = new ManualClock();
  const stagger = new Stagger((ms, signal) => clock.sleep(ms, signal));
  await stagger.enter("shared", never);
  const stop = new AbortController();
  const stopped = stagger.enter("shared", stop.signal);
  const late = stagger.enter("shared", never);
  stop.abort(new Error("stopped"));
  await expect(stopped).rejects.toThrow("stopped");
  await clock.advance(8_000);
  await late;
});
