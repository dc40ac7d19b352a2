/** These tests check what models are told of the input of each tool, against what zod itself says of it. */
import { expect, it } from "vitest";
import { z } from "zod";
import { everyTool } from "../../test/fixtures/every-tool.ts";
import type { Tool } from "../ports/index.ts";
import { specOf } from "./index.ts";
import { todoWrite } from "./todo.ts";

/** Keywords that models do not need: the dialect, closed objects, bounds. */
const NOISE = ["$schema", "additionalProperties", "minimum", "maximum", "default", "minLength"];

/** Keys of `properties` are names, so that no such key is taken for noise. */
function lean(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(lean);
  if (typeof schema !== "object" || schema === null) return schema;
  return Object.fromEntries(
    Object.entries(schema).flatMap(([key, value]) => {
      if (NOISE.includes(key) || (key === "anyOf" && "type" in schema)) return [];
      if (key !== "properties") return [[key, lean(value)]];
      const told = Object.entries(value).filter(([, part]) => !("untold" in (part as object)));
      return [[key, Object.fromEntries(told.map(([name, part]) => [name, lean(part)]))]];
    }),
  );
}

it.each(everyTool.map((tool) => [tool.name, tool] as const))("%s", (_, tool) => {
  expect(specOf(tool).schema).toEqual(lean(z.toJSONSchema(tool.input(), { io: "input" })));
});

it("says so of an input that it cannot tell", () => {
  const tool: Tool = { ...todoWrite, input: () => z.map(z.string(), z.string()) };
  expect(() => specOf(tool)).toThrow("map");
});
