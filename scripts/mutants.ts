/**
 * `npm run mutants -- --minutes N --seed S --files PREFIX,…`: puts small faults into the source, one at a time, and runs the tests
 * that import the file. A fault that no test notices is a survivor: a test is missing, or the fault changes nothing that matters.
 * `test/mutants/survivors.md` lists the survivors that were judged, with the reason; they count apart. The same seed takes the same
 * faults in the same order, as far as the minutes reach. All of it happens in a copy: the project itself is never written to.
 */
import { spawn, spawnSync } from "node:child_process";
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
import { type Mutant, mutantsOf } from "./mutants/mutate.ts";
import { Related } from "./mutants/related.ts";

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "10" },
    seed: { type: "string" },
    files: { type: "string", default: "src/core,src/runtime" },
    /** Test files of `test/` that are asked about one fault, after twice as many beside the source: they take seconds each. */
    tests: { type: "string", default: "6" },
    /** Seconds that one run of tests may take. */
    timeout: { type: "string", default: "120" },
  },
});
const seed = Number(values.seed ?? Date.now() % 1_000_000);
const roll = dice(seed);
const root = resolve(import.meta.dirname, "..");
const SURVIVORS = "test/mutants/survivors.md";

type Verdict = "killed" | "timed out" | "survived" | "judged";
type Row = Record<Verdict, number>;

/** Tests that pass without a fault, and tests that do not. */
const sound = new Set<string>();
const unusable = new Set<string>();
const copy = mkdtempSync(join(tmpdir(), "ekiden-mutants-"));
const postgres = await startPostgres();
try {
  const files = listed();
  place(files);
  const isTest = (file: string): boolean =>
    /\.test\.tsx?$/.test(file) && !/^test\/(chaos|architecture)/.test(file);
  const related = new Related(copy, files.filter(isTest));
  const prefixes = values.files.split(",");
  const sources = files.filter(
    (file) => /^src\/.*\.ts$/.test(file) && !isTest(file) && prefixes.some((one) => file.startsWith(one)),
  );
  const mutants = shuffled(
    sources.flatMap((file) => mutantsOf(file, readFileSync(join(copy, file), "utf8"))),
  );
  console.log(`seed ${seed}: ${mutants.length} faults in ${sources.length} files, ${values.minutes} minutes`);
  const rows = await judgeAll(mutants, related);
  print(rows);
} finally {
  await postgres.stop();
  rmSync(copy, { recursive: true, force: true });
}

/** The files as they are in the work tree, also what is not committed. */
function listed(): string[] {
  const git = spawnSync("git", ["ls-files", "-co", "--exclude-standard"], { cwd: root, encoding: "utf8" });
  return git.stdout.split("\n").filter((file) => file !== "" && existsSync(join(root, file)));
}

function place(files: readonly string[]): void {
  for (const file of files) {
    mkdirSync(dirname(join(copy, file)), { recursive: true });
    cpSync(join(root, file), join(copy, file));
  }
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
  // One project for all tests, with one PostgreSQL for all runs.
  const test = { pool: "forks", maxWorkers: 2, bail: 1, testTimeout: 30_000, hookTimeout: 30_000 };
  const include = ["src/**/*.test.ts", "test/**/*.test.ts"];
  const config = { test: { ...test, include, provide: { postgresUrl: postgres.url } } };
  writeFileSync(join(copy, "mutants.config.ts"), `export default ${JSON.stringify(config)};\n`);
}

function shuffled<T>(list: readonly T[]): T[] {
  const all = [...list];
  for (let i = all.length - 1; i > 0; i -= 1) {
    const j = Math.floor(roll() * (i + 1));
    [all[i], all[j]] = [all[j] as T, all[i] as T];
  }
  return all;
}

async function judgeAll(mutants: readonly Mutant[], related: Related): Promise<Map<string, Row>> {
  const known = survivors();
  const rows = new Map<string, Row>();
  const until = Date.now() + Number(values.minutes) * 60_000;
  for (const mutant of mutants) {
    if (Date.now() > until) break;
    const folder = mutant.file
      .split("/")
      .slice(0, 3)
      .join("/")
      .replace(/\/[^/]*\.ts$/, "");
    const row = rows.get(folder) ?? { killed: 0, "timed out": 0, survived: 0, judged: 0 };
    rows.set(folder, row);
    const nearest = related.of(mutant.file);
    const most = Number(values.tests);
    const quick = nearest.filter((test) => test.startsWith("src/")).slice(0, 2 * most);
    const tests = [...quick, ...nearest.filter((test) => !test.startsWith("src/")).slice(0, most)];
    const verdict = known.has(`${mutant.file}: ${mutant.name}`) ? "judged" : await judge(mutant, tests);
    row[verdict] += 1;
    const place = `${mutant.file}:${mutant.line}`;
    if (verdict !== "killed")
      console.log(`${verdict.padEnd(9)} ${place}  ${mutant.name}  (${tests.length} tests)`);
  }
  return rows;
}

