/** The proof of a sandbox that cannot start a program at one moment, and at the next. */
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { takeAway } from "../../../test/fixtures/take-away.ts";
import type { ConfinedProgram, Program } from "../../ports/index.ts";
import { proofFault } from "./proof.ts";

const plain = (program: Program): ConfinedProgram =>
  ({ ...program, descriptors: [], done: () => {} }) as unknown as ConfinedProgram;
const failing = (program: Program): ConfinedProgram =>
  plain({ ...program, file: "/bin/sh", args: ["-c", "echo 'bwrap: no such mount' >&2; exit 126"] });

it.each([
  [0, "a write outside succeeds"],
  [2, "a write outside succeeds"],
  [3, "it cannot run a program: bwrap: no such mount"],
])("after %s starts that failed says: %s", async (failures, fault) => {
  const home = mkdtempSync(join(tmpdir(), "ekiden-proof-"));
  onTestFinished(() => takeAway(home));
  let starts = 0;
  const said = await proofFault(join(home, "proof"), home, async (program) => {
    starts += 1;
    return starts > failures ? plain(program) : failing(program);
  });
  expect(said).toBe(fault);
});
