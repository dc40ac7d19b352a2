/** Git objects: a confined command makes new ones, and can neither change one nor give its name to another content. */

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  writeFileSync,
} from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { deflateSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Sandbox, Shell, ShellOptions, ShellResult } from "../../../src/ports/index.ts";
import { bubblewrapOrSkip } from "../../fixtures/bubblewrap.ts";
import { closeConfined, confined } from "../../fixtures/confined.ts";
import { type Repository, repositoryIn } from "../../fixtures/repository.ts";
import { soon } from "../../fixtures/soon.ts";

let base: string;
let repo: Repository;
let sandbox: Sandbox;
let shell: Shell;
let cwd: string;

const run = (command: string, more: Partial<ShellOptions> = {}): Promise<ShellResult> =>
  shell.run(
    `export HOME=/tmp GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@x GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@x; ${command}`,
    {
      ...{ cwd, signal: new AbortController().signal, timeoutMs: 60_000 },
      ...more,
    },
  );
const ok = async (command: string): Promise<string> => {
  const { exitCode, output, setAside } = await run(command);
  expect({ exitCode, output, setAside }).toEqual({ exitCode: 0, output, setAside: null });
  return output;
};
/** All objects are whole and have the names of their content. */
const sound = (): void => {
  expect(repo.git("fsck", "--full", "--strict", "--no-dangling")).toBe("");
};
const objectPath = (id: string): string => join(repo.dir, ".git/objects", id.slice(0, 2), id.slice(2));
/** Makes the object of a name in a folder, with another content. */
const FORGE = `forge() { python3 - "$1" "$2" <<'E'
import sys, zlib, os
folder, id = sys.argv[1:]
data = b"forged\\n"
path = os.path.join(folder, id[:2], id[2:])
os.makedirs(os.path.dirname(path), exist_ok=True)
try:
    os.chmod(path, 0o644)
    os.remove(path)
except OSError:
    pass
open(path, "wb").write(zlib.compress(b"blob %d\\0" % len(data) + data))
E
}`;

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(homedir(), ".ekiden-objects-")));
  const workspace = join(base, "ws");
  mkdirSync(workspace);
  repo = repositoryIn(workspace, { "a.txt": "a\n", ".gitignore": ".ekiden/\n" });
});
afterEach(() => closeConfined({ sandbox, shell }, base));

const open = (): void => {
  cwd = repo.dir;
  ({ sandbox, shell } = confined(base, repo.dir));
};