/** The keys of the list: each line is `- FILE: \`NAME\` — reason`. */
function survivors(): Set<string> {
  const path = join(root, SURVIVORS);
  if (!existsSync(path)) return new Set();
  const lines = readFileSync(path, "utf8").matchAll(/^- (\S+): `([^`]+)`/gm);
  return new Set([...lines].map(([, file, name]) => `${file}: ${name}`));
}

/** The tests beside the source first: all of them together take no longer than one of the others. */
async function judge(mutant: Mutant, tests: readonly string[]): Promise<Verdict> {
  const path = join(copy, mutant.file);
  const source = readFileSync(path, "utf8");
  const usable = tests.filter((test) => !unusable.has(test));
  try {
    const quick = usable.filter((test) => test.startsWith("src/"));
    for (const part of [quick, usable.filter((test) => !quick.includes(test))]) {
      if (part.length === 0) continue;
      writeFileSync(path, source.slice(0, mutant.start) + mutant.text + source.slice(mutant.end));
      const failed = await run(part);
      if (failed === null) return "timed out";
      if (failed.length === 0) continue;
      writeFileSync(path, source);
      if (await isSound(failed)) return "killed";
      return await judge(mutant, tests); // without the tests that fail by themselves
    }
    return "survived";
  } finally {
    writeFileSync(path, source);
  }
}

/** Whether at least one of the tests passes without a fault: a test that fails anyway notices nothing. */
async function isSound(tests: readonly string[]): Promise<boolean> {
  for (const test of tests) {
    if (!sound.has(test) && !unusable.has(test)) {
      const failed = await run([test]);
      (failed?.length === 0 ? sound : unusable).add(test);
      if (unusable.has(test)) console.log(`not used: ${test} fails without a fault`);
    }
    if (sound.has(test)) return true;
  }
  return false;
}

/** The test files that fail, or null when the run took too long. */
async function run(tests: readonly string[]): Promise<string[] | null> {
  const report = join(copy, "report.json");
  rmSync(report, { force: true });
  const vitest = join(copy, "node_modules/vitest/vitest.mjs");
  const options = ["--config", "mutants.config.ts", "--reporter=json", `--outputFile=${report}`];
  const child = spawn(process.execPath, [vitest, "run", ...options, ...tests], {
    cwd: copy,
    stdio: "ignore",
    detached: true,
  });
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    if (child.pid) process.kill(-child.pid, "SIGKILL");
  }, Number(values.timeout) * 1_000);
  await new Promise((done) => child.once("close", done));
  clearTimeout(timer);
  if (isLate) return null;
  if (!existsSync(report)) return [...tests];
  type Report = { readonly testResults: readonly { readonly name: string; readonly status: string }[] };
  const { testResults } = JSON.parse(readFileSync(report, "utf8")) as Report;
  return testResults.flatMap(({ name, status }) =>
    status === "failed" ? [name.replace(`${copy}/`, "")] : [],
  );
}

function print(rows: ReadonlyMap<string, Row>): void {
  const head = ["folder", "killed", "timed out", "survived", "judged", "survived %"];
  const lines = [...rows].sort(([a], [b]) => a.localeCompare(b)).map(([folder, row]) => lineOf(folder, row));
  const total = { killed: 0, "timed out": 0, survived: 0, judged: 0 };
  for (const row of rows.values()) for (const key of Object.keys(total) as Verdict[]) total[key] += row[key];
  const all = [head, ...lines, lineOf("all", total)];
  const widths = head.map((_, i) => Math.max(...all.map((line) => (line[i] ?? "").length)));
  for (const line of all)
    console.log(
      line
        .map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0)))
        .join("  "),
    );
}

function lineOf(folder: string, row: Row): string[] {
  const counted = row.killed + row["timed out"] + row.survived;
  const share = counted === 0 ? "" : ((100 * row.survived) / counted).toFixed(1);
  return [
    folder,
    ...(["killed", "timed out", "survived", "judged"] as const).map((key) => String(row[key])),
    share,
  ];
}
