/** Protected files that commands make: set aside with a word, but not those of a commit, of a file tool or of the person before. */
import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { ShellResult } from "../../../src/ports/index.ts";
import { bubblewrapOrSkip } from "../../fixtures/bubblewrap.ts";
import { type Confined, closeConfined, confined } from "../../fixtures/confined.ts";
import { repositoryIn } from "../../fixtures/repository.ts";

function project() {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "ekiden-new-files-")));
  const repo = repositoryIn(join(base, "ws"), { "a.txt": "a\n" });
  const both: Confined = confined(base, repo.dir);
  onTestFinished(() => closeConfined(both, base));
  const run = (command: string, onStart?: () => void): Promise<ShellResult> =>
    both.shell.run(command, {
      ...{ cwd: repo.dir, signal: new AbortController().signal, timeoutMs: 20_000 },
      env: { HOME: repo.dir },
      ...(onStart && { onStart }),
    });
  const here = (name: string): boolean => existsSync(join(repo.dir, name));
  return { ...both, base, repo, run, here };
}

bubblewrapOrSkip(describe)("a protected file that a command makes", () => {
  it("is set aside with a word, and git shows nothing", async () => {
    const { run, here, repo, base } = project();
    const { setAside, exitCode } = await run(
      "echo one > .envrc; mkdir .vscode; echo two > .vscode/tasks.json; echo x > plain",
    );
    expect(exitCode).toBe(0);
    expect(setAside).toMatch(/^\[sandbox: (?=.*\.envrc)(?=.*\.vscode).* are protected files/);
    expect([here(".envrc"), here(".vscode"), here("plain")]).toEqual([false, false, true]);
    expect(repo.git("status", "--porcelain")).toBe("?? plain");
    const [kept = ""] = readdirSync(join(base, "cache-set-aside"));
    const at = (name: string) => readFileSync(join(base, "cache-set-aside", kept, name), "utf8");
    expect([at(".envrc"), at(".vscode/tasks.json")]).toEqual(["one\n", "two\n"]);
  });

  it("is not read where it is larger than anything that a commit would hold", async () => {
    const { run, here } = project();
    await run("true");
    const before = process.cpuUsage();
    const { setAside } = await run("truncate -s 1900M .envrc");
    const { user, system } = process.cpuUsage(before);
    expect([setAside?.includes(".envrc"), here(".envrc")]).toEqual([true, false]);
    expect((user + system) / 1_000).toBeLessThan(800);
  });

  it("goes also where its folders are too deep for a path, and holds up nothing after it", async () => {
    const { run, here } = project();
    const deep = (name: string) =>
      `perl -e 'for ("${name}", ("d") x 3000) { mkdir $_ or die $!; chdir $_ or die $! }'`;
    const { setAside, exitCode } = await run(deep(".husky"));
    expect([exitCode, setAside?.includes(".husky"), here(".husky")]).toEqual([0, true, false]);
    expect((await run(`cd "$(git rev-parse --git-path objects)" && ${deep("d")}`)).exitCode).toBe(0);
    expect(await run("echo x > .envrc")).toMatchObject({ exitCode: 0 });
    expect(here(".envrc")).toBe(false);
  });

  it("stays where a merge brings it, and not what is changed on the way", async () => {
    const { run, here, repo } = project();
    repo.git("checkout", "--quiet", "-b", "more");
    repo.write({ ".vscode/tasks.json": "{}\n", ".npmrc": "a=b\n" });
    repo.commit("settings");
    repo.git("checkout", "--quiet", "main");
    const merged = await run(
      "git merge --quiet --ff-only more && echo evil > .vscode/new.json && echo evil >> .npmrc",
    );
    expect(merged.setAside).toContain(".npmrc");
    expect(merged.setAside).toContain(".vscode/new.json");
    expect([here(".vscode/tasks.json"), here(".vscode/new.json"), here(".npmrc")]).toEqual([
      true,
      false,
      false,
    ]);
  });

  it.each([
    ["by a commit that the command makes", "echo x > .envrc && git add -f .envrc && git commit -qm x"],
    [
      "by a forged sign of a cherry-pick",
      "echo x > .envrc && git add -f .envrc && C=$(git commit-tree -m x $(git write-tree)) && git rm -q --cached .envrc && echo $C > .git/CHERRY_PICK_HEAD",
    ],
    ["where the name is a link", "echo x > evil && ln -s evil .envrc"],
  ])("goes %s", async (_, command) => {
    const { run, here } = project();
    const { setAside } = await run(command);
    expect(setAside).toContain(".envrc");
    expect(here(".envrc")).toBe(false);
  });

  it("goes where a protected name is a link to a place where nothing was", async () => {
    const { run, here, repo } = project();
    symlinkSync("conf/envrc", join(repo.dir, ".envrc"));
    symlinkSync("tools", join(repo.dir, ".vscode"));
    symlinkSync("../outside", join(repo.dir, ".npmrc"));
    const { setAside } = await run(
      "mkdir conf tools; echo x > conf/envrc; echo x > tools/tasks.json; echo x > conf/more",
    );
    expect(setAside).toMatch(/(?=.*conf\/envrc)(?=.*tools)/);
    expect([here("conf/envrc"), here("tools"), here("conf/more")]).toEqual([false, false, true]);
  });

  it("goes where it takes the place of a link, and the link stays where no command touches it", async () => {
    const { run, here, repo } = project();
    repo.write({ "real/tasks.json": "{}\n", rc: "a=b\n" });
    symlinkSync("real", join(repo.dir, ".vscode"));
    symlinkSync("rc", join(repo.dir, ".npmrc"));
    expect((await run("! echo x > real/tasks.json && ! echo x > rc && cat .npmrc")).setAside).toBe(null);
    const { setAside } = await run("rm .vscode; mkdir .vscode; echo x > .vscode/tasks.json");
    expect(setAside).toContain(".vscode");
    expect([here(".vscode"), here(".npmrc"), here("real/tasks.json")]).toEqual([false, true, true]);
  });

  it("goes also as a folder that its owner may not write", async () => {
    const { run, here, base } = project();
    const { setAside } = await run(
      "mkdir -p .claude/a .zed; echo x > .claude/a/b; chmod -R 0 .claude; chmod 500 .zed; ln -s ../.. .husky; chmod 755 .husky/. || true",
    );
    expect(setAside).toMatch(/(?=.*\.claude)(?=.*\.zed)(?=.*\.husky)/);
    expect([here(".claude"), here(".zed"), here(".husky")]).toEqual([false, false, false]);
    expect(statSync(base).mode & 0o777).toBe(0o700);
  });

  it("goes by a commit of an earlier command", async () => {
    const { run, here } = project();
    await run(
      "echo x > f && git update-index --add --cacheinfo 100644,$(git hash-object -w f),.envrc && git commit -qm x",
    );
    const { setAside } = await run("git checkout -q -- .envrc");
    expect([setAside?.includes(".envrc"), here(".envrc")]).toEqual([true, false]);
  });

  it("is not looked for behind a link that the command makes", async () => {
    const { run, here, base } = project();
    mkdirSync(join(base, "other/plugins"), { recursive: true });
    const { setAside } = await run("ln -s ../other .yarn");
    expect(setAside).toContain(".yarn");
    expect([here(".yarn"), existsSync(join(base, "other/plugins"))]).toEqual([false, true]);
  });

  it("stays when it existed before, or a file tool wrote it meanwhile", async () => {
    const { run, here, repo, sandbox } = project();
    repo.write({ ".npmrc": "a=b\n" });
    const ran = await run("until [ -e .envrc ]; do sleep 0.05; done", () => {
      sandbox.accept(repo.dir, ".envrc");
      writeFileSync(join(repo.dir, ".envrc"), "mine\n");
    });
    expect(ran.setAside).toBe(null);
    expect([here(".envrc"), here(".npmrc")]).toEqual([true, true]);
  });

  it("goes also where two commands hand it to each other", async () => {
    const { run, here } = project();
    let begin = (): void => {};
    const second = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const first = run("echo x > .envrc; touch made; until [ -e second ]; do sleep 0.05; done", begin);
    await second;
    const other = run(
      "until [ -e made ]; do sleep 0.05; done; touch second; until [ ! -e .envrc ]; do sleep 0.05; done; echo y > .envrc",
    );
    const said = [await first, await other].map(({ setAside }) => setAside !== null);
    expect(said).toEqual([true, true]);
    expect(here(".envrc")).toBe(false);
  });

  it("stays when the person makes it after a program has ended that ran on its own", async () => {
    const { sandbox, repo, run, here } = project();
    const program = { file: "/bin/true", args: [], cwd: repo.dir, env: { PATH: process.env.PATH ?? "" } };
    const whole = await sandbox.confineWhole(program, {});
    execFileSync(whole.file, whole.args, { cwd: repo.dir, env: whole.env });
    expect(await whole.ended()).toBe(null);
    writeFileSync(join(repo.dir, ".envrc"), "the person's\n");
    const { setAside } = await run("true");
    expect([setAside, here(".envrc")]).toEqual([null, true]);
  });
});
