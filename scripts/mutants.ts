/**
 * `npm run mutants -- --faults N --seed S --files PREFIX,…`: puts small faults into the source and runs the tests that pass them, the
 * fastest first. A fault that no test notices is a survivor: a test is missing, or the fault changes nothing that matters.
 * `test/mutants/survivors.md` lists the survivors that were judged, with the reason; they count apart. All faults are in the source at
 * once, each behind a switch, so a test file is loaded once and judges many of them. All of it happens in a copy: the project itself
 * is never written to.
 */
import { spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { dice } from "../test/fixtures/simulation.ts";
import { startPostgres } from "../test/postgres.ts";
import { Campaign, type State } from "./mutants/campaign.ts";
import { Known } from "./mutants/known.ts";
import { Lane } from "./mutants/lane.ts";
import { mutantsOf } from "./mutants/mutate.ts";
import { Processes } from "./mutants/processes.ts";
import { Related } from "./mutants/related.ts";
import { type Fault, withSwitches } from "./mutants/switch.ts";

const { values } = parseArgs({
  options: {
    files: { type: "string", default: "src/core,src/runtime" },
    /** Takes that many faults at random; all without it. */
    faults: { type: "string" },
    seed: { type: "string" },
    /** The seconds of tests that may be spent on one fault. */
    seconds: { type: "string", default: "20" },
    /** Only tests whose path contains this text. */
    tests: { type: "string", default: "" },
    lanes: { type: "string", default: "2" },
    /** Shows what is left to the tests that start the program, so many seconds of tests for each fault. */
    processes: { type: "string", default: "0" },
  },
});
const seed = Number(values.seed ?? Date.now() % 1_000_000);
const root = resolve(import.meta.dirname, "..");
const SURVIVORS = "test/mutants/survivors.md";
/** The survivors so far, while it runs. */
const ALIVE = join(root, "node_modules/.mutants-alive.txt");
const KNOWN = join(root, "node_modules/.mutants.json");
const KNOWN_PROCESSES = join(root, "node_modules/.mutants-processes.json");
const VERDICTS = ["killed", "timed out", "alive", "judged"] as const;
/** Tests that do not judge: they look at the text of the source, or need the built program, a browser or a sandbox. */
const NO_JUDGE = /^test\/(chaos|hostile\/(?!judged)|architecture|circles|reference|e2e\/(web|sandbox))/;

const copy = mkdtempSync(join(tmpdir(), "ekiden-mutants-"));
const postgres = await startPostgres();
const lanes = Array.from(
  { length: Number(values.lanes) },
  (_, i) =>
    new Lane(copy, String(i), {
      pool: "forks",
      maxWorkers: 1,
      reporters: [],
      runner: join(copy, "scripts/mutants/judge.ts"),
      testTimeout: 60_000,
      hookTimeout: 60_000,
      teardownTimeout: 2_000,
      include: ["src/**/*.test.ts", "test/**/*.test.ts"],
      provide: { postgresUrl: postgres.url },
    }),
);
try {
  const files = listed();
  for (const file of files) place(file);
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
  const all = faultsOf(files);
  const faults = chosen(all);
  const judged = survivors();
  const states = faults.map((fault): State => {
    const verdict = judged.has(`${fault.file}: ${fault.name}`) ? "judged" : "alive";
    return { fault, verdict, ms: 0, asked: new Set() };
  });
  for (const file of new Set(all.map((fault) => fault.file))) {
    const own = all.filter((fault) => fault.file === file);
    writeFileSync(join(copy, file), withSwitches(readFileSync(join(root, file), "utf8"), own));
  }
  console.log(
    `seed ${seed}: ${faults.length} faults in ${new Set(faults.map(({ file }) => file)).size} files`,
  );
  const tests = files.filter(
    (file) => /\.test\.tsx?$/.test(file) && !NO_JUDGE.test(file) && file.includes(values.tests),
  );
  const known = new Known(root, KNOWN, all);
  const campaign = new Campaign(states, new Related(copy, tests), known, Number(values.seconds) * 1_000);
  const after = (): void => writeFileSync(ALIVE, survived(states));
  await campaign.run(lanes, after);
  if (values.processes !== "0") {
    await Promise.all(lanes.map((lane) => lane.close()));
    const processes = new Processes(copy, new Known(root, KNOWN_PROCESSES, all));
    await processes.build(join(root, "dist/web"));
    await processes.judge(states, tests, Number(values.processes) * 1_000, after);
  }
  print(states);
} finally {
  await Promise.all(lanes.map((lane) => lane.close()));
  await postgres.stop();
  rmSync(copy, { recursive: true, force: true });
}

/** The files as they are in the work tree, also what is not committed. */
function listed(): string[] {
  const git = spawnSync("git", ["ls-files", "-co", "--exclude-standard"], { cwd: root, encoding: "utf8" });
  return git.stdout.split("\n").filter((file) => file !== "" && existsSync(join(root, file)));
}

function place(file: string): void {
  mkdirSync(dirname(join(copy, file)), { recursive: true });
  cpSync(join(root, file), join(copy, file));
}

function faultsOf(files: readonly string[]): Fault[] {
  const prefixes = values.files.split(",");
  const sources = files.filter(
    (file) => /^src\/.*(?<!\.test)\.ts$/.test(file) && prefixes.some((one) => file.startsWith(one)),
  );
  const all = sources.flatMap((file) => mutantsOf(file, readFileSync(join(root, file), "utf8")));
  return all.map((mutant, id) => ({ ...mutant, id }));
}

function chosen(faults: readonly Fault[]): Fault[] {
  const roll = dice(seed);
  const mixed = faults.map((fault) => ({ fault, at: roll() })).sort((a, b) => a.at - b.at);
  return mixed.slice(0, Number(values.faults ?? faults.length)).map(({ fault }) => fault);
}

/** The keys of the list: each line is `- FILE: \`NAME\` — reason`. */
function survivors(): Set<string> {
  const path = join(root, SURVIVORS);
  if (!existsSync(path)) return new Set();
  const lines = readFileSync(path, "utf8").matchAll(/^- (\S+): `([^`]+)`/gm);
  return new Set([...lines].map(([, file, name]) => `${file}: ${name}`));
}

function survived(states: readonly State[]): string {
  const byPlace = (a: State, b: State): number =>
    a.fault.file.localeCompare(b.fault.file) || a.fault.line - b.fault.line;
  return states
    .filter(({ verdict }) => verdict === "alive")
    .sort(byPlace)
    .map(
      ({ fault, asked }) => `survived ${fault.file}:${fault.line}  ${fault.name}  (${asked.size} test files)`,
    )
    .join("\n");
}

function print(states: readonly State[]): void {
  console.log(survived(states));
  const folderOf = ({ fault }: State): string =>
    fault.file
      .split("/")
      .slice(0, 3)
      .join("/")
      .replace(/\/[^/]*\.ts$/, "");
  const folders = [...new Set(states.map(folderOf))].sort();
  const rows = folders.map((folder) =>
    rowOf(
      folder,
      states.filter((state) => folderOf(state) === folder),
    ),
  );
  const head = ["folder", ...VERDICTS, "survived %"];
  const all = [head, ...rows, rowOf("all", states)];
  const widths = head.map((_, i) => Math.max(...all.map((row) => (row[i] ?? "").length)));
  const cell = (text: string, i: number): string =>
    i === 0 ? text.padEnd(widths[i] ?? 0) : text.padStart(widths[i] ?? 0);
  for (const row of all) console.log(row.map(cell).join("  "));
}

function rowOf(name: string, states: readonly State[]): string[] {
  const [killed = 0, late = 0, alive = 0, judged = 0] = VERDICTS.map(
    (verdict) => states.filter((state) => state.verdict === verdict).length,
  );
  const counted = killed + late + alive;
  const share = counted === 0 ? "" : ((100 * alive) / counted).toFixed(1);
  return [name, ...[killed, late, alive, judged].map(String), share];
}