bubblewrapOrSkip(describe)("in a project without clones", () => {
  beforeEach(open);
  const branch = "main";

  it("an object cannot be replaced, removed or forged", async () => {
    const [id] = repo.git("rev-parse", "main:a.txt").split("\n");
    const real = join(repo.dir, ".git/objects");
    await run(
      `${FORGE}; forge "${real}" ${id}; rm -rf "${real}"/*/; forge "$(git rev-parse --git-common-dir)/objects" ${id}; git cat-file blob ${id}`,
    );
    expect(repo.git("cat-file", "blob", id ?? "")).toBe("a");
    sound();
  });

  it("an object in a pack cannot be shadowed by another pack", async () => {
    repo.git("gc", "--quiet");
    const id = repo.git("rev-parse", "main:a.txt");
    const { output } = await run(
      `${FORGE}; git init -q other && cd other && echo forged > a && git add a && git -c user.name=x -c user.email=x@x commit -qm x && git gc -q && cp .git/objects/pack/* "$OLDPWD/" && cd .. &&
       python3 - ${id} <<'E'
import glob, hashlib, os, subprocess, sys
# The index of a pack whose one object is said to have the name.
old = subprocess.run("git -C other rev-parse HEAD:a", shell=True, capture_output=True, text=True).stdout.strip()
path = glob.glob("pack-*.idx")[0]
os.chmod(path, 0o644)
data = bytearray(open(path, "rb").read())
at = data.find(bytes.fromhex(old))
# One object each of a few, so that a changed first byte needs a changed table.
names = sorted([bytes(data[8 + 1024 + 20 * i : 8 + 1024 + 20 * i + 20]) for i in range(3)])
new = sorted([n if n != bytes.fromhex(old) else bytes.fromhex(sys.argv[1]) for n in names])
order = [names.index(n if n != bytes.fromhex(sys.argv[1]) else bytes.fromhex(old)) for n in new]
crc = [bytes(data[8 + 1024 + 60 + 4 * i :][:4]) for i in range(3)]
off = [bytes(data[8 + 1024 + 72 + 4 * i :][:4]) for i in range(3)]
fan = b"".join(sum(n[0] <= b for n in new).to_bytes(4, "big") for b in range(256))
body = bytes(data[:8]) + fan + b"".join(new) + b"".join(crc[i] for i in order) + b"".join(off[i] for i in order) + bytes(data[-40:-20])
open(path, "wb").write(body + hashlib.sha1(body).digest())
E
       mv pack-* "$(git rev-parse --git-common-dir)/objects/pack/"; git cat-file blob ${id}`,
    );
    expect(output).toContain("a");
    expect(repo.git("cat-file", "blob", id)).toBe("a");
    expect(repo.git("cat-file", "--batch-check", "--batch-all-objects")).toContain(id);
    sound();
  });

  it("the name of an object that is not there yet cannot be given away", async () => {
    const id = createHash("sha1").update("blob 5\0true\n").digest("hex");
    const { setAside } = await run(`${FORGE}; forge "$(git rev-parse --git-common-dir)/objects" ${id}`);
    expect(setAside).toContain(id);
    expect(existsSync(objectPath(id))).toBe(false);
    sound();
  });

  it("links, pipes, folders and damaged files in the place of objects are left out", async () => {
    writeFileSync(join(base, "secret"), deflateSync("blob 1\0s"));
    const ids = ["1", "2", "3", "4", "5"].map((one) => one.repeat(40));
    await run(
      `cd "$(git rev-parse --git-common-dir)/objects"; mkdir 11 22 33 44 pack; ln -s ${base}/secret 11/${"1".repeat(38)}; mkfifo 22/${"2".repeat(38)}; mkdir 33/${"3".repeat(38)}; echo x > 44/${"4".repeat(38)}; ln -s ${base} 55; mkfifo pack/pack-${ids[0]}.pack; touch pack/pack-${ids[0]}.idx; echo x > pack/pack-${ids[1]}.pack; touch pack/pack-${ids[1]}.idx`,
    );
    for (const id of ids) expect(existsSync(objectPath(id))).toBe(false);
    expect(readdirSync(base)).toEqual(expect.arrayContaining(["secret", "ws"]));
    sound();
  });

  it("commit, stash, rebase, repack, fsck and amend work, and what they made is there", async () => {
    await ok("echo b > b.txt && git add b.txt && git commit -qm B && git commit -q --amend -m B2");
    await ok("echo c > a.txt && git stash -q && git stash pop -q && git checkout -q a.txt");
    await ok(
      "git checkout -q -b ekiden/2-x HEAD~1 && echo d > d.txt && git add d.txt && git commit -qm D && git rebase -q " +
        branch,
    );
    await ok(`git repack -adq && git prune && git fsck && git log --oneline && git checkout -q ${branch}`);
    expect(repo.git("show", `${branch}:b.txt`)).toBe("b");
    expect(repo.git("show", "ekiden/2-x:d.txt")).toBe("d");
    sound();
  });

  it("packs of a fetch and large files are taken over", async () => {
    const other = repositoryIn(join(repo.dir, "other"), { x: "x\n" });
    for (let i = 0; i < 40; i += 1)
      other.write({ [`f${i}`]: `${i}\n`, [`g${i}`]: `g${i}\n`, [`h${i}`]: `h${i}\n` });
    other.commit("Many");
    const tip = other.git("rev-parse", "HEAD");
    await ok(`git fetch -q ./other main && git update-ref refs/heads/ekiden/3-y FETCH_HEAD`);
    expect(repo.git("rev-parse", "ekiden/3-y")).toBe(tip);
    expect(readdirSync(join(repo.dir, ".git/objects/pack")).some((name) => name.endsWith(".idx"))).toBe(true);
    await ok(
      "head -c 80000000 /dev/zero > big && head -c 3000000 /dev/urandom > noise && git -c core.bigFileThreshold=1g add -f big noise && git commit -qm Big",
    );
    expect(repo.git("cat-file", "-s", `${branch}:big`)).toBe("80000000");
    sound();
  });

  it.each([
    ["a shallow clone", (full: string) => ["--depth", "1", `file://${full}`]],
    ["a repository that borrows objects", (full: string) => ["--shared", full]],
  ])("%s works as before", async (_, how) => {
    await closeConfined({ sandbox, shell });
    const full = join(base, "full");
    renameSync(repo.dir, full);
    execFileSync("git", ["clone", "--quiet", ...how(full), repo.dir]);
    if (existsSync(join(repo.dir, ".git/objects/info/alternates")))
      writeFileSync(join(repo.dir, ".git/objects/info/alternates"), "../../../full/.git/objects\n");
    open();
    expect(
      await ok("echo n > n && git add n && git commit -qm N && git log --format=%s && git fsck"),
    ).not.toMatch(/error|alternate/);
    expect(repo.git("show", "HEAD:a.txt")).toBe("a");
    sound();
  });

  it("a clone that a command makes is whole outside, too", async () => {
    await ok("git clone -q . sub && git -C sub fsck");
    expect(repo.git("-C", join(cwd, "sub"), "fsck", "--full")).toBe("");
    expect(repo.git("-C", join(cwd, "sub"), "show", "HEAD:a.txt")).toBe("a");
  });

  it("what a running command commits can be read soon by everybody", async () => {
    const before = repo.git("rev-parse", branch);
    const stop = new AbortController();
    const running = run("git commit -q --allow-empty -m later; sleep 60", { signal: stop.signal }).catch(
      () => {},
    );
    try {
      await soon(() => expect(repo.git("rev-parse", branch)).not.toBe(before));
      await soon(() => expect(repo.git("log", "-1", "--format=%s", branch)).toBe("later"));
    } finally {
      stop.abort();
      await running;
    }
  });

  it("what a killed process left is taken over by the next one", async () => {
    await ok("git commit -q --allow-empty -m kept");
    const id = repo.git("rev-parse", branch);
    await sandbox.close();
    const [own = ""] = readdirSync(join(base, "cache-objects"));
    const folder = join(base, "cache-objects", own, "objects", id.slice(0, 2));
    mkdirSync(folder, { recursive: true });
    renameSync(objectPath(id), join(folder, id.slice(2)));
    expect(() => repo.git("log", "-1", branch)).toThrow();
    open();
    await ok("true");
    expect(repo.git("rev-parse", `${branch}^{commit}`)).toBe(id);
    sound();
  });
});

