/** The prompts that courses on agent teams print, word for word, through the built program against a scripted model over HTTP. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  type Answer,
  type ModelCall,
  type ModelServer,
  type SaidCall,
  says,
  startModelServer,
} from "../../fixtures/model-server/index.ts";
import { Project } from "../cli-program.ts";

let project: Project;
let server: ModelServer | null = null;
beforeEach(() => {
  project = new Project();
});
afterEach(async () => {
  await project.end();
  await server?.close();
  server = null;
});

/** A member's answer to the last message of its conversation; undefined for "nothing to add". */
type Script = (heard: string, request: ModelCall) => Answer | undefined;
type Fact = Record<string, unknown> & { readonly type: string };

/** Runs one prompt. A teammate without an answer of its own completes the task that it was given. */
async function run(
  prompt: string,
  scripts: Readonly<Record<string, Script>>,
  ...args: string[]
): Promise<{ code: number | null; stderr: string; facts: Fact[]; requests: readonly ModelCall[] }> {
  const served = await startModelServer({
    anthropic: (request) => {
      const who = /^You are "([^"]+)"/.exec(request.system)?.[1] ?? "";
      const heard = JSON.stringify(request.messages.at(-1)).replaceAll('\\"', '"');
      const task = /<auto-claimed task="(\d+)"/.exec(heard)?.[1];
      const done = task && does({ tool: "complete_task", input: { id: Number(task), result: `by ${who}` } });
      return scripts[who]?.(heard, request) ?? (done || says("Nothing more."));
    },
  });
  server = served;
  const model = ["--model", "anthropic/claude-sonnet-4-5"];
  const { code, stdout, stderr } = await project.run(["run", prompt, "--json", ...model, ...args], {
    env: { ...served.env, EKIDEN_TEAMS: "true" },
  });
  const facts = stdout.split("\n").flatMap((line) => (line ? [JSON.parse(line) as Fact] : []));
  return { code, stderr, facts, requests: served.requests };
}

const does = (...calls: SaidCall[]): Answer => ({ calls });
const create = (subject: string, ...after: number[]): SaidCall => ({
  tool: "create_task",
  input: { subject, ...(after.length > 0 && { blocked_by: after }) },
});
const spawn = (name: string, more: object = {}): SaidCall => ({
  tool: "spawn_teammate",
  input: { name, ...more },
});
const of = (facts: readonly Fact[], type: string): Fact[] => facts.filter((fact) => fact.type === type);

/** No task was assigned by the lead: nobody but its own teammate claimed it. */
function expectOwnClaims(facts: readonly Fact[]): void {
  const claims = of(facts, "task.claimed");
  expect(claims.map(({ by }) => by)).not.toContain("lead");
  for (const { task, by } of of(facts, "task.completed"))
    expect(claims.find((claim) => claim.task === task)?.by).toBe(by);
}

/** Every task was claimed after its blockers were completed. */
function expectOrder(facts: readonly Fact[]): void {
  const completed = new Set<unknown>();
  const blockers = new Map(of(facts, "task.added").map((fact) => [fact.task, fact.blockedBy as unknown[]]));
  for (const fact of facts) {
    if (fact.type === "task.completed") completed.add(fact.task);
    if (fact.type === "task.claimed")
      for (const blocker of blockers.get(fact.task) ?? []) expect(completed).toContain(blocker);
  }
}

