import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import type { Event } from "../../core/event.ts";
import { RunSummary, summaryText } from "./summary.ts";

it("names three tests that were red and then green without a change, or their gate", async () => {
  const summary = new RunSummary();
  const of = (fact: object): Event => ({ seq: 1, at: 0, ...fact }) as unknown as Event;
  const base = (verdict: string, names: string[]) =>
    of({
      ...{ type: "base.judged", verdict, names, gate: "npm test" },
      ...{ target: "main", commit: "1a2b3c4d5e", author: "ann" },
    });
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
  expect(summaryText(figures)).toContain("red without any task: main (1a2b3c4, by ann)");
  expect(summaryText(await new RunSummary().figures("/"))).not.toContain("green");
});

it("names lines that no test notices, where something landed and the gate was measured", async () => {
  const cwd = mkdtempSync(join(tmpdir(), "ekiden-leak-"));
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
  const summary = new RunSummary();
  summary.take([{ seq: 1, at: 0, type: "task.landed", commit: "1a2b3c" } as unknown as Event]);
  expect((await summary.figures(cwd)).leak).toBeUndefined();
  mkdirSync(join(cwd, ".ekiden"));
  const file = join(cwd, ".ekiden", "gate-leak.json");
  const survivor = {
    id: "a1",
    path: "src/sum.js",
    line: 3,
    kind: "swapped",
    before: "  a < b",
    after: "  a >= b",
  };
  const last = { at: 0, leak: 0.25, low: 0.1, high: 0.5, killed: 3, timedOut: 0, survivors: [survivor] };
  writeFileSync(file, JSON.stringify({ dismissed: [], last }), { mode: 0o600 });
  expect(summaryText(await summary.figures(cwd))).toMatch(
    /On 1970-01-01: your tests do not notice 1 of 4 faults .*; src\/sum\.js:3 a < b → a >= b$/,
  );
  writeFileSync(file, JSON.stringify({ last: { at: "odd", survivors: 5 } }), { mode: 0o600 });
  expect((await summary.figures(cwd)).leak).toBeUndefined();
});
