/** Real work inside the sandbox, and what it says when it is in the way. */
import { execFile, execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { SandboxOptions } from "../../../src/adapters/sandbox/options.ts";
import type { Sandbox, Shell, ShellOptions, ShellResult } from "../../../src/ports/index.ts";
import { bubblewrapOrSkip } from "../../fixtures/bubblewrap.ts";
import { closeConfined, confined } from "../../fixtures/confined.ts";
import { soon } from "../../fixtures/soon.ts";

let base: string;
let workspace: string;
let sandbox: Sandbox;
let shell: Shell;

async function reopen(more: Partial<SandboxOptions>): Promise<void> {
  await closeConfined({ sandbox, shell });
  ({ sandbox, shell } = confined(base, workspace, more));
}
const run = (command: string, more: Partial<ShellOptions> = {}): Promise<ShellResult> =>
  shell.run(command, { cwd: workspace, signal: new AbortController().signal, timeoutMs: 120_000, ...more });
const git = (...args: string[]): string =>
  execFileSync("git", ["-c", "user.name=n", "-c", "user.email=e@x", ...args], {
    cwd: workspace,
    encoding: "utf8",
  });

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "ekiden-confined-")));
  workspace = join(base, "ws");
  mkdirSync(join(workspace, ".ekiden"), { recursive: true });
  git("init", "-q", "-b", "main", ".");
  git("config", "user.name", "n");
  git("config", "user.email", "e@x");
  writeFileSync(join(workspace, "a"), "a");
  git("add", "a");
  git("commit", "-qm", "first");
  ({ sandbox, shell } = confined(base, workspace));
});
afterEach(() => closeConfined({ sandbox, shell }, base));

