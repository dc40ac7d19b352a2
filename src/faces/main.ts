#!/usr/bin/env node
/** The `ekiden` command. Each command's code is imported when it is chosen: start-up time is a feature. */
import nodeModule from "node:module";
import manifest from "../../package.json" with { type: "json" };
import { hideSecrets } from "./command-line.ts";
import { showFirstFrame } from "./screen/first-frame.ts";

// From Node 22 on: keeps the compiled code of this program in the temporary folder, a tenth of a start.
(nodeModule as { enableCompileCache?: () => unknown }).enableCompileCache?.();

const args = process.argv.slice(2);
if (args[0] === "--version" || args[0] === "-V") {
  process.stdout.write(`${manifest.version}\n`);
} else {
  for (const told of hideSecrets(args)) process.stderr.write(`ekiden: ${told}.\n`);
  showFirstFrame(args);
  const { main } = await import("./cli.ts");
  process.exitCode = await main(args);
  // Whatever a command may have left open must not keep a finished program alive.
  setTimeout(() => process.exit(), 2_000).unref();
}
