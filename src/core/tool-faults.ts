/** The words for an input that a tool cannot take: the fields that do not fit, those that exist, and the nearest one. */
import { quote } from "./ids.ts";
import { didYouMean, nearest } from "./text/nearest.ts";
import { dictionaryOf, folded, HABITS } from "./tool-words.ts";

type Issue = {
  readonly code?: string | undefined;
  readonly path: readonly PropertyKey[];
  readonly message: string;
  readonly keys?: readonly string[];
};

/** `schema`: the input as the model is told of it. `input`: what it sent, in our names. */
export function inputFault(
  tool: string,
  issues: readonly Issue[],
  schema: Readonly<Record<string, unknown>>,
  input: unknown,
): string {
  const faults = issues.flatMap((issue) =>
    issue.code === "unrecognized_keys" && issue.keys
      ? issue.keys.map((key) => unknownField(tool, key, issue.path, schema, input))
      : [`${issue.path.join(".") || "input"}: ${issue.message}`],
  );
  return `The input of ${tool} does not fit: ${faults
    .map((fault) => fault.replace(/\.$/, ""))
    .join("; ")
    .replace(/[^?]$/, "$&.")} Nothing was done. Call it again with the right input.`;
}

function unknownField(
  tool: string,
  key: string,
  path: readonly PropertyKey[],
  schema: Readonly<Record<string, unknown>>,
  input: unknown,
): string {
  const habit = Object.hasOwn(HABITS, tool) ? HABITS[tool] : undefined;
  const where = path.length === 0 ? "" : ` in ${path.join(".")}`;
  const list = String(path[0] ?? "");
  const words = path.length === 0 ? habit : habit?.lists[list];
  const fields = Object.keys(fieldsAt(schema, path));
  const ours = words && (dictionaryOf(words).ours.get(key) ?? dictionaryOf(words).ours.get(folded(key)));
  if (ours !== undefined && ours !== key && Object.hasOwn(valueAt(input, path), ours))
    return `${quote(key)}${where} means ${ours}, and both are given with different values: give only ${ours}`;
  const instead =
    path.length === 0 && habit && Object.hasOwn(habit.instead, folded(key))
      ? habit.instead[folded(key)]
      : undefined;
  const hint =
    instead === undefined
      ? ours !== undefined && fields.includes(ours)
        ? ` Did you mean "${ours}"?`
        : near(key, fields)
      : ` Instead: ${instead}.`;
  const exist = fields.length === 0 ? "it has no fields" : `the fields are ${fields.join(", ")}`;
  const fault =
    ours?.startsWith("@") && instead === undefined
      ? `the value of ${quote(key)}${where} cannot be used here`
      : `there is no field ${quote(key)}${where}`;
  return `${fault}: ${exist}.${hint}`.replace(/\.$/, "");
}

/** By letters, or by a word that both have: `blocked_tasks` is near to blocked_by. */
function near(key: string, fields: readonly string[]): string {
  const word = folded(key);
  if (nearest(word, fields) !== null) return didYouMean(word, fields);
  const parts = word.split("_").filter((part) => part.length > 2);
  const alike = fields.find((field) => field.split("_").some((part) => parts.includes(part)));
  return alike === undefined ? "" : ` Did you mean "${alike}"?`;
}

type Schema = { readonly properties?: Readonly<Record<string, Schema>>; readonly items?: Schema };

function fieldsAt(schema: Readonly<Record<string, unknown>>, path: readonly PropertyKey[]): object {
  let at: Schema | undefined = schema as Schema;
  for (const step of path) at = typeof step === "number" ? at?.items : at?.properties?.[String(step)];
  return at?.properties ?? {};
}

function valueAt(input: unknown, path: readonly PropertyKey[]): object {
  let at: unknown = input;
  for (const step of path)
    at = typeof at === "object" && at !== null ? (at as Record<PropertyKey, unknown>)[step] : null;
  return typeof at === "object" && at !== null ? at : {};
}
