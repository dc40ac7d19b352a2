/** A published MCP server in a team: called through the permissions, killed in the middle of a call, started again for the next. */
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import {
  calls,
  type ModelCall,
  type ModelServer,
  says,
  startModelServer,
} from "../../fixtures/model-server/index.ts";
import { soon } from "../../fixtures/soon.ts";
import { Project } from "../cli-program.ts";

const SERVER = createRequire(import.meta.url).resolve(
  "@modelcontextprotocol/server-everything/dist/index.js",
);
/** Loaded before the server, for there is no other way to see what has reached it: keeps what it reads in a file. */
const EAR = `import { appendFileSync } from "node:fs";
const emit = process.stdin.emit;
process.stdin.emit = function (event, chunk) {
  if (event === "data") appendFileSync(new URL("heard.txt", import.meta.url), chunk);
  return emit.apply(this, arguments);
};
`;
let project: Project;
let server: ModelServer;
beforeEach(() => {
  project = new Project();
  const every = {
    command: process.execPath,
    args: ["--import", join(project.dir, "ear.mjs"), SERVER, "stdio"],
    env: { MARK: project.dir },
  };
  project.write({
    "ear.mjs": EAR,
    ".mcp.json": JSON.stringify({ mcpServers: { broken: { args: [] } } }),
    ".ekiden/settings.json": JSON.stringify({ mcpServers: { every } }),
  });
});
afterEach(async () => {
  await project.end();
  await server.close();
});

type Run = { readonly code: number | null; readonly events: Record<string, unknown>[] };
async function ekiden(...args: string[]): Promise<Run> {
  const options = ["--json", "--model", "anthropic/claude-sonnet-4-5"];
  const { code, stdout } = await project.run([...args, ...options], { env: server.env });
  return {
    code,
    events: stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line)),
  };
}

const isAlice = (request: ModelCall): boolean => request.system.startsWith('You are "alice"');
const last = (request: ModelCall): string => JSON.stringify(request.messages.at(-1)).replaceAll('\\"', '"');

/** The server's process: ours has the project's folder in its environment. */
const serverPid = (): number | undefined =>
  readdirSync("/proc")
    .filter((entry) => /^\d+$/.test(entry))
    .map(Number)
    .find((pid) => {
      try {
        return (
          readFileSync(`/proc/${pid}/environ`, "latin1").includes(`MARK=${project.dir}\0`) &&
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
  await project.add({ subject: "Echo" });
  const refused = await ekiden("run", "see to it", "--teammate", "alice");
  expect(refused.code).toBe(1);
  expect(JSON.stringify(refused.events)).toContain("mcp__every__echo");
  expect(refused.events).toContainEqual(
    expect.objectContaining({ type: "warning.raised", text: expect.stringContaining('"broken"') }),
  );
  await project.add({ subject: "Echo again" });
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
    await project.add({ subject: "Long" });
    const running = ekiden("run", "see to it", "--teammate", "alice", "--allow", "mcp__every__*");
    await soon(() => expect(readFileSync(join(project.dir, "heard.txt"), "utf8")).toContain("tools/call"));
    const pid = serverPid();
    if (pid === undefined) throw new Error("the server is in the middle of a call");
    process.kill(pid, "SIGKILL");
    const run = await running;
    expect(heard.join("\n")).toContain("may or may not have taken effect");
    expect(run.events.at(-1)).toMatchObject({ type: "team.finished", completed: 1 });
    expect(serverPid()).toBeUndefined();
  },
);
