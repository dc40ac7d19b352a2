/** These tests check what is built for others to import: the types of the library import nothing else, and the program does not contain them. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, it, onTestFinished } from "vitest";

const ROOT = resolve(import.meta.dirname, "../../..");
const DIST = join(ROOT, "dist");

const CONSUMER = `
import { LEAD, openHost, type Outcome, scripted, systemClock } from "ekiden";
export const lead: string = LEAD;
export const now: number = systemClock.now();
export async function run(cwd: string, settings: Parameters<typeof openHost>[0]["settings"]): Promise<number> {
  const host = await openHost({ cwd, env: {}, settings, interactive: false, openModel: async () => scripted([]) });
  await host.start({ goal: "Do it." });
  const outcome: Outcome = await host.done;
  return outcome.completed;
}
// @ts-expect-error a lead is not a number
export const wrong: number = LEAD;
`;

it("gives those who import the library its types", { timeout: 60_000 }, async () => {
  const folder = mkdtempSync(join(tmpdir(), "ekiden-published-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, "node_modules"));
  symlinkSync(ROOT, join(folder, "node_modules/ekiden"), "dir");
  writeFileSync(join(folder, "consumer.mts"), CONSUMER);
  const compilerOptions = {
    strict: true,
    noEmit: true,
    skipLibCheck: false,
    target: "es2023",
    module: "nodenext",
    types: ["node"],
    typeRoots: [join(ROOT, "node_modules/@types")],
  };
  writeFileSync(
    join(folder, "tsconfig.json"),
    JSON.stringify({ compilerOptions, include: ["consumer.mts"] }),
  );
  const compiler = spawn(process.execPath, [join(ROOT, "node_modules/tsnative/bin/tsc"), "-p", folder], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => {
    compiler.kill("SIGKILL");
  });
  let faults = "";
  compiler.stdout.on("data", (chunk: Buffer) => (faults += chunk.toString()));
  await once(compiler, "close");
  expect(faults).toBe("");
});

it("has its types in one file, and nothing they were made from in the program", () => {
  const files = readdirSync(DIST);
  expect(files.filter((file) => file.includes(".d."))).toEqual(["index.d.mts"]);
  const types = readFileSync(join(DIST, "index.d.mts"), "utf8");
  expect(types).not.toMatch(/from "\.\.?\//);
  expect(types).not.toContain("node_modules/"); // a type that is inferred from a schema brings all of zod
  // The build writes declarations as arrays of numbers and arrows while it bundles them.
  const residue = files.filter(
    (file) => file.endsWith(".js") && /=\[\d+,\(?[\w$,]*\)?=>\[/.test(readFileSync(join(DIST, file), "utf8")),
  );
  expect(residue).toEqual([]);
});
