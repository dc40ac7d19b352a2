/** The schema of a tool's input as services take it that take only a part of JSON Schema. */

type Schema = Readonly<Record<string, unknown>>;
const isSchema = (value: unknown): value is Schema =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * Gemini refuses a choice between values that are not texts (a sentence takes its place), a list that does not say of what, and each
 * choice between schemas but `anyOf`.
 */
export function forGemini(schema: Schema): Schema {
  const { enum: values, description, ...rest } = schema;
  const made: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(rest)) {
    if (key === "properties" && isSchema(value))
      made.properties = Object.fromEntries(Object.entries(value).map(([name, one]) => [name, within(one)]));
    else if (Array.isArray(value) && /^(any|one|all)Of$/.test(key)) made.anyOf = value.map(within);
    else made[key] = key === "items" ? within(value) : value;
  }
  const isList = [rest.type].flat().includes("array");
  if (isList && Object.keys(made.items ?? {}).length === 0) made.items = { type: "string" };
  const isOfTexts = Array.isArray(values) && rest.type === "string";
  const words = Array.isArray(values) && !isOfTexts ? `One of ${JSON.stringify(values).slice(1, -1)}.` : "";
  const told = [description, words].filter(Boolean).join(" ");
  return { ...made, ...(isOfTexts && { enum: values }), ...(told && { description: told }) };
}

const within = (value: unknown): unknown => (isSchema(value) ? forGemini(value) : value);

/**
 * Moonshot wants one type at each schema, but none beside a choice, a list of required fields at each object, no schema that is only
 * true or false, and nothing beside a reference. An object with a choice between sets of fields keeps the fields.
 */
export function forMoonshot(schema: Schema): Schema {
  if (typeof schema.$ref === "string") return { $ref: schema.$ref };
  const { oneOf, anyOf = oneOf, type, ...rest } = schema;
  const made: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(rest))
    if (isSchema(value) && /^(properties|\$defs|definitions)$/.test(key))
      made[key] = Object.fromEntries(Object.entries(value).map(([name, one]) => [name, typed(one)]));
    else made[key] = key === "items" ? typed(value) : value;
  const isObject = type === "object" || made.properties !== undefined;
  if (Array.isArray(anyOf) && anyOf.length > 0 && !isObject) return { ...made, anyOf: anyOf.map(typed) };
  const named = [type].flat().find((one) => one !== "null");
  return { type: named ?? typeOf(made), ...made, ...(isObject && { required: made.required ?? [] }) };
}

const typed = (value: unknown): Schema => forMoonshot(isSchema(value) ? value : {});

/** The type that the other keywords of a schema imply; "string" where they imply none. */
const typeOf = ({ properties, items, enum: values, const: one }: Schema): string => {
  if (properties !== undefined) return "object";
  if (items !== undefined) return "array";
  const example: unknown = Array.isArray(values) ? values[0] : one;
  return typeof example === "number" || typeof example === "boolean" ? typeof example : "string";
};

/** Ollama reads each property as an object, so one that is only true or false becomes an empty one. */
export function forOllama(schema: Schema): Schema {
  const { properties } = schema;
  if (!isSchema(properties)) return schema;
  const read = Object.entries(properties).map(([name, one]) => [name, isSchema(one) ? forOllama(one) : {}]);
  return { ...schema, properties: Object.fromEntries(read) };
}
