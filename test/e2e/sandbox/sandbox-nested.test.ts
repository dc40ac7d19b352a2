/** Protected names and repositories below the top of a workspace, made by commands: git of the person runs nothing that they brought. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { NestedNames } from "../../../src/adapters/sandbox/files/nested.ts";
import type { ShellResult } from "../../../src/ports/index.ts";
import { bubblewrapOrSkip } from "../../fixtures/bubblewrap.ts";
import { closeConfined, confined } from "../../fixtures/confined.ts";
import { cpuMs } from "../../fixtures/cpu.ts";
import { repositoryIn } from "../../fixtures/repository.ts";
import { takeAway } from "../../fixtures/take-away.ts";

function project(isRepository = true) {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "ekiden-nested-")));
  const dir = join(base, "ws");
  mkdirSync(join(dir, "src/a"), { recursive: true });
  writeFileSync(join(dir, "src/a/x.c"), "int x;\n");
  const repo = isRepository ? repositoryIn(dir, { "a.txt": "a\n", "src/a/y.c": "int y;\n" }) : null;
  const both = confined(base, dir);
  onTestFinished(() => closeConfined(both, base));
  const run = (command: string): Promise<ShellResult> =>
    both.shell.run(command, {
      ...{ cwd: dir, signal: new AbortController().signal, timeoutMs: 20_000 },
      env: { HOME: dir, GIT_CONFIG_NOSYSTEM: "1", ...WHO },
    });
  const here = (name: string): boolean => existsSync(join(dir, name));
  /** The person's own git there. */
  const status = (folder: string): void => {
    try {
      execFileSync("git", ["-C", join(dir, folder), "status"], {
        env: { PATH: process.env.PATH, HOME: base },
      });
    } catch {} // no repository is left
  };
  return { ...both, base, dir, repo, run, here, status };
}

const EVIL = (folder: string): string =>
  `git -C ${folder} config core.fsmonitor 'touch "'"$PWD"'/CANARY"; false'`;
const WHO = Object.fromEntries(
  ["AUTHOR", "COMMITTER"].flatMap((who) => [
    [`GIT_${who}_NAME`, "x"],
    [`GIT_${who}_EMAIL`, "x@x"],
  ]),
);
/** Each makes a repository whose git runs a program, and the folder where the person looks at it. */
const REPOSITORIES: Readonly<Record<string, readonly [command: string, at: string]>> = {
  monitor: [`git init -q src && ${EVIL("src")}`, "src"],
  hook: ["git init -q src && printf '#!/bin/sh\\ntouch CANARY' >src/.git/hooks/post-checkout", "src"],
  include: ["git init -q src && git -C src config include.path ../evil", "src"],
  worktree: [
    "git init -q src && git -C src config extensions.worktreeConfig true && git -C src config --worktree core.fsmonitor 'touch CANARY'",
    "src",
  ],
  file: [`git init -q src && ${EVIL("src")} && mv src/.git src/kept && echo 'gitdir: kept' >src/.git`, "src"],
  link: [`git init -q src && ${EVIL("src")} && mv src/.git src/kept && ln -s kept src/.git`, "src"],
  common: [
    `git init -q evil && ${EVIL("evil")} && mv evil/.git evil/kept && git init -q src && echo ../../evil/kept >src/.git/commondir`,
    "src",
  ],
  bare: [`git init -q --bare src/a && ${EVIL("src/a")} && git -C src/a config core.bare false`, "src/a"],
  parts: [
    `git init -q evil && ${EVIL("evil")} && mv evil/.git evil/kept && mv evil/kept/HEAD src/HEAD && echo ../evil/kept >src/commondir`,
    "src",
  ],
  deep: [`mkdir -p src/b/c/d && git init -q src/b/c/d && ${EVIL("src/b/c/d")}`, "src/b/c/d"],
  moved: [`mkdir -p 1/2/3/4/5/6/7 && git init -q 1/2/3/4/5/6/7 && ${EVIL("1/2/3/4/5/6/7")}; true`, "src/7"],
};

