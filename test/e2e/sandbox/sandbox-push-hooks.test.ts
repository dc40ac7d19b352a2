/** Hooks of a push that the person agreed to start what members have written, before anybody saw it: they run in the sandbox, or not at all. */
import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { bubblewrapOrSkip } from "../../fixtures/bubblewrap.ts";
import { type Confined, closeConfined, confined } from "../../fixtures/confined.ts";
import { landing, openTrees } from "../../fixtures/landing-trees.ts";
import { type Repository, repositoryIn } from "../../fixtures/repository.ts";

let base: string;
let repo: Repository;
let parts: Confined;
let remote: string;

/** Runs what the project holds, says what it was told, and leaves a file outside where it can. */
const HOOK = (name: string): string =>
  `#!/bin/sh\ntouch ../out/${name} 2>/dev/null\nsh ./script.sh\n[ ${name} != pre-push ] || { echo "$1"; cat; } > told\nexit $(cat code 2>/dev/null || echo 0)\n`;

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(homedir(), ".ekiden-push-hooks-")));
  mkdirSync(join(base, "out"));
  repo = repositoryIn(join(base, "ws"), {
    ...{ "a.txt": "a\n", ".gitignore": ".ekiden/\ntold\ncode\n" },
    "script.sh": "touch ../out/script 2>/dev/null; true\n",
  });
  remote = join(base, "remote");
  repo.git("clone", "--quiet", "--bare", repo.dir, remote);
  for (const name of ["pre-push", "reference-transaction"])
    writeFileSync(join(repo.dir, ".git/hooks", name), HOOK(name), { mode: 0o755 });
  parts = confined(base, repo.dir, { inWorktrees: true });
});
afterEach(() => closeConfined(parts, base));

bubblewrapOrSkip(describe)("a landing by a push", () => {
  it.each([
    ["push", true],
    ["push", false],
    ["pr", true],
  ] as const)("by %s runs hooks in the sandbox only, agreed to: %s", async (kind, trusted) => {
    const wayOut = { kind, remote, ...(kind === "pr" && { command: "true" }) };
    const { sandbox } = parts;
    const trees = await openTrees(repo.dir, parts.shell, { sandbox, gate: "true", wayOut, trusted });
    const task = landing.task(1);
    const { workspace, branch } = await trees.open(task);
    writeFileSync(join(workspace, "b.txt"), "b\n");
    const landed = await trees.land(task, landing.by);
    expect(landed.kind).toBe(kind === "pr" ? "proposed" : "landed");
    const pushed = execFileSync("git", [
      "-C",
      remote,
      "ls-tree",
      "--name-only",
      kind === "pr" ? branch : "main",
    ]);
    expect(pushed.toString()).toContain("b.txt");
    expect(execFileSync("ls", [join(base, "out")]).toString()).toBe("");
    expect(existsSync(join(repo.dir, "told"))).toBe(trusted);
    if (trusted)
      expect(readFileSync(join(repo.dir, "told"), "utf8")).toMatch(/^.+\n[0-9a-f]{40} [0-9a-f]{40} refs\//);
  });

  it("is refused by the hook, with its words", async () => {
    rmSync(join(repo.dir, ".git/hooks/reference-transaction"));
    writeFileSync(join(repo.dir, "script.sh"), "echo not so\n");
    repo.commit("Refuse");
    writeFileSync(join(repo.dir, "code"), "3\n");
    const { sandbox } = parts;
    const options = {
      sandbox,
      gate: "true",
      wayOut: { kind: "pr", remote, command: "true" },
      trusted: true,
    } as const;
    const trees = await openTrees(repo.dir, parts.shell, options);
    const task = landing.task(2);
    const { workspace } = await trees.open(task);
    writeFileSync(join(workspace, "b.txt"), "b\n");
    expect(await trees.land(task, landing.by)).toMatchObject({
      ...{ kind: "refused", evidence: expect.stringMatching(/The hook pre-push refuses:\s*not so/) },
    });
  });
});
