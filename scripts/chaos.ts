/**
 * `npm run chaos`: the vitest project `chaos`, with whatever arguments vitest takes. With options of its own, the runner alone:
 *
 *   npm run chaos -- --minutes 10 --store sqlite --seed 7
 *   npm run chaos -- --minutes 2 --store postgres --faults +database-restart,-kill
 *   npm run chaos -- --list
 *
 * A run prints its seed. The same seed makes the same plans; at which moment a fault meets the program depends on the machine.
 */
import { spawnSync } from "node:child_process";
import { randomInt } from "node:crypto";
import { parseArgs } from "node:util";
import { CLASSES, classesFrom } from "../test/chaos/runner/faults.ts";
import { chaos, summary } from "../test/chaos/runner/run.ts";

const OWN = {
  minutes: { type: "string", default: "1" },
  store: { type: "string" },
  seed: { type: "string" },
  faults: { type: "string", default: "" },
  list: { type: "boolean", default: false },
} as const;

const args = process.argv.slice(2);
const isOwn = args.some((arg) => Object.keys(OWN).some((name) => arg.split("=")[0] === `--${name}`));
if (!isOwn) {
  const vitest = ["node_modules/vitest/vitest.mjs", "run", "--project", "chaos", ...args];
  process.exitCode = spawnSync(process.execPath, vitest, { stdio: "inherit" }).status ?? 1;
} else
  process.exitCode = await run().catch((error: unknown) => {
    process.stderr.write(`chaos: ${error instanceof Error ? error.message : String(error)}\n`);
    return 2;
  });

async function run(): Promise<number> {
  const { values } = parseArgs({ args, options: OWN });
  const say = (line: string): void => void process.stdout.write(`${line}\n`);
  if (values.list) {
    for (const [name, one] of Object.entries(CLASSES))
      say(
        `${one.holds ? "on " : "off"} ${name.padEnd(18)} ${one.about}${"meets" in one ? ` (meets ${one.meets})` : ""}`,
      );
    return 0;
  }
  const { store } = values;
  if (store !== undefined && store !== "sqlite" && store !== "postgres") {
    say(`--store ${store}: expected sqlite or postgres.`);
    return 2;
  }
  const seed = values.seed === undefined ? randomInt(1_000_000) : Number(values.seed);
  const minutes = Number(values.minutes);
  if (!Number.isInteger(seed) || !(minutes > 0)) {
    say("--seed takes a whole number, --minutes a number above 0.");
    return 2;
  }
  const classes = classesFrom(values.faults);
  say(`seed ${seed}; faults: ${[...classes].join(", ")}`);
  let found = 0;
  const stores = store ? ([store] as const) : (["sqlite", "postgres"] as const);
  for (const one of stores) {
    const { counts, faults } = await chaos({ store: one, minutes, seed, classes, say });
    found += faults.length;
    say(`${one}, seed ${seed}: ${summary(counts)}. The checker found ${faults.length} faults.`);
  }
  return found === 0 ? 0 : 1;
}
