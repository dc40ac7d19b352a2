import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { isEkidenError } from "../core/errors.ts";
import { commentedSettings } from "../faces/commands/setup/init.ts";
import { type Flags, loadSettings } from "./settings.ts";

let cwd = "";
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), "ekiden-settings-"));
  mkdirSync(join(cwd, ".ekiden"));
});
afterEach(() => rmSync(cwd, { recursive: true }));

const project = (text: string): void => writeFileSync(join(cwd, ".ekiden", "settings.json"), text);
const load = async (env: NodeJS.ProcessEnv = {}, flags: Flags = {}) =>
  (await loadSettings({ cwd, env, flags }, { trusted: true })).settings;
const problems = async (env?: NodeJS.ProcessEnv, flags?: Flags): Promise<string> => {
  try {
    await load(env, flags);
  } catch (error) {
    if (isEkidenError(error, "settings_invalid")) return (error.details.problems as string[]).join("\n");
  }
  throw new Error("it was accepted");
};

it("lets a flag go before the environment, that before the project, and that before the default", async () => {
  project('{ "leaseMs": 1000, "maxAttempts": 4, "turnsPerStint": 5, "deny": ["a"] }');
  const settings = await load(
    { EKIDEN_MAX_ATTEMPTS: "6", EKIDEN_TURNS_PER_STINT: "7", EKIDEN_DENY: "b, c" },
    { turnsPerStint: "8" },
  );
  expect(settings).toMatchObject({
    leaseMs: 1000,
    maxAttempts: 6,
    turnsPerStint: 8,
    idlePollMs: 5000,
    deny: ["b", "c", "a"],
  });
});

it("reads texts for what they mean", async () => {
  const settings = await load({
    EKIDEN_TEAMMATES: "alice, bob:tester",
    EKIDEN_IDLE_TIMEOUT_MS: "never",
    EKIDEN_WORKTREES: "1",
    EKIDEN_ALLOW: '["x(a,b)"]',
  });
  expect(settings).toMatchObject({
    teammates: [{ name: "alice" }, { name: "bob", role: "tester" }],
    worktrees: true,
    allow: ["x(a,b)"],
  });
  expect(settings.idleTimeoutMs).toBe(Number.POSITIVE_INFINITY);
  expect((await load({}, { teammates: "2" })).teammates).toHaveLength(2);
  expect((await load({}, { teammates: ["zoe"] })).teammates).toEqual([{ name: "zoe", role: "" }]);
});

it("takes comments, trailing commas, a byte order mark, an empty file and the file that init writes", async () => {
  for (const text of [
    "",
    "// nothing",
    '\uFEFF{ "leaseMs": 15000, /* c */ }',
    '{ "$schema": "x" }',
    commentedSettings(),
  ]) {
    project(text);
    expect((await load()).leaseMs).toBe(15_000);
  }
});

it("has an init file in which every line is valid when it is uncommented", async () => {
  project(commentedSettings().replaceAll(/^ {2}\/\/ "/gm, '  "'));
  expect(await load()).toMatchObject({ leaseMs: 15_000, budgetUsd: 10 });
});

it.each([
  ['{\n  "leaseMs": "soon"\n}', /settings\.json:2: leaseMs: expected a whole number, found "soon"/],
  [
    '{\n\n  "idleTimeout": 3 }',
    /settings\.json:3: unknown setting "idleTimeout"\. Did you mean "idleTimeoutMs"\?/,
  ],
  ['{ "leaseMs": 1,\n "model" }', /settings\.json:2: is not valid JSON: /],
  ["[1]", /settings\.json:1: expected an object/],
  ['{ "teammates": ["lead"] }', /teammates: "lead" is reserved/],
  ['{ "allow": "bash" }', /allow: expected a list of rules/],
  ['{ "hooks": { "PreToolUes": [] } }', /:1: hooks: unknown hook "PreToolUes"\. Did you mean "PreToolUse"\?/],
  ['{ "hooks": { "Xyz": [] } }', /unknown hook "Xyz"\. The hooks: SessionStart, /],
  ['{ "hooks": { "Stop": {} } }', /hooks\.Stop: expected a list, found "\{\}"/],
  ['{ "hooks": [] }', /hooks: expected an object, found "\[\]"/],
  ['{ "deny": [""] }', /deny, entry 1: expected a text that is not empty, found ""/],
  [
    '{ "callsWithoutProgress": 1 }',
    /the setting "callsWithoutProgress" is gone\..*taskBudgetUsd.*Remove the line/,
  ],
  ['{ "stintsPerAttempt": 1 }', /the setting "stintsPerAttempt" is gone\..*taskBudgetUsd/],
  ['{ "providerPatienceMs": 1 }', /the setting "providerPatienceMs" is now called "providerTimeoutMs"/],
  ['{\n "permissionMode": "yolo" }', /:2: permissionMode: expected one of "plan"/],
])("names file, line, key and what was expected: %s", async (text, expected) => {
  project(text);
  expect(await problems()).toMatch(expected);
});

it("reports old and mistyped variables, and leaves the others alone", async () => {
  expect(await problems({ EKIDEN_MODLE: "x" })).toBe(
    "unknown variable EKIDEN_MODLE. Did you mean EKIDEN_MODEL?",
  );
  expect(await problems({ EKIDEN_TRSUT: "1" })).toBe(
    "unknown variable EKIDEN_TRSUT. Did you mean EKIDEN_TRUST?",
  );
  expect(await problems({ EKIDEN_CALLS_WITHOUT_PROGRESS: "1" })).toMatch(
    /^the variable EKIDEN_CALLS_WITHOUT_PROGRESS is gone\..*Unset it\.$/,
  );
  expect(await problems({ EKIDEN_PROVIDER_PATIENCE_MS: "1" })).toBe(
    "the variable EKIDEN_PROVIDER_PATIENCE_MS is now called EKIDEN_PROVIDER_TIMEOUT_MS.",
  );
  // Set for the commands of members and hooks, or by the person for something else.
  const own = { EKIDEN_HOOK: "x", EKIDEN_JOB: "1;", EKIDEN_MEMBER: "alice", EKIDEN_PROJECT_DIR: "/" };
  expect((await load({ ...own, EKIDEN_DEMO_PORT: "80", MODLE: "x" })).leaseMs).toBe(15_000);
  expect(await problems({}, { deny: [""] })).toBe(
    '--deny: entry 1: expected a text that is not empty, found "".',
  );
});

it("names the variable and the flag, and tells how many more there are", async () => {
  expect(await problems({ EKIDEN_LEASE_MS: "soon" })).toBe(
    'EKIDEN_LEASE_MS: expected a whole number, found "soon".',
  );
  expect(await problems({}, { maxTurns: "0" })).toBe(
    '--max-turns: expected a number of 1 or more, found "0".',
  );
  await expect(load({ EKIDEN_LEASE_MS: "x" }, { budgetUsd: "-1" })).rejects.toMatchObject({
    exitCode: 2,
    message: expect.stringContaining("(1 more: see ekiden doctor)"),
  });
});
