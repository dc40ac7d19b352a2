/**
 * `npm run mutants -- --minutes N --seed S --files PREFIX,…`: puts small faults into the source, one at a time, and runs the tests
 * that run the function of the fault, the fastest first. A fault that no test notices is a survivor: a test is missing, or the fault
 * changes nothing that matters. `test/mutants/survivors.md` lists the survivors that were judged, with the reason; they count apart.
 * The same seed takes the same faults in the same order, as far as the minutes reach. All of it happens in a copy: the project
 * itself is never written to.
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
import { type Mutant, mutantsOf } from "./mutants/mutate.ts";
import { Probes, REACH_FILE, readReach, setupFile } from "./mutants/reach.ts";
import { Related } from "./mutants/related.ts";
import { Runner } from "./mutants/runner.ts";

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "10" },
    seed: { type: "string" },
    files: { type: "string", default: "src/core,src/runtime" },
    /** Only faults whose line of output contains one of these texts. */
    only: { type: "string", multiple: true, default: [""] },
    /** How many seconds of tests may be spent on one fault, as long as they took without a fault. */
    seconds: { type: "string", default: "60" },
    /** A file that keeps which tests reach which functions, and how long they take. Tests that it does not have are added. */
    reach: { type: "string" },
  },
});
const seed = Number(values.seed ?? Date.now() % 1_000_000);
const roll = dice(seed);
const root = resolve(import.meta.dirname, "..");
const SURVIVORS = "test/mutants/survivors.md";
/** A run of tests is given up after this many times of what it took without a fault, and at least the milliseconds. */
const SLOWER = 5;
const LEAST_MS = 30_000;

type Verdict = "killed" | "timed out" | "survived" | "judged" | "unsure";
type Row = Record<Verdict, number>;
type Reach = { readonly tests: Record<string, readonly string[]>; readonly ms: Record<string, number> };

/** Files that were written since the last run of tests. */
const changed = new Set<string>();
const copy = mkdtempSync(join(tmpdir(), "ekiden-mutants-"));
const postgres = await startPostgres();
const runner = new Runner(copy, {
  pool: "forks",
  maxWorkers: 2,
  bail: 1,
  reporters: [],
  testTimeout: 60_000,
  hookTimeout: 60_000,
  include: ["src/**/*.test.ts", "test/**/*.test.ts"],
  env: { XDG_CONFIG_HOME: join(copy, "config") },
  provide: { postgresUrl: postgres.url },
});
try {
  const files = listed();
  place(files);
  const isTest = (file: string): boolean =>
    /\.test\.tsx?$/.test(file) &&
    !/^test\/(chaos|hostile\/(?!judged)|architecture|e2e\/(web|sandbox))/.test(file);
  const prefixes = values.files.split(",");
  const sources = files.filter(
    (file) =>
      /^src\/.*\.ts$/.test(file) && !/\.test\.ts$/.test(file) && prefixes.some((one) => file.startsWith(one)),
  );
  const related = new Related(copy, files.filter(isTest));
  const reach = await reached(sources, related);
  const mutants = shuffled(
    sources.flatMap((file) => mutantsOf(file, readFileSync(join(copy, file), "utf8"))),
  ).filter((mutant) => values.only.some((text) => shown(mutant).includes(text)));
  console.log(`seed ${seed}: ${mutants.length} faults in ${sources.length} files, ${values.minutes} minutes`);
  print(await judgeAll(mutants, related, reach));
} finally {
  await runner.close();
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
}

/** Runs every test that imports one of the sources once, without a fault and with the probes. Tests that fail are not used. */
async function reached(sources: readonly string[], related: Related): Promise<Reach> {
  const isKept = values.reach !== undefined && existsSync(values.reach);
  const kept = isKept ? (JSON.parse(readFileSync(values.reach as string, "utf8")) as Reach) : null;
  const report = join(copy, REACH_FILE);
  writeFileSync(join(copy, "probes.ts"), setupFile(report));
  for (const file of sources) {
    const source = readFileSync(join(root, file), "utf8");
    writeFileSync(join(copy, file), new Probes(file, source).probed(source));
  }
  const tests = [...new Set(sources.flatMap((file) => related.of(file)))].filter(
    (test) => kept?.ms[test] === undefined,
  );
  const probing = new Runner(copy, { ...runner.options, bail: 0, setupFiles: [join(copy, "probes.ts")] });
  const ms: Record<string, number> = { ...kept?.ms };
  try {
    for (const test of tests) {
      const answer = (await probing.run({ tests: [test], changed: [] }, 5 * 60_000))?.[test];
      if (answer?.passed) ms[test] = answer.ms;
      else console.log(`not used: ${test} ${answer ? "fails" : "takes too long"} without a fault`);
    }
  } finally {
    await probing.close();
    for (const file of sources) cpSync(join(root, file), join(copy, file));
  }
  const found: Reach = { tests: { ...kept?.tests }, ms };
  for (const [key, by] of readReach(report, copy)) found.tests[key] = [...(found.tests[key] ?? []), ...by];
  if (values.reach) writeFileSync(values.reach, JSON.stringify(found));
  return found;
}

