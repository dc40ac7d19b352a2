/** The command line end to end, without a team: what people type, what comes out, on which stream, with which exit code. */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ended, Project } from "../cli-program.ts";

let project: Project;
beforeEach(() => {
  project = new Project();
});
afterEach(() => project.end());

/** One line on stderr, nothing of a stack, nothing on stdout. */
async function refused(args: string[], message: RegExp, code = 2): Promise<void> {
  const run = await project.run(args);
  expect(run.stderr).toMatch(message);
  expect(run.stderr).toMatch(/^ekiden: [^\n]+\n$/);
  expect(run.stdout).toBe("");
  expect(run.code).toBe(code);
}

describe("usage", () => {
  it("has a version, and help with an example for every command", async () => {
    expect(await project.run(["--version"])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
      stderr: "",
    });
    const { stdout } = await project.run(["--help"]);
    const commands = [...stdout.matchAll(/^ {2}([a-z]+)(?: |$)/gm)].map(([, name]) => name as string);
    expect(commands).toEqual(
      expect.arrayContaining([
        "run",
        "add",
        "tasks",
        "team",
        "inbox",
        "send",
        "log",
        "resume",
        "stop",
        "doctor",
        "init",
      ]),
    );
    expect(stdout).toMatch(/\(no command\) +talk to the lead/);
    expect(stdout.indexOf("run <goal...>")).toBeLessThan(stdout.indexOf("--cwd"));
    expect((await project.run(["help", "add"])).stdout).not.toContain("--model");
    for (const command of ["add", "log"]) {
      const help = await project.run([command, "--help"]);
      expect(help).toMatchObject({ code: 0, stderr: "" });
      expect(help.stdout).toMatch(/\nExample:\n {2}ekiden \S.*\n$/);
      expect(help.stdout).toContain("--store <url>");
    }
  });

  it("completes commands and options in bash, with what every command has", async () => {
    const script = (await project.run(["completion", "bash"])).stdout;
    const complete = (...words: string[]): string[] =>
      execFileSync(
        "bash",
        [
          "-c",
          `${script}\nCOMP_WORDS=(ekiden "$@"); COMP_CWORD=$#; _ekiden; echo "\${COMPREPLY[*]}"`,
          "-",
          ...words,
        ],
        { encoding: "utf8" },
      )
        .trim()
        .split(" ");
    expect(complete("ta")).toEqual(["tasks", "take"]);
    expect(complete("--json", "tasks", "--")).toEqual(
      expect.arrayContaining(["--status", "--owner", "--json", "--help"]),
    );
    expect(complete("run", "--m")).toEqual(["--model", "--max-turns"]);
    expect(complete("tasks", "--m")).toEqual([""]);
    for (const shell of ["zsh", "fish"])
      expect((await project.run(["completion", shell])).stdout).toMatch(/transcript[\s\S]*teammate/);
  });

  it("suggests the nearest command, option and setting", async () => {
    await refused(["taks"], /unknown command "taks"\. Did you mean "tasks"\?/);
    await refused(["tasks", "--jsn"], /unknown option '--jsn'\. Did you mean --json\?/);
    await refused(["add"], /missing required argument 'subject'\. Such as: ekiden add "/);
    await refused(["run", "x", "--effort", "huge"], /--effort: expected one of none, minimal, low, /);
    await refused(["tasks", "--xyzzy"], /unknown option '--xyzzy'\. See ekiden tasks --help\./);
    for (const args of [
      ["help", "runn"],
      ["runn", "--help"],
    ])
      await refused(args, /unknown command "runn"\. Did you mean "run"\?/);
    for (const [word, meant] of [
      ["watch", "top"],
      ["logs", "log"],
      ["continue", "resume"],
      ["status", "team"],
      ["statuz", "team"],
      ["ls", "tasks"],
    ] as const)
      await refused([word], new RegExp(`unknown command "${word}"\\. Did you mean "${meant}"\\?`));
    await refused(["--permission-mode", "yolo", "tasks"], /--permission-mode: expected one of "plan"/);
    project.write({ ".ekiden/settings.json": '{\n  "modle": "x/y"\n}' });
    await refused(["tasks"], /\.ekiden\/settings\.json:2: unknown setting "modle"\. Did you mean "model"\?/);
  });
});

