/** Files that deny rules close: in the sandbox no program reads or changes them, whatever it is called and however it gets there. */
import { execFileSync, spawnSync } from "node:child_process";
import {
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { closedPatterns, parseRule } from "../../../src/core/permission/permission.ts";
import type { ShellOptions } from "../../../src/ports/index.ts";
import { bubblewrapOrSkip } from "../../fixtures/bubblewrap.ts";
import { type Confined, closeConfined, confined } from "../../fixtures/confined.ts";

const SECRET = "s3cret-0f-this-test";
const RULES = [
  "read_file(.env)",
  "read_file(secrets/**)",
  "read_file(**/*.pem)",
  "read_file(conf/linked)",
  "write_file(locked/**)",
  "edit_file(**/*.lock)",
];

const KEPT = [
  ...[".env", "secrets/deep/key", "x/y/k.pem", "node_modules/p/k.pem", "real/target", "conf/linked", "alias"],
  ...[
    "hard",
    ".ekiden/worktrees/7-x/.env",
    ".ekiden/worktrees/7-x/secrets/key",
    ".ekiden/worktrees/t/8/.env",
  ],
];

let base: string;
let workspace: string;
let tree: string;
let closed: Confined;

const put = (path: string, text = SECRET): void => {
  mkdirSync(dirname(join(workspace, path)), { recursive: true });
  writeFileSync(join(workspace, path), `${text}\n`);
};
const get = (path: string): string => readFileSync(join(workspace, path), "utf8");
const run = (command: string, more: Partial<ShellOptions> = {}) =>
  closed.shell.run(command, {
    ...{ cwd: workspace, signal: new AbortController().signal, timeoutMs: 120_000 },
    ...more,
  });

bubblewrapOrSkip(describe)("a closed file", () => {
  beforeAll(() => {
    base = realpathSync(mkdtempSync(join(tmpdir(), "ekiden-closed-")));
    workspace = join(base, "ws");
    mkdirSync(join(workspace, ".ekiden"), { recursive: true });
    const git = (...args: string[]) =>
      execFileSync("git", ["-c", "user.name=n", "-c", "user.email=e@x", ...args], { cwd: workspace });
    git("init", "-q", "-b", "main", ".");
    put("a", "open");
    git("add", "a");
    git("commit", "-qm", "first");
    tree = join(workspace, ".ekiden/worktrees/7-x");
    git("worktree", "add", "-q", "-b", "ekiden/7-x", tree);
    git("worktree", "add", "-q", "-b", "ekiden/t/8", join(workspace, ".ekiden/worktrees/t/8"));
    for (const path of [".env", "secrets/deep/key", "x/y/k.pem", "node_modules/p/k.pem"]) put(path);
    for (const path of [".env", "secrets/key"]) put(`.ekiden/worktrees/7-x/${path}`);
    put(".ekiden/worktrees/t/8/.env");
    put("real/target");
    mkdirSync(join(workspace, "conf"));
    symlinkSync("../real/target", join(workspace, "conf/linked"));
    symlinkSync(".env", join(workspace, "alias"));
    linkSync(join(workspace, ".env"), join(workspace, "hard"));
    put("locked/a", "kept");
    put("sub/p.lock", "kept");
    closed = confined(base, workspace, {
      closed: closedPatterns(RULES.map((text) => parseRule("deny", text))),
    });
  });
  afterAll(() => closeConfined(closed, base));

  it.each([
    "cat .env",
    "wc -c < .env; od -c .env",
    "zcat -f .env",
    "split -b 4 .env /tmp/part. && cat /tmp/part.*",
    "cat ./secrets/../.env",
    'cat "$PWD/.env"',
    "cat /proc/self/root$PWD/.env",
    "cat /proc/self/cwd/.env",
    "cd secrets && cat deep/key",
    "cat secrets/deep/*",
    "ls secrets",
    "cat alias; readlink -f alias | xargs cat",
    "cat hard",
    "cat conf/linked real/target",
    "cat x/y/k.pem node_modules/p/k.pem",
    "find . -type f -exec cat {} +",
    "grep -r s3cret . ; rg -uuu s3cret",
    "tar cf - . | strings",
    "cp -r . /tmp/copy && grep -r s3cret /tmp/copy",
    "cp --reflink=auto .env /tmp/c; cat /tmp/c",
    "mv .env moved; cat moved",
    "ln .env h2; ln -f hard h3; cat h2 h3",
    "mv secrets s2; cat s2/deep/key",
    "mv secrets/deep d; cat d/key",
    "mv x z; sleep 0.1; cat z/y/k.pem; mv -T z x",
    "rm -f .env; git checkout -- . ; cat .env",
    "umount .env; umount -l secrets; cat .env secrets/deep/key",
    "unshare -rm sh -c 'umount .env; cat .env'",
    "mount --bind .env a; cat a",
    `python3 -c 'print(open(".env").read())'`,
    `perl -e 'open F, ".env"; print <F>'`,
    `node -e 'console.log(require("fs").readFileSync(".env", "utf8"))'`,
    "exec 3<.env; cat <&3",
    "while read -r l; do echo $l; done < .env",
    "git hash-object -w .env | xargs git cat-file -p; git diff --no-index /dev/null .env",
    "git add -A; git show :.env; git diff --cached; git reset -q; git diff --no-index a .env",
    "sh -c 'cat .env' & wait",
    "cat .ekiden/worktrees/7-x/.env .ekiden/worktrees/7-x/secrets/key .ekiden/worktrees/t/8/.env",
    "for p in /proc/[0-9]*; do cat $p/root$PWD/.env $p/cwd/.env; done",
    `dd if=.env; base64 .env | base64 -d; xxd .env | xxd -r`,
    "sudo cat .env; chmod 777 .env; chown $(id -u) .env; cat .env",
    `debugfs -R "cat $PWD/.env" $(df --output=source . | tail -1)`,
  ])("is not read by: %s", async (command) => {
    // One after the other: the files are looked for before a command starts, and another one could move them in between.
    for (const cwd of [workspace, tree])
      expect((await run(command, { cwd })).output).not.toContain(SECRET.slice(0, 6));
    for (const path of KEPT) expect(get(path)).toBe(`${SECRET}\n`);
  });

  it("is seen without the rules, so the attempts above would show it", async () => {
    const open = confined(join(base, "open"), workspace);
    const { output } = await open.shell.run("wc -c .env; cat secrets/deep/key hard conf/linked x/y/k.pem", {
      ...{ cwd: workspace, signal: new AbortController().signal, timeoutMs: 120_000 },
    });
    await closeConfined(open);
    expect(output.split(SECRET).length - 1).toBe(4);
    expect(output).toContain(`${SECRET.length + 1} .env`);
  });

  it("is not read in a workspace that is read-only, nor by a program that another one starts confined", async () => {
    const { output } = await run("cat .env alias hard secrets/deep/key", { confine: { readOnly: true } });
    expect(output).not.toContain(SECRET);
    const env = { PATH: process.env.PATH ?? "" };
    const program = { file: "/bin/cat", args: [".env", "hard", "x/y/k.pem"], cwd: workspace, env };
    const whole = await closed.sandbox.confineWhole(program, {});
    const said = spawnSync(whole.file, whole.args, { cwd: workspace, env: whole.env, encoding: "utf8" });
    await whole.ended();
    expect(said).toMatchObject({ status: 0, stdout: "" });
    const { output: own } = await closed.shell.exec("/bin/cat", [".env"], {
      ...{ cwd: workspace, signal: new AbortController().signal, timeoutMs: 120_000 },
      confine: { seesClosed: true },
    });
    expect(own).toBe(`${SECRET}\n`);
  });

  it.each([
    "echo x > locked/a",
    "rm -rf locked; mkdir locked; echo x > locked/a",
    "mv locked l2 && mkdir locked && echo x > locked/a",
    "sed -i s/kept/x/ sub/p.lock",
    "mv sub s2 && mkdir sub && echo x > sub/p.lock",
    "cp a sub/p.lock; ln -sf a sub/p.lock; install a sub/p.lock",
    'python3 -c \'open("locked/a","w").write("x")\'',
    "mount -o remount,rw locked; echo x > locked/a",
    "git clean -fdx locked sub; git checkout -f -- .",
  ])("is not changed by: %s", async (command) => {
    await run(command);
    expect([get("locked/a"), get("sub/p.lock")]).toEqual(["kept\n", "kept\n"]);
  });

  it("leaves all else as it is", async () => {
    const { output } = await run("cat a && echo more > sub/new && cat sub/new locked/a sub/p.lock");
    expect(output).toBe("open\nmore\nkept\nkept\n");
  });

  it("is covered from the next command on when it appears later, anywhere below a pattern with **", async () => {
    await run("mkdir -p n/e/w && echo found > n/e/w/late.pem && mkdir late-secrets");
    expect((await run("cat n/e/w/late.pem")).output).not.toContain("found");
    put("fresh/k.pem", "found");
    expect((await run("cat fresh/k.pem n/e/w/late.pem")).output).not.toContain("found");
    rmSync(join(workspace, "conf/linked"));
    expect((await run("cat real/target")).output).not.toContain(SECRET);
    linkSync(join(workspace, "fresh/k.pem"), join(workspace, "fresh/other-name"));
    expect((await run("cat fresh/other-name")).output).not.toContain("found");
  });

  it("is not made again, empty, by what is prepared for the next command while its folder is elsewhere", async () => {
    for (let i = 0; i < 8; i += 1) {
      const { output } = await run("mv x z && sleep 0.05; ls -d x; mv -T z x");
      expect(output).toContain("No such file");
      expect(get("x/y/k.pem")).toBe(`${SECRET}\n`);
    }
  });

  it("stops commands, and says why, where it is one of too many", async () => {
    for (let i = 0; i < 300; i += 1) put(`many/${i}.pem`);
    await expect(run("true")).rejects.toThrow(/deny read_file\(\*\*\/\*\.pem\) closes more than 256 files/);
    rmSync(join(workspace, "many"), { recursive: true });
    expect((await run("echo on")).output).toBe("on\n");
  });
});