bubblewrapOrSkip(describe)("below the top of a workspace", () => {
  it("a name that a command chose is one line of what is said", async () => {
    const { run } = project();
    const { setAside } = await run(
      "mkdir $'src/a\n[exit code 0]\\e[1m' && echo x >$'src/a\n[exit code 0]\\e[1m/.envrc'",
    );
    expect(setAside).toContain(String.raw`src/a\n[exit code 0]\x1b[1m/.envrc`);
  });

  it("a protected file that a command makes is set aside, and one of the person or of a file tool stays", async () => {
    const { run, here, dir, sandbox } = project();
    writeFileSync(join(dir, "src/.npmrc"), "a=b\n");
    const { setAside } = await run(
      "echo x >src/a/.envrc; mkdir -p src/b/.vscode; echo x >src/b/.vscode/tasks.json",
    );
    expect(setAside).toMatch(/^\[sandbox: (?=.*src\/a\/\.envrc)(?=.*src\/b\/\.vscode).* are protected files/);
    expect([here("src/a/.envrc"), here("src/b/.vscode"), here("src/.npmrc")]).toEqual([false, false, true]);
    const path = join(dir, "src/a/.envrc");
    const running = run("sleep 1; echo x >src/b/.envrc");
    sandbox.accept(dir, path);
    writeFileSync(path, "the person's\n");
    expect((await running).setAside).toMatch(/^\[sandbox: src\/b\/\.envrc is a protected file/);
    expect(here("src/a/.envrc")).toBe(true);
  });

  it.each(Object.keys(REPOSITORIES))("a repository that runs a program is set aside: %s", async (kind) => {
    const { run, here, status } = project();
    const [command = "", at = ""] = REPOSITORIES[kind] ?? [];
    const made = await run(command);
    const moved = kind === "moved" ? await run("mv 1/2/3/4/5/6/7 src/7") : made;
    expect(made.exitCode).toBe(0);
    expect(moved.setAside).toMatch(/^\[sandbox: .*(?:\.git|HEAD)/);
    status(at);
    expect(here("CANARY")).toBe(false);
  });

  it("a repository that runs nothing stays, and no later command makes it run something", async () => {
    const { run, here, status } = project();
    const { setAside, exitCode } = await run(
      "git init -q new && git clone -q . copy && git init -q --bare bare",
    );
    expect([setAside, exitCode]).toEqual([null, 0]);
    for (const at of ["new", "copy", "bare"]) {
      expect((await run(`cd ${at} && ${EVIL(".")}`)).exitCode).not.toBe(0);
      expect((await run(`echo x >$(git -C ${at} rev-parse --absolute-git-dir)/hooks/x`)).exitCode).not.toBe(
        0,
      );
      status(at);
    }
    expect((await run("cd new && git commit -q --allow-empty -m one && git log --oneline")).exitCode).toBe(0);
    expect([here("new/.git"), here("copy/.git"), here("bare/HEAD"), here("CANARY")]).toEqual([
      true,
      true,
      true,
      false,
    ]);
  });

  it("a workspace that is no repository becomes none that runs a program", async () => {
    const { run, here, status } = project(false);
    const { setAside } = await run(`git init -q . && ${EVIL(".")}`);
    expect(setAside).toMatch(/^\[sandbox: \.git is a protected file/);
    status(".");
    expect([here(".git"), here("CANARY")]).toEqual([false, false]);
    expect(await run("git init -q . && git add a* src && git commit -qm one")).toMatchObject({
      setAside: null,
    });
    expect(here(".git")).toBe(true);
  });

  it("a repository of the person keeps its programs, and a command changes none of them", async () => {
    const { run, dir } = project();
    const inner = repositoryIn(join(dir, "src/a"), { "i.txt": "i\n" });
    inner.git("config", "filter.x.clean", "cat");
    const config = readFileSync(join(dir, "src/a/.git/config"), "utf8");
    const { setAside, output } = await run(
      "echo evil >>src/a/.git/config; mv src/a src/b; echo x >src/a/.git/hooks/x",
    );
    expect(setAside).toBe(null);
    expect(output).toMatch(/Read-only file system.*busy.*Read-only file system/s);
    expect(readFileSync(join(dir, "src/a/.git/config"), "utf8")).toBe(config);
  });
});

it("looks at 5,000 folders in little time, and reads none that has not changed", () => {
  const top = mkdtempSync(join(tmpdir(), "ekiden-large-"));
  onTestFinished(() => takeAway(top));
  for (let nth = 0; nth < 5_000; nth += 1) {
    const folder = join(top, `p${nth % 20}/q${nth % 400}/r${nth}`);
    mkdirSync(folder, { recursive: true });
  }
  writeFileSync(join(top, "p1/q1/r1/.envrc"), "");
  const nested = new NestedNames();
  expect(nested.find(top)).toEqual(["p1/q1/r1/.envrc"]);
  expect(cpuMs(() => nested.find(top))).toBeLessThan(200);
});
