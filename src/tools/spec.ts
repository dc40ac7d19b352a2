/** A tool as a model is told of it. Every character is paid for in every request, so the schema says only what it must. */
import { z } from "zod";
import type { Tool, ToolSpec } from "../ports/index.ts";

const specs = new WeakMap<Tool, ToolSpec>();

export function specOf(tool: Tool): ToolSpec {
  const known = specs.get(tool);
  if (known) return known;
  const schema =
    tool.schema ?? (lean(z.toJSONSchema(tool.input, { io: "input" })) as Record<string, unknown>);
  const spec = { name: tool.name, description: tool.description, schema };
  specs.set(tool, spec);
  return spec;
}

/** What models do not need: the dialect, closed objects, and the bounds of safe integers. Keys of `properties` are names. */
const NOISE = new Set([
  "$schema",
  "additionalProperties",
  "minimum",
  "maximum",
  "default",
  "exclusiveMinimum",
  "minLength",
]);

function lean(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(lean);
  if (typeof schema !== "object" || schema === null) return schema;
  return Object.fromEntries(
    Object.entries(schema).flatMap(([key, value]) => {
      // What is accepted besides the one type that models are told of is kindness to those who get it wrong.
      if (NOISE.has(key) || (key === "anyOf" && "type" in schema)) return [];
      if (key === "properties")
        return [
          [
            key,
            Object.fromEntries(
              Object.entries(value as object).map(([name, property]) => [name, lean(property)]),
            ),
          ],
        ];
      return [[key, lean(value)]];
    }),
  );
}
