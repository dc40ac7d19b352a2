/**
 * What `ekiden doctor --gate` says of small projects with planted weaknesses, against the truth: each fault is judged by the gate and by all
 * that the code does. EKIDEN_LEAK_PROJECTS=20 is the whole size, which takes minutes.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { mutantsOf, withMutant } from "../../../src/core/gate/mutants.ts";
import { type Leaky, leakyProject, PARTS } from "../../fixtures/leaky-projects.ts";
import { repositoryIn } from "../../fixtures/repository.ts";
import { Project } from "../cli-program.ts";

const PROJECTS = Number(process.env.EKIDEN_LEAK_PROJECTS ?? 1);
const WITHIN = 0.03;
const PARTS_EACH = 5;
const WEAK_EACH = 2;
/** A fault can make a loop without an end. */
const LIMIT_MS = 3_000;

const names = Object.keys(PARTS);
/** Others for each number, also once each part has been the first, the same for the same one. */
const chosen = (nth: number): string[] => {
  const step = nth < names.length ? 7 : 5;
  return Array.from({ length: PARTS_EACH }, (_, at) => names[(nth * 5 + at * step) % names.length] ?? "");
};

type Report = {
  readonly leak: number;
  readonly killed: number;
  readonly of: number;
  readonly timedOut: number;
};

/** Null: it failed; undefined: it took too long. */
function ran(dir: string, [program = "", ...args]: readonly string[]): string | null | undefined {
  try {
    return execFileSync(program, args, {
      cwd: dir,
      encoding: "utf8",
      timeout: LIMIT_MS,
      killSignal: "SIGKILL",
      stdio: "pipe",
    });
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ETIMEDOUT" ? undefined : null;
  }
}

/** The part of the real faults that the gate does not notice, as it is defined: without those that it cannot judge in time. */
function truth(
  dir: string,
  { path, files, gate, oracle }: Leaky,
): { leak: number; same: number; real: number } {
  const text = files[path] ?? "";
  const lines = new Set(text.split("\n").map((_, nth) => nth + 1));
  const wanted = ran(dir, oracle);
  const counts = { real: 0, survived: 0, same: 0 };
  for (const one of mutantsOf(path, text, lines)) {
    writeFileSync(join(dir, path), withMutant(text, one));
    const did = ran(dir, oracle);
    if (did === wanted) counts.same += 1;
    else {
      // A fault for which the gate takes too long says nothing of it.
      const judged = ran(dir, ["sh", "-c", `exec env ${gate}`]);
      if (judged === undefined) continue;
      counts.real += 1;
      if (judged !== null) counts.survived += 1;
    }
  }
  writeFileSync(join(dir, path), text);
  return { leak: counts.survived / counts.real, same: counts.same, real: counts.real };
}

it.each(Array.from({ length: PROJECTS }, (_, nth) => nth))(
  "tells the leak of project %i within 3 points",
  { timeout: 600_000 },
  async (nth) => {
    const own = chosen(nth);
    const weak = new Set(own.slice(0, nth % (WEAK_EACH + 2)));
    const leaky = leakyProject(nth % 2 === 0 ? "js" : "py", own, weak);
    const project = new Project();
    onTestFinished(() => project.end());
    repositoryIn(project.dir, { ...leaky.files, ".gitignore": ".ekiden/\n" });
    const copy = join(project.dir, ".ekiden", "copy");
    for (const [path, text] of Object.entries(leaky.files)) {
      mkdirSync(dirname(join(copy, path)), { recursive: true });
      writeFileSync(join(copy, path), text);
    }
    const real = truth(copy, leaky);
    const { stdout, stderr } = await project.run(["doctor", "--gate", "--json"], {
      env: { EKIDEN_GATE: leaky.gate, EKIDEN_SANDBOX: "off" },
    });
    expect(stderr).toBe("");
    const report = JSON.parse(stdout) as Report;
    const off = Math.abs(report.leak - real.leak);
    if (PROJECTS > 1)
      console.log(
        `${nth} ${leaky.path}: told ${(100 * report.leak).toFixed(1)} %, true ${(100 * real.leak).toFixed(1)} % (${report.of} faults, ${real.same} of them change nothing, ${report.timedOut} too slow)`,
      );
    expect(off, JSON.stringify({ report: { ...report, survivors: [] }, real })).toBeLessThanOrEqual(WITHIN);
  },
);
