/** docs/reference is what the code says now; after a change: npm run reference. */
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { errorCodes, pages } from "../scripts/reference/pages.ts";
import { OTHER_VARIABLES } from "../scripts/reference/variables.ts";
import { PROVIDERS } from "../src/adapters/models/index.ts";
import { SETTING_KEYS } from "../src/core/settings/fields.ts";
import { variableName } from "../src/project/settings.ts";
import { settingsSchema } from "../src/project/settings-schema.ts";

const ROOT = resolve(import.meta.dirname, "..");
const FOLDER = join(ROOT, "docs/reference");

it("is current: after a change of the code, npm run reference", { timeout: 300_000 }, () => {
  const made = pages();
  expect(readdirSync(FOLDER).sort()).toEqual(Object.keys(made).sort());
  for (const [file, text] of Object.entries(made))
    expect(readFileSync(join(FOLDER, file), "utf8"), `${file} is old: npm run reference`).toBe(text);
});

it("explains every error code", () => {
  expect(errorCodes().length).toBeGreaterThan(20);
  for (const { code, about } of errorCodes()) expect(about, code).not.toBe("");
});

it("explains every variable that the code names", () => {
  const known = new Set([
    ...SETTING_KEYS.map(variableName),
    ...PROVIDERS.map(({ keyVariable }) => keyVariable),
    ...OTHER_VARIABLES.map(({ name }) => name),
  ]);
  const used = new Set<string>();
  for (const file of readdirSync(join(ROOT, "src"), { recursive: true, encoding: "utf8" })) {
    if (!file.endsWith(".ts") || file.endsWith(".test.ts")) continue;
    if (file === "core/gate/patterns.ts") continue; // examples of the code of others
    const code = readFileSync(join(ROOT, "src", file), "utf8").replace(/^\s*(\/?\*|\/\/).*$/gm, "");
    for (const [, name = ""] of code.matchAll(/\b(EKIDEN_[A-Z_]*[A-Z])\b/g)) used.add(name);
    for (const [, name = ""] of code.matchAll(/\benv\.([A-Z][A-Z_]+)/g)) used.add(name);
  }
  used.delete("");
  expect([...used].filter((name) => !known.has(name)).sort()).toEqual([]);
});

describe("the schema of the settings", () => {
  it("names every setting with its meaning, and nothing else is valid", () => {
    const { properties, additionalProperties } = settingsSchema() as {
      properties: Record<string, { description?: string; readOnly?: boolean }>;
      additionalProperties: boolean;
    };
    expect(Object.keys(properties).sort()).toEqual(["$schema", ...SETTING_KEYS].sort());
    for (const [key, { description }] of Object.entries(properties)) expect(description, key).toBeTruthy();
    expect(additionalProperties).toBe(false);
    expect(JSON.stringify(properties)).not.toContain("readOnly");
  });

  it("is in the package", () => {
    const listed = execFileSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], {
      cwd: ROOT,
      encoding: "utf8",
      shell: process.platform === "win32",
    });
    expect(listed).toContain("dist/settings.schema.json");
  });
});
