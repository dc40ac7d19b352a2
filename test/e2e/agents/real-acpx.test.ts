/**
 * `ekiden acp` as acpx uses it, a client of the Agent Client Protocol from npm. EKIDEN_AGENT_PROGRAMS names the folder of its command, as for the
 * agent programs; it needs Node 22.13. Without them this file is left out.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { processesOf } from "../../../src/adapters/process-table.ts";
import { textOf } from "../../../src/core/conversation/chat.ts";
import {
  type Answer,
  calls,
  type ModelCall,
  type ModelServer,
  says,
  startModelServer,
} from "../../fixtures/model-server/index.ts";
import { commandLine, killAll } from "../../fixtures/real-agents.ts";
import { soon } from "../../fixtures/soon.ts";
import { collected, ended, Project } from "../cli-program.ts";

const ACPX = join(process.env.EKIDEN_AGENT_PROGRAMS ?? "", "../acpx/dist/cli.js");
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
const isThere = existsSync(ACPX) && (major > 22 || (major === 22 && minor >= 13));

let project: Project;
let server: ModelServer;
const children: ChildProcess[] = [];
beforeEach(() => {
  project = new Project();
});
afterEach(async () => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
  await project.end();
  await server.close();
});

const heard = ({ messages }: ModelCall): string => {
  const last = messages.at(-1);
  const results = last?.content.flatMap((part) => (part.type === "result" ? [part.text] : [])) ?? [];
  return last ? [textOf(last), ...results].join("\n") : "";
};

async function model(lead: (text: string) => Answer, mate: (text: string) => Answer = () => says("ok")) {
  server = await startModelServer({
    anthropic: (request) =>
      request.system.includes('You are "lead"') ? lead(heard(request)) : mate(heard(request)),
  });
}

const LOADS_ONLY = `sed -u 's/"resume":{},//'`;

/** acpx, which starts `ekiden acp` itself and keeps it in a process of its own. `behind`: a filter of what Ekiden says. */
function acpx(args: readonly string[], flags: readonly string[] = [], behind = "cat"): ChildProcess {
  const { command, args: words, env } = project.command(["acp", "--model", "anthropic/claude-sonnet-4-5"]);
  const script = join(project.home, behind === "cat" ? "ekiden-acp.sh" : "ekiden-acp-filtered.sh");
  writeFileSync(script, `${[command, ...words].map((word) => `'${word}'`).join(" ")} | ${behind}\n`);
  const child = spawn(
    process.execPath,
    [ACPX, "--agent", `/bin/bash ${script}`, "--cwd", project.dir, "--format", "json", ...flags, ...args],
    { cwd: project.dir, env: { ...env, ...server.env }, stdio: ["ignore", "pipe", "pipe"] },
  );
  children.push(child);
  return child;
}

type Update = {
  readonly sessionUpdate: string;
  readonly [field: string]: unknown;
};
type Line = {
  readonly method?: string;
  readonly params?: { readonly update?: Update };
  readonly result?: { readonly stopReason?: string; readonly outcome?: { readonly optionId?: string } };
};
const linesOf = (stdout: string): Line[] =>
  stdout.split("\n").flatMap((line) => (line.startsWith("{") ? [JSON.parse(line) as Line] : []));
const updatesIn = (stdout: string, kind: string): Update[] =>
  linesOf(stdout).flatMap(({ params }) => (params?.update?.sessionUpdate === kind ? [params.update] : []));
const methodsIn = (stdout: string): string[] => linesOf(stdout).flatMap(({ method }) => method ?? []);
const saidIn = (stdout: string): string =>
  updatesIn(stdout, "agent_message_chunk")
    .map(({ content }) => (content as { text: string }).text)
    .join("");
const endOf = (stdout: string): string | undefined =>
  linesOf(stdout).findLast(({ result }) => result?.stopReason !== undefined)?.result?.stopReason;

async function run(
  args: readonly string[],
  flags: readonly string[] = ["--approve-all"],
  behind?: string,
): Promise<string> {
  const { code, stdout, stderr } = await ended(acpx(args, flags, behind));
  if (code !== 0) throw new Error(`acpx ${args.join(" ")} ended with ${code}: ${stderr}${stdout}`);
  return stdout;
}

/** Processes of this test: acpx keeps a process, and that one has the program. */
const running = (word: string): number[] =>
  processesOf(`HOME=${project.home}\0`).filter((pid) => commandLine(pid).includes(word));

