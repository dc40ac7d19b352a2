/** Two clones of one remote, as two machines of a team have them. */
import { execFileSync, spawn } from "node:child_process";
import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { WorktreeOptions } from "../../../src/adapters/git/options.ts";
import { createShell } from "../../../src/adapters/shell/index.ts";
import type { Which, Worktrees } from "../../../src/ports/worktrees.ts";
import { landing, openTrees, writeWork } from "../../fixtures/landing-trees.ts";
import { freePort } from "../../fixtures/ports.ts";
import { type Repository, repository } from "../../fixtures/repository.ts";

const { by } = landing;
const task = (id: number, attempt: number): Which => ({ ...landing.task(id), attempt });
const BRANCH = "ekiden/1-task-1-loyw3v28";

type Machine = Repository & { readonly trees: (options?: Partial<WorktreeOptions>) => Promise<Worktrees> };
type Remote = { readonly dir: string; readonly git: Repository["git"] };

/** A bare repository with one commit on main, and clones of it. */
function remoteRepository(files: Readonly<Record<string, string>> = { "a.txt": "a\n" }): {
  readonly remote: Remote;
  readonly clone: () => Machine;
} {
  const first = repository(files);
  const dir = join(repository({ "unused.txt": "" }).dir, "bare");
  first.git("clone", "--quiet", "--bare", first.dir, dir);
  const remote = { dir, git: (...args: string[]) => first.git("-C", dir, ...args) };
  const clone = (): Machine => {
    const repo = repository({ "unused.txt": "" });
    repo.git("remote", "add", "origin", dir);
    repo.git("fetch", "--quiet", "origin", "main");
    repo.git("reset", "--quiet", "--hard", "FETCH_HEAD");
    return {
      ...repo,
      trees: (options = {}) => {
        const shell = createShell({ outputDir: join(repo.dir, ".ekiden", "output") });
        onTestFinished(() => shell.close());
        return openTrees(repo.dir, shell, { wayOut: { kind: "push", remote: "origin" }, ...options });
      },
    };
  };
  return { remote, clone };
}

const contact = { signal: by.signal, tell: () => Promise.resolve() };
const at = (workspace: string, path: string): string => readFileSync(join(workspace, path), "utf8");

