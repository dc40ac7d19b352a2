import { expect, it } from "vitest";
import {
  effortFor,
  effortOfTask,
  nearestEffort,
  readEffort,
  readOrdered,
  splitEffort,
  withEffort,
} from "./effort.ts";

it("reads a level behind the name of a model, and leaves other names alone", () => {
  expect(splitEffort("anthropic/claude-x@high")).toEqual({ model: "anthropic/claude-x", effort: "high" });
  expect(splitEffort("@low")).toEqual({ model: "", effort: "low" });
  for (const model of ["vertex/claude-opus-4-1@20250805", "ollama/qwen3:8b", "runbook", "a@b@c"])
    expect(splitEffort(model)).toEqual({ model, effort: undefined });
  expect(withEffort("a/b@low", "max")).toBe("a/b@max");
  expect(withEffort("a/b", undefined)).toBe("a/b");
  expect(withEffort("", "high")).toBe("@high");
});

it("names the levels when it does not know one", () => {
  expect(readEffort(" High ")).toBe("high");
  expect(readOrdered("auto")).toBeNull();
  expect(() => readOrdered("atuo")).toThrow(/"atuo" is not an effort\. Did you mean "?auto.*max, auto\./s);
  expect(() => readEffort("hihg")).toThrow(/"hihg" is not an effort.*high.*Levels: none, minimal, low/s);
});

it("takes the nearest level that a model has, of two the lower", () => {
  expect(nearestEffort("xhigh", ["low", "medium", "high", "max"])).toBe("high");
  expect(nearestEffort("medium", ["low", "high"])).toBe("low");
  expect(nearestEffort("none", ["medium", "low"])).toBe("low");
  expect(nearestEffort("max", ["low", "high"])).toBe("high");
  expect(nearestEffort("high", [])).toBeUndefined();
});

it("prefers a role to a phase, and has one level for all", () => {
  expect(effortFor("high", "tester", "plan")).toBe("high");
  const setting = { work: "medium", review: "xhigh", roles: { Tester: "low" } } as const;
  expect(effortFor(setting, "tester", "work")).toBe("low");
  expect(effortFor(setting, "", "review")).toBe("xhigh");
  expect(effortFor(setting, "", "plan")).toBeUndefined();
  expect(effortFor(undefined, "", "work")).toBeUndefined();
});

it("reads the line of a task", () => {
  expect(effortOfTask("Do it.\n- Effort: High\nwell")).toBe("high");
  expect(effortOfTask("Effort: much")).toBeUndefined();
  expect(effortOfTask("The effort: high")).toBeUndefined();
});