bubblewrapOrSkip(describe)("inside the sandbox", () => {
  it.each([
    ["a file of the workspace", "mkdir -p d/e && echo x > d/e/f && cat d/e/f"],
    ["a commit", "echo x > b && git add -A && git commit -qm second && git log --oneline | wc -l"],
    [
      "a branch, a rebase and a stash",
      "git checkout -qb x && git commit -qm y --allow-empty && git checkout -q main && echo z >> a && git stash -q && git stash pop -q && git rebase -q x || git status",
    ],
    [
      "a merge",
      "git checkout -qb m && echo 1 > m && git add m && git commit -qm m && git checkout -q main && git merge -q --no-ff -m merged m",
    ],
    [
      "a worktree",
      "git worktree add -q wt -b w && cd wt && echo x > n && git add n && git commit -qm n && cd .. && git worktree remove wt",
    ],
    [
      "a repository of its own",
      "git init -q sub && cd sub && echo x > y && git add y && git -c user.name=n -c user.email=e@x commit -qm z",
    ],
    [
      "packages",
      'mkdir -p p/dep && echo \'{"name":"dep","version":"1.0.0"}\' > p/dep/package.json && cd p && npm init -y >/dev/null && npm install --offline --no-audit ./dep && test -e node_modules/dep',
    ],
    ["a script of a package", 'echo \'{"scripts":{"hi":"node -p 1+1"}}\' > package.json && npm run -s hi'],
    [
      "workers and pipes",
      'node -e \'const {Worker}=require("worker_threads");new Worker("process.exit(0)",{eval:true});require("child_process").fork("-e",[],{execArgv:["-e","0"]})\'',
    ],
    [
      "a server of its own",
      'node -e \'const n=require("net");const s=n.createServer(c=>{c.end("hi");s.close()}).listen(8123,"127.0.0.1",()=>n.connect(8123,"127.0.0.1").pipe(process.stdout))\'',
    ],
    [
      "temporary files, links and a pipe",
      "t=$(mktemp) && echo x > $t && ln -s $t l && mkfifo f && (cat f & echo hi > f; wait)",
    ],
    [
      "shared memory and terminals",
      "echo x > /dev/shm/a && test -e /dev/ptmx && echo x > /dev/null && head -c4 /dev/urandom | wc -c",
    ],
    ["a subfolder as the working directory", "mkdir -p s && cd s && echo x > y"],
    ["signals among its own", "sleep 60 & kill $! && ! wait $!"],
  ])("%s", async (_, command) => {
    expect(await run(`set -e; ${command}`)).toMatchObject({ exitCode: 0, denial: null });
  });

  it("makes no second name for a file that must not be written", async () => {
    writeFileSync(join(workspace, ".envrc"), "a");
    writeFileSync(join(base, "outside"), "a");
    const files = [".envrc", ".git/config", "../outside", "/etc/passwd"];
    for (const [i, file] of files.entries()) {
      const { exitCode, output } = await run(`ln ${file} name${i} || cp -l ${file} name${i}`);
      expect(exitCode, output).not.toBe(0);
      expect(existsSync(join(workspace, `name${i}`))).toBe(false);
    }
    expect((await run("ln a second && echo b >> second && cat a")).output).toBe("ab\n");
  });

  it("commands may write where they start, also deep in the workspace and in the clone of a task", async () => {
    git("clone", "-q", "--shared", ".", ".ekiden/worktrees/1-a");
    mkdirSync(join(workspace, "deep/er"), { recursive: true });
    const cwd = join(workspace, ".ekiden/worktrees/1-a");
    expect(await run("echo x > y && echo x > ../z", { cwd: join(workspace, "deep/er") })).toMatchObject({
      exitCode: 0,
    });
    expect(await run("echo x > n && git add n && git commit -qm n", { cwd })).toMatchObject({ exitCode: 0 });
    expect(await run("echo x > ../../settings.json", { cwd })).toMatchObject({ exitCode: 1 });
    expect(git("-C", cwd, "log", "--oneline").trim().split("\n")).toHaveLength(2);
  });

  it("a command starts while clones of other members are removed", async () => {
    git("clone", "-q", "--shared", ".", ".ekiden/worktrees/2-b");
    const cwd = join(workspace, ".ekiden/worktrees/2-b");
    let isOver = false;
    const removing = (async () => {
      for (let nth = 0; !isOver; nth += 1) {
        const other = `.ekiden/worktrees/other-${nth}`;
        await promisify(execFile)("git", ["clone", "-q", "--shared", ".", other], { cwd: workspace });
        await promisify(execFile)("rm", ["-rf", other], { cwd: workspace });
      }
    })();
    for (let nth = 0; nth < 40; nth += 1)
      expect(await run("git status --short", { cwd })).toMatchObject({ exitCode: 0, output: "" });
    isOver = true;
    await removing;
  });

  it("/tmp stays from one command to the next, and nobody else sees it", async () => {
    await run("echo mine > /tmp/ekiden-private-file");
    expect((await run("cat /tmp/ekiden-private-file")).output).toBe("mine\n");
    expect(existsSync("/tmp/ekiden-private-file")).toBe(false);
  });

  it("a server that one command leaves in the background of a job is reached by the next command", async () => {
    const stop = new AbortController();
    const server = run(
      `exec node -e 'require("http").createServer((q,r)=>r.end("hello")).listen(8123,()=>console.log("up"))'`,
      {
        signal: stop.signal,
        outputFile: join(base, "output/server.txt"),
      },
    );
    await soon(() => expect(readFileSync(join(base, "output/server.txt"), "utf8")).toBe("up\n"));
    const code = 'fetch("http://127.0.0.1:8123").then(r=>r.text()).then(console.log)';
    expect((await run(`node -e '${code}'`)).output).toBe("hello\n");
    await expect(fetch("http://127.0.0.1:8123")).rejects.toThrow();
    stop.abort(new Error("stopped"));
    await expect(server).rejects.toThrow("stopped");
  });

  it("a command that is ended has its grace, and takes along what it started", async () => {
    const result = await run("trap 'echo bye > bye; exit 3' TERM; setsid sleep 600 & touch ready; wait", {
      timeoutMs: 1_500,
    });
    expect(result).toMatchObject({ timedOut: true, exitCode: 3 });
    expect(existsSync(join(workspace, "bye"))).toBe(true);
    expect(await run("sleep 600", { timeoutMs: 200 })).toMatchObject({ timedOut: true, signal: "SIGTERM" });
    expect(await run("exit 143")).toMatchObject({ exitCode: 143, signal: null });
  });

  it("a read-only command changes nothing, and a person's word lets one command out", async () => {
    const refused = await run("echo x > made", { confine: { readOnly: true } });
    expect(refused.denial).toContain("read-only workspace");
    expect((await run("git status && ls", { confine: { readOnly: true } })).exitCode).toBe(0);
    expect(existsSync(join(workspace, "made"))).toBe(false);
    const outside = join(base, "outside");
    expect((await run(`echo x > ${outside}`)).exitCode === 0 && existsSync(outside)).toBe(false);
    expect(await run(`echo x > ${outside}`, { unconfined: true })).toMatchObject({
      exitCode: 0,
      denial: null,
    });
    expect(existsSync(outside)).toBe(true);
  });

  it("further folders can be opened for one command", async () => {
    const more = join(base, "more");
    mkdirSync(more);
    expect((await run(`echo x > ${more}/x`, { confine: { writable: [more] } })).exitCode).toBe(0);
    expect(existsSync(join(more, "x"))).toBe(true);
  });

  it("a .git file that names a repository which does not point back opens nothing", async () => {
    const other = join(base, "other");
    execFileSync("git", ["init", "-q", other]);
    rmSync(join(workspace, ".git"), { recursive: true });
    writeFileSync(join(workspace, ".git"), `gitdir: ${other}/.git\n`);
    await run(`echo x > ${other}/.git/made`);
    expect(existsSync(join(other, ".git/made"))).toBe(false);
  });

  it("hooks behind a link cannot be exchanged", async () => {
    rmSync(join(workspace, ".git/hooks"), { recursive: true, force: true });
    mkdirSync(join(workspace, "tools"));
    symlinkSync("../tools", join(workspace, ".git/hooks"));
    await run("rm .git/hooks; mkdir .git/hooks; echo id > .git/hooks/pre-commit; echo id > tools/pre-commit");
    expect(existsSync(join(workspace, ".git/hooks/pre-commit"))).toBe(false);
  });
});