describe("bad input", () => {
  it("is refused before anything is made", async () => {
    await refused(["run", ""], /the goal is empty/);
    await refused(["run", "nope.md"], /the runbook "nope\.md" does not exist/);
    project.write({
      "notes.txt": "Tidy up.",
      "broken/task_1.json": "{}",
      "round/1.json": '{"id":1,"subject":"a","blockedBy":[2]}',
      "round/2.json": '{"id":2,"subject":"b","blockedBy":[1]}',
    });
    await refused(["run", "notes.txt"], /not a runbook.* ekiden run - < notes\.txt/);
    await refused(["run", "round"], /"round" is a folder, and not a goal/);
    await refused(["run", "/tmp"], /"\/tmp" is a folder/);
    await refused(["run", "goals.txt"], /"goals\.txt" is a path that does not exist/);
    await refused(["init", "extra"], /Expected 0 arguments but got 1\. See ekiden init --help\./);
    await refused(["run", "./nowhere"], /"\.\/nowhere" is a path that does not exist/);
    await refused(["run", "-"], /the goal is empty/);
    await refused(["run", "Do it", "--fresh"], /--fresh is for runbooks/);
    await refused(["import", "broken"], /nothing could be imported: task_1\.json: id: is missing/);
    await refused(["import", "round"], /wait for each other: "a" → "b" → "a"/);
    await refused(["run", "x", "--teammates", "abc"], /--teammates "abc" is not a number from 0 to 100/);
    await refused(["run", "x", "--teammates", "500"], /--teammates "500" is not a number from 0 to 100/);
    await refused(["tasks", "--model", "x/y"], /--model has no effect on ekiden tasks/);
    await refused(["add", "x", "--touches", ""], /--touches "" names no file/);
    await refused(["log", "-n", "few"], /-n "few" is not a number of 1 or more/);
    await refused(["tasks", "--status", "complete"], /--status "complete".* Did you mean "completed"\?/);
    await refused(["completion", "tcsh"], /no completion for "tcsh"/);
    await refused(["add", ""], /A task needs a subject/);
    await refused(["add", "x", "--priority", "high"], /--priority "high" is not a number/);
    await refused(["tasks", "../x"], /"\.\.\/x" is not a task id/);
    await refused(["log", "--since", "yesterday"], /--since "yesterday" is not the number/);
    await refused(["inbox", "A/B"], /not a usable name/);
    await refused(["tasks", "--cwd", "/nowhere/at/all"], /--cwd "\/nowhere\/at\/all" is not a folder/);
    expect(existsSync(join(project.dir, ".ekiden"))).toBe(false);
  });

  it("an import can be tried first, is not done twice by mistake, and is refused whole", async () => {
    project.write({
      "old/.team/config.json":
        '{"members":[{"name":"Alice","role":"编码者"},{"name":"Bob","role":"测试者"}]}',
      "old/.team/inbox/bob.jsonl": '{"type":"message","from":"Alice","content":"Hi","timestamp":1}',
      "old/.tasks/task_1.json": '{"id":1,"subject":"a","status":"pending","owner":"Alice"}',
      "bad/1.json": '{"id":1,"subject":"a"}',
      "bad/config.json": `{"members":[{"name":"Bob","role":"${"x".repeat(65)}"}]}`,
    });
    await refused(["import", "bad"], /member bob: /);
    const tried = await project.run(["import", "old", "--dry-run"]);
    expect(tried).toMatchObject({
      code: 0,
      stdout: "would import 1 task, 2 members, 1 mail; nothing was written\n",
    });
    expect(tried.stderr).toContain("task 1 is pending, so its owner Alice is not kept");
    expect(tried.stderr).toContain("new names: Alice → alice, Bob → bob");
    expect(existsSync(join(project.dir, ".ekiden"))).toBe(false);
    expect((await project.run(["import", "old"])).stdout).toBe("imported 1 task, 2 members, 1 mail\n");
    for (const args of [
      ["import", "old"],
      ["import", "old", "--dry-run"],
    ])
      await refused(args, /old seems to have been imported already: .* ekiden import old --again/);
    expect((await project.run(["import", "old", "--again"])).stdout).toBe(
      "imported 1 task, 0 members, 1 mail\n",
    );
  });

  it("looking at no team does not make one", async () => {
    for (const args of [
      ["tasks"],
      ["team"],
      ["log"],
      ["inbox", "lead"],
      ["transcript", "lead"],
      ["resume"],
      ["stop"],
    ])
      await refused(args, /no team here yet: .*team\.db does not exist/);
    const json = await project.run(["tasks", "--json"]);
    expect(JSON.parse(json.stdout)).toMatchObject({ error: { code: "not_found" } });
    expect(existsSync(join(project.dir, ".ekiden"))).toBe(false);
    await project.run(["add", "x"]);
    await refused(["tasks", "--team", "other"], /no team "other" here yet; the store has "default"/);
    await refused(["stop", "lead"], /"lead" has never worked in team "default"/);
    expect((await project.run(["tasks"])).code).toBe(0);
  });

  it("says what is wrong with a store", async () => {
    project.write({
      "folder/x": "",
      "notes.txt": "not a database, but long enough to be looked at as if it were one ".repeat(20),
    });
    await refused(["add", "x", "--store", "sqlite:folder"], /folder/, 5);
    await refused(["add", "x", "--store", "sqlite:notes.txt"], /notes\.txt/, 5);
    await refused(["add", "x", "--store", "mysql://x"], /unknown type/);
    await refused(["backup", "", "--force"], /the name of the copy is empty\. Name a file/);
    expect(readFileSync(join(project.dir, "notes.txt"), "utf8")).toMatch(/^not a database/);
    await project.run(["add", "x"]);
    const { DatabaseSync } = await import("@photostructure/sqlite");
    const database = new DatabaseSync(join(project.dir, ".ekiden/team.db"));
    database.exec("update meta set value = '9999' where name = 'version'");
    database.close();
    await refused(["tasks"], /newer/, 5);
  });

  it("shows a stack only to who asks for it", async () => {
    const { stderr } = await project.run(["add", "x", "--after", "7", "--verbose"]);
    expect(stderr).toMatch(/^ekiden: .*#7.*\nEkidenError: /);
  });
});

describe("the board", () => {
  it("takes tasks, shows them, and keeps a person's overrides in the journal", async () => {
    expect(await project.run(["add", "Build it"])).toEqual({ code: 0, stdout: "1\n", stderr: "" });
    expect(
      await project.json([
        "add",
        "Ship",
        "it",
        "--after",
        "1",
        "--priority",
        "-5",
        "--role",
        "tester",
        "-d",
        "two\nlines",
      ]),
    ).toMatchObject({
      id: 2,
      subject: "Ship it",
      description: "two\nlines",
      blockedBy: [1],
      waitsFor: [1],
      priority: -5,
      role: "tester",
      status: "pending",
    });
    expect((await project.run(["tasks"])).stdout).toMatch(
      /#1 {2}○ ready +Build it .*\n#2 {2}◌ waiting +Ship it +\(tester\) +#1 /,
    );
    await refused(["retry", "1"], /pending/i);
    await refused(["cancel", "99"], /99/);
    expect((await project.run(["cancel", "1", "not", "needed"])).stderr).toMatch(
      /^#1 is cancelled\. #2 waits for it and cannot begin while it is cancelled: ekiden retry 1, /,
    );
    expect((await project.run(["retry", "#1"])).code).toBe(0);
    await project.run(["add", "Not this", "--team", "other"]);
    await project.run(["add", "Nor this", "--team", "other"]);
    for (const id of ["1", "2"]) await project.run(["cancel", id, "--team", "other"]);
    const { stderr: both } = await project.run(["retry", "1", "2", "--team", "other"]);
    expect(both).toMatch(/^#1 .*\n#2 .*\n$/);
    const { history } = await project.json<{ history: unknown[] }>(["tasks", "1"]);
    expect(history).toMatchObject([
      { type: "task.added", by: "person" },
      { type: "task.cancelled", by: "person", reason: "not needed" },
      { type: "task.released", why: "retry" },
    ]);
    const board = await project.json<{ counts: unknown; tasks: unknown[] }>(["tasks"]);
    expect(board).toMatchObject({
      team: "default",
      counts: { total: 2, ready: 1 },
      tasks: [{ id: 1 }, { id: 2 }],
    });
  });

  it("writes no colours into a pipe, unless they are wanted", async () => {
    await project.run(["add", "x"]);
    expect((await project.run(["tasks"])).stdout).not.toContain("\x1b");
    expect((await project.run(["tasks"], { env: { FORCE_COLOR: "1" } })).stdout).toContain("\x1b[2m");
    expect((await project.run(["tasks"], { env: { FORCE_COLOR: "1", NO_COLOR: "1" } })).stdout).not.toContain(
      "\x1b",
    );
  });

  it("hides only its state from git: settings, roles and skills can be committed", async () => {
    const git = (...args: string[]) => execFileSync("git", args, { cwd: project.dir, encoding: "utf8" });
    git("init", "-q");
    project.write({
      ".ekiden/.gitignore": "*\n", // as older versions wrote it
      ".ekiden/settings.json": "{}",
      ".ekiden/agents/tester.md": "x",
      ".ekiden/output/x.txt": "x",
      ".ekiden/worktrees/a/b": "x",
    });
    await project.run(["add", "x"]);
    expect(git("status", "--porcelain", "-uall").trim().split("\n")).toEqual([
      "?? .ekiden/agents/tester.md",
      "?? .ekiden/settings.json",
    ]);
  });
});

describe("mail and journal", () => {
  it("sends to the lead, and looking does not consume", async () => {
    await project.run(["add", "x"]);
    await refused(["send", "zoe", "hi"], /"zoe"/);
    await refused(["send", "lead", " "], /empty/);
    expect(await project.json(["send", "lead", "Use", "the new API", "--urgent"])).toMatchObject({
      to: ["lead"],
    });
    for (let i = 0; i < 2; i += 1)
      expect(await project.json(["inbox", "lead"])).toMatchObject({
        unread: 1,
        mail: [
          {
            from: "person",
            urgent: true,
            deliveredAt: null,
            body: { kind: "note", text: "Use the new API" },
          },
        ],
      });
    expect((await project.run(["inbox", "lead"])).stdout).toMatch(/person {2}● urgent: Use the new API/);
    expect((await project.run(["log", "-n", "1"])).stdout).toMatch(
      /^\S+ {2}person +→ lead \(note\): Use the new API\n$/,
    );
  });

  it("shows the journal from a number, by name, and as it grows in another process", async () => {
    await project.run(["add", "one"]);
    const child = project.start(["log", "--follow", "--json"]);
    const seen = new Promise<Record<string, unknown>[]>((resolve) => {
      let text = "";
      child.stdout?.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk;
        const lines = text
          .split("\n")
          .slice(0, -1)
          .map((line) => JSON.parse(line) as Record<string, unknown>);
        if (lines.some((line) => line.subject === "two")) resolve(lines);
      });
    });
    await new Promise<void>((resolve) => child.stdout?.once("data", () => resolve()));
    await project.run(["add", "two"]);
    expect((await seen).map((line) => line.type)).toEqual(["team.created", "task.added", "task.added"]);
    const over = ended(child);
    child.kill("SIGINT");
    expect((await over).code).toBe(130);
    await refused(["log", "--who", "nobody"], /No member "nobody" in team "default"/);
    const alarm = await project.run(["cron", "add", "0 9 * * 1", "look \x1b[31mred\x1b]0;title\x07"]);
    expect(alarm.stdout).toMatch(/→ lead: look red\n$/);
    expect((await project.run(["log", "--since", "2", "--who", "person"])).stdout.split("\n")[0]).toMatch(
      /^\S+ {2}person +added #2 two$/,
    );
    expect((await project.run(["log", "--who", "alice"])).stdout).toBe("");
  });

  it("begins near the end where a person follows", async () => {
    for (let i = 1; i <= 12; i += 1) await project.run(["add", `nr ${i}`]);
    const child = project.start(["log", "--follow"]);
    const first = await new Promise<string>((done) =>
      child.stdout?.once("data", (chunk) => done(String(chunk))),
    );
    expect(first).toMatch(/nr 3\n[\s\S]*nr 12\n/);
    expect(first).not.toMatch(/nr [12]\n/);
    child.kill("SIGINT");
    expect((await ended(child)).code).toBe(130);
  });

  it("ends quietly when its reader goes away", async () => {
    await project.run(["add", "x"]);
    const child = project.start(["log", "--follow"]);
    const over = ended(child);
    child.stdout?.once("data", () => child.stdout?.destroy());
    // The next write finds the pipe closed.
    await new Promise<void>((resolve) => child.stdout?.once("close", () => resolve()));
    await project.run(["add", "y"]);
    expect(await over).toMatchObject({ code: 0, stderr: "" });
  });
});

