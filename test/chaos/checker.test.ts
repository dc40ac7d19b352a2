/** The checker accepts a true history and rejects each of its corruptions by the rule that the corruption breaks. */
import { beforeAll, describe, expect, it } from "vitest";
import { dice } from "../fixtures/simulation.ts";
import { check } from "./checker/check.ts";
import { callsIn } from "./checker/conversations.ts";
import type { History, SeenRequest } from "./checker/history.ts";
import { CORRUPTIONS } from "./corruptions.ts";
import { classesFrom } from "./runner/faults.ts";
import { round } from "./runner/round.ts";

/** The first plan of this seed has tasks with a model, landings and red gates. */
const SEED = 553;

describe("the checker", () => {
  let history: History;

  beforeAll(async () => {
    const roll = dice(SEED);
    const classes = classesFrom("landings,red-gate");
    const report = await round({ store: "sqlite", classes, dice: roll, schema: "", postgres: null });
    history = report.history;
  });

  it("accepts the history of a run without faults", () => {
    expect(check(history)).toEqual([]);
    expect(history.landings?.commits).toHaveLength(history.wanted);
    expect(history.landings?.gates.some(({ green }) => !green)).toBe(true);
    expect(history.mail.length).toBeGreaterThan(history.wanted);
    expect(history.requests.length).toBeGreaterThan(3 * history.wanted);
  });

  it("accepts one late request of a process that was frozen while it sent it", () => {
    const own = structuredClone(history);
    const nth = Math.max(...own.requests.map((request) => request.nth));
    const late = own.requests.find((request) => callsIn(request).length > 0);
    own.requests.push({ ...(late as SeenRequest), nth: nth + 1 });
    expect(check(own)).toEqual([]);
  });

  it.each(CORRUPTIONS)("rejects $what", ({ corrupt, rule }) => {
    const corrupted = structuredClone(history);
    corrupt(corrupted);
    expect(corrupted).not.toEqual(history);
    expect(check(corrupted).map((fault) => fault.rule)).toContain(rule);
  });
});
