/**
 * `npm test [-- ARGUMENTS OF VITEST]`: builds, when the build is older than the sources; then every test but the chaos runs. With
 * `--slowest` it prints at the end which projects, files and tests took longest.
 */
import { spawnSync } from "node:child_process";
import { isFresh } from "./fresh.ts";
import { homeIfNone } from "./home.ts";

const env = { ...process.env, ...homeIfNone() };
function run(command: string, args: readonly string[]): void {
  const { status } = spawnSync(command, args, { stdio: "inherit", shell: command === "npm", env });
  if (status !== 0) process.exit(status ?? 1);
}

const given = process.argv.slice(2);
const rest = given.filter((word) => word !== "--slowest");
const projects = ["--project", "!chaos"];
const slowest = given.includes("--slowest") ? ["--reporter=default", "--reporter=./scripts/slowest.mjs"] : [];
if (!process.env.EKIDEN_AGENT_PROGRAMS)
  console.warn(
    "Left out: the tests with agent programs of other vendors (EKIDEN_AGENT_PROGRAMS; see real-programs.test.ts).",
  );
if (!isFresh("dist/main.js") || !isFresh("dist/web/index.html")) run("npm", ["run", "build"]);
run(process.execPath, ["node_modules/vitest/vitest.mjs", "run", ...projects, ...slowest, ...rest]);
