import { expect, it } from "vitest";
import { gateParts } from "./gate-script.ts";
import { type Passer, passerOf, type Tampering } from "./passes.ts";

// By what can be asked: nobody, a person, a reviewer, both. First for a task that is not meant to change its judge.
const TABLE: readonly (readonly [Tampering, boolean, readonly Passer[]])[] = [
  ["second gate", false, ["gate", "gate", "gate", "gate"]],
  ["second gate", true, ["nobody", "person", "reviewer", "reviewer"]],
  ["review", false, ["gate", "gate", "reviewer", "reviewer"]],
  ["review", true, ["nobody", "person", "reviewer", "reviewer"]],
  ["person", false, ["person", "person", "person", "person"]],
  ["person", true, ["person", "person", "person", "person"]],
  ["note", true, ["nobody", "nobody", "nobody", "nobody"]],
  ["off", false, ["nobody", "nobody", "nobody", "nobody"]],
];
it.each(TABLE)("%s, meant to change its judge %s: %j", (setting, isMeant, wanted) => {
  const cases = [0, 1, 2, 3].map((nth) => ({ person: nth % 2 === 1, reviewer: nth > 1 }));
  expect(cases.map((can) => passerOf(setting, isMeant, can))).toEqual(wanted);
});

it("reads the line behind a shell, and no code behind an interpreter", async () => {
  const read = async (path: string) => (path.endsWith(".sh") ? "true\n" : "code\n");
  const filesOf = async (gate: string) => [...(await gateParts(gate, read, new Set())).keys()];
  expect(await filesOf(`node -e 'require("./sum.js").sum(1, 2) === 3 || exit(1)'`)).toEqual([]);
  expect(await filesOf("python3 -c 'import app.py; app.run()'")).toEqual([]);
  expect(await filesOf("sh -c 'sh check.sh fast'")).toEqual(["check.sh"]);
});
