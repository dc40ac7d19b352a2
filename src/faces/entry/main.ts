/** Starts the program. Each command's code is imported when it is chosen: start-up time is a feature. Built, `loader.ts` loads this. */
import manifest from "../../../package.json" with { type: "json" };
import { showFirstFrame } from "../screen/draw/first-frame.ts";
import { hideSecrets } from "./command-line.ts";

async function start(args: readonly string[]): Promise<void> {
  if (args[0] === "--version" || args[0] === "-V") return void process.stdout.write(`${manifest.version}\n`);
  for (const told of hideSecrets(args)) process.stderr.write(`ekiden: ${told}.\n`);
  showFirstFrame(args);
  const { main } = await import("./cli.ts");
  process.exitCode = await main(args);
  // A handle that a command left open must not keep a finished program alive.
  setTimeout(() => process.exit(), 2_000).unref();
}

void start(process.argv.slice(2));
