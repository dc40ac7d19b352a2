/** A vitest that stays: it starts once and is told which files have changed. Talks over the IPC channel of its parent process. */
import { createVitest } from "vitest/node";

export type Order = { readonly tests: readonly string[]; readonly changed: readonly string[] };
/** Of each test file: whether it passed, and its milliseconds. */
export type Answer = Readonly<Record<string, { readonly passed: boolean; readonly ms: number }>>;

const [root = "", options = "{}"] = process.argv.slice(2);
const vitest = await createVitest("test", { root, config: false, watch: false, ...JSON.parse(options) });
await vitest.standalone();
process.on("message", (order: Order) => void run(order));
process.send?.("ready");

async function run({ tests, changed }: Order): Promise<void> {
  for (const file of changed) vitest.invalidateFile(`${root}/${file}`);
  const specifications = tests.map((test) => vitest.getRootProject().createSpecification(`${root}/${test}`));
  const { testModules } = await vitest.runTestSpecifications(specifications);
  const answer: Record<string, { passed: boolean; ms: number }> = {};
  for (const found of testModules) {
    const { duration, prepareDuration, environmentSetupDuration, setupDuration, collectDuration } =
      found.diagnostic();
    const ms = duration + prepareDuration + environmentSetupDuration + setupDuration + collectDuration;
    answer[found.moduleId.replace(`${root}/`, "")] = { passed: found.ok(), ms };
  }
  process.send?.(answer satisfies Answer);
}
