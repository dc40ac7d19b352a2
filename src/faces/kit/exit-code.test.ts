import { expect, it } from "vitest";
import { exitCodeOf } from "./exit-code.ts";

it("has the exit codes that the contract names", () => {
  const outcome = {
    ...{ completed: 1, failed: 0, cancelled: 0, unfinished: 0 },
    reason: "concluded",
    text: "",
  } as const;
  expect(exitCodeOf(outcome)).toBe(0);
  for (const key of ["failed", "cancelled", "unfinished"] as const)
    expect(exitCodeOf({ ...outcome, [key]: 1 })).toBe(1);
  expect(exitCodeOf({ ...outcome, unfinished: 1, proposed: true })).toBe(0);
  const codes = (["budget", "turns", "model", "interrupted"] as const).map((reason) =>
    exitCodeOf({ ...outcome, reason }),
  );
  expect(codes).toEqual([4, 4, 3, 130]);
});
