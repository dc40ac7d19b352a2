import { expect, it } from "vitest";
import { changedIn, withCheck, withMark } from "./mark.ts";

it("says what of a description was changed", () => {
  const checked = withCheck("Paint it.", "npm test");
  expect(changedIn("Paint it.", checked)).toEqual(["check"]);
  expect(changedIn(checked, "Paint it.")).toEqual(["check"]);
  expect(changedIn(checked, withMark(checked, "Review", true))).toEqual(["review"]);
  expect(changedIn(checked, withCheck("Sand it.", "npm run lint"))).toEqual(["description", "check"]);
  expect(changedIn(checked, withCheck("Sand it.", "npm test"))).toEqual(["description"]);
});

it("refuses a check with a NUL character, and one of several lines", () => {
  expect(() => withCheck("", "a\0b")).toThrow("A check holds no NUL character");
  expect(() => withCheck("", "a\nb")).toThrow("A check is one line");
});
