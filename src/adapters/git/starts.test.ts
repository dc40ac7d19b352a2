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

/** One of those of a landing reads the change while the gate runs. */
type Most = { begin: number; open: number; land: number; remove: number };
type Case = { trusted?: boolean; isMoved?: boolean; isPushed?: boolean };
const CASES: readonly (readonly [what: string, how: Case, most: Most])[] = [
  ["a gate", {}, { begin: 4, open: 4, land: 16, remove: 5 }],
  ["agreed hooks", { trusted: true }, { begin: 5, open: 4, land: 16, remove: 5 }],
  ["a target that moved", { isMoved: true }, { begin: 4, open: 4, land: 21, remove: 5 }],
  ["a remote", { isPushed: true }, { begin: 9, open: 6, land: 21, remove: 8 }],
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
