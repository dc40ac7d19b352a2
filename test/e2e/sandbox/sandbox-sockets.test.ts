/** Unix sockets of other programs, wherever they are: a table of all ways to them. A command reaches none, and they stop no command. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Mcp } from "../../../src/adapters/mcp/index.ts";
import type { SandboxOptions } from "../../../src/adapters/sandbox/options.ts";
import type { Confinement } from "../../../src/core/sandbox/sandbox.ts";
import { bubblewrapOrSkip } from "../../fixtures/bubblewrap.ts";
import { type Confined, closeConfined, confined } from "../../fixtures/confined.ts";
import { isRoot } from "../../fixtures/other-user.ts";
import { soon } from "../../fixtures/soon.ts";

const { signal } = new AbortController();
const filesystem = createRequire(import.meta.url).resolve(
  "@modelcontextprotocol/server-filesystem/dist/index.js",
);

/** Listens to streams and datagrams at paths and at abstract names, and says what reached it. With names of folders it also makes sockets that live shortly. */
const OTHERS = `
use Socket; use IO::Select;
my ($place, $workspace, $name, @folders) = @ARGV;
my $all = IO::Select->new;
my %kind;
sub at { my ($kind, $type, $address) = @_; socket(my $s, AF_UNIX, $type, 0); bind($s, $address) or die "$kind: $!"; listen($s, 50) if $type == SOCK_STREAM; $kind{fileno $s} = $kind; $all->add($s); }
at("stream", SOCK_STREAM, pack_sockaddr_un("$place/stream")); at("datagrams", SOCK_DGRAM, pack_sockaddr_un("$place/datagrams"));
at("stream", SOCK_STREAM, pack_sockaddr_un("$workspace/stream")); at("datagrams", SOCK_DGRAM, pack_sockaddr_un("$workspace/datagrams"));
at("stream", SOCK_STREAM, pack("Sa*", AF_UNIX, "\\0$name-stream")); at("datagrams", SOCK_DGRAM, pack("Sa*", AF_UNIX, "\\0$name-datagrams"));
$| = 1; print "ready\\n";
my ($nth, @short) = (0);
for (;;) {
  for my $s ($all->can_read(0.02)) {
    my $kind = $kind{fileno $s};
    if ($kind eq "stream") { accept(my $c, $s); close $c } else { recv($s, my $text, 100, 0) }
    print "$kind\\n";
  }
  for my $folder (@folders) { $nth++; socket(my $s, AF_UNIX, SOCK_STREAM, 0); bind($s, pack_sockaddr_un("$folder/s$nth")); push @short, [$s, "$folder/s$nth"]; }
  while (@short > 20) { my $old = shift @short; close $$old[0]; unlink $$old[1]; }
}`;

const perl = (code: string): string => `perl -MSocket -e '${code}'`;
const STREAM = (address: string): string =>
  perl(`socket(S,AF_UNIX,SOCK_STREAM,0);connect(S,${address}) and print "reached"`);
const DATAGRAM = (address: string): string =>
  perl(`socket(S,AF_UNIX,SOCK_DGRAM,0);send(S,"x",0,${address}) and print "reached"`);
const PAIR = (type: string, use: string): string =>
  perl(`socketpair(A,B,AF_UNIX,${type},0);${use} and print "reached"`);
const path = (name: string): string => `pack_sockaddr_un("$ENV{PLACE}/${name}")`;
const hidden = (name: string): string => `pack("Sa*",AF_UNIX,"\\0$ENV{NAME}-${name}")`;

/** `isNever`: the kernel refuses it without a sandbox, too. */
const WAYS: readonly [name: string, line: string, isNever?: true][] = [
  ["a stream at a path", STREAM(path("stream"))],
  ["a stream at a short path", `cd $PLACE && ${STREAM('pack_sockaddr_un("stream")')}`],
  ["a stream in the workspace", STREAM('pack_sockaddr_un("stream")')],
  ["a stream through a link", `ln -sf $PLACE/stream link; ${STREAM('pack_sockaddr_un("link")')}`],
  ["a stream at an abstract name", STREAM(hidden("stream"))],
  ["datagrams to a path", DATAGRAM(path("datagrams"))],
  ["datagrams to the workspace", DATAGRAM('pack_sockaddr_un("datagrams")')],
  ["datagrams to an abstract name", DATAGRAM(hidden("datagrams"))],
  ["datagrams of a pair", PAIR("SOCK_DGRAM", `send(A,"x",0,${path("datagrams")})`)],
  ["datagrams of a raw pair", PAIR("SOCK_RAW", `send(A,"x",0,${path("datagrams")})`)],
  [
    "a pair of datagrams with another end",
    PAIR("SOCK_DGRAM", `connect(A,${path("datagrams")}) and send(A,"x",0)`),
  ],
  ["a pair of datagrams at an abstract name", PAIR("SOCK_DGRAM", `send(A,"x",0,${hidden("datagrams")})`)],
  ["a stream of a pair with another end", PAIR("SOCK_STREAM", `connect(A,${path("stream")})`), true],
  [
    "a stream of a pair without its end",
    PAIR("SOCK_STREAM", `close(B) and connect(A,${path("stream")})`),
    true,
  ],
  ["packets of a pair with another end", PAIR("SOCK_SEQPACKET", `connect(A,${path("stream")})`), true],
  ["the calls of other processors", perl('syscall(359,1,1,0)>2 and print "reached"'), true],
];

