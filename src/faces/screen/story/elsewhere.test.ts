/** The new part of a text of which only the end is seen. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { FUZZ } from "../../../../test/fixtures/fuzz.ts";
import { added } from "./elsewhere.ts";

it("finds what was added, also where the beginning was cut since", () => {
  expect(added("", "one\n")).toBe("one\n");
  expect(added("one\ntwo\n", "one\ntwo\nthree\n")).toBe("three\n");
  expect(added("one\n", "one\n")).toBe("");
  const lines = fc.array(fc.stringMatching(/^[a-z]{1,9}$/), { minLength: 1, maxLength: 40 });
  fc.assert(
    fc.property(lines, lines, fc.nat(), (first, second, cut) => {
      const numbered = [...first, ...second].map((line, i) => `${i} ${line}\n`);
      const before = numbered.slice(0, first.length).join("");
      // A reader sees each text before its beginning is cut by more than what both have.
      const from = Math.min(cut, Math.max(0, before.length - 100));
      expect(added(before, numbered.join("").slice(from))).toBe(numbered.slice(first.length).join(""));
    }),
    FUZZ,
  );
});
