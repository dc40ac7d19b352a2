/** A test run that fails ends with another code than 0, whatever was started for it. */
import { spawn } from "node:child_process";
import { mkdtempSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { takeAway } from "../../fixtures/take-away.ts";

const ROOT = resolve(import.meta.dirname, "../../..");
const VITEST = join(ROOT, "node_modules/vitest/vitest.mjs");

it.each([
  ["passes", "() => {}", 0],
  ["fails", "() => { throw new Error('no') }", 1],
])("a run of a test that %s, beside a PostgreSQL", async (_, body, expected) => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "ekiden-exit-")));
  onTestFinished(() => takeAway(folder));
  const setup = JSON.stringify(join(ROOT, "test/global-setup.ts"));
  writeFileSync(join(folder, "one.test.mjs"), `it("one", ${body});`);
  writeFileSync(
    join(folder, "vitest.config.mjs"),
    `export default { test: { globals: true, include: ["one.test.mjs"], globalSetup: ${setup} } };`,
  );
  const run = spawn(process.execPath, [VITEST, "run", "--root", folder], { stdio: "ignore" });
  expect(await new Promise((done) => run.once("close", done))).toBe(expected);
});
