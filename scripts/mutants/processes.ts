/**
 * Shows faults to the tests that start the program as a process. The copy is built with all switches in it; the built program reads from
 * a file which fault is on, because tests give their processes an environment of their own. One fault at a time, so it is slow.
 */
import { spawn } from "node:child_process";
import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { State } from "./campaign.ts";
import type { Known } from "./known.ts";
import { SWITCH } from "./protocol.ts";

/** Tests of the project `system` that run the program. Those of the page and the sandbox need a browser and bubblewrap. */
const STARTS_PROGRAM = /^test\/e2e\/(?!web\/|sandbox\/|.*\/(machines|real-)).*\.test\.ts$/;

export class Processes {
  private readonly copy: string;
  private readonly known: Known;
  private readonly fault: string;
  private readonly passes: string;

  constructor(copy: string, known: Known) {
    this.copy = copy;
    this.known = known;
    this.fault = join(copy, "fault-on");
    this.passes = join(copy, "faults-passed");
  }

  /** `page`: the built page, which has no faults. Throws when the program does not build. */
  async build(page: string): Promise<void> {
    const { code, output } = await this.node("node_modules/tsdown/dist/run.mjs");
    if (code !== 0) throw new Error(`The copy with the faults does not build:\n${output}`);
    cpSync(page, join(this.copy, "dist/web"), { recursive: true });
    const main = join(this.copy, "dist/main.js");
    const [shebang, ...rest] = readFileSync(main, "utf8").split("\n");
    writeFileSync(main, [shebang, this.switch(), ...rest].join("\n"));
  }

  /** Shows the faults that are alive to the fastest of `files` that pass their switches, each for `ms` at most, one file at least. */
  async judge(
    states: readonly State[],
    files: readonly string[],
    ms: number,
    after: () => void,
  ): Promise<void> {
    const alive = states.filter(({ verdict }) => verdict === "alive");
    const tests = files.filter((file) => STARTS_PROGRAM.test(file));
    const usable: string[] = [];
    for (const test of tests) if (alive.length > 0 && (await this.isUsable(test))) usable.push(test);
    for (const state of alive) {
      const sorted = usable
        .filter((test) => this.known.mayPass(test, state.fault))
        .sort((a, b) => this.timeOf(a) - this.timeOf(b));
      let left = ms;
      for (const test of sorted) {
        if (state.verdict !== "alive" || left <= 0) break;
        left -= this.timeOf(test);
        state.asked.add(test);
        // A test that fails without the fault, too, says nothing about it.
        if (!(await this.isPassed(test, state.fault.id)) && (await this.isPassed(test, null)))
          state.verdict = "killed";
      }
      console.log(`processes: ${state.fault.file}:${state.fault.line} ${state.verdict}`);
      after();
    }
  }

  private timeOf(test: string): number {
    return this.known.timeOf(test) ?? 0;
  }

  /** Runs a test file without a fault, unless that was done before, and notes the switches that its processes pass. */
  private async isUsable(test: string): Promise<boolean> {
    if (this.known.isNoted(test)) return true;
    rmSync(this.passes, { force: true });
    writeFileSync(this.passes, "");
    const since = Date.now();
    const isPassed = await this.isPassed(test, null);
    const ids = new Set(readFileSync(this.passes, "utf8").split("\n").filter(Boolean).map(Number));
    rmSync(this.passes);
    if (isPassed) this.known.note(test, Date.now() - since, [...ids]);
    console.log(isPassed ? `${test}: its processes pass ${ids.size} faults` : `not used: ${test} fails`);
    return isPassed;
  }

  private async isPassed(test: string, fault: number | null): Promise<boolean> {
    writeFileSync(this.fault, String(fault));
    const args = ["node_modules/vitest/vitest.mjs", "run", "--bail", "1", test];
    return (await this.node(...args)).code === 0;
  }

  private node(...args: readonly string[]): Promise<{ code: number | null; output: string }> {
    const env = { ...process.env, XDG_CONFIG_HOME: join(this.copy, "config") };
    const child = spawn(process.execPath, args, { cwd: this.copy, env, stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += chunk));
    return new Promise((done, failed) =>
      child.once("error", failed).once("close", (code) => done({ code, output })),
    );
  }

  /** Passes are noted only while the file for them is there. */
  private switch(): string {
    return `{
      const { appendFileSync, existsSync, readFileSync } = require("node:fs");
      const on = Number.parseInt(readFileSync(${JSON.stringify(this.fault)}, "utf8"));
      const passed = existsSync(${JSON.stringify(this.passes)}) ? new Set() : null;
      ${SWITCH} = (id) => {
        if (passed && !passed.has(id)) {
          passed.add(id);
          try { appendFileSync(${JSON.stringify(this.passes)}, id + "\\n"); } catch {}
        }
        return id === on;
      };
    }`.replaceAll(/\n\s*/g, " ");
  }
}
