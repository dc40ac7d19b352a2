/**
 * `npm run check`: everything that can be known in seconds, side by side. Prints only what failed, whole. With `-- --no-tests` it leaves
 * out the tests, for continuous integration, which runs all tests afterwards. With `-- --measures` it only prints the size and structure of the source.
 * Types are checked by the native compiler (`tsnative`, 3x faster); `typescript` 6 serves the tools that need its API.
 */
import { spawn, spawnSync } from "node:child_process";

const node = process.execPath;
if (process.argv.includes("--measures")) {
  const { status } = spawnSync(node, ["--import", "tsx", "scripts/measures.ts"], { stdio: "inherit" });
  process.exit(status ?? 1);
}
const CHECKS = {
  types: [node, "node_modules/tsnative/bin/tsc", "--pretty"],
  "types of the page": [node, "node_modules/tsnative/bin/tsc", "--pretty", "-p", "src/faces/web/page"],
  biome: [node, "node_modules/@biomejs/biome/bin/biome", "check", "--colors=off", "--error-on-warnings"],
  "dead code": [node, "node_modules/knip/bin/knip.js"],
  ...(!process.argv.includes("--no-tests") && {
    "layers, unit tests": [
      node,
      "node_modules/vitest/vitest.mjs",
      "run",
      "--project",
      "unit",
      "--project",
      "adapters",
    ],
  }),
};

const started = performance.now();
const seconds = (since) => `${((performance.now() - since) / 1000).toFixed(1)} s`;

async function check([name, [program, ...args]]) {
  const since = performance.now();
  const child = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += chunk));
  const code = await new Promise((done) =>
    child.on("close", done).on("error", (error) => done(String(error))),
  );
  const ok = code === 0;
  console.log(`${ok ? "ok    " : "FAILED"} ${name} (${seconds(since)})`);
  if (!ok) console.log(`${output.trim()}\n`);
  return ok;
}

const results = await Promise.all(Object.entries(CHECKS).map(check));
const failed = results.filter((ok) => !ok).length;
console.log(
  failed === 0 ? `All well in ${seconds(started)}.` : `${failed} of ${results.length} checks failed.`,
);
process.exitCode = failed === 0 ? 0 : 1;
