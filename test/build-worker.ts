/** Builds `fixtures/store-worker.ts` as one file, once for all tests: some of them start it a hundred times, and from source a start takes five times as long. */
import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { build, type Rolldown } from "vite";

const ROOT = resolve(import.meta.dirname, "..");
/** Below it the packages are found that are not bundled. */
const FOLDER = join(ROOT, "node_modules/.test-programs");

/** Resolves with the path of the file. */
export async function buildStoreWorker(): Promise<string> {
  const built = await build({
    configFile: false,
    root: ROOT,
    logLevel: "error",
    ssr: { noExternal: true, external: ["@photostructure/sqlite"] },
    build: {
      ...{ ssr: "test/fixtures/store-worker.ts", write: false, target: "node20", minify: false },
      rolldownOptions: { output: { codeSplitting: false } },
    },
  });
  const [chunk, ...others] = (built as Rolldown.RolldownOutput).output.filter(({ type }) => type === "chunk");
  if (chunk?.type !== "chunk" || others.length > 0) throw new Error("store-worker is more than one file");
  mkdirSync(FOLDER, { recursive: true });
  const path = join(FOLDER, "store-worker.mjs");
  // Another run of the tests may start it at this moment.
  const part = `${path}.${process.pid}`;
  writeFileSync(part, chunk.code);
  renameSync(part, path);
  return path;
}
