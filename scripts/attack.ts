/**
 * `npm run attack [-- KIND…]`: plays the attacks of this repository on this machine, kind by kind, in at most ten minutes, and prints a line
 * for each with what was tried and each hole. It exits with 1 when there is one. The attacks are the tests themselves: a hole is one that fails.
 */
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ESCAPES } from "../test/fixtures/escapes.ts";
import { GIT_ATTACKS } from "../test/fixtures/git-attacks.ts";
import { sections } from "../test/hostile/corpus.ts";
import { isFresh, ROOT } from "./fresh.ts";
import { homeIfNone } from "./home.ts";

const MINUTES = 10;
const SANDBOX = "test/e2e/sandbox/sandbox";

type Kind = {
  readonly files: readonly string[];
  /** Rows of tables that one test plays as a whole. */
  readonly rows?: () => string;
};
/** The quick ones first. */
const KINDS: Readonly<Record<string, Kind>> = {
  text: {
    files: [
      "test/hostile/work.test.ts",
      "src/core/conversation/foreign.test.ts",
      "test/hostile/secrets.test.ts",
    ],
  },
  lines: {
    files: [
      "test/hostile/judged.test.ts",
      "test/hostile/limits.test.ts",
      "src/core/permission/shell-line.test.ts",
    ],
    rows: () => `${linesOf((heading) => !heading.startsWith("silent"))} hostile lines in each mode`,
  },
  agents: {
    files: ["hosted-steering", "hosted-hostile", "acp-hostile", "mcp-hostile"].map(
      (name) => `test/e2e/agents/${name}.test.ts`,
    ),
  },
  sandbox: {
    files: ["-escapes", "-visible", "-closed", "-nested", "-new-files", "-sockets", "-mounts", "-open"].map(
      (name) => `${SANDBOX}${name}.test.ts`,
    ),
    rows: () => `${ESCAPES.length} ways out`,
  },
  git: {
    files: [
      ...["-git-runs", "-push-hooks", "-objects", "-own-git"].map((name) => `${SANDBOX}${name}.test.ts`),
      ...["clones", "git-attacks"].map((name) => `test/e2e/landing/${name}.test.ts`),
      "src/adapters/git/hardening.test.ts",
    ],
    rows: () => `${GIT_ATTACKS.length} attacks on landings`,
  },
  clones: { files: ["clones", "trust", "provenance"].map((name) => `test/hostile/${name}.test.ts`) },
  effects: {
    files: ["test/hostile/effects.test.ts"],
    rows: () => `lines of ${linesOf(() => true)} that are run`,
  },
};

const linesOf = (isWanted: (heading: string) => boolean): number =>
  sections().reduce((sum, { heading, lines }) => sum + (isWanted(heading) ? lines.length : 0), 0);

type Assertion = { readonly status: string; readonly fullName: string };
type Report = {
  readonly testResults: readonly {
    readonly name: string;
    readonly message: string;
    readonly assertionResults: readonly Assertion[];
  }[];
};

/** Null: the time was over. */
async function play({ files }: Kind, ms: number): Promise<Report | null> {
  const folder = mkdtempSync(join(tmpdir(), "ekiden-attack-"));
  const output = join(folder, "report.json");
  const args = [
    "node_modules/vitest/vitest.mjs",
    "run",
    "--reporter=json",
    `--outputFile=${output}`,
    ...files,
  ];
  const child = spawn(process.execPath, args, {
    ...{ cwd: ROOT, stdio: "ignore", detached: true },
    // All rows of the tables, but for the lines of `effects`.
    env: {
      ...process.env,
      ...homeIfNone(),
      EKIDEN_WHOLE: "1",
      EKIDEN_EVERY: process.env.EKIDEN_EVERY ?? "20",
    },
  });
  const timer = setTimeout(() => child.pid && process.kill(-child.pid, "SIGTERM"), ms);
  await new Promise((resolve) => child.once("close", resolve));
  clearTimeout(timer);
  try {
    return JSON.parse(readFileSync(output, "utf8")) as Report;
  } catch {
    return null;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !Object.hasOwn(KINDS, name));
if (unknown.length > 0)
  throw new Error(`No kind ${unknown.join(", ")}. Kinds: ${Object.keys(KINDS).join(", ")}.`);
if (!isFresh("dist/main.js")) spawnSync("npm", ["run", "build"], { cwd: ROOT, stdio: "inherit" });
const until = performance.now() + MINUTES * 60_000;
let holes = 0;
const unplayed: string[] = [];
for (const [name, kind] of Object.entries(KINDS)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  const began = performance.now();
  const report = began < until ? await play(kind, until - began) : null;
  if (report === null) {
    unplayed.push(name);
    continue;
  }
  const all = report.testResults.flatMap(({ assertionResults }) => assertionResults);
  const of = (status: string): Assertion[] => all.filter((one) => one.status === status);
  // A file that could not be read shows nothing about its attacks.
  const broken = report.testResults.filter((one) => one.assertionResults.length === 0 && one.message !== "");
  const open = [
    ...of("failed").map(({ fullName }) => fullName),
    ...broken.map((one) => `${one.name}: ${one.message}`),
  ];
  holes += open.length;
  const skipped = all.length - of("passed").length - of("failed").length;
  const notes = [kind.rows?.(), skipped > 0 && `${skipped} could not be tried here`].filter(Boolean);
  console.log(
    `${name.padEnd(8)} ${String(of("passed").length).padStart(4)} held, ${open.length} open${notes.map((note) => `, ${note}`).join("")} (${Math.round((performance.now() - began) / 1_000)} s)`,
  );
  for (const hole of open) console.log(`  hole: ${hole.slice(0, 300)}`);
}
if (unplayed.length > 0)
  console.log(
    `Not played, because ${MINUTES} minutes were over: ${unplayed.join(", ")}. Name them: npm run attack -- ${unplayed.join(" ")}`,
  );
process.exitCode = holes > 0 ? 1 : 0;
