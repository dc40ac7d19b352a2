/**
 * `npm run demo`: builds, when the build is older than the sources, without its output; then runs the example
 * with the given options, such as `--web`. It needs no key.
 */
import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { isFresh } from "./fresh.ts";
import { homeIfNone } from "./home.ts";

if (!isFresh("dist/main.js") || !isFresh("dist/web/index.html")) {
  const build = spawnSync("npm", ["run", "build"], { encoding: "utf8", shell: process.platform === "win32" });
  if (build.status !== 0) {
    process.stderr.write(`${build.stdout}${build.stderr}The build failed.\n`);
    process.exit(1);
  }
}
rmSync("health-report", { recursive: true, force: true });
const { status } = spawnSync(
  process.execPath,
  ["dist/main.js", "run", "examples/quickstart.md", "--cwd", ".", "--fresh", ...process.argv.slice(2)],
  { stdio: "inherit", env: { ...process.env, ...homeIfNone() } },
);
process.exit(status ?? 1);
