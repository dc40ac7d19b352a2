/**
 * Prints the files with failed tests in one report of vitest, one a line: those that continuous integration runs again. Prints nothing
 * for more than five, which is no accident of the machine.
 *
 *   node .ci/failed.mjs <report>
 */
import { readFileSync } from "node:fs";
import { relative } from "node:path";

const MOST = 5;

let report;
try {
  report = JSON.parse(readFileSync(process.argv[2] ?? "", "utf8"));
} catch {
  report = { testResults: [] }; // the sum says that there is none
}
const failed = report.testResults.filter(({ status }) => status === "failed");
if (failed.length <= MOST) for (const { name } of failed) console.log(relative(process.cwd(), name));