describe("the prompts of the courses, word for word", () => {
  it("Create 3 tasks on the board, then spawn alice and bob. Watch them auto-claim and work.", async () => {
    const prompt = "Create 3 tasks on the board, then spawn alice and bob. Watch them auto-claim and work.";
    const { code, stderr, facts } = await run(prompt, {
      lead: (heard) =>
        heard.includes(prompt)
          ? does(create("Schema"), create("Server"), create("Client"), spawn("alice"), spawn("bob"))
          : undefined,
    });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(facts.at(-1)).toMatchObject({ type: "team.finished", completed: 3, failed: 0 });
    expectOwnClaims(facts);
  });

  it("Spawn a coder teammate and let it find work from the task board itself", async () => {
    const prompt = "Spawn a coder teammate and let it find work from the task board itself";
    await project.run(["add", "Write the parser", "--role", "Coder"]);
    await project.run(["add", "Write its tests"]);
    const { code, facts } = await run(prompt, {
      lead: (heard) => (heard.includes(prompt) ? does(spawn("coder", { role: "coder" })) : undefined),
    });
    expect(code).toBe(0);
    expect(of(facts, "task.completed")).toMatchObject([
      { task: 1, by: "coder" },
      { task: 2, by: "coder" },
    ]);
    expectOwnClaims(facts);
  });

  it("Create tasks with dependencies. Watch teammates respect the blocked order.", async () => {
    const prompt = "Create tasks with dependencies. Watch teammates respect the blocked order.";
    const { code, facts } = await run(prompt, {
      lead: (heard) =>
        heard.includes(prompt)
          ? does(create("a"), create("b"), spawn("alice"), spawn("bob"))
          : heard.includes("Created #2")
            ? does(create("c", 1, 2), create("d", 1))
            : undefined,
    });
    expect(code).toBe(0);
    expect(facts.at(-1)).toMatchObject({ completed: 4 });
    expectOrder(facts);
    expectOwnClaims(facts);
  });

  it("把应用从 REST 迁移到 GraphQL: a chain of four, nobody assigns anything, and the lead deletes its team", async () => {
    const prompt = "把应用从 REST 迁移到 GraphQL";
    const { code, facts, requests } = await run(
      prompt,
      {
        lead: (heard) =>
          heard.includes(prompt)
            ? does(create("Analyze REST endpoints"))
            : heard.includes("Created #1")
              ? does(create("Design GraphQL schema", 1))
              : heard.includes("Created #2")
                ? does(create("Implement resolvers", 2))
                : heard.includes("Created #3")
                  ? does(
                      create("Update frontend queries", 3),
                      spawn("analyst", { prompt: "分析 REST 端点" }),
                      spawn("backend", { prompt: "处理后端迁移" }),
                      spawn("frontend", { prompt: "处理前端更新" }),
                    )
                  : heard.includes('kind="board_quiet"')
                    ? does({ tool: "delete_team", input: { name: "rest-to-graphql" } })
                    : undefined,
      },
      "--team",
      "rest-to-graphql",
    );
    expect(code).toBe(0);
    expect(of(facts, "task.completed").map(({ task }) => task)).toEqual([1, 2, 3, 4]);
    expectOrder(facts);
    expectOwnClaims(facts);
    expect(facts.at(-1)).toMatchObject({ type: "team.finished", completed: 4, reason: "concluded" });
    expect((await project.json<{ teams: unknown[] }>(["teams"])).teams).toEqual([]);
    // The lead's tools stay the same from its first request on, or the provider's cache of its conversation would break.
    const tools = requests
      .filter(({ system }) => system.startsWith('You are "lead"'))
      .map((one) => one.tools);
    expect(tools.length).toBeGreaterThan(5);
    expect(new Set(tools.map((list) => JSON.stringify(list))).size).toBe(1);
  });

  it("逐一阅读agents/目录中的每个Python文件", async () => {
    const prompt = "逐一阅读agents/目录中的每个Python文件";
    project.write({
      "agents/s05_agent.py": "print('five')",
      "agents/s06_context_compact.py": "print('six')",
    });
    const { code, requests } = await run(prompt, {
      lead: (heard) =>
        heard.includes(prompt)
          ? does({ tool: "bash", input: { command: "ls agents/" } })
          : heard.includes("s05_agent.py\\ns06")
            ? does({ tool: "read_file", input: { path: "agents/s05_agent.py" } })
            : heard.includes("print('five')")
              ? does({ tool: "read_file", input: { path: "agents/s06_context_compact.py" } })
              : heard.includes("print('six')")
                ? says("已成功逐一阅读agents/目录下的所有Python文件")
                : undefined,
    });
    expect(code).toBe(0);
    const last = JSON.stringify(requests.at(-1)?.messages);
    for (const text of [prompt, "s05_agent.py", "print('five')", "print('six')"])
      expect(last).toContain(text);
  });

  it("创建3个任务:“设置项目”、“编写代码”、“编写测试”。按顺序相互依赖", async () => {
    const prompt = "创建3个任务:“设置项目”、“编写代码”、“编写测试”。按顺序相互依赖";
    const { facts } = await run(
      prompt,
      {
        lead: (heard) =>
          heard.includes(prompt)
            ? does(create("设置项目"))
            : heard.includes("Created #1")
              ? does(create("编写代码", 1))
              : heard.includes("Created #2")
                ? does(create("编写测试", 2))
                : undefined,
      },
      "--teammates",
      "1",
    );
    expect(of(facts, "task.added")).toMatchObject([
      { task: 1, subject: "设置项目", blockedBy: [] },
      { task: 2, subject: "编写代码", blockedBy: [1] },
      { task: 3, subject: "编写测试", blockedBy: [2] },
    ]);
    expect(of(facts, "task.completed").map(({ task }) => task)).toEqual([1, 2, 3]);
    expectOrder(facts);
  });

  it('在后台运行 "sleep 5 && echo done",同时创建一个 test.txt 文件,内容为 hello', async () => {
    const prompt = '在后台运行 "sleep 5 && echo done",同时创建一个 test.txt 文件,内容为 hello';
    let fileWhenDone: boolean | null = null;
    const { code, facts, requests } = await run(
      prompt,
      {
        lead: (heard) => {
          if (heard.includes("在后台运行"))
            return does({
              tool: "bash",
              input: { command: "sleep 5 && echo done", run_in_background: true },
            });
          if (/"tool":"bash"/.test(heard))
            return does({ tool: "write_file", input: { path: "test.txt", content: "hello" } });
          if (!heard.includes('kind="job_done"')) return undefined;
          fileWhenDone = existsSync(join(project.dir, "test.txt"));
          return says(
            "后台任务已完成:sleep 5 && echo done,输出结果:done\n已成功创建文件 test.txt,内容为 hello",
          );
        },
      },
      "--teammates",
      "0",
      "--permission-mode",
      "accept-edits",
      "--allow",
      "bash(sleep *)",
      "--allow",
      "bash(echo *)",
    );
    expect(code).toBe(0);
    expect(fileWhenDone).toBe(true);
    expect(readFileSync(join(project.dir, "test.txt"), "utf8")).toBe("hello");
    // The file was written while the command was running, and the lead was told of its end once.
    expect(of(facts, "mail.delivered").filter(({ kind }) => kind === "job_done")).toHaveLength(1);
    const wrote = requests.find(({ messages }) => JSON.stringify(messages.at(-1)).includes("write_file"));
    expect(JSON.stringify(wrote?.messages)).not.toContain("job_done");
  });

  it("生成 Alice(编码者)和 Bob(测试者)。让 Alice 给 Bob 发送一条消息", async () => {
    const prompt = "生成 Alice(编码者)和 Bob(测试者)。让 Alice 给 Bob 发送一条消息";
    const letter = "我是Alice,已准备好编码工作";
    const say = (to: string, text: string): Answer => does({ tool: "send_message", input: { to, text } });
    const { code, facts, requests } = await run(prompt, {
      lead: (heard) =>
        heard.includes(prompt)
          ? does(
              spawn("Alice", { role: "编码者", prompt: "我是编码者Alice,后续给测试者Bob发送消息" }),
              spawn("Bob", { role: "测试者", prompt: "我是测试者Bob,接收Alice的消息" }),
            )
          : heard.includes("joined as 测试者")
            ? say("Alice", `给Bob发送一条消息:${letter}`)
            : undefined,
      alice: (heard) => (heard.includes(`给Bob发送一条消息:${letter}`) ? say("Bob", letter) : undefined),
    });
    expect(code).toBe(0);
    expect(of(facts, "teammate.spawned")).toMatchObject([
      { who: "lead" },
      { who: "alice", role: "编码者" },
      { who: "bob", role: "测试者" },
    ]);
    const told = JSON.stringify(requests.map(({ messages }) => messages.at(-1)));
    expect(told).toContain("is called alice here");
    const delivered = of(facts, "mail.delivered").filter(({ to }) => to === "bob");
    expect(delivered.map(({ from }) => from)).toEqual(["lead", "alice"]);
    expect((await project.run(["inbox", "Bob"])).stdout).toContain(letter);
    const bobs = requests.filter(({ system }) => system.startsWith('You are "bob"'));
    expect(JSON.stringify(bobs.at(-1)?.messages)).toContain(letter);
  });
});

describe("a spawn on a model that nobody knows", () => {
  it.each(["nobody/model", "anthropik/claude-sonnet-4-5"])(
    "%s is refused and leaves no member behind",
    async (model) => {
      const { code, facts, requests } = await run("go", {
        lead: (heard) =>
          heard.includes("is not a model")
            ? does(spawn("alice", { model: "sonnet" }))
            : heard.includes("joined")
              ? undefined
              : heard.includes("go")
                ? does(spawn("alice", { model }))
                : undefined,
      });
      expect(code).toBe(0);
      expect(of(facts, "teammate.spawned").map(({ who, model }) => [who, model])).toEqual([
        ["lead", ""],
        ["alice", ""],
      ]);
      expect(facts.filter(({ type, reason }) => type === "teammate.phase" && reason === "failed")).toEqual(
        [],
      );
      const refused = requests.map(({ messages }) => JSON.stringify(messages.at(-1))).join("\n");
      expect(refused).toContain("is not a model that Ekiden knows");
      expect(refused).toContain("the team's model");
    },
  );
});