describe("code of two machines", () => {
  it("starts a task from what another machine has landed, and lands it on that", async () => {
    const { remote, clone } = remoteRepository();
    const [here, there] = [clone(), clone()];
    const [a, b] = [await here.trees({ gate: "true" }), await there.trees({ gate: "test -e 1.txt" })];
    await writeWork(a, task(1, 1), { "1.txt": "one\n" });
    expect(await a.land(task(1, 1), by)).toMatchObject({ kind: "landed" });
    const workspace = await writeWork(b, task(2, 1), { "2.txt": "two\n" });
    expect(existsSync(join(workspace, "1.txt"))).toBe(true);
    expect(await b.land(task(2, 1), by)).toMatchObject({ kind: "landed", target: "main" });
    expect(remote.git("log", "--format=%s", "main")).toBe("Task 2\nTask 1\nFirst");
    // The lead's own folder follows when it looks, and a removal takes the branch from the remote.
    expect(here.git("log", "-1", "--format=%s", "main")).toBe("Task 1");
    await a.follow(contact);
    expect(here.read("2.txt")).toBe("two\n");
    expect(await a.remove(task(1, 1))).toEqual({ kind: "removed" });
    expect(await b.remove(task(2, 1))).toEqual({ kind: "removed" });
    expect(remote.git("branch", "--format=%(refname:short)")).toBe("main");
  });

  it("begins again on the remote's new commits when another machine was faster during the gate", async () => {
    const { remote, clone } = remoteRepository();
    const [here, there] = [clone(), clone()];
    const b = await there.trees();
    await writeWork(b, task(2, 1), { "2.txt": "two\n" });
    const runs = join(dirname(remote.dir), "runs");
    const ready = join(dirname(remote.dir), "ready");
    const gate = `ls >> ${runs}; echo - >> ${runs}; while [ ! -e ${ready} ]; do sleep 0.02; done`;
    const a = await here.trees({ gate });
    await writeWork(a, task(1, 1), { "1.txt": "one\n" });
    const landing = a.land(task(1, 1), by);
    await expect.poll(() => existsSync(runs)).toBe(true);
    expect(await b.land(task(2, 1), by)).toMatchObject({ kind: "landed" });
    writeFileSync(ready, "");
    expect(await landing).toMatchObject({ kind: "landed" });
    expect(readFileSync(runs, "utf8")).toBe("1.txt\na.txt\n-\n1.txt\n2.txt\na.txt\n-\n");
    expect(remote.git("log", "--format=%s", "main")).toBe("Task 1\nTask 2\nFirst");
  });

  it("continues with what another machine has parked: commits, changes and new files", async () => {
    const { remote, clone } = remoteRepository();
    const [here, there] = [clone(), clone()];
    const a = await here.trees();
    const first = await writeWork(a, task(1, 1), { "1.txt": "one\n" });
    here.git("-C", first, "add", "1.txt");
    here.git("-C", first, "commit", "--quiet", "--message", "Step");
    await writeWork(a, task(1, 1), { "a.txt": "changed\n", "new.txt": "new\n" });
    await a.park(task(1, 1), contact);
    expect(here.git("-C", first, "status", "--porcelain")).toBe(" M a.txt\n?? new.txt");
    await a.park(task(1, 1), contact);
    const b = await there.trees();
    const { workspace, branch } = await b.open(task(1, 2));
    expect(branch).toBe(BRANCH);
    expect(["1.txt", "a.txt", "new.txt"].map((path) => at(workspace, path))).toEqual([
      "one\n",
      "changed\n",
      "new\n",
    ]);
    expect(there.git("-C", workspace, "log", "--format=%s")).toBe("Step\nFirst");
    expect(there.git("-C", workspace, "status", "--porcelain")).toBe(" M a.txt\n?? new.txt");
    await writeWork(b, task(1, 2), { "more.txt": "more\n" });
    expect(await b.land(task(1, 2), by)).toMatchObject({ kind: "landed" });
    expect(remote.git("log", "--format=%s", "main")).toBe("Task 1\nStep\nFirst");
    expect(await b.remove(task(1, 2))).toEqual({ kind: "removed" });
    expect(remote.git("branch", "--format=%(refname:short)")).toBe("main");
  });

  it("lands parked work of another machine also when its new owner completes at once", async () => {
    const { remote, clone } = remoteRepository();
    const a = await clone().trees();
    await writeWork(a, task(1, 1), { "1.txt": "one\n" });
    await a.park(task(1, 1), contact);
    const b = await clone().trees();
    expect(await b.land(task(1, 2), by)).toMatchObject({ kind: "landed" });
    expect(remote.git("log", "--format=%s", "main")).toBe("Task 1\nFirst");
  });

  it("keeps what only this machine has, when the task comes back to it", async () => {
    const { clone } = remoteRepository();
    const [here, there] = [clone(), clone()];
    const a = await here.trees();
    await writeWork(a, task(1, 1), { "1.txt": "one\n" });
    await a.park(task(1, 1), contact);
    await writeWork(a, task(1, 1), { "2.txt": "only here\n" });
    const b = await there.trees();
    await writeWork(b, task(1, 2), { "1.txt": "better\n" });
    await b.park(task(1, 2), contact);
    const told: string[] = [];
    const tell = (text: string): Promise<void> => Promise.resolve(void told.push(text));
    const { workspace } = await a.open(task(1, 3), undefined, { ...contact, tell });
    expect(at(workspace, "1.txt")).toBe("better\n");
    expect(existsSync(join(workspace, "2.txt"))).toBe(false);
    const [, left = ""] = /The earlier work here is on (\S+)\./.exec(told.join()) ?? [];
    expect(here.git("show", `${left}:2.txt`)).toBe("only here");
  });
});

