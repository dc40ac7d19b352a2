/**
 * A job of a member exchanges files for links while other commands start, and leaves links where mounts are made: bubblewrap mounts by
 * path. The exchange is made here between the policy and the start, so that each try meets it.
 */
import { spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Confinement } from "../../../src/core/sandbox/sandbox.ts";
import type { ConfinedProgram } from "../../../src/ports/index.ts";
import { bubblewrapOrSkip } from "../../fixtures/bubblewrap.ts";
import { closeConfined, confined } from "../../fixtures/confined.ts";
import { repositoryIn } from "../../fixtures/repository.ts";

const SECRET = "the-key-of-the-person";

function place() {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "ekiden-mounts-")));
  const repo = repositoryIn(join(base, "ws"), { "a.txt": "a\n" });
  for (const folder of [".ssh", "ws/folder"]) mkdirSync(join(base, folder));
  mkdirSync(join(base, "outside"));
  writeFileSync(join(base, ".ssh/id"), SECRET);
  const both = confined(base, repo.dir, { env: { HOME: base, PATH: process.env.PATH } });
  onTestFinished(() => closeConfined(both, base));
  const at = (...names: string[]): string => join(repo.dir, ...names);
  const build = async (
    command: string,
    cwd = repo.dir,
    wanted: Confinement = {},
  ): Promise<ConfinedProgram> => {
    const args = ["-c", command];
    const env = { PATH: process.env.PATH ?? "", HOME: base };
    const confine = () => both.sandbox.confine({ file: "/bin/sh", args, cwd, env }, wanted);
    // As the shell does: bubblewrap fails where a mount of the machine goes while it starts.
    const program = await confine().catch(confine);
    if (program === null) throw new Error("the sandbox is off");
    return program;
  };
  const run = ({ file, args, cwd, env, descriptors }: ConfinedProgram) => {
    const ran = spawnSync(file, args, {
      ...{ cwd, env, encoding: "utf8" },
      stdio: ["ignore", "pipe", "pipe", ...descriptors],
    });
    return { code: ran.status, out: `${ran.stdout}${ran.stderr}` };
  };
  return { ...both, base, repo, at, build, run };
}

bubblewrapOrSkip(describe)("mounts by path", () => {
  it("show what the policy says", async () => {
    const { at, build, run } = place();
    writeFileSync(at(".npmrc"), "");
    mkdirSync(at(".github/workflows"), { recursive: true });
    const program = await build("echo x > made && ! echo x > .npmrc && ! cat ../.ssh/id");
    expect(run(program).code).toBe(0);
    expect(existsSync(at("made"))).toBe(true);
  });

  // What is not there for commands cannot be mounted; what is there is found in the table of mounts.
  it.each([
    ["../.ssh", 1, "bwrap: Can't bind mount"],
    ["folder", 126, "bwrap: a command that is running exchanges files"],
  ])("a protected file that became a link to %s starts no command", async (to, expected, said) => {
    const { at, build, run } = place();
    writeFileSync(at(".npmrc"), "");
    const program = await build("cat ../.ssh/id; echo x > ran");
    rmSync(at(".npmrc"));
    symlinkSync(to, at(".npmrc"));
    const { code, out } = run(program);
    expect(out).not.toContain(SECRET);
    expect([code, existsSync(at("ran"))]).toEqual([expected, false]);
    expect(out).toContain(said);
  });

  it("a folder around a protected one that became a link leads to nothing writable", async () => {
    const { base, at, build, run } = place();
    mkdirSync(at(".github/workflows"), { recursive: true });
    mkdirSync(join(base, "outside/workflows"));
    const program = await build("echo x > ../outside/made; echo x > .github/made");
    renameSync(at(".github"), at("gone"));
    symlinkSync("../outside", at(".github"));
    // bubblewrap itself refuses some of these.
    expect(run(program).code).not.toBe(0);
    expect(readdirSync(join(base, "outside"))).toEqual(["workflows"]);
  });

  it("the shell tries such a command again, and says at last that it did not run", async () => {
    const { at, shell, repo, sandbox } = place();
    writeFileSync(at(".npmrc"), "");
    // The policy of each try is built before the exchange, as a job in a loop would have it.
    const exchanging = {
      ...sandbox,
      confine: async (...asked: Parameters<typeof sandbox.confine>) => {
        rmSync(at(".npmrc"), { force: true });
        writeFileSync(at(".npmrc"), "");
        const program = await sandbox.confine(...asked);
        rmSync(at(".npmrc"));
        symlinkSync("folder", at(".npmrc"));
        return program && { ...program, prepared: async () => null };
      },
    };
    const { createShell } = await import("../../../src/adapters/shell/index.ts");
    const own = createShell({ outputDir: at("..", "output"), sandbox: exchanging });
    onTestFinished(() => own.close());
    const how = { cwd: repo.dir, signal: new AbortController().signal, timeoutMs: 20_000, env: {} };
    await expect(own.run("cat ../.ssh/id; echo x > ran", how)).rejects.toThrow(/exchanges files/);
    expect(existsSync(at("ran"))).toBe(false);
    rmSync(at(".npmrc"));
    expect((await shell.run("echo x > ran", how)).exitCode).toBe(0);
  });

  it.each([".ssh", ".ssh/id"])("a protected name that is a link to %s leaves it hidden", async (name) => {
    const { base, at, build, run } = place();
    symlinkSync(join(base, name), at(".npmrc"));
    const { code, out } = run(await build("cat ../.ssh/id .npmrc .npmrc/id; true"));
    expect(code).toBe(0);
    expect(out).not.toContain(SECRET);
  });

  it("a folder of the workspace that a rule opens, and that is a link now, opens nothing outside", async () => {
    const { base, at, repo, build, run } = place();
    symlinkSync(join(base, "outside"), at("out"));
    const inside = await build("echo x > out/made; echo y > a.txt", repo.dir, { writable: [at("out")] });
    expect(run(inside).code).toBe(0);
    expect(readdirSync(join(base, "outside"))).toEqual([]);
    const outside = await build("echo x > ../outside/made", repo.dir, { writable: [join(base, "outside")] });
    expect(run(outside).code).toBe(0);
    expect(readdirSync(join(base, "outside"))).toEqual(["made"]);
  });
});
