import { expect, it } from "vitest";
import { lazy } from "./lazy.ts";

it("makes the value at its first use, and keeps it", () => {
  const made: object[] = [];
  const value = lazy(() => {
    made.push({});
    return { nth: made.length };
  });
  expect(made).toEqual([]);
  expect(value()).toEqual({ nth: 1 });
  expect(value()).toBe(value());
  expect(made).toHaveLength(1);
});
