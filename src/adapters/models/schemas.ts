/** The schema of a tool's input as services take it that take only a part of JSON Schema. */

type Schema = Readonly<Record<string, unknown>>;
const isSchema = (value: unknown): value is Schema =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * Gemini refuses a choice between values that are not texts and a format that it does not know (a sentence takes their place), a list that
 * does not say of what, a field without a type, and each choice between schemas but `anyOf`.
 */
export function forGemini(schema: Schema): Schema {
  const { enum: several, const: one, description, format, ...rest } = schema;
  const made: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(rest)) {
    if (key === "properties" && isSchema(value))
      made.properties = Object.fromEntries(
        Object.entries(value).map(([name, field]) => [name, within(field)]),
      );
    else if (Array.isArray(value) && /^(any|one|all)Of$/.test(key)) made.anyOf = value.map(within);
    else made[key] = key === "items" ? within(value) : value;
  }
  const type = rest.type ?? (made.anyOf || made.$ref ? undefined : typeOf(schema));
  if ([type].flat().includes("array") && Object.keys(made.items ?? {}).length === 0)
    made.items = { type: "string" };
  const values = Array.isArray(several) ? several : one === undefined ? [] : [one];
  const areTexts = type === "string" && values.every((value) => typeof value === "string" && value !== "");
  const isKnown = typeof format === "string" && GEMINI_FORMATS[String(type)]?.includes(format);
  const told = [
    description,
    !areTexts && values.length > 0 && `(one of ${JSON.stringify(values).slice(1, -1)})`,
    format !== undefined && !isKnown && `(format: ${String(format)})`,
  ].filter(Boolean);
  return {
    ...made,
    ...(type !== undefined && { type }),
    ...(isKnown && { format }),
    ...(areTexts && values.length > 0 && { enum: values }),
    ...(told.length > 0 && { description: told.join(" ") }),
  };
}

const GEMINI_FORMATS: Readonly<Record<string, readonly string[]>> = {
  number: ["float", "double"],
  integer: ["int32", "int64"],
  string: ["enum", "date-time"],
};

const within = (value: unknown): Schema => forGemini(isSchema(value) ? value : {});

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