describe("a task with two owners", () => {
  it("is not landed again after its last owner was lost between its push and its report", async () => {
    const { remote, clone } = remoteRepository();
    const a = await clone().trees({ gate: "true" });
    await writeWork(a, task(1, 1), { "1.txt": "one\n" });
    await a.park(task(1, 1), contact);
    const commit = await a.land(task(1, 1), by);
    const b = await clone().trees({ gate: "true" });
    await writeWork(b, task(1, 2), { "1.txt": "again\n" });
    expect(await b.land(task(1, 2), by)).toMatchObject({ kind: "landed" });
    expect(commit).toMatchObject({ commit: remote.git("rev-parse", "main") });
    expect(remote.git("log", "--format=%s", "main")).toBe("Task 1\nFirst");
    // A third one that does nothing hears of it, too.
    expect(await (await clone().trees()).land(task(1, 3), by)).toMatchObject({
      kind: "landed",
    });
  });

  it("lands once, also when both have a green gate at the same time", async () => {
    const { remote, clone } = remoteRepository();
    const machines = [await clone().trees({ gate: "true" }), await clone().trees({ gate: "true" })];
    const ended = await Promise.all(
      machines.map(async (trees, nth) => {
        await writeWork(trees, task(1, nth + 1), { "1.txt": `${nth}\n` });
        return trees.land(task(1, nth + 1), by);
      }),
    );
    expect(ended.map(({ kind }) => kind)).toEqual(["landed", "landed"]);
    expect(remote.git("log", "--format=%s", "main")).toBe("Task 1\nFirst");
  });

  it("loses no parked work of the one to the other", async () => {
    const { remote, clone } = remoteRepository();
    const [a, b] = [await clone().trees(), await clone().trees()];
    await writeWork(a, task(1, 1), { "1.txt": "a\n" });
    await writeWork(b, task(1, 2), { "1.txt": "b\n" });
    await b.park(task(1, 2), contact);
    await expect(a.park(task(1, 1), contact)).rejects.toThrow(/was not pushed to origin/);
    expect(remote.git("show", `${BRANCH}:1.txt`)).toBe("b");
  });
});

describe("a remote", () => {
  it("that allows no forced push takes parked and landed work all the same", async () => {
    const { remote, clone } = remoteRepository();
    remote.git("config", "receive.denyNonFastForwards", "true");
    const here = clone();
    const a = await here.trees({ gate: "true" });
    const workspace = await writeWork(a, task(1, 1), { "1.txt": "one\n" });
    await a.park(task(1, 1), contact);
    here.git("-C", workspace, "add", "--all");
    here.git("-C", workspace, "commit", "--quiet", "--message", "Other");
    await a.park(task(1, 1), contact);
    const b = await clone().trees();
    const there = await b.open(task(1, 2));
    expect(at(there.workspace, "1.txt")).toBe("one\n");
    expect(await a.land(task(1, 1), by)).toMatchObject({ kind: "landed" });
    expect(remote.git("log", "--format=%s", "main")).toBe("Other\nFirst");
  });

  it("that refuses a push keeps the task from landing, and says why", async () => {
    const { remote, clone } = remoteRepository();
    const hook = join(remote.dir, "hooks", "update");
    writeFileSync(hook, '#!/bin/sh\ncase "$1" in *main) echo "main is closed"; exit 1;; esac\n');
    chmodSync(hook, 0o755);
    const a = await clone().trees({ gate: "true" });
    await writeWork(a, task(1, 1), { "1.txt": "one\n" });
    expect(await a.land(task(1, 1), by)).toMatchObject({
      kind: "refused",
      why: "target",
      evidence: expect.stringMatching(
        /origin refuses a push to main.*Nothing has landed(.|\n)*main is closed/,
      ),
    });
    expect(remote.git("for-each-ref", "--format=%(refname)")).toBe("refs/heads/main");
    writeFileSync(hook, "#!/bin/sh\n");
    expect(await a.land(task(1, 1), by)).toMatchObject({ kind: "landed" });
  });

  it("whose branch was rewritten gets nothing back that was taken away", async () => {
    const { remote, clone } = remoteRepository();
    const here = clone();
    const a = await here.trees();
    const told: string[] = [];
    const tell = (text: string): Promise<void> => Promise.resolve(void told.push(text));
    await writeWork(a, task(1, 1), { "1.txt": "one\n" });
    await a.land(task(1, 1), by);
    await a.noticeMoves(tell);
    remote.git("update-ref", "refs/heads/main", "main~1");
    await writeWork(a, task(2, 1), { "2.txt": "two\n" });
    expect(await a.land(task(2, 1), { ...by, onMoved: tell })).toMatchObject({ kind: "landed" });
    expect(remote.git("log", "--format=%s", "main")).toBe("Task 2\nFirst");
    expect(told).toEqual([expect.stringMatching(/^origin\/main was rewritten.*Missing: \w+ Task 1/)]);
  });

  it("that is away for a while is waited for, and the wait is told once", async () => {
    const { remote, clone } = remoteRepository();
    const port = await freePort();
    const url = `git://127.0.0.1:${port}/bare`;
    const daemon = (): (() => Promise<void>) => {
      const options = ["--reuseaddr", "--export-all", "--enable=receive-pack", "--listen=127.0.0.1"];
      const args = ["daemon", ...options, `--port=${port}`, `--base-path=${dirname(remote.dir)}`];
      const child = spawn(
        join(execFileSync("git", ["--exec-path"], { encoding: "utf8" }).trim(), "git-daemon"),
        args.slice(1),
        {
          stdio: "ignore",
        },
      );
      const over = new Promise<void>((done) => child.once("close", () => done()));
      const end = (): Promise<void> => {
        child.kill("SIGKILL");
        return over;
      };
      onTestFinished(end);
      return end;
    };
    const end = daemon();
    const a = await expect
      .poll(() =>
        clone()
          .trees({ wayOut: { kind: "push", remote: url } })
          .catch(() => null),
      )
      .not.toBeNull()
      .then(() => clone().trees({ wayOut: { kind: "push", remote: url } }));
    expect(a.onto).toBe("ekiden/main");
    await writeWork(a, task(1, 1), { "1.txt": "one\n" });
    await end();
    const told: string[] = [];
    const landed = a.land(task(1, 1), {
      ...by,
      onMoved: (text) => {
        told.push(text);
        daemon();
        return Promise.resolve();
      },
    });
    expect(await landed).toMatchObject({ kind: "landed" });
    expect(told).toEqual([
      expect.stringMatching(/^git:.*bare cannot be reached\.(.|\n)*Ekiden waits for it\.$/),
    ]);
    expect(remote.git("log", "--format=%s", "main")).toBe("Task 1\nFirst");
  });
});