bubblewrapOrSkip(describe)("in a worktree of the person, without clones", () => {
  it("a member commits, and changes neither objects nor the checkout that it belongs to", async () => {
    const beside = join(base, "beside");
    repo.git("worktree", "add", "--quiet", "-b", "beside", beside);
    cwd = beside;
    ({ sandbox, shell } = confined(base, beside));
    const own = (): string[] =>
      ["HEAD", "index", "config"].map((name) => readFileSync(join(repo.dir, ".git", name), "latin1"));
    const before = own();
    const id = repo.git("rev-parse", "main:a.txt");
    await ok("echo b > b.txt && git add b.txt && git commit -qm B && git stash list && git branch more");
    await run(
      `${FORGE}; forge ${repo.dir}/.git/objects ${id}; cd ${repo.dir}/.git; echo x > HEAD; echo x > index; echo x >> config; rm -f index`,
    );
    expect(own()).toEqual(before);
    expect(repo.git("log", "--format=%s", "beside")).toBe("B\nFirst");
    expect(repo.git("cat-file", "blob", id)).toBe("a");
    expect(repo.git("branch", "--format=%(refname:short)")).toContain("more");
    sound();
  });
});

bubblewrapOrSkip(describe)("with submodules", () => {
  it("their objects cannot be replaced, and a commit in one works", async () => {
    const other = repositoryIn(join(base, "other"), { x: "x\n" });
    repo.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", other.dir, "sub");
    repo.commit("Submodule");
    open();
    const sub = ["-C", join(repo.dir, "sub")];
    const id = repo.git(...sub, "rev-parse", "HEAD:x");
    await run(`${FORGE}; forge .git/modules/sub/objects ${id}`);
    expect(repo.git(...sub, "cat-file", "blob", id)).toBe("x");
    await ok("cd sub && echo y > y && git add y && git commit -qm Y && cd .. && git commit -qam Up");
    expect(repo.git(...sub, "show", "HEAD:y")).toBe("y");
    expect(repo.git(...sub, "fsck", "--full", "--no-dangling")).toBe("");
    sound();
  });
});
