/**
 * The input schema of an MCP server's tool, in the form that every model provider accepts. Providers refuse a whole request for
 * one invalid schema, so one odd tool would stop all work.
 */
import { succeeds } from "../tried.ts";
export type Schema = Readonly<Record<string, unknown>>;

/** The rules of Anthropic and Gemini for the names of parameters. */
const NAME = /^[A-Za-z_][\w.-]{0,63}$/;

/**
 * An object with `properties` and without a choice at its top: all parameters that the choices name are allowed.
 * `renamed`: the server's names of parameters by those that models see, where they differ.
 */
export function accepted(schema: Schema): {
  readonly schema: Schema;
  readonly renamed: ReadonlyMap<string, string>;
} {
  const { oneOf, anyOf, allOf, not: _, enum: __, properties, required, ...rest } = schema;
  const choices = [oneOf, anyOf, allOf].flat().filter(isSchema);
  const all = Object.assign({}, ...choices.map((one) => one.properties), properties) as Schema;
  const renamed = new Map<string, string>();
  const named = new Map<string, string>();
  for (const name of Object.keys(all)) {
    const base = NAME.test(name)
      ? name
      : name
          .replace(/[^\w.-]/g, "_")
          .replace(/^(?![A-Za-z_])/, "_")
          .slice(0, 60);
    let fit = base;
    for (let nth = 2; fit !== name && (fit in all || renamed.has(fit)); nth += 1) fit = `${base}_${nth}`;
    named.set(name, fit);
    if (fit !== name) renamed.set(fit, name);
  }
  const needed = Array.isArray(required) ? required.map((name) => named.get(String(name)) ?? name) : [];
  const whole = {
    ...rest,
    type: "object",
    properties: Object.fromEntries(
      Object.entries(all).map(([name, value]) => [named.get(name) ?? name, value]),
    ),
    required: needed,
  };
  return { schema: valid(whole), renamed };
}

/** The input of a model, under the server's names. */
export const asServerNames = (
  input: Readonly<Record<string, unknown>>,
  renamed: ReadonlyMap<string, string>,
): Record<string, unknown> =>
  Object.fromEntries(Object.entries(input).map(([name, value]) => [renamed.get(name) ?? name, value]));

const isSchema = (value: unknown): value is Schema => typeof value === "object" && value !== null;

const TYPES = new Set(["string", "number", "integer", "boolean", "object", "array", "null"]);
/** Keywords by what their value must be; those of other names stay as they are. */
const NUMBERS = new Set(
  "minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength minItems maxItems minProperties maxProperties".split(
    " ",
  ),
);
const TEXTS = new Set("description title format pattern $ref $id $anchor $comment".split(" "));
const ONE = new Set("additionalProperties not if then else contains propertyNames".split(" "));
const LISTS = new Set("anyOf oneOf allOf prefixItems".split(" "));
const MAPS = new Set("properties patternProperties $defs definitions dependentSchemas".split(" "));

/**
 * A pattern that JavaScript and Python read alike: OpenAI refuses the request for one that Python does not know, such as `\p{L}`,
 * a named group or a look-behind of any length.
 */
function isPattern(text: string): boolean {
  return !/\\[pPuckz0N]|\(\?<|\[\]|\[\^\]/.test(text) && succeeds(() => new RegExp(text, "u"));
}

/** A valid schema of the draft that providers check (2020-12), without what is not: old keywords, and slips of the server. */
function valid(given: unknown): Schema {
  if (!isSchema(given) || Array.isArray(given)) return {};
  const kept: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(given)) {
    if (key === "type") {
      const types = [...new Set([value].flat().filter((one) => TYPES.has(String(one))))];
      if (types.length > 0) kept.type = types.length === 1 ? types[0] : types;
    } else if (key === "items") kept.items = valid(Array.isArray(value) ? value[0] : value);
    else if (key === "enum") {
      if (Array.isArray(value) && value.length > 0) kept.enum = value;
    } else if (NUMBERS.has(key)) {
      if (typeof value === "number") kept[key] = value;
    } else if (TEXTS.has(key)) {
      if (typeof value === "string" && (key !== "pattern" || isPattern(value))) kept[key] = value;
    } else if (ONE.has(key)) kept[key] = typeof value === "boolean" ? value : valid(value);
    else if (LISTS.has(key)) {
      if (Array.isArray(value) && value.length > 0) kept[key] = value.map(valid);
    } else if (MAPS.has(key)) {
      if (isSchema(value))
        kept[key] = Object.fromEntries(Object.entries(value).map(([name, one]) => [name, valid(one)]));
    } else if (key !== "$schema" && key !== "required") kept[key] = value;
  }
  const names = Object.keys(kept.properties ?? {});
  const { required } = given;
  const needed = Array.isArray(required) ? names.filter((name) => required.includes(name)) : [];
  if (needed.length > 0) kept.required = needed;
  if ([kept.type].flat().includes("array")) kept.items ??= {};
  return kept;
}
