/** A build plugin: puts the JSON Schema of the settings, for editors, beside the program. */
import type { Rolldown } from "tsdown";
import { settingsSchema } from "../src/project/settings-schema.ts";

export function settingsSchemaFile(fileName: string): Rolldown.Plugin {
  return {
    name: "settings-schema",
    generateBundle() {
      this.emitFile({ type: "asset", fileName, source: `${JSON.stringify(settingsSchema(), null, 2)}\n` });
    },
  };
}