describe("doctor and init", () => {
  it("finds what is wrong and says how to fix it, without showing a key", async () => {
    const env = { ANTHROPIC_API_KEY: "sk-very-secret", ANTHROPIC_BASE_URL: "http://127.0.0.1:9" };
    const bad = await project.run(["doctor", "--json"], {
      env: { ...env, EKIDEN_LEASE_MS: "soon", OLLAMA_HOST: "http://127.0.0.1:9" },
    });
    expect(bad.code).toBe(1);
    expect(bad.stdout + bad.stderr).not.toContain("sk-very-secret");
    const { findings } = JSON.parse(bad.stdout) as {
      findings: { name: string; state: string; found: string; fix?: string }[];
    };
    const of = (name: string) => findings.find((finding) => finding.name === name);
    expect(of("settings")).toMatchObject({
      state: "wrong",
      found: expect.stringContaining("EKIDEN_LEASE_MS"),
    });
    expect(of("model: anthropic")).toMatchObject({
      state: "wrong",
      found: "key is set, cannot be reached",
      fix: expect.any(String),
    });
    for (const name of ["node", "sqlite", "git", "bash", "ripgrep"])
      expect(of(name)).toMatchObject({ state: "ok" });
    expect(existsSync(join(project.dir, ".ekiden"))).toBe(false);
  });

  it("writes settings that are read, and does not overwrite them", async () => {
    expect((await project.run(["init"])).stdout).toBe(".ekiden/settings.json\n");
    const written = readFileSync(join(project.dir, ".ekiden/settings.json"), "utf8");
    const [, schema = ""] = /"\$schema": "(.*)"/.exec(written) ?? [];
    const { properties } = JSON.parse(readFileSync(join(project.dir, ".ekiden", schema), "utf8"));
    expect(properties.idleTimeoutMs).toMatchObject({ default: 60_000, description: expect.any(String) });
    expect((await project.run(["teams"])).code).toBe(0);
    project.write({ ".ekiden/settings.json": "{}" });
    await refused(["init"], /exists.*--force/);
    expect((await project.run(["init", "--force"])).code).toBe(0);
    expect((await project.run(["add", "x"])).code).toBe(0);
  });
});
