/**
 * `npm test [-- ARGUMENTS OF VITEST]`: every test but the chaos runs. With `--slowest` it prints at the end which projects, files and
 * tests took longest.
 */
import { spawn } from "node:child_process";

const given = process.argv.slice(2);
const rest = given.filter((word) => word !== "--slowest");
const projects = ["unit", "adapters", "system", "platform"].flatMap((name) => ["--project", name]);
const slowest = given.includes("--slowest") ? ["--reporter=default", "--reporter=./scripts/slowest.mjs"] : [];
if (!process.env.EKIDEN_AGENT_PROGRAMS)
  console.warn(
    "Left out: the tests with agent programs of other vendors (EKIDEN_AGENT_PROGRAMS; see real-programs.test.ts).",
  );
const vitest = ["node_modules/vitest/vitest.mjs", "run", ...projects, ...slowest, ...rest];
spawn(process.execPath, vitest, { stdio: "inherit" }).on("exit", (code) => {
  process.exitCode = code ?? 1;
});
