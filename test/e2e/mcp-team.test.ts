/** A published MCP server in a team: called through the permissions, killed in the middle of a call, started anew for the next. */
import { spawn } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import {
  calls,
  type ModelCall,
  type ModelServer,
  says,
  startModelServer,
} from "../fixtures/model-server/index.ts";

const PROGRAM = join(import.meta.dirname, "../../dist/main.js");
const SERVER = createRequire(import.meta.url).resolve(
  "@modelcontextprotocol/server-everything/dist/index.js",
);
let folder: string;
let server: ModelServer;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "ekiden-mcp-team-")));
  const every = { command: process.execPath, args: [SERVER, "stdio"], env: { MARK: folder } };
  writeFileSync(join(folder, ".mcp.json"), JSON.stringify({ mcpServers: { broken: { args: [] } } }));
  mkdirSync(join(folder, ".ekiden"));
  writeFileSync(join(folder, ".ekiden/settings.json"), JSON.stringify({ mcpServers: { every } }));
});
afterEach(async () => {
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

type Run = {
  readonly code: number | null;
  readonly events: Record<string, unknown>[];
  readonly stderr: string;
};
function ekiden(...args: string[]): Promise<Run> {
  const child = spawn(
    process.execPath,
    [PROGRAM, ...args, "--json", "--cwd", folder, "--model", "anthropic/claude-sonnet-4-5"],
    {
      stdio: ["ignore", "pipe", "pipe"],
      env: { PATH: process.env.PATH, ...server.env },
    },
  );
  let out = "";
  let stderr = "";
  child.stdout.on("data", (chunk) => {
    out += chunk;
  });
  child.stderr.on("data", (chunk) => {
    stderr += chunk;
  });
  return new Promise((resolve) =>
    child.on("close", (code) =>
      resolve({
        code,
        stderr,
        events: out
          .trim()
          .split("\n")
          .map((line) => JSON.parse(line)),
      }),
    ),
  );
}

const isAlice = (request: ModelCall): boolean => request.system.startsWith('You are "alice"');
const last = (request: ModelCall): string => JSON.stringify(request.messages.at(-1)).replaceAll('\\"', '"');

/** The server's process: ours has the folder in its environment. */
const serverPid = (): number | undefined =>
  readdirSync("/proc")
    .filter((entry) => /^\d+$/.test(entry))
    .map(Number)
    .find((pid) => {
      try {
        return (
          readFileSync(`/proc/${pid}/environ`, "latin1").includes(`MARK=${folder}\0`) &&
          readFileSync(`/proc/${pid}/cmdline`, "latin1").includes("server-everything")
        );
      } catch {
        return false;
      }
    });

it("a teammate calls its tools where a rule allows it, and is told the rule where none does", async () => {
  server = await startModelServer({
    any: (request) => {
      if (!isAlice(request)) return says("");
      if (last(request).includes("<auto-claimed")) return calls("mcp__every__echo", { message: "over MCP" });
      if (last(request).includes("Not permitted")) return calls("fail_task", { reason: last(request) });
      return last(request).includes("over MCP") ? calls("complete_task", { result: "echoed" }) : says("done");
    },
  });
  await ekiden("add", "Echo");
  const refused = await ekiden("run", "see to it", "--teammate", "alice");
  expect(refused.code).toBe(1);
  expect(JSON.stringify(refused.events)).toContain("mcp__every__echo");
  expect(refused.events).toContainEqual(
    expect.objectContaining({ type: "warning.raised", text: expect.stringContaining('"broken"') }),
  );
  await ekiden("add", "Echo again");
  const allowed = await ekiden("run", "see to it", "--teammate", "alice", "--allow", "mcp__every__echo");
  expect(allowed.events.at(-1)).toMatchObject({ type: "team.finished", completed: 1, failed: 0 });
});

it.runIf(process.platform === "linux")(
  "killed in the middle of a call: an error result, and a working restart",
  async () => {
    const heard: string[] = [];
    server = await startModelServer({
      any: (request) => {
        if (!isAlice(request)) return says("");
        heard.push(last(request));
        if (last(request).includes("<auto-claimed"))
          return calls("mcp__every__trigger-long-running-operation", { duration: 60, steps: 60 });
        if (last(request).includes("ended during the call"))
          return calls("mcp__every__echo", { message: "back again" });
        return last(request).includes("back again") ? calls("complete_task", { result: "ok" }) : says("done");
      },
    });
    await ekiden("add", "Long");
    const running = ekiden("run", "see to it", "--teammate", "alice", "--allow", "mcp__every__*");
    await vi.waitFor(() => expect(heard.length).toBe(1), 10_000);
    const pid = await vi.waitFor(() => {
      const found = serverPid();
      expect(found).toBeDefined();
      return found as number;
    }, 10_000);
    process.kill(pid, "SIGKILL");
    const run = await running;
    expect(heard.join("\n")).toContain("may or may not have taken effect");
    expect(run.events.at(-1)).toMatchObject({ type: "team.finished", completed: 1 });
    expect(serverPid()).toBeUndefined();
  },
);
