/** Sockets of another program that come and go outside of the workspace: they stop nothing, and no command reaches one. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { createServer, type Server } from "node:net";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Mcp } from "../../../src/adapters/mcp/index.ts";
import type { Store } from "../../../src/ports/index.ts";
import { Hooks } from "../../../src/runtime/hooks/hooks.ts";
import { bubblewrapOrSkip } from "../../fixtures/bubblewrap.ts";
import { type Confined, closeConfined, confined } from "../../fixtures/confined.ts";
import { soon } from "../../fixtures/soon.ts";

const { signal } = new AbortController();
const filesystem = createRequire(import.meta.url).resolve(
  "@modelcontextprotocol/server-filesystem/dist/index.js",
);

/** Thirty sockets a second in each folder: each lives for a thirtieth of a second, or ten times as long. */
const MAKER = `
const net = require("node:net");
let nth = 0;
const make = (folder, ms) => {
  const server = net.createServer().listen(folder + "/s" + (nth += 1) + ".sock", () => setTimeout(() => server.close(), ms));
};
setInterval(() => process.argv.slice(1).forEach((folder) => { make(folder, 33); make(folder, 330); }), 33);
console.log("ready");
`;

bubblewrapOrSkip(describe)("sockets that come and go", () => {
  let base: string;
  let place: string;
  let workspace: string;
  let parts: Confined;
  let maker: ChildProcess;
  let servers: Server[];
  beforeEach(async () => {
    base = realpathSync(mkdtempSync(join(tmpdir(), "ekiden-sockets-")));
    place = realpathSync(
      mkdtempSync(join(process.getuid?.() === 0 ? "/var/lib" : homedir(), "ekiden-sockets-")),
    );
    workspace = join(base, "ws");
    for (const folder of [workspace, join(place, "only"), join(place, "mixed/sub")])
      mkdirSync(folder, { recursive: true });
    writeFileSync(join(place, "mixed/file"), "data\n");
    writeFileSync(join(place, "mixed/sub/file"), "deep\n");
    symlinkSync("file", join(place, "mixed/link"));
    // In a folder with very many files each lasting socket has a cover of its own.
    mkdirSync(join(place, "large"));
    for (let i = 0; i < 150; i += 1) writeFileSync(join(place, "large", String(i)), "");
    const folders = ["only", "mixed", "large", "."].map((name) => join(place, name));
    maker = spawn(process.execPath, ["-e", MAKER, ...folders], { stdio: ["ignore", "pipe", "ignore"] });
    await once(maker.stdout as NodeJS.ReadableStream, "data");
    servers = ["mixed", "large"].map((name) => createServer().listen(join(place, name, "lasting.sock")));
    for (const server of servers) if (!server.listening) await once(server, "listening");
    parts = confined(base, workspace);
  });
  afterEach(async () => {
    maker.kill();
    for (const server of servers) server.close();
    await closeConfined(parts, base);
    rmSync(place, { recursive: true, force: true });
  });
  const run = (line: string) =>
    parts.shell.run(line, { cwd: workspace, signal, timeoutMs: 60_000, input: "" });

  it("stop no command, hook, program of ours or MCP server", async () => {
    for (let i = 0; i < 25; i += 1)
      expect(await run(`echo ${i} >> ran; cat ${place}/mixed/file ${place}/mixed/sub/file`)).toMatchObject({
        ...{ exitCode: 0, output: "data\ndeep\n" },
      });
    expect(readFileSync(join(workspace, "ran"), "utf8").split("\n")).toHaveLength(26);

    const store = {
      team: "t",
      journal: { warn: (_: unknown, text: string) => Promise.reject(new Error(text)) },
    };
    const hooks = new Hooks({
      hooks: {
        PreToolUse: [{ matcher: "", command: "cat >/dev/null; echo no >&2; exit 2", timeoutMs: 60_000 }],
      },
      ...{ shell: parts.shell, store: store as unknown as Store, cwd: workspace },
    });
    for (let i = 0; i < 10; i += 1)
      expect(
        await hooks.run({ event: "PreToolUse", subject: "bash", who: null, details: {}, signal }),
      ).toMatchObject({
        blocked: "no",
      });

    for (let i = 0; i < 10; i += 1) {
      const confine = { readOnly: true, network: "off" } as const;
      const options = { cwd: workspace, signal, timeoutMs: 60_000, confine };
      expect(await parts.shell.exec("/bin/cat", ["ran"], options)).toMatchObject({ exitCode: 0 });
    }

    for (let i = 0; i < 5; i += 1) {
      const problems: string[] = [];
      const config = { command: process.execPath, args: [filesystem, workspace], env: {} };
      const mcp = new Mcp([{ name: "files", config }], {
        ...{ cwd: workspace, env: { PATH: process.env.PATH ?? "" }, sandbox: parts.sandbox, readyMs: 60_000 },
        onProblem: (_, problem) => problems.push(problem),
      });
      const tools = await mcp.tools("");
      await mcp.close();
      expect([problems, tools.length > 3]).toEqual([[], true]);
    }
  });

  it("are not reached, nor one that is made while a command runs", async () => {
    const connect = (path: string) =>
      `require("node:net").connect(${JSON.stringify(path)}).on("connect", () => { console.log("connected"); process.exit(); }).on("error", (e) => console.log(e.code))`;
    const reach = async (path: string): Promise<string> =>
      (await run(`${process.execPath} -e '${connect(path)}'`)).output.trim();
    expect(await reach(join(place, "mixed/lasting.sock"))).toBe("ENOENT");
    await soon(async () => expect(await reach(join(place, "large/lasting.sock"))).not.toBe("connected"));
    const later = createServer();
    const running = run(
      `touch begun; until [ -e go ]; do sleep 0.02; done; ${process.execPath} -e '${connect(join(place, "mixed/later.sock"))}'`,
    );
    while (!(await run("test -e begun && echo yes")).output.includes("yes"));
    later.listen(join(place, "mixed/later.sock"));
    await once(later, "listening");
    writeFileSync(join(workspace, "go"), "");
    expect((await running).output.trim()).toBe("ENOENT");
    later.close();
    expect((await run(`cat ${place}/mixed/link`)).output).toBe("data\n");
    expect((await run(`echo x > ${place}/mixed/new`)).output).toMatch(/Read-only file system/);
  });
});
