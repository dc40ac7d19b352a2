/** A vitest that stays: it starts once and runs one test file after the other. Talks over the IPC channel of its parent process. */
import { createVitest } from "vitest/node";

const [root = "", options = "{}"] = process.argv.slice(2);
const vitest = await createVitest("test", { root, config: false, watch: false, ...JSON.parse(options) });
await vitest.standalone();
process.on("message", (test: string) => void run(test));
process.send?.("ready");

async function run(test: string): Promise<void> {
  await vitest.runTestSpecifications([vitest.getRootProject().createSpecification(`${root}/${test}`)]);
  process.send?.("done");
}
