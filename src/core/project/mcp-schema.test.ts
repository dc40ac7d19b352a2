import { expect, it } from "vitest";
import { accepted, asServerNames } from "./mcp-schema.ts";

it("is an object with properties, whatever the server left out", () => {
  expect(accepted({ type: "object" })).toEqual({
    schema: { type: "object", properties: {} },
    renamed: new Map(),
  });
});

it("offers all that a choice at the top names, and no choice", () => {
  const schema = {
    type: "object",
    description: "either",
    properties: { all: { type: "boolean" } },
    required: ["all"],
    oneOf: [
      { properties: { id: { type: "number" } }, required: ["id"] },
      { properties: { name: { type: "string" } } },
    ],
  };
  expect(accepted(schema).schema).toEqual({
    type: "object",
    description: "either",
    properties: { id: { type: "number" }, name: { type: "string" }, all: { type: "boolean" } },
    required: ["all"],
  });
});

it("gives parameters names that every provider takes, and the server its own", () => {
  const { schema, renamed } = accepted({
    type: "object",
    properties: { $top: { type: "number" }, _top: { type: "number" }, "a b": { type: "string" } },
    required: ["$top"],
  });
  expect(Object.keys(schema.properties as object)).toEqual(["_top_2", "_top", "a_b"]);
  expect(schema.required).toEqual(["_top_2"]);
  expect(asServerNames({ _top_2: 5, _top: 6, a_b: "x", other: 1 }, renamed)).toEqual({
    $top: 5,
    _top: 6,
    "a b": "x",
    other: 1,
  });
});

it("numbers names that become the same, and translates each of them, or none", () => {
  const { schema, renamed } = accepted({ properties: { "a b": {}, "a c": {}, a_b: {}, "a:b": {} } });
  expect(Object.keys(schema.properties as object)).toEqual(["a_b_2", "a_c", "a_b", "a_b_3"]);
  expect(asServerNames({ a_b_2: 1, a_c: 2, a_b: 3, a_b_3: 4 }, renamed)).toEqual({
    "a b": 1,
    "a c": 2,
    a_b: 3,
    "a:b": 4,
  });
  expect(asServerNames({ a_b: 1 }, new Map([["a_b", "a b"]]))).toEqual({ "a b": 1 });
  expect(asServerNames({ a: 1 }, new Map())).toEqual({ a: 1 });
});

it("leaves out what no valid schema has: one odd tool would make a provider refuse every request", () => {
  const { schema } = accepted({
    $schema: "http://json-schema.org/draft-07/schema#",
    type: "object",
    properties: {
      list: { type: "array" },
      pair: { type: "array", items: [{ type: "string" }, { type: "number" }] },
      above: { type: "number", minimum: 0, exclusiveMinimum: true },
      any: true,
      odd: { type: ["file", "null"], enum: [], anyOf: [], description: null },
      deep: { type: "object", properties: { a: { $ref: "#/$defs/b" } }, required: ["a", "ghost"] },
      whole: { type: ["string", "null"], enum: ["x", null], default: null, examples: ["x"], maxLength: 3 },
    },
    required: ["list", "ghost", "list"],
    $defs: { b: { oneOf: [{ type: "string" }, { const: 1 }] } },
    additionalProperties: false,
  });
  expect(schema).toEqual({
    type: "object",
    properties: {
      list: { type: "array", items: {} },
      pair: { type: "array", items: { type: "string" } },
      above: { type: "number", minimum: 0 },
      any: {},
      odd: { type: "null" },
      deep: { type: "object", properties: { a: { $ref: "#/$defs/b" } }, required: ["a"] },
      whole: { type: ["string", "null"], enum: ["x", null], default: null, examples: ["x"], maxLength: 3 },
    },
    required: ["list"],
    $defs: { b: { oneOf: [{ type: "string" }, { const: 1 }] } },
    additionalProperties: false,
  });
});

it.each([
  ["^[a-z]+\\d{2}$", true],
  ["^(?!x)a|b$", true],
  ["[\\p{L}]", false],
  ["(?<year>\\d)", false],
  ["(?<=a)b", false],
  ["^[^\\0]*$", false],
  ["\\u{1F600}", false],
  ["\\z", false],
  ["(?i)x", false],
  ["(", false],
])("keeps the pattern %j, if every provider reads it: %s", (pattern, kept) => {
  const { schema } = accepted({ properties: { a: { type: "string", pattern } } });
  expect(schema.properties).toEqual({ a: { type: "string", ...(kept && { pattern }) } });
});
