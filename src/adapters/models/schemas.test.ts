import { expect, it } from "vitest";
import { allTools } from "../../../scripts/reference/tools.ts";
import { schemaFault } from "../../../test/fixtures/providers/schemas.ts";
import { forGemini, forMoonshot } from "./schemas.ts";

const ODD = {
  type: "object",
  properties: {
    any: true,
    bare: { description: "anything" },
    either: { type: "string", anyOf: [{ type: "string" }, { description: "a format" }] },
    one: { oneOf: [{ type: "number" }, { type: "object", properties: { a: {} } }] },
    fields: { type: "object", properties: { a: { enum: [1, 2] } }, anyOf: [{ required: ["a"] }] },
    nullable: { type: ["null", "integer"] },
    list: { items: true },
    ref: { $ref: "#/$defs/thing", description: "a thing" },
  },
  $defs: { thing: { const: true } },
};

it("gives Moonshot only what it takes", () => {
  expect(schemaFault(ODD, "moonshot")).not.toBeNull();
  const made = forMoonshot(ODD);
  expect(schemaFault(made, "moonshot")).toBeNull();
  expect(made).toEqual({
    type: "object",
    properties: {
      any: { type: "string" },
      bare: { type: "string", description: "anything" },
      either: { anyOf: [{ type: "string" }, { type: "string", description: "a format" }] },
      one: {
        anyOf: [{ type: "number" }, { type: "object", properties: { a: { type: "string" } }, required: [] }],
      },
      fields: { type: "object", properties: { a: { type: "number", enum: [1, 2] } }, required: [] },
      nullable: { type: "integer" },
      list: { type: "array", items: { type: "string" } },
      ref: { $ref: "#/$defs/thing" },
    },
    $defs: { thing: { type: "boolean", const: true } },
    required: [],
  });
});

it("gives Gemini only what it takes, and says the rest in words", () => {
  const odd = {
    type: "object",
    properties: {
      any: true,
      bare: { description: "anything" },
      link: { type: "string", format: "uri", description: "where" },
      time: { type: "string", format: "date-time" },
      size: { type: "integer", format: "uint8" },
      level: { enum: [1, 2] },
      mixed: { enum: ["a", 1, null] },
      fixed: { const: "x" },
      empty: { type: "string", enum: ["", "a"] },
      list: { type: "array" },
      one: { oneOf: [{ type: "number" }, {}] },
    },
  };
  expect(schemaFault(odd, "gemini")).not.toBeNull();
  const made = forGemini(odd);
  expect(schemaFault(made, "gemini")).toBeNull();
  expect(made).toEqual({
    type: "object",
    properties: {
      any: { type: "string" },
      bare: { type: "string", description: "anything" },
      link: { type: "string", description: "where (format: uri)" },
      time: { type: "string", format: "date-time" },
      size: { type: "integer", description: "(format: uint8)" },
      level: { type: "number", description: "(one of 1,2)" },
      mixed: { type: "string", description: '(one of "a",1,null)' },
      fixed: { type: "string", enum: ["x"] },
      empty: { type: "string", description: '(one of "","a")' },
      list: { type: "array", items: { type: "string" } },
      one: { anyOf: [{ type: "number" }, { type: "string" }] },
    },
  });
});

it("changes nothing of a tool's own fields but the list of required ones", () => {
  for (const { name, schema } of allTools())
    expect([name, schemaFault(forMoonshot(schema as Record<string, unknown>), "moonshot")]).toEqual([
      name,
      null,
    ]);
});
