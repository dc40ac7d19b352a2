import { expect, it } from "vitest";
import { prepare } from "./invocation.ts";

it("takes a number of teammates and named ones together, each name once", () => {
  const teammate = ["Alice:tester", "eve@claude"];
  const flags = (teammates?: string) =>
    prepare({ ...(teammates && { teammates }), teammate }, "nothing", {}).flags.teammates;
  expect(flags()).toEqual(teammate);
  expect(flags("2")).toEqual(["bob", "carol", ...teammate]);
  expect(flags("0")).toEqual(teammate);
  expect(() => flags("two")).toThrow("--teammates");
});
