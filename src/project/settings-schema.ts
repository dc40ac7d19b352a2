/** The JSON Schema of a settings file, for editors: made from the table of settings. */
import { z } from "zod";
import { settingsLayer } from "../core/settings/fields.ts";
import { DEFAULT_SETTINGS } from "../core/settings/settings.ts";

type Schema = Record<string, unknown>;

export function settingsSchema(): Schema {
  const made = z.toJSONSchema(settingsLayer(), { io: "input", unrepresentable: "any" }) as Schema;
  const properties = Object.entries(made.properties as Record<string, Schema>).map(([key, schema]) => {
    const preset = (DEFAULT_SETTINGS as Record<string, unknown>)[key];
    return [key, preset === undefined ? schema : { ...schema, default: preset }];
  });
  const own = { $schema: { type: "string", description: "This schema, for editors." } };
  const about = { title: "Settings of Ekiden", allowComments: true, allowTrailingCommas: true };
  return withoutNoise({
    ...made,
    ...about,
    properties: { ...own, ...Object.fromEntries(properties) },
  }) as Schema;
}

/** `readOnly` says that the program does not change the value; an editor would refuse that a person does. */
function withoutNoise(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNoise);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, part]) =>
      key === "readOnly" || (key === "maximum" && part === Number.MAX_SAFE_INTEGER)
        ? []
        : [[key, withoutNoise(part)]],
    ),
  );
}
