/**
 * The input schema of an MCP server's tool, in the form that every model provider accepts. Providers refuse a whole request for
 * one invalid schema, so one odd tool would stop all work.
 */
export type Schema = Readonly<Record<string, unknown>>;

/** Anthropic's rule for the names of parameters, the strictest of all. */
const NAME = /^[A-Za-z0-9_.-]{1,64}$/;

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
    const base = NAME.test(name) ? name : name.replace(/[^A-Za-z0-9_.-]/g, "_").slice(0, 60) || "_";
    let fit = base;
    for (let nth = 2; fit !== name && (fit in all || renamed.has(fit)); nth += 1) fit = `${base}_${nth}`;
    named.set(name, fit);
    if (fit !== name) renamed.set(fit, name);
  }
  const needed = Array.isArray(required) ? required.map((name) => named.get(String(name)) ?? name) : [];
  return {
    schema: {
      ...rest,
      type: "object",
      properties: Object.fromEntries(
        Object.entries(all).map(([name, value]) => [named.get(name) ?? name, value]),
      ),
      ...(needed.length > 0 && { required: needed }),
    },
    renamed,
  };
}

/** The input of a model, under the server's names. */
export const asServerNames = (
  input: Readonly<Record<string, unknown>>,
  renamed: ReadonlyMap<string, string>,
): Record<string, unknown> =>
  Object.fromEntries(Object.entries(input).map(([name, value]) => [renamed.get(name) ?? name, value]));

const isSchema = (value: unknown): value is Schema => typeof value === "object" && value !== null;
