/**
 * `npm run bench -- [items…] [--quick] [--json FILE]`: what Ekiden costs, against floors measured in the same run, and which
 * budgets are met. Items by letter or name; all without any. Ends with 1 only when a measurement itself failed.
 */
import { existsSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { parseArgs } from "node:util";
import { agents } from "./agents.ts";
import { board } from "./board.ts";
import { cache } from "./cache.ts";
import { cost } from "./cost.ts";
import { gap } from "./gap.ts";
import { growth } from "./growth.ts";
import { idle } from "./idle.ts";
import { landings } from "./landing.ts";
import { type Figure, type Item, table } from "./measure.ts";
import { plan } from "./plan.ts";
import { postgres } from "./postgres.ts";
import { prompt } from "./prompt.ts";
import { quality } from "./quality.ts";
import { sandboxed } from "./sandbox.ts";
import { scheduling } from "./scheduling.ts";
import { screen } from "./screen.ts";
import { BUILT, cleanUp } from "./stage.ts";
import { start } from "./start.ts";
import { talk } from "./talk.ts";
import { wake } from "./wake.ts";
import { web } from "./web.ts";

const ITEMS: Readonly<Record<string, readonly [letter: string, run: Item]>> = {
  start: ["a", start],
  gap: ["b", gap],
  cost: ["c", cost],
  idle: ["d", idle],
  wake: ["e", wake],
  board: ["f", board],
  prompt: ["g", prompt],
  scheduling: ["h", scheduling],
  talk: ["i", talk],
  sandbox: ["j", sandboxed],
  web: ["k", web],
  landing: ["l", landings],
  growth: ["m", growth],
  postgres: ["n", postgres],
  screen: ["o", screen],
  cache: ["p", cache],
  quality: ["q", quality],
  plan: ["s", plan],
  agents: ["r", agents],
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { json: { type: "string" }, quick: { type: "boolean", default: false } },
});
const wanted = Object.entries(ITEMS).filter(
  ([name, [letter]]) =>
    positionals.length === 0 || positionals.includes(name) || positionals.includes(letter),
);
if (wanted.length === 0) {
  console.error(
    `There is no such item. Items: ${Object.entries(ITEMS)
      .map(([name, [letter]]) => `${letter} ${name}`)
      .join(", ")}.`,
  );
  process.exit(2);
}
if (!existsSync(BUILT)) {
  console.error("The bench measures the built program. Run `npm run build` first.");
  process.exit(2);
}

const figures: Figure[] = [];
const failures: string[] = [];
const began = performance.now();
try {
  for (const [name, [letter, run]] of wanted) {
    const since = performance.now();
    process.stderr.write(`${letter} ${name} … `);
    try {
      figures.push(...(await run(values.quick)));
    } catch (error) {
      failures.push(
        `${letter} ${name}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
      );
    }
    process.stderr.write(`${((performance.now() - since) / 1000).toFixed(1)} s\n`);
  }
} finally {
  await cleanUp();
}

const judged = figures.filter((f) => f.met !== null);
const met = judged.filter((f) => f.met).length;
const machine = `Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model ?? "unknown"}, ${process.platform}`;
console.log(table(figures));
console.log(
  `\n${met} of ${judged.length} budgets met in ${((performance.now() - began) / 1000).toFixed(0)} s. ${machine}${values.quick ? ". Quick: few samples" : ""}`,
);
for (const failure of failures) console.error(`\nFAILED ${failure}`);
if (values.json !== undefined)
  writeFileSync(
    values.json,
    `${JSON.stringify({ at: new Date().toISOString(), machine, quick: values.quick, met, judged: judged.length, figures, failures }, null, 2)}\n`,
  );
process.exitCode = failures.length > 0 ? 1 : 0;
