/** Slash commands: the commands of the table, typed in a conversation. */
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { Project } from "../cli-program.ts";

let project: Project;
beforeEach(() => {
  project = new Project();
  project.write({
    "script.json": JSON.stringify({ steps: [{ who: "lead", text: "Heard.", times: "any" }] }),
  });
});
afterEach(() => project.end());

const talk = (lines: readonly string[], ...more: string[]) =>
  project.run(["--model", `scripted:${join(project.dir, "script.json")}`, ...more], {
    input: `${lines.join("\n")}\n`,
  });

it("changes the board: add, edit, cancel, retry, tasks", async () => {
  const { stdout, code } = await talk([
    '/add "Write the docs" -d "all of them" --priority 2',
    "/add Ship it --after 1",
    "/edit 1 --priority 7 --subject 'Write docs'",
    "/cancel 1 not now",
    "/tasks --status cancelled",
    "/retry 1",
    "/release 1",
  ]);
  expect(code).toBe(0);
  expect(stdout).toMatch(
    /^#1 is on the board\n[\s\S]*^#2 is on the board\n[\s\S]*^#1: changed subject, priority\n[\s\S]*^#1 is cancelled\. #2 waits for it and cannot begin /m,
  );
  expect(stdout).toMatch(/#1 +⊘ cancelled +Write docs/);
  expect(stdout).not.toMatch(/^#2 +[^i]/m);
  expect(stdout).toMatch(/^#1 is back on the board\n[\s\S]*^Task #1 is pending\. Nobody has it/m);
  expect(await project.json(["tasks", "1"])).toMatchObject({
    task: { subject: "Write docs", description: "all of them", priority: 7, status: "pending" },
  });
});

it("sets cron jobs, reads conversations and the journal, in text and as JSON", async () => {
  const { stdout } = await talk([
    '/cron add "0 9 * * 1" look at the build',
    "hello",
    "/cron",
    "/transcript lead",
    "/log 2",
    "/cron cancel c1",
    "/forge",
    "/log --follow",
    "/cost",
  ]);
  expect(stdout).toMatch(/^c1 \(0 9 \* \* 1\) next at /);
  expect(stdout).toMatch(/Heard\.\n/);
  expect(stdout).toMatch(/→ +<mail [^>]*>hello|hello/);
  expect(stdout).toContain("c1 is cancelled.");
  expect(stdout).toContain("No issue and no pull request yet.");
  expect(stdout).toContain("use --follow in another terminal");
  const json = await talk(["/cost", "/team"], "--json");
  const objects = json.stdout.split("\n").filter((line) => line.startsWith("{"));
  expect(JSON.parse(objects.find((line) => line.includes('"all"')) ?? "")).toMatchObject({
    members: [{ name: "lead" }],
  });
});

it("leaves the text of mail as it was typed, and says what is wrong with a line", async () => {
  const { stdout } = await talk([
    `/send lead don't use "--force", use  two blanks`,
    "/send lead",
    "/inbox alice",
    "/edit 1",
    "/taks",
    "/board",
    "/rm 3",
    "/tasks --sttus failed",
    "/run something",
    "/agents",
    "/doctor",
    "/to alice",
    "/tmp/trace.log is empty",
  ]);
  const { mail } = await project.json<{ mail: { body: { text: string } }[] }>(["inbox", "lead"]);
  expect(mail[0]?.body.text).toBe(`don't use "--force", use  two blanks`);
  expect(stdout).toContain("missing required argument 'text'. Such as: /send alice");
  expect(stdout).toContain('No member "alice" in team "default"');
  expect(stdout).toContain("nothing to change in #1");
  expect(stdout).toContain('unknown command "/taks". Did you mean "/tasks"?');
  expect(stdout).toContain("The board is empty");
  expect(stdout).toContain('unknown command "/rm". Did you mean "/cancel"?');
  expect(stdout).toContain("unknown option '--sttus'");
  expect(stdout).toContain('"something" is not a runbook. /run takes a Markdown file');
  expect(stdout).toContain('unknown command "/agents". See /team.');
  expect(stdout).toContain("It works outside of the conversation: ekiden doctor.");
  expect(stdout).toContain('unknown command "/to". It needs the full screen. Here there are /send NAME TEXT');
  expect(stdout).toContain("Heard."); // a path begins a text
  expect(stdout).not.toContain("/tmp");
});

it("/clear begins a new conversation: the lead no longer has what was said, the transcript does", async () => {
  const { stdout, code } = await talk([
    "the old words",
    "/clear",
    "/clear",
    "/new alice",
    "/transcript lead",
  ]);
  expect(code).toBe(0);
  expect(stdout).toMatch(/a new conversation with lead begins: .* tokens; the board and the team stay/);
  expect(stdout).toContain("the conversation with lead is new");
  expect(stdout).toContain('No member "alice" in team "default"');
  const { entries } = await project.json<{ entries: { entry: { kind: string; text?: string } }[] }>([
    "transcript",
    "lead",
  ]);
  const kinds = entries.map(({ entry }) => entry.kind);
  expect(kinds.filter((kind) => kind === "summary")).toHaveLength(1);
  const summary = entries.find(({ entry }) => entry.kind === "summary")?.entry.text ?? "";
  expect(summary).toContain("The person has begun a new conversation with you.");
  expect(summary).not.toContain("the old words");
  expect(JSON.stringify(entries.slice(0, kinds.indexOf("summary")))).toContain("the old words");
});
