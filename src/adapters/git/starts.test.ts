/** The number of git processes for one task: a start costs a large process more than git's work, and others wait behind a landing. */
import { execFileSync } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { landing, openTrees } from "../../../test/fixtures/landing-trees.ts";
import { programFolder } from "../../../test/fixtures/program-folder.ts";
import { repository } from "../../../test/fixtures/repository.ts";
import { createShell } from "../shell/index.ts";

const GIT = execFileSync("/bin/sh", ["-c", "command -v git"], { encoding: "utf8" }).trim();
const [TASK, BY] = [landing.task(1), landing.by];

/** None of those of a landing is for the look at its change alone. */
type Most = { begin: number; open: number; land: number; remove: number };
type Case = { trusted?: boolean; isMoved?: boolean; isPushed?: boolean };
const CASES: readonly (readonly [what: string, how: Case, most: Most])[] = [
  ["a gate", {}, { begin: 4, open: 4, land: 15, remove: 5 }],
  ["agreed hooks", { trusted: true }, { begin: 5, open: 4, land: 15, remove: 5 }],
  ["a target that moved", { isMoved: true }, { begin: 4, open: 4, land: 19, remove: 5 }],
  ["a remote", { isPushed: true }, { begin: 9, open: 6, land: 20, remove: 8 }],
];

it.each(CASES)(
  "starts few git processes with %s",
  async (_, { trusted = false, isMoved, isPushed }, most) => {
    const repo = repository({ "a.txt": "a\n" });
    const bin = programFolder("git", `echo "$*" >> $HERE/calls\nexec ${GIT} "$@"`);
    const shell = createShell({ outputDir: join(repo.dir, ".ekiden", "output") });
    onTestFinished(() => shell.close());
    const remote = join(bin, "remote");
    if (isPushed) repo.git("clone", "--quiet", "--bare", repo.dir, remote);
    const wayOut = isPushed ? ({ kind: "push", remote } as const) : undefined;
    const options = { gate: "true", trusted, ...(wayOut && { wayOut }) };
    const isFew = (step: keyof Most): void => {
      const calls = readFileSync(join(bin, "calls"), "utf8").trim();
      rmSync(join(bin, "calls"));
      expect(calls.split("\n").length, `${step}:\n${calls}`).toBeLessThanOrEqual(most[step]);
    };
    const trees = await openTrees(repo.dir, shell, options, `${bin}:${process.env.PATH ?? ""}`);
    isFew("begin");
    const { workspace } = await trees.open(TASK);
    isFew("open");
    writeFileSync(join(workspace, "b.txt"), "b\n");
    if (isMoved) {
      repo.write({ "c.txt": "c\n" });
      repo.commit("Person");
    }
    expect(await trees.land(TASK, BY)).toMatchObject({ kind: "landed" });
    isFew("land");
    expect(await trees.remove(TASK)).toEqual({ kind: "removed" });
    isFew("remove");
  },
);

it("reads the script of the gate once for many landings, and again where it changes", async () => {
  const repo = repository({ "check.sh": "test -e a.txt\n", "a.txt": "a\n" });
  const bin = programFolder("git", `echo "$*" >> $HERE/calls\nexec ${GIT} "$@"`);
  const shell = createShell({ outputDir: join(repo.dir, ".ekiden", "output") });
  onTestFinished(() => shell.close());
  const path = `${bin}:${process.env.PATH ?? ""}`;
  const trees = await openTrees(repo.dir, shell, { gate: "sh check.sh" }, path);
  const reads: number[] = [];
  const files = ["1.txt", "2.txt", "check.sh", "3.txt"];
  for (const [nth, file] of files.entries()) {
    const task = landing.task(nth + 1);
    const { workspace } = await trees.open(task);
    writeFileSync(join(workspace, file), "test -e a.txt && echo green\n");
    rmSync(join(bin, "calls"));
    expect(await trees.land(task, BY)).toMatchObject({ kind: "landed" });
    reads.push(readFileSync(join(bin, "calls"), "utf8").match(/ cat-file blob /g)?.length ?? 0);
  }
  // Of the script that changes the one of the candidate is read; of the new target it is read again.
  expect(reads).toEqual([1, 0, 1, 1]);
});
