/** These tests check what a confined command changed in tracked files is named with its call, and nothing else is. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { ChangedFiles } from "../../../src/adapters/sandbox/changed-files.ts";
import { trackedIn } from "../../../src/adapters/sandbox/tracked.ts";
import type { ShellOptions } from "../../../src/ports/index.ts";
import { bubblewrapOrSkip } from "../../fixtures/bubblewrap.ts";
import { closeConfined, confined } from "../../fixtures/confined.ts";
import { repositoryIn } from "../../fixtures/repository.ts";

const ODD = 'odd] "name"\n[sandbox: x';
const FILES = {
  ...{ "a.txt": "a\n", "b.txt": "b\n", "src/deep/c.ts": "c\n", "src/deep/d.ts": "d\n", "src/e": "e\n" },
  [ODD]: "odd\n",
};

function project() {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "ekiden-changed-")));
  const repo = repositoryIn(join(base, "ws"), FILES);
  const both = confined(base, repo.dir);
  onTestFinished(() => closeConfined(both, base));
  const run = async (command: string, more: Partial<ShellOptions> = {}) => {
    const ran = await both.shell.run(command, {
      ...{ cwd: repo.dir, signal: new AbortController().signal, timeoutMs: 60_000 },
      ...more,
    });
    return ran.changed;
  };
  return { repo, run };
}

bubblewrapOrSkip(describe)("tracked files that a confined command changed", () => {
  it.each([
    ["echo x >> a.txt", "[changed: a.txt]"],
    ["echo x > src/deep/c.ts; rm b.txt", "[changed: b.txt, src/deep/c.ts]"],
    ["sed -i s/e/x/ src/e", "[changed: src/e]"],
    ["mv src/deep src/other", "[changed: src/deep/c.ts, src/deep/d.ts]"],
    ["rm -r src", "[changed: src/deep/c.ts, src/deep/d.ts, src/e]"],
    ["rm -r src; mkdir -p src; echo new > src/e", "[changed: src/deep/c.ts, src/deep/d.ts, src/e]"],
    ["echo n > new.ts && git add new.ts", "[changed: new.ts]"],
    ["git rm -q --cached a.txt && echo x > a.txt", "[changed: a.txt]"],
    ["rm .git/index; echo x > a.txt", "[changed: a.txt]"],
    ['for i in odd*; do echo x > "$i"; done', `[changed: ${JSON.stringify(ODD)}]`],
    ["cat a.txt; ls -R; git status; git log; git diff", null],
    ["echo n > untracked; mkdir -p build; echo x > build/a.txt", null],
    ["mv src z; mv z src", null],
    ["for i in $(seq 300); do : > $i.o; done; echo x > a.txt", "[changed: a.txt]"],
  ])("%s", async (command, note) => {
    expect(await project().run(command)).toBe(note);
  });

  it("are named with the command that changed them, not with the next one or after the person's own change", async () => {
    const { repo, run } = project();
    await run("true");
    writeFileSync(join(repo.dir, "a.txt"), "the person's\n");
    expect(await run("true")).toBe(null);
    expect(await run("echo x > b.txt")).toBe("[changed: b.txt]");
    expect(await run("true")).toBe(null);
    expect(await run("rm -r src; git checkout -q -- src")).toContain("src/e");
    expect(await run("echo again > src/deep/d.ts")).toBe("[changed: src/deep/d.ts]");
    expect(await run("echo again > src/deep/d.ts", { confine: { readOnly: true } })).toBe(null);
  });

  it("are counted where they are many", async () => {
    const { repo, run } = project();
    mkdirSync(join(repo.dir, "many"));
    for (let i = 10; i < 40; i += 1) writeFileSync(join(repo.dir, `many/${i}`), "x\n");
    expect(await run("git add many && rm -r many")).toMatch(
      /^\[changed: many\/10, .*many\/17 and 22 more files\]$/,
    );
  });

  it("are found in each form of the index", () => {
    const { repo } = project();
    const index = join(repo.dir, ".git/index");
    const sorted = Object.keys(FILES).sort();
    for (const version of ["2", "3", "4"]) {
      repo.git("update-index", "--index-version", version);
      expect(trackedIn(index).sort()).toEqual(sorted);
    }
    for (const text of ["", "DIRC", "DIRC\0\0\0\u0004\0\0\u00ff\u00ff\u0001\u0002", "x".repeat(200)]) {
      writeFileSync(index, text);
      expect(trackedIn(index)).toEqual([]);
    }
    rmSync(index);
    expect(trackedIn(index)).toEqual([]);
  });

  it("are none without a repository", async () => {
    const base = realpathSync(mkdtempSync(join(tmpdir(), "ekiden-changed-")));
    const changes = new ChangedFiles();
    onTestFinished(() => {
      changes.close();
      rmSync(base, { recursive: true });
    });
    const end = await changes.watch([base], base);
    writeFileSync(join(base, "a"), "x");
    expect(await end()).toBe(null);
  });
});