describe("at the start", () => {
  const push = (remote: string): Partial<WorktreeOptions> => ({ wayOut: { kind: "push", remote } });

  it("says what is wrong with the remote, and creates nothing", async () => {
    const { remote, clone } = remoteRepository();
    const here = clone();
    const port = await freePort();
    const other = remoteRepository({ "b.txt": "b\n" }).remote;
    const refusals: [Partial<WorktreeOptions>, RegExp][] = [
      [push("upstream"), /no git remote called "upstream".*git remote add upstream URL/],
      [
        push(`http://pat:secret@127.0.0.1:${port}/x`),
        /^http:\/\/pat:…@127\.0\.0\.1:\d+\/x cannot be reached/,
      ],
      [push(join(here.dir, "gone")), /gone cannot be reached/],
      [{ ...push("origin"), target: "release" }, /origin has no branch "release".*git push origin release/],
      [push(other.dir), /no commit in common.*clone of another repository/],
    ];
    for (const [options, words] of refusals) await expect(here.trees(options)).rejects.toThrow(words);
    expect(existsSync(join(here.dir, ".ekiden", "worktrees"))).toBe(false);
    expect(remote.git("branch", "--format=%(refname:short)")).toBe("main");
  });

  it("does not mind the state of the project's own branch and files", async () => {
    const { remote, clone } = remoteRepository();
    const here = clone();
    here.git("switch", "--quiet", "--create", "mine");
    here.write({ "a.txt": "not committed\n" });
    const a = await here.trees({ target: "main" });
    await writeWork(a, task(1, 1), { "a.txt": "landed\n" });
    expect(await a.land(task(1, 1), by)).toMatchObject({ kind: "landed" });
    expect(here.read("a.txt")).toBe("not committed\n");
    here.git("stash", "--quiet");
    here.git("switch", "--quiet", "main");
    here.write({ "a.txt": "not committed\n" });
    await writeWork(a, task(2, 1), { "a.txt": "landed again\n" });
    expect(await a.land(task(2, 1), by)).toMatchObject({ kind: "landed" });
    expect(remote.git("show", "main:a.txt")).toBe("landed again");
    expect(here.read("a.txt")).toBe("not committed\n");
    const told: string[] = [];
    await a.follow({ ...contact, tell: (text) => Promise.resolve(void told.push(text)) });
    expect(told.join()).toMatch(/Your working copy is not updated with what lands on origin\/main/);
  });
});
