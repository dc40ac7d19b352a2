/** `ekiden init`: a settings file with every setting as a comment, ready to be changed, and beside it the schema for editors. */

import { existsSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { replaceFile } from "../../../adapters/small-files.ts";
import { badInput } from "../../../core/errors.ts";
import { aboutSetting, SETTING_KEYS } from "../../../core/settings/fields.ts";
import { DEFAULT_SETTINGS, type UnsetKey } from "../../../core/settings/settings.ts";
import { jsonLine } from "../../../core/text/hidden.ts";
import { makeProjectFolder } from "../../../project/project-folder.ts";
import { projectFile, variableName } from "../../../project/settings.ts";
import type { Run } from "../entry.ts";

/** The values to show for settings that have no default. */
const EXAMPLES: Readonly<Record<UnsetKey, unknown>> = {
  model: "anthropic/claude-sonnet-5-5",
  lead: "anthropic/claude-opus-5-5",
  effort: { plan: "high", work: "medium", review: "high", roles: { tester: "low" } },
  baseUrl: "http://localhost:11434/v1",
  teammates: ["alice", "bob:tester"],
  maxTurns: 500,
  permissionDeadlineMs: 300_000,
  deadline: "18:30",
  budgetTokens: 5_000_000,
  budgetUsd: 10,
  teammateBudgetTokens: 1_000_000,
  teammateBudgetUsd: 3,
  fallbackModel: "anthropic/claude-haiku-5-5",
  permissionsTo: "person",
  contextTokens: 100_000,
  gate: "npm test",
  landing: "push",
  remote: "origin",
  targetBranch: "main",
  commandMemoryMb: 8_192,
  forge: "origin",
  forgeAssignee: "ekiden-robot",
  forgeWebhook: "8080",
  redBase: "repair",
  prCommand: 'gh pr create --head "$EKIDEN_BRANCH" --base "$EKIDEN_TARGET" --fill',
};

export const run: Run<{ force?: boolean }> = async (call, _args, options) => {
  const path = projectFile(call.cwd);
  const shown = relative(call.cwd, path);
  if (existsSync(path) && !options.force)
    throw badInput(`${shown} exists. Edit it, or replace it with ekiden init --force.`);
  makeProjectFolder(call.cwd);
  const schema = join(dirname(path), SCHEMA_FILE);
  const { settingsSchema } = await import("../../../project/settings-schema.ts");
  replaceFile(schema, `${JSON.stringify(settingsSchema(), null, 2)}\n`);
  replaceFile(path, commentedSettings());
  if (call.json) call.out.write(jsonLine({ path, schema }));
  else call.out.write(`${shown}\n`);
};

const SCHEMA_FILE = "settings.schema.json";

export function commentedSettings(): string {
  const lines = SETTING_KEYS.flatMap((key) => {
    const isDefault = key in DEFAULT_SETTINGS;
    const value = isDefault ? (DEFAULT_SETTINGS as Record<string, unknown>)[key] : EXAMPLES[key as UnsetKey];
    const note = isDefault ? "" : " (not set; an example)";
    return [`  // ${aboutSetting(key)}${note}`, `  // "${key}": ${JSON.stringify(value)},`, ""];
  });
  return `// Settings of Ekiden for this project. Take the // away from a line to change it. A flag goes before the environment
// (such as ${variableName("lead")}), that before this file, and this before the user's own settings file.
{
  // For editors: names, meanings and values of the settings.
  "$schema": "./${SCHEMA_FILE}",

${lines.join("\n").trimEnd()}
}
`;
}
