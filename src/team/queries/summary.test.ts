import { expect, it } from "vitest";
import type { Event } from "../../core/event.ts";
import { RunSummary, summaryText } from "./summary.ts";

it("names three tests that were red and then green without a change, or their gate", async () => {
  const summary = new RunSummary();
  const of = (fact: object): Event => ({ seq: 1, at: 0, ...fact }) as unknown as Event;
  const base = (verdict: string, names: string[]) =>
    of({ type: "base.judged", verdict, names, gate: "npm test" });
  summary.take([
    of({ type: "gate.flaky", names: ["a", "b"], command: "npm test" }),
    base("red", ["not this one"]),
    base("flaky", ["b"]),
    of({ type: "gate.flaky", names: [], command: "make check" }),
    base("flaky", ["one too many"]),
  ]);
  const figures = await summary.figures("/");
  expect(figures.flaky).toEqual(["a", "b", "make check"]);
  expect(summaryText(figures)).toMatch(/ · red and then green without a change: a, b, make check$/);
  expect(summaryText(await new RunSummary().figures("/"))).not.toContain("green");
});
