/** A tool as the model sees it. Every request pays for every character, so the schema contains only what is needed. */
import { z } from "zod";
import type { Tool, ToolSpec } from "../ports/index.ts";

const specs = new WeakMap<Tool, ToolSpec>();

export function specOf(tool: Tool): ToolSpec {
  const known = specs.get(tool);
  if (known) return known;
  const schema = tool.schema ?? told(tool.input());
  const spec = { name: tool.name, description: tool.description, schema };
  specs.set(tool, spec);
  return spec;
}

type JsonSchema = Readonly<Record<string, unknown>>;

/**
 * The JSON Schema of the input without what models do not need: the dialect, closed objects, bounds, fields that `meta` says are
 * `untold`, and types that are accepted besides the one that `meta` names. Required fields come first. Zod's own conversion of 26 tools takes 8 ms of a start.
 */
function told(schema: z.core.$ZodType): JsonSchema {
  const { type, items, description } = z.globalRegistry.get(schema) ?? {};
  return {
    ...(type === undefined ? shapeOf(schema) : { type, ...(items !== undefined && { items }) }),
    ...(description !== undefined && { description }),
  };
}

function shapeOf(schema: z.core.$ZodType): JsonSchema {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case "object": {
      const fields = Object.entries(def.shape).filter(
        ([, field]) => z.globalRegistry.get(field)?.untold !== true,
      );
      const isOptional = ([, field]: (typeof fields)[number]): boolean => field._zod.optin === "optional";
      const required = fields.filter((one) => !isOptional(one));
      return {
        type: "object",
        properties: Object.fromEntries(
          [...required, ...fields.filter(isOptional)].map(([name, field]) => [name, told(field)]),
        ),
        ...(required.length > 0 && { required: required.map(([name]) => name) }),
      };
    }
    case "array":
      return { type: "array", items: told(def.element) };
    case "enum":
      return { type: "string", enum: Object.values(def.entries) };
    case "optional":
      return told(def.innerType);
    case "pipe":
      return told(def.in);
    case "string":
    case "boolean":
      return { type: def.type };
    case "number":
      return { type: "format" in def && def.format === "safeint" ? "integer" : "number" };
    default:
      throw new Error(
        `The input of a tool has a part of the kind ${def.type}, which cannot be told to models.`,
      );
  }
}
