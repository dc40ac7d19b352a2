/** These tests check what happens to the sandbox itself: its folder is removed, its processes are killed. A command does not notice it. */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Mcp } from "../../../src/adapters/mcp/index.ts";
import { OWN_IDENTITY } from "../../../src/adapters/process-identity.ts";
import { descendantsOf } from "../../../src/adapters/process-table.ts";
import { createShell } from "../../../src/adapters/shell/index.ts";
import { textIn } from "../../../src/adapters/small-files.ts";
import type { ShellOptions } from "../../../src/ports/index.ts";
import { bubblewrapOrSkip } from "../../fixtures/bubblewrap.ts";
import { type Confined, closeConfined, confined } from "../../fixtures/confined.ts";
import { isRoot } from "../../fixtures/other-user.ts";
import { soon } from "../../fixtures/soon.ts";

const filesystem = createRequire(import.meta.url).resolve(
  "@modelcontextprotocol/server-filesystem/dist/index.js",
);

let base: string;
let workspace: string;
let parts: Confined;
/** Where commands cannot write, so that a program of it may confine them. */
let place: string;
let faults: string[] = [];

const run = (command: string, more: Partial<ShellOptions> = {}) =>
  parts.shell.run(command, {
    ...{ cwd: workspace, signal: new AbortController().signal, timeoutMs: 60_000 },
    ...more,
  });

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "ekiden-faults-")));
  workspace = join(base, "ws");
  mkdirSync(workspace);
  place = realpathSync(mkdtempSync(join(isRoot ? "/var/lib" : homedir(), "ekiden-faults-")));
  parts = confined(base, workspace);
});
afterEach(async () => {
  await closeConfined(parts, base);
  rmSync(place, { recursive: true, force: true });
});

bubblewrapOrSkip(describe)("a command runs", () => {
  /** A bubblewrap that fails as often as this file has lines. */
  async function failing(times: number): Promise<void> {
    await closeConfined(parts);
    const program = `#!/bin/sh
if [ -s ${place}/failures ]; then sed -i 1d ${place}/failures; echo "bwrap: Can't mount proc: No space left on device" >&2; exit 1; fi
PATH=\${PATH#*:} exec bwrap "$@"
`;
    writeFileSync(join(place, "bwrap"), program, { mode: 0o755 });
    writeFileSync(join(place, "failures"), "");
    const env = { ...process.env, PATH: `${place}:${process.env.PATH}` };
    const { sandbox, shell } = confined(base, workspace, { env });
    await shell.close();
    faults = [];
    const onSandboxFault = (reason: string) => void faults.push(reason);
    parts = { sandbox, shell: createShell({ outputDir: join(base, "o"), sandbox, env, onSandboxFault }) };
    // The first command also proves the sandbox and starts its network.
    await run("true", { input: "" });
    writeFileSync(join(place, "failures"), "x\n".repeat(times));
  }

  it("again when the sandbox could not be set up, and once", async () => {
    await failing(2);
    expect(await run("echo x >> ran; cat ran", { input: "" })).toMatchObject({ exitCode: 0, output: "x\n" });
    await failing(2);
    const outputFile = join(base, "o/job.txt");
    expect(await run("echo x >> ran; cat ran", { outputFile })).toMatchObject({ exitCode: 0 });
    expect(readFileSync(outputFile, "utf8")).toBe("x\nx\n");
    expect(faults).toEqual([]);
  });

  it("or its failure is told to be none of its own", async () => {
    await failing(100);
    await expect(run("echo x >> ran", { input: "" })).rejects.toThrow(
      /could not be set up.*Can't mount proc: No space left.*not of the command or the task/,
    );
    expect(existsSync(join(workspace, "ran"))).toBe(false);
    expect(faults).toEqual(["bwrap: Can't mount proc: No space left on device"]);
  });

  it("and an MCP server, too, which is started five times at most", async () => {
    const problems: string[] = [];
    const config = { command: process.execPath, args: [filesystem, workspace], env: {} };
    for (const [times, isThere] of [
      [4, true],
      [5, false],
    ] as const) {
      await failing(times);
      const mcp = new Mcp([{ name: "files", config }], {
        ...{ cwd: workspace, env: { PATH: process.env.PATH ?? "" }, sandbox: parts.sandbox, readyMs: 60_000 },
        onProblem: (_, problem) => problems.push(problem),
      });
      expect((await mcp.tools("")).length > 3).toBe(isThere);
      await mcp.close();
    }
    expect(problems).toEqual([expect.stringContaining("Can't mount proc")]);
  });

  it("once when it fails with the words of the sandbox", async () => {
    const line = "echo x >> ran; echo bwrap: no; exit 1";
    expect(await run(line, { input: "" })).toMatchObject({ exitCode: 1, output: "bwrap: no\n" });
    expect(readFileSync(join(workspace, "ran"), "utf8")).toBe("x\n");
  });

  it("also when the processes that wait are frozen", async () => {
    const waiting = (): number[] =>
      descendantsOf(new Set([process.pid])).filter((pid) => {
        const line = textIn(`/proc/${pid}/cmdline`);
        return line.includes("bwrap") && line.includes("mapfile");
      });
    await run("true");
    await soon(() => expect(waiting().length).toBeGreaterThanOrEqual(2));
    for (const pid of waiting()) process.kill(pid, "SIGSTOP");
    expect(await run("echo x", { timeoutMs: 30_000 })).toMatchObject({ exitCode: 0, output: "x\n" });
  });

  it("also when the process that holds the network was just killed, and those that wait were", async () => {
    const processes = (words: string): number[] =>
      descendantsOf(new Set([process.pid])).filter((pid) => {
        const line = textIn(`/proc/${pid}/cmdline`);
        return line.includes("bwrap") && line.includes(words);
      });
    await run("true");
    for (const words of ["read end", "mapfile"])
      for (let nth = 0; nth < 3; nth += 1) {
        await soon(async () => {
          if (processes(words).length === 0) await run("true");
          expect(processes(words)).not.toEqual([]);
        });
        for (const pid of processes(words)) process.kill(pid, "SIGKILL");
        expect(await run("echo x")).toMatchObject({ exitCode: 0, output: "x\n" });
      }
  });

  it("and reaches listed hosts after a cleaner removed the folder of the sandbox", async () => {
    const server = createServer((_, response) => response.end("from the host"));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    await closeConfined(parts);
    parts = confined(base, workspace, { network: [`127.0.0.1:${port}`] });
    const get = `node -e 'const u=new URL(process.env.HTTP_PROXY);require("http").get({host:u.hostname,port:u.port,path:"http://127.0.0.1:${port}/"},r=>r.pipe(process.stdout)).on("error",e=>console.log(e.code))'`;
    try {
      expect((await run(get)).output).toBe("from the host");
      for (const name of readdirSync(tmpdir()))
        if (name.startsWith(`ekiden-sandbox-${OWN_IDENTITY}-`))
          rmSync(join(tmpdir(), name), { recursive: true });
      for (let nth = 0; nth < 3; nth += 1)
        expect(await run(`touch /tmp/x && ${get}`)).toMatchObject({ exitCode: 0, output: "from the host" });
    } finally {
      server.close();
    }
  });
});
