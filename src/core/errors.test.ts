import { expect, it } from "vitest";
import { EkidenError, isEkidenError, messageOf, orElse } from "./errors.ts";
import { given } from "./given.ts";

const missing = new EkidenError("not_found", "No task #9.");
/** As another bundle of the program throws it. */
const foreign = Object.assign(new Error("No task #9."), { name: "EkidenError", code: "not_found" });

it.each([
  [missing, undefined, true],
  [missing, "not_found", true],
  [missing, "bad_input", false],
  [foreign, "not_found", true],
  [new Error("x"), undefined, false],
  [new Error("x"), "not_found", false],
  [{ name: "EkidenError", code: "not_found" }, "not_found", false],
  ["not_found", "not_found", false],
] as const)("knows %o as an error of ours with the code %j: %j", (error, code, expected) => {
  expect(isEkidenError(error, code)).toBe(expected);
});

it("takes another value for the expected error only", async () => {
  expect(await orElse(Promise.resolve(1), "not_found", null)).toBe(1);
  expect(await orElse(Promise.reject(missing), "not_found", null)).toBeNull();
  await expect(orElse(Promise.reject(missing), "bad_input", null)).rejects.toBe(missing);
});

it("keeps what is known about an error", () => {
  expect(missing.details).toEqual({});
  const late = new EkidenError("model_refused", "Wait.", { details: { retryAfterMs: 5 } });
  expect(late.details).toEqual({ retryAfterMs: 5 });
  expect([messageOf(missing), messageOf("x"), messageOf(undefined)]).toEqual([
    "No task #9.",
    "x",
    "undefined",
  ]);
});

it("leaves out the fields that are not given, and keeps empty ones", () => {
  expect(given({ a: undefined, b: null, c: 0, d: "" })).toStrictEqual({ b: null, c: 0, d: "" });
});