describe.runIf(isThere)("acpx", () => {
  it("shows the plan, the work of a teammate, diffs and questions, and continues after a kill", async () => {
    await model(
      (text) => {
        if (text.includes("Build it"))
          return {
            calls: [
              { tool: "create_task", input: { subject: "Lay the floor" } },
              { tool: "spawn_teammate", input: { name: "ann" } },
            ],
          };
        if (text.includes("Again")) return says("Going on.");
        return says(text.includes("quiet") ? "All is built." : "I wait.");
      },
      (text) => {
        if (text.includes("Completed #1")) return says("I am done.");
        if (text.includes("Lay the floor") && !text.includes("Not completed yet"))
          return calls("write_file", { path: "floor.txt", content: "oak" });
        return calls("complete_task", { result: "laid; nothing to run" });
      },
    );
    await run(["sessions", "new"]);
    const first = await run(["prompt", "Build it"]);
    expect(endOf(first)).toBe("end_turn");
    expect(saidIn(first)).toContain("All is built.");
    const plans = updatesIn(first, "plan").map(({ entries }) => JSON.stringify(entries));
    for (const status of ["in_progress", "completed"])
      expect(plans).toContainEqual(expect.stringContaining(`"status":"${status}"`));
    expect(updatesIn(first, "tool_call")).toContainEqual(
      expect.objectContaining({
        title: "ann: Write floor.txt",
        content: [{ type: "diff", path: join(project.dir, "floor.txt"), oldText: null, newText: "oak" }],
      }),
    );
    expect(methodsIn(first).filter((method) => method === "session/request_permission")).toHaveLength(1);
    expect(linesOf(first)).toContainEqual(
      expect.objectContaining({ result: { outcome: { outcome: "selected", optionId: "yes" } } }),
    );
    expect(readFileSync(join(project.dir, "floor.txt"), "utf8")).toBe("oak");

    killAll(processesOf(`HOME=${project.home}\0`));
    await soon(() => expect(running("acp")).toEqual([]));
    expect(await run(["sessions", "list"])).toContain('"title":"Build it"');
    const again = await run(["prompt", "Again"]);
    expect(methodsIn(again)).toContain("session/resume");
    expect(saidIn(again)).toBe("Going on.");

    killAll(processesOf(`HOME=${project.home}\0`));
    await soon(() => expect(running("acp")).toEqual([]));
    await run(["sessions", "new", "--resume-session", sessionIn(first)], [], LOADS_ONLY);
    const loaded = await run(["prompt", "Again"], ["--approve-all"], LOADS_ONLY);
    expect(methodsIn(loaded)).toContain("session/load");
    expect(saidIn(loaded)).toContain("Going on.");
  }, 300_000);

  it("refuses what its person does not permit", async () => {
    await model((text) =>
      text.includes("Write a.txt")
        ? calls("write_file", { path: "a.txt", content: "hello\n" })
        : says("I may not."),
    );
    await run(["sessions", "new"]);
    // It says by its exit code that it has refused everything.
    const { stdout } = await ended(acpx(["prompt", "Write a.txt"], ["--deny-all"]));
    expect(endOf(stdout)).toBe("end_turn");
    expect(linesOf(stdout)).toContainEqual(
      expect.objectContaining({ result: { outcome: { outcome: "selected", optionId: "no" } } }),
    );
    expect(existsSync(join(project.dir, "a.txt"))).toBe(false);
  }, 300_000);

  it("cancels a prompt and continues", async () => {
    await model((text) =>
      text.includes("Are you there?") ? says("Here.") : says("Hm hm hm", { fault: "stall" }),
    );
    await run(["sessions", "new"]);
    const pondering = acpx(["prompt", "Ponder"]);
    const over = new Promise((done) => pondering.once("close", done));
    const { stdout } = collected(pondering);
    await soon(() => expect(saidIn(stdout())).toContain("Hm"));
    await run(["cancel"]);
    await over;
    expect(endOf(stdout())).toBe("cancelled");
    expect(saidIn(await run(["prompt", "Are you there?"]))).toBe("Here.");
    await run(["sessions", "close"]);
    await soon(() => expect(running("acp --model")).toEqual([]));
  }, 300_000);
});

const sessionIn = (stdout: string): string =>
  (linesOf(stdout).find(({ params }) => params?.update)?.params as { sessionId?: string } | undefined)
    ?.sessionId ?? "";
