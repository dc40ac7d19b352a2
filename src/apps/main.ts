#!/usr/bin/env node
/** The `ekiden` command. Each command's code is imported when it is chosen: start-up time is a feature. */
import manifest from "../../package.json" with { type: "json" };

if (process.argv.includes("--version")) {
  console.log(manifest.version);
} else {
  const { Command } = await import("commander");
  await new Command("ekiden").description(manifest.description).version(manifest.version).parseAsync();
}
