/** Says at the end of a run how many cases of long tables it has played (`sampled` in fixtures/fuzz.ts). Runs once, in the process of vitest. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { TURN } from "./fixtures/fuzz.ts";

export default function setup(): (() => void) | undefined {
  if (process.env.EKIDEN_SAMPLES) return; // each project calls it
  const folder = mkdtempSync(join(tmpdir(), "ekiden-samples-"));
  const file = join(folder, "tables");
  writeFileSync(file, "");
  process.env.EKIDEN_SAMPLES = file;
  return () => {
    const tables = readFileSync(file, "utf8").trim().split("\n").filter(Boolean);
    rmSync(folder, { recursive: true, force: true });
    const sum = (at: 0 | 1) => tables.reduce((all, one) => all + Number(one.split("/")[at]), 0);
    if (tables.length > 0)
      console.log(
        `Of ${tables.length} long tables this run played ${sum(0)} of ${sum(1)} cases (EKIDEN_FUZZ_SEED=${TURN}); EKIDEN_WHOLE=1 plays all.`,
      );
  };
}
