/**
 * Adds up what continuous integration did and prints, as its last line, exactly `N passed, N failed`.
 *
 *   node .ci/sum.mjs <folder>
 *
 * The folder holds one `<step>.json` (vitest's report) per test run, one `<step>.exit` (its exit code) per step, and
 * one `<step>.tests` for each step that must leave a report. `<step>.again.json` is the second run of its failed files: a test that
 * passed there counts as passed and is named. A skipped test counts as failed: CI has everything a test
 * may need, so a skip there is a test nobody runs. So does a step that failed without any failed test to show for it.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const folder = process.argv[2] ?? ".";
const left = (ending) =>
  readdirSync(folder)
    .filter((file) => file.endsWith(ending))
    .map((file) => file.slice(0, -ending.length));

let passed = 0;
let failed = 0;

const fail = (step, what) => {
  failed += 1;
  console.log(`${step}: ${what}`);
};

/** The names of the tests that passed in the second run of a step. */
function passedAgain(step) {
  const path = join(folder, `${step}.again.json`);
  const files = existsSync(path) ? JSON.parse(readFileSync(path, "utf8")).testResults : [];
  const names = files.flatMap((file) =>
    file.assertionResults.filter(({ status }) => status === "passed").map((test) => nameOf(test, file)),
  );
  return new Set(names);
}
const nameOf = (test, file) => `${test.fullName} (${file.name})`;

/** Counts one vitest report and returns whether it explains the exit code of its step. */
function count(step, report) {
  let explained = false;
  const again = passedAgain(step);
  for (const file of report.testResults) {
    explained ||= file.status === "failed";
    for (const test of file.assertionResults) {
      const name = nameOf(test, file);
      if (test.status === "passed") passed += 1;
      else if (test.status === "failed" && again.has(name)) {
        passed += 1;
        console.log(`${step}: PASSED ONLY WHEN RUN AGAIN ${name}`);
      } else if (test.status === "failed") fail(step, `FAILED ${name}`);
      else fail(step, `SKIPPED ${name}`);
    }
    // A file that cannot be loaded has no tests to fail.
    if (file.status === "failed" && !file.assertionResults.some((test) => test.status === "failed"))
      fail(step, `FAILED ${file.name}: ${file.message}`);
  }
  if (report.testResults.length === 0) fail(step, "FAILED: no test ran");
  return explained;
}

function readReport(step) {
  try {
    return JSON.parse(readFileSync(join(folder, `${step}.json`), "utf8"));
  } catch (error) {
    fail(step, `FAILED: no readable report (${error.message})`);
    return undefined;
  }
}

for (const step of left(".exit").filter((name) => !name.endsWith(".again"))) {
  const code = readFileSync(join(folder, `${step}.exit`), "utf8").trim();
  let shown = false;
  if (existsSync(join(folder, `${step}.tests`))) {
    const report = readReport(step);
    shown = report === undefined || count(step, report);
  }
  if (code !== "0" && !shown) fail(step, `FAILED with exit code ${code}`);
}
if (left(".exit").length === 0) fail("all", "FAILED: nothing ran");

console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
