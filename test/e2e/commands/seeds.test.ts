/** The prompt of the seeds (72), through the built program, over HTTP, in two protocols. Nobody assigns anything. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { sampled } from "../../fixtures/fuzz.ts";
import {
  type Answer,
  calls,
  fails,
  type ModelCall,
  type ModelServer,
  says,
  startModelServer,
} from "../../fixtures/model-server/index.ts";
import { Project } from "../cli-program.ts";

const PROMPT = "Create 3 tasks on the board, then spawn alice and bob. Watch them auto-claim.";

/** Both teammates must have a task at once, or one of them could do all three: nobody completes before two have claimed. */
function program(): (request: ModelCall) => Answer | Promise<Answer> {
  let open = (): void => {};
  const both = new Promise<void>((resolve) => {
    open = resolve;
  });
  const claimed = new Set<string>();
  return async (request) => {
    const who = /^You are "([^"]+)"/.exec(request.system)?.[1];
    const last = JSON.stringify(request.messages.at(-1)).replaceAll('\\"', '"');
    if (who === "lead") {
      if (last.includes(PROMPT))
        return {
          calls: [
            {
              tool: "create_task",
              input: { subject: "Schema", description: "Write the schema to schema.sql" },
            },
            { tool: "create_task", input: { subject: "Server", description: "Write the server" } },
            { tool: "create_task", input: { subject: "Client", description: "Write the client" } },
            { tool: "spawn_teammate", input: { name: "alice" } },
            { tool: "spawn_teammate", input: { name: "bob" } },
          ],
        };
      return says(last.includes("board_quiet") ? "All three tasks are completed." : "They are at it.");
    }
    const task = /<auto-claimed task="(\d+)"/.exec(last)?.[1];
    if (task === undefined) return says(`${who} has nothing more to say.`);
    claimed.add(String(who));
    if (claimed.size === 2) open();
    await both;
    return calls("complete_task", { id: Number(task), result: `done by ${who}` });
  };
}

let project: Project;
let server: ModelServer;
beforeEach(() => {
  project = new Project();
});
afterEach(async () => {
  await project.end();
  await server.close();
});

const SERVICES = [
  { protocol: "anthropic", model: "anthropic/claude-sonnet-4-5", extra: [] as string[] },
  { protocol: "openai-compatible", model: "openai-compatible/any", extra: ["--base-url"] },
];
describe.each(sampled(SERVICES, 2))("over $protocol", ({ model, extra }) => {
  it("two teammates auto-claim three tasks, report, and all end by themselves", async () => {
    server = await startModelServer({ any: program() });
    const options = ["--model", model, ...extra.flatMap((flag) => [flag, `${server.url}/v1`])];
    const run = await project.run(["run", PROMPT, "--json", ...options], { env: server.env });
    expect(run.stderr).toBe("");
    expect(run.code).toBe(0);
    const events = run.stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(events.at(-1)).toMatchObject({ type: "team.finished", completed: 3, failed: 0 });
    expect(events.map((event) => event.seq)).toEqual(
      [...events.map((event) => event.seq as number)].sort((a, b) => a - b),
    );
    const completed = events.filter((event) => event.type === "task.completed");
    expect(completed.map((event) => event.task).sort()).toEqual([1, 2, 3]);
    expect(new Set(completed.map((event) => event.by))).toEqual(new Set(["alice", "bob"]));
    const reports = events.filter(
      (event) => event.type === "mail.delivered" && event.to === "lead" && event.kind === "result",
    );
    expect(new Set(reports.map((event) => event.from))).toEqual(new Set(["alice", "bob"]));
    for (const request of server.requests) {
      const text = JSON.stringify(request.messages).replaceAll('\\"', '"');
      if (text.includes('<auto-claimed task="1"')) expect(text).toContain("Write the schema to schema.sql");
      if (request.system.startsWith('You are "alice"')) expect(text).not.toContain("done by bob");
    }
    expect(server.faults).toEqual([]);
    const tasks = await project.run(["tasks", "--json"]);
    expect(JSON.parse(tasks.stdout)).toMatchObject({
      tasks: [
        { status: "completed", attempt: 1 },
        { status: "completed", attempt: 1 },
        { status: "completed", attempt: 1 },
      ],
    });
  });
});

describe("a run that the provider refuses", () => {
  it("ends with 3 and names the variable, without the key", async () => {
    server = await startModelServer({
      any: () => fails.unauthorized(),
    });
    const run = await project.run(["run", "anything", "--model", "anthropic/claude-sonnet-4-5"], {
      env: { ...server.env, ANTHROPIC_API_KEY: "sk-very-secret" },
    });
    expect(run.code).toBe(3);
    expect(run.stderr).toContain("ANTHROPIC_API_KEY");
    expect(run.stdout + run.stderr).not.toContain("sk-very-secret");
    expect(run.stderr).not.toMatch(/^\s+at /m);
  });
});

describe("a run with nobody to ask", () => {
  it("refuses what the mode asks about, names the rule that would allow it, and continues", async () => {
    const answers: string[] = [];
    server = await startModelServer({
      any: (request) => {
        const last = JSON.stringify(request.messages.at(-1));
        answers.push(last);
        return last.includes("make it") ? calls("bash", { command: "touch made.txt" }) : says("I could not.");
      },
    });
    const args = ["run", "make it", "--model", "anthropic/claude-sonnet-4-5"];
    const env = { ...server.env, EKIDEN_CONFINED_COMMANDS: "ask" };
    const run = await project.run(args, { env });
    expect(run).toMatchObject({ code: 0, stdout: "I could not.\n" });
    expect(answers.at(-1)).toMatch(/Not permitted: bash \(touch made\.txt\).*--allow 'bash\(touch/);
    const allowed = await project.run([...args, "--allow", "bash(touch *)"], { env });
    expect(allowed.code).toBe(0);
    expect(answers.at(-1)).toContain("(no output)");
  });
});
