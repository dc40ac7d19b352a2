/**
 * What a tool of an MCP server takes, as every model provider accepts it. Providers refuse a whole request for one schema they do
 * not like, so one odd tool would end the work of all.
 */
export type Schema = Readonly<Record<string, unknown>>;

/** Anthropic's rule for the names of parameters, the narrowest of all. */
const NAME = /^[A-Za-z0-9_.-]{1,64}$/;

/**
 * An object with `properties`, and nothing at its top that chooses between several: what the choices name may all be given.
 * `renamed`: parameters by what models call them, where the server calls them otherwise.
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

/** What a model gave, under the names that the server knows. */
export const asServerNames = (
  input: Readonly<Record<string, unknown>>,
  renamed: ReadonlyMap<string, string>,
): Record<string, unknown> =>
  renamed.size === 0
    ? { ...input }
    : Object.fromEntries(Object.entries(input).map(([name, value]) => [renamed.get(name) ?? name, value]));

const isSchema = (value: unknown): value is Schema => typeof value === "object" && value !== null;