function shuffled<T>(list: readonly T[]): T[] {
  const all = [...list];
  for (let i = all.length - 1; i > 0; i -= 1) {
    const j = Math.floor(roll() * (i + 1));
    [all[i], all[j]] = [all[j] as T, all[i] as T];
  }
  return all;
}

async function judgeAll(
  mutants: readonly Mutant[],
  related: Related,
  reach: Reach,
): Promise<Map<string, Row>> {
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
    const row = rows.get(folder) ?? { killed: 0, "timed out": 0, survived: 0, judged: 0, unsure: 0 };
    rows.set(folder, row);
    const tests = testsOf(mutant, related, reach);
    const isKnown = known.has(`${mutant.file}: ${mutant.name}`);
    const verdict = isKnown ? "judged" : await judge(mutant, tests, reach);
    row[verdict] += 1;
    if (verdict !== "killed") console.log(`${verdict.padEnd(9)} ${shown(mutant)}  (${tests.length} tests)`);
  }
  return rows;
}

function shown({ file, line, name }: Mutant): string {
  return `${file}:${line}  ${name}`;
}

/** The fastest first, up to the limit; a file's own test is always among them. */
function testsOf({ file, start }: Mutant, related: Related, reach: Reach): string[] {
  const key = new Probes(file, readFileSync(join(copy, file), "utf8")).keyAt(start);
  const by = reach.tests[key] ?? related.of(file);
  const usable = by.filter((test) => reach.ms[test] !== undefined);
  const cost = (test: string): number => reach.ms[test] ?? 0;
  const sorted = usable.sort((a, b) => cost(a) - cost(b));
  let left = Number(values.seconds) * 1_000;
  return sorted.filter((test) => {
    left -= cost(test);
    return left >= 0 || test === file.replace(/\.ts$/, ".test.ts");
  });
}

/** The keys of the list: each line is `- FILE: \`NAME\` — reason`. */
function survivors(): Set<string> {
  const path = join(root, SURVIVORS);
  if (!existsSync(path)) return new Set();
  const lines = readFileSync(path, "utf8").matchAll(/^- (\S+): `([^`]+)`/gm);
  return new Set([...lines].map(([, file, name]) => `${file}: ${name}`));
}

/** The quick tests first: all of them together take no longer than one of the others. */
async function judge(mutant: Mutant, tests: readonly string[], reach: Reach): Promise<Verdict> {
  const path = join(copy, mutant.file);
  const source = readFileSync(path, "utf8");
  writeFileSync(path, source.slice(0, mutant.start) + mutant.text + source.slice(mutant.end));
  changed.add(mutant.file);
  try {
    const isQuick = (test: string): boolean => (reach.ms[test] ?? 0) < 1_000;
    const parts = [tests.filter(isQuick), ...inThrees(tests.filter((test) => !isQuick(test)))];
    for (const part of parts) {
      if (part.length === 0) continue;
      const usual = part.reduce((sum, test) => sum + (reach.ms[test] ?? 0), 0);
      const most = Math.max(LEAST_MS, SLOWER * usual);
      const answer = await runner.run({ tests: part, changed: [...changed] }, most);
      changed.clear();
      const failed = answer === null ? part : part.filter((test) => answer[test]?.passed === false);
      if (failed.length === 0) continue;
      // The machine may be busy: what also fails or hangs without the fault says nothing about the fault.
      writeFileSync(path, source);
      const sane = await runner.run({ tests: failed, changed: [mutant.file] }, most);
      if (sane === null || failed.some((test) => sane[test]?.passed !== true)) return "unsure";
      return answer === null ? "timed out" : "killed";
    }
    return "survived";
  } finally {
    writeFileSync(path, source);
    changed.add(mutant.file);
  }
}

function inThrees<T>(list: readonly T[]): T[][] {
  const parts: T[][] = [];
  for (let i = 0; i < list.length; i += 3) parts.push(list.slice(i, i + 3));
  return parts;
}

function print(rows: ReadonlyMap<string, Row>): void {
  const head = ["folder", "killed", "timed out", "survived", "judged", "unsure", "survived %"];
  const lines = [...rows].sort(([a], [b]) => a.localeCompare(b)).map(([folder, row]) => lineOf(folder, row));
  const total = { killed: 0, "timed out": 0, survived: 0, judged: 0, unsure: 0 };
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
    ...(["killed", "timed out", "survived", "judged", "unsure"] as const).map((key) => String(row[key])),
    share,
  ];
}
