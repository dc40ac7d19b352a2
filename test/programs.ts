/** Builds programs of `fixtures` as one file each, once for all tests: they start them 200 times, and from source a start takes five times as long. */
import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { build, type Rolldown } from "vite";

const ROOT = resolve(import.meta.dirname, "..");
/** Below it the packages are found that are not bundled. */
const FOLDER = join(ROOT, "node_modules/.test-programs");

const PROGRAMS = ["store-worker", "landing-owner"] as const;
/** Their files. */
export type Programs = Readonly<Record<(typeof PROGRAMS)[number], string>>;

export const buildPrograms = async (): Promise<Programs> =>
  Object.fromEntries(await Promise.all(PROGRAMS.map(async (name) => [name, await built(name)]))) as Programs;

async function built(name: keyof Programs): Promise<string> {
  const made = await build({
    configFile: false,
    root: ROOT,
    logLevel: "error",
    ssr: { noExternal: true, external: ["@photostructure/sqlite"] },
    build: {
      ...{ ssr: `test/fixtures/${name}.ts`, write: false, target: "node20", minify: false },
      rolldownOptions: { output: { codeSplitting: false } },
    },
  });
  const [chunk, ...others] = (made as Rolldown.RolldownOutput).output.filter(({ type }) => type === "chunk");
  if (chunk?.type !== "chunk" || others.length > 0) throw new Error(`${name} is more than one file`);
  mkdirSync(FOLDER, { recursive: true });
  const path = join(FOLDER, `${name}.mjs`);
  // Another run of the tests may start it at this moment.
  const part = `${path}.${process.pid}`;
  writeFileSync(part, chunk.code);
  renameSync(part, path);
  return path;
}