bubblewrapOrSkip(describe)("Unix sockets", () => {
  let base: string;
  let place: string;
  let workspace: string;
  let parts: Confined;
  let others: ChildProcess;
  let reached = "";
  const name = `ekiden-others-${process.pid}`;
  const open = (more: Partial<SandboxOptions> = {}): Confined => confined(base, workspace, more);
  beforeAll(async () => {
    base = realpathSync(mkdtempSync(join(tmpdir(), "ekiden-sockets-")));
    place = realpathSync(mkdtempSync(join(isRoot ? "/var/lib" : homedir(), "ekiden-sockets-")));
    workspace = join(base, "ws");
    mkdirSync(workspace);
    mkdirSync(join(place, "short"));
    const args = [place, workspace, name, place, join(place, "short")];
    others = spawn("perl", ["-e", OTHERS, ...args], { stdio: ["ignore", "pipe", "inherit"] });
    others.stdout?.on("data", (chunk: Buffer) => {
      reached += chunk.toString().replace("ready\n", "");
    });
    await once(others.stdout as NodeJS.ReadableStream, "data");
    parts = open();
  });
  afterAll(async () => {
    others.kill("SIGKILL");
    await closeConfined(parts, base);
    rmSync(place, { recursive: true, force: true });
  });
  const env = () => ({ PLACE: place, NAME: name });
  const run = (line: string, confine: Confinement = {}, by = parts) =>
    by.shell.run(line, { cwd: workspace, signal, timeoutMs: 60_000, input: "", env: env(), confine });

  it.each(WAYS)("are not reached by %s", async (_, line, isNever) => {
    const plain = spawnSync("/bin/sh", ["-c", line], { cwd: workspace, env: { ...process.env, ...env() } });
    expect(plain.stdout.toString()).toBe(isNever ? "" : "reached");
    if (!isNever) await soon(() => expect(reached).not.toBe(""));
    reached = "";
    for (const confine of [{}, { network: ["*"] }, { readOnly: true }] as const)
      expect((await run(line, confine)).output).not.toContain("reached");
    expect(reached).toBe("");
  });

  it("that come and go stop no command and no MCP server", async () => {
    for (let i = 0; i < 25; i += 1) expect(await run(`echo ${i} >> ran`)).toMatchObject({ exitCode: 0 });
    expect(readFileSync(join(workspace, "ran"), "utf8").split("\n")).toHaveLength(26);
    const problems: string[] = [];
    const config = { command: process.execPath, args: [filesystem, workspace], env: {} };
    const mcp = new Mcp([{ name: "files", config }], {
      ...{ cwd: workspace, env: { PATH: process.env.PATH ?? "" }, sandbox: parts.sandbox, readyMs: 60_000 },
      onProblem: (_, problem) => problems.push(problem),
    });
    const tools = await mcp.tools("");
    await mcp.close();
    expect([problems, tools.length > 3]).toEqual([[], true]);
  });

  it("are opened by a rule, and a command that misses them says which", async () => {
    const line = `${process.execPath} -e 'require("net").createServer().listen("./own.sock",function(){console.log("made");this.close()})'`;
    const { denial, exitCode } = await run(line);
    expect([exitCode, denial]).toEqual([1, expect.stringContaining("allow network(unix)]")]);
    expect((await run(line, { hosts: ["unix"] })).output).toBe("made\n");
    const opened = open({ network: ["unix"] });
    expect((await run(line, {}, opened)).output).toBe("made\n");
    expect((await opened.sandbox.status()).network).toBe("no connections, and Unix sockets");
    await closeConfined(opened);
  });
});
