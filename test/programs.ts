/** Builds programs of `fixtures` as one file each, once for all tests: they start them 200 times, and from source a start takes five times as long. */
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { build, type Rolldown } from "vite";

const ROOT = resolve(import.meta.dirname, "..");
/** Programs here find the packages that are not bundled. */
const FOLDER = join(ROOT, "node_modules/.test-programs");

/** No run of tests takes so long. */
const OLD_MS = 86_400_000;
const PROGRAMS = [
  "store-worker",
  "landing-owner",
  "escape-owner",
  "git-attack-owner",
  "limits-owner",
  "port-owner",
] as const;
/** Their files. */
export type Programs = Readonly<Record<(typeof PROGRAMS)[number], string>>;

export async function buildPrograms(): Promise<Programs> {
  const built = await Promise.all(PROGRAMS.map(async (name) => [name, await fileOf(name)] as const));
  for (const path of readdirSync(FOLDER).map((file) => join(FOLDER, file)))
    if (Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0) > OLD_MS)
      rmSync(path, { force: true });
  return Object.fromEntries(built) as Programs;
}

/** @throws when it is more than one file */
export async function fileOf(name: keyof Programs): Promise<string> {
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
  // By its content: a copy of this repository with faults in it may share the folder.
  const hash = createHash("sha256").update(chunk.code).digest("hex").slice(0, 12);
  const path = join(FOLDER, `${name}-${hash}.mjs`);
  const part = `${path}.${process.pid}`;
  writeFileSync(part, chunk.code);
  renameSync(part, path);
  return path;
}
