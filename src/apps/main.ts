#!/usr/bin/env node
/** The `ekiden` command. Each command's code is imported when it is chosen: start-up time is a feature. */
import nodeModule from "node:module";
import { setFlagsFromString } from "node:v8";
import manifest from "../../package.json" with { type: "json" };

// From Node 22 on: keeps the compiled code of this program in the temporary folder, a tenth of a start.
(nodeModule as { enableCompileCache?: () => unknown }).enableCompileCache?.();
// V8 lets its young generation grow to 32 MB while an agent works, and every command is started by a fork that costs in
// proportion to the memory: 99 → 82 MB after 200 commands, for no more CPU. Known to V8 11 to 13; others would complain.
if (/^1[123]\./.test(process.versions.v8)) setFlagsFromString("--semi-space-growth-factor=1");

const args = process.argv.slice(2);
if (args[0] === "--version" || args[0] === "-V") {
  process.stdout.write(`${manifest.version}\n`);
} else {
  const { main } = await import("./cli.ts");
  process.exitCode = await main(args);
  // Whatever a command may have left open must not keep a finished program alive.
  setTimeout(() => process.exit(), 2_000).unref();
}