/** By their numbers on x86-64 and on arm64. Perl makes any call, and says what became of it. */
const CALLS: readonly (readonly [
  name: string,
  x64: number,
  arm64: number,
  args: string,
  expected: string,
])[] = [
  ["ptrace", 101, 117, "0,0,0,0", "EPERM"],
  ["unshare of the user namespace", 272, 97, "0x10000000", "EPERM"],
  ["clone into a user namespace", 56, 220, "0x10000011,0,0,0,0", "EPERM"],
  ["clone3, whose flags lie in memory", 435, 435, "0,0", "ENOSYS"],
  ["setns", 308, 268, "0,0", "EPERM"],
  ["mount", 165, 40, "0,0,0,0,0", "EPERM"],
  ["fsopen", 430, 430, "0,0", "EPERM"],
  ["open_by_handle_at", 304, 265, "0,0,0", "EPERM"],
  ["keyctl", 250, 219, "0,0,0,0,0", "EPERM"],
  ["bpf", 321, 280, "0,0,0", "EPERM"],
  ["io_uring_setup", 425, 425, "1,0", "EPERM"],
  ["userfaultfd", 323, 282, "0", "EPERM"],
  ["perf_event_open", 298, 241, "0,0,0,0,0", "EPERM"],
  ["process_vm_readv", 310, 270, "1,0,0,0,0,0", "EPERM"],
  ["kexec_load", 246, 104, "0,0,0,0", "EPERM"],
  ["finit_module", 313, 273, "0,0,0", "EPERM"],
  ["TIOCSTI", 16, 29, "0,0x5412,0", "EPERM"],
  ["TIOCLINUX with high bits set", 16, 29, "0,0x10000541c,0", "EPERM"],
  ["a vsock socket", 41, 198, "40,1,0", "EPERM"],
  ["a packet socket", 41, 198, "17,3,0", "EPERM"],
  ["a Unix socket", 41, 198, "1,1,0", "EPERM"],
  ["a Unix socket that children do not inherit", 41, 198, "1,0x80001,0", "EPERM"],
  ["a pair of streams", 53, 199, "1,0x80801,0,PAIR", "done"],
  ["a pair of packets in order", 53, 199, "1,5,0,PAIR", "done"],
  ["a pair of datagrams", 53, 199, "1,2,0,PAIR", "EPERM"],
  ["a raw pair", 53, 199, "1,3,0,PAIR", "EPERM"],
  ["an IPv6 socket", 41, 198, "10,1,0", "done"],
];
bubblewrapOrSkip(describe)("the system call filter", () => {
  const perl = (number: number, args: string): string =>
    `perl -MErrno -e '$p="\\0"x8;$r=syscall(${number},${args.replace("PAIR", "$p")});print $r>=0?"done":$!{EPERM}?"EPERM":$!{ENOSYS}?"ENOSYS":$!'`;

  it.each(CALLS)("%s", async (_, x64, arm64, args, expected) => {
    expect((await run(perl(process.arch === "x64" ? x64 : arm64, args))).output).toBe(expected);
  });

  it.runIf(process.arch === "x64")("calls of the x32 interface", async () => {
    expect((await run(perl(0x40000000 + 101, "0,0,0,0"))).output).toBe("EPERM");
  });
});

