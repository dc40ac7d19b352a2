/** `npm run demo`: builds without its output, unless the build fails, then runs the example. It needs no key. */
import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";

const build = spawnSync("npm", ["run", "build"], { encoding: "utf8", shell: process.platform === "win32" });
if (build.status !== 0) {
  process.stderr.write(`${build.stdout}${build.stderr}The build failed.\n`);
  process.exit(1);
}
rmSync("health-report", { recursive: true, force: true });
const { status } = spawnSync(
  process.execPath,
  ["dist/main.js", "run", "examples/quickstart.md", "--cwd", ".", "--fresh"],
  { stdio: "inherit" },
);
process.exit(status ?? 1);