bubblewrapOrSkip(describe)("the network of the sandbox", () => {
  /** A host under a name that this machine resolves to itself. */
  async function host(): Promise<{ port: number; asked: string[]; close: () => void }> {
    const asked: string[] = [];
    const server = createServer((request, response) => {
      asked.push(request.url ?? "");
      response.end("from the host");
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return { port: (server.address() as AddressInfo).port, asked, close: () => server.close() };
  }
  const get = (url: string): string =>
    `node -e 'const u=new URL("${url}"),p=new URL(process.env.HTTP_PROXY??"http://127.0.0.1:9");require("http").get({host:p.hostname,port:p.port,path:u.href,headers:{host:u.host}},r=>{process.stdout.write(r.statusCode+" ");r.pipe(process.stdout)}).on("error",e=>console.log(e.code))'`;

  it("reaches listed hosts through the proxy, and no others", async () => {
    const { port, asked, close } = await host();
    await reopen({ network: [`127.0.0.1:${port}`] });
    expect((await run(get(`http://127.0.0.1:${port}/a`))).output).toBe("200 from the host");
    const refused = await run(get("http://other.example.org/b"));
    expect(refused.output).toContain("403 The sandbox refuses connections to other.example.org");
    expect(refused.denial).toContain("allow network(other.example.org)");
    expect((await run(get(`http://localhost:${port}/c`))).output).toMatch(/^403/);
    sandbox.allowHosts([`localhost:${port}`]);
    expect((await run(get(`http://localhost:${port}/d`))).output).toBe("200 from the host");
    expect(asked).toEqual(["/a", "/d"]);
    close();
  });

  it("is reached also where the folder for temporary files has a long path", async () => {
    const { port, close } = await host();
    const usual = process.env.TMPDIR;
    process.env.TMPDIR = join(base, "temporary-files-of-a-user-whose-system-gives-each-login-its-own-folder");
    mkdirSync(process.env.TMPDIR);
    try {
      await reopen({ network: [`127.0.0.1:${port}`] });
      expect((await run(get(`http://127.0.0.1:${port}/a`))).output).toBe("200 from the host");
    } finally {
      if (usual === undefined) delete process.env.TMPDIR;
      else process.env.TMPDIR = usual;
      close();
    }
  });

  it("can be closed for one command, and opened altogether", async () => {
    const { port, asked, close } = await host();
    await reopen({ network: [`127.0.0.1:${port}`] });
    expect((await run(get(`http://127.0.0.1:${port}/a`), { confine: { network: "off" } })).output).toMatch(
      /ECONNREFUSED/,
    );
    const code = `fetch("http://127.0.0.1:${port}/straight").then(r=>r.text()).then(console.log)`;
    expect((await run(`node -e '${code}'`)).output).toBe("from the host\n");
    expect(asked).toEqual(["/straight"]);
    close();
  });

  it("with every host holds no port of this machine, however it is called, but a listed one", async () => {
    const { port, asked, close } = await host();
    const other = await host();
    await reopen({ network: ["*", `127.0.0.1:${other.port}`] });
    const names = [
      "127.0.0.1",
      "localhost",
      "LOCALHOST.",
      "a.localhost",
      "[::1]",
      "0.0.0.0",
      "127.1",
      "2130706433",
    ];
    for (const name of [...names, "[::ffff:127.0.0.1]", "[64:ff9b::7f00:1]", hostname()]) {
      const said = (await run(get(`http://${name}:${port}/a`))).output;
      expect(said, name).not.toContain("from the host");
    }
    for (const [to, way] of [
      ["127.0.0.1", "tcp"],
      ["::1", "tcp"],
      ["127.0.0.1", "udp"],
    ])
      await run(`echo x > /dev/${way}/${to}/${port}`);
    const denied = await run(get(`http://127.0.0.1:${port}/a`));
    expect([denied.output, denied.denial]).toEqual([
      expect.stringMatching(/^403/),
      expect.stringContaining(`allow network(127.0.0.1:${port})`),
    ]);
    const plain = `node -e 'fetch("http://127.0.0.1:${other.port}/b").then(r=>r.text()).then(console.log)'`;
    expect((await run(plain)).output).toBe("from the host\n");
    expect((await run(plain, { confine: { network: ["*"] } })).output).toBe("from the host\n");
    expect([asked, other.asked]).toEqual([[], ["/b", "/b"]]);
    // A way out of this machine is there: the proxy takes a host by its name and looks it up.
    expect((await run(get("http://no-such-host.invalid/"))).output).toMatch(/^(403|502)/);
    for (const one of [close, other.close]) one();
  });

  it("says which rule would open it", async () => {
    const result = await run("node -e 'fetch(\"https://packages.example.org/x\")'");
    expect(result.denial).toContain("allow network(packages.example.org)");
  });
});

describe("a sandbox that cannot be had", () => {
  const NO_BWRAP = { env: { PATH: "/nowhere", HOME: tmpdir() } };

  it("is refused where the program is one that the workspace brings", async () => {
    const bin = join(workspace, "bin");
    mkdirSync(bin);
    writeFileSync(join(bin, "bwrap"), '#!/bin/sh\ntouch "$(dirname "$0")/../ran"\n', { mode: 0o755 });
    await reopen({ mode: "auto", env: { PATH: bin, HOME: tmpdir() } });
    await run("true");
    expect(existsSync(join(workspace, "ran"))).toBe(false);
  });

  it("turned off runs commands as they are, and says so", async () => {
    await reopen({ mode: "off", ...NO_BWRAP });
    expect(await sandbox.status()).toMatchObject({
      active: false,
      text: expect.stringContaining("The settings turn it off"),
    });
    expect((await run(`echo x > ${base}/outside`)).exitCode).toBe(0);
    expect(existsSync(join(base, "outside"))).toBe(true);
  });
});
