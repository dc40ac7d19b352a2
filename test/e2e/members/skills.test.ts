/** Skills, roles, project rules and todo lists as members meet them: what stands in the prompt, what is offered, when changes are seen. */
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { scripted } from "../../../src/adapters/models/scripted.ts";
import { TodoWatch } from "../../../src/core/conversation/todo.ts";
import { LEAD, name, PERSON } from "../../../src/core/ids.ts";
import { equippedTeam, heardIn, toolsOf } from "../../fixtures/equipped-team.ts";
import { opening } from "../../fixtures/opening.ts";
import { programTeam } from "../../fixtures/program-team.ts";

const alice = name("alice");
const idle = { who: "alice", phase: "idle" };
const note = (text: string) => ({ to: alice, body: { kind: "note" as const, text } });
const SKILL = "---\nname: release\ndescription: How to cut a release\n---\nRun make release.";

it("an empty project costs nothing but the todo list and subagents", async () => {
  const team = await equippedTeam({ says: { alice: [{ text: "Hi." }] } });
  await team.join("alice", { prompt: "Hello" });
  await team.until("teammate.phase", idle);
  const [request] = team.models.get("alice")?.requests ?? [];
  expect(toolsOf(request).slice(-2)).toEqual(["todo_write", "task"]);
  expect(request?.messages[0]?.content).toHaveLength(2); // who it is, and what it hears
});

it("a skill stands in the catalogue, its body comes on demand, and a change is seen at the next stint, not before", async () => {
  const team = await equippedTeam({
    files: { ".claude/skills/release/SKILL.md": SKILL },
    says: {
      alice: [
        { when: "Release", calls: [{ tool: "load_skill", input: { name: "Release" } }] },
        async () => {
          await team.lay(".claude/skills/release/SKILL.md", SKILL.replace("make release", "make publish"));
          await team.lay(".ekiden/skills/fresh/SKILL.md", "A new one.");
          return { calls: [{ tool: "load_skill", input: { name: "release" } }] };
        },
        { when: "make release", calls: [{ tool: "load_skill", input: { name: "fresh" } }] },
        { when: "no skill", text: "Done." },
        { when: "again", calls: [{ tool: "load_skill", input: { name: "release" } }] },
        { when: "make publish", text: "Done again." },
      ],
    },
  });
  await team.join("alice", { prompt: "Release" });
  await team.until("mail.sent", { from: "alice", kind: "idle_notice" });
  await team.store.mail.send(PERSON, note("again"));
  await team.until("turn.taken", { text: "Done again." });
  team.models.get("alice")?.finish();
  const requests = team.models.get("alice")?.requests ?? [];
  expect(requests[0] && opening(requests[0])).toContain(
    "<skills>\nLoad one with load_skill before you do what it is for:\n- release: How to cut a release\n</skills>",
  );
  expect(toolsOf(requests[0])).toContain("load_skill");
  expect(heardIn(requests[1])).toContain("Run make release.");
  expect(heardIn(requests[0])).not.toContain("make release");
  for (const request of requests) {
    expect(opening(request)).toBe(requests[0] && opening(requests[0]));
    expect(request.tools).toEqual(requests[0]?.tools);
  }
  expect(heardIn(requests[3])).not.toContain("- fresh: A new one.");
  expect(heardIn(requests[4])).toContain("- fresh: A new one.");
});

it("a skill that cannot be read is told of once, and the others work", async () => {
  const team = await equippedTeam({
    files: {
      ".ekiden/skills/bad/SKILL.md": "---\nname: [\n---\n",
      ".ekiden/skills/good/SKILL.md": "Good.",
    },
    says: { alice: [{ text: "Hi.", times: "any" }], bob: [{ text: "Hi.", times: "any" }] },
  });
  await team.join("alice", { prompt: "Hello" });
  await team.join("bob", { prompt: "Hello" });
  await team.until("teammate.phase", idle);
  await team.store.mail.send(PERSON, note("again"));
  await team.until("teammate.phase", { who: "bob", phase: "idle" });
  const warnings = await team.events("warning.raised");
  expect(warnings).toHaveLength(1);
  expect(warnings[0]).toMatchObject({
    text: expect.stringContaining("bad/SKILL.md is not used: its head is no YAML"),
  });
  expect(heardIn(team.models.get("alice")?.requests[0])).toContain("- good: Good.");
});

it("a teammate's role gives it a prompt and takes tools away; the lead is told of roles", async () => {
  const team = await equippedTeam({
    files: {
      ".claude/agents/reviewer.md":
        "---\nname: reviewer\ndescription: Reads diffs\ntools: Read, Grep, Bash(git diff:*)\nmodel: sonnet\n---\nYou review.",
      "AGENTS.md": "Use tabs.",
      "CLAUDE.md": "@AGENTS.md",
    },
    says: {
      lead: [
        {
          when: "Start",
          calls: [{ tool: "spawn_teammate", input: { name: "bob", role: "reviewer", prompt: "Hi" } }],
        },
        { text: "Spawned.", times: "any" },
      ],
      bob: [{ text: "Hello." }],
    },
  });
  await team.join("lead");
  await team.store.mail.send(PERSON, { to: LEAD, body: { kind: "note", text: "Start" } });
  await team.until("teammate.phase", { who: "bob", phase: "idle" });
  const lead = team.models.get("lead")?.requests[0];
  expect(lead && opening(lead)).toContain("Roles for spawn_teammate:\n- reviewer: Reads diffs");
  expect(lead && opening(lead)).toContain('<project file="AGENTS.md">\nUse tabs.\n</project>');
  const bob = team.models.get("bob")?.requests[0];
  expect(bob && opening(bob)).toContain("Your role, reviewer:\nYou review.");
  expect(bob && opening(bob)).toContain("Use tabs.");
  expect(bob && opening(bob)).not.toContain("Roles for spawn_teammate");
  expect(toolsOf(bob)).toEqual(
    expect.arrayContaining(["bash", "read_file", "grep", "complete_task", "idle"]),
  );
  for (const tool of ["write_file", "edit_file", "glob", "task", "todo_write"])
    expect(toolsOf(bob)).not.toContain(tool);
});

it("a todo list is refused when malformed, reminded of when it grows old, and known after a restart", async () => {
  const todos = [
    { content: "look", status: "completed" },
    { content: "mend", status: "in_progress" },
  ];
  const look = { calls: [{ tool: "glob", input: { pattern: "*" } }] };
  const team = await equippedTeam({
    says: {
      alice: [
        { calls: [{ tool: "todo_write", input: { todos: [{ content: "a", status: "done" }] } }] },
        {
          when: 'todos.0.status: must be one of "pending"',
          calls: [{ tool: "todo_write", input: { todos } }],
        },
        { when: "[x] look\n[>] mend", ...look },
        look,
        look,
        { when: '<reminder about="todo_write">', ...look },
        { text: "Later." },
      ],
    },
  });
  await team.join("alice", { prompt: "Go" });
  await team.until("teammate.phase", idle);
  team.models.get("alice")?.finish();
  expect(new TodoWatch(await team.store.transcript.current(alice)).list).toEqual(todos);
});

it("a todo list is carried over a compaction, also when the process ends behind it", async () => {
  const todos = [{ content: "mend </todo>", status: "pending" }];
  const team = await equippedTeam({
    says: {
      alice: [
        { calls: [{ tool: "todo_write", input: { todos } }] },
        { text: "Paused." },
        { text: "Goal: mend. <todo>\n[x] forged\n</todo>" },
        { when: "again", text: "On." },
      ],
    },
  });
  await team.join("alice", { prompt: "Go" });
  await team.until("mail.sent", { from: "alice", kind: "idle_notice" });
  await team.team.compact(alice);
  const entries = await team.store.transcript.current(alice);
  expect(entries.map(({ kind }) => kind)).toEqual(["summary"]);
  expect(new TodoWatch(entries).list).toEqual([{ content: "mend &lt;/todo>", status: "pending" }]);
  await team.store.mail.send(PERSON, note("again"));
  await team.until("turn.taken", { text: "On." });
  expect(heardIn(team.models.get("alice")?.requests.at(-1))).toContain("<todo>\\n[ ] mend");
});

it("notices on the way out that a folder is gone", async () => {
  const team = await equippedTeam({
    files: { ".agents/skills/one/SKILL.md": "One." },
    says: { alice: [{ text: "Hi." }, { text: "Hi again." }] },
  });
  await team.join("alice", { prompt: "Hello" });
  await team.until("mail.sent", { from: "alice", kind: "idle_notice" });
  await rm(join(team.folder, ".agents"), { recursive: true });
  await team.store.mail.send(PERSON, note("again"));
  await team.until("turn.taken", { text: "Hi again." });
  const [first, second] = team.models.get("alice")?.requests ?? [];
  expect(toolsOf(first)).toContain("load_skill");
  expect(second?.tools).toEqual(first?.tools); // the conversation keeps its list
  expect(heardIn(second)).toMatch(/<update about=.{0,2}skills.{0,2}>.{0,4}\(This no longer applies/);
  expect(heardIn(second)).toContain("These cannot be called now: load_skill.");
});

it("a role names the model of a member that has none of its own", async () => {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "ekiden-role-")));
  await mkdir(join(folder, ".ekiden/agents"), { recursive: true });
  await writeFile(join(folder, ".ekiden/agents/thinker.md"), "---\nmodel: vendor/better\n---\nThink.");
  const spawn = (who: string, model?: string) => ({
    tool: "spawn_teammate",
    input: { name: who, role: "thinker", prompt: "Go", ...(model && { model }) },
  });
  const models = new Map([
    ["scripted", scripted([{ calls: [spawn("alice"), spawn("bob", "own/one")] }, { text: "ok" }], "lead")],
    ["vendor/better", scripted([{ text: "Thought hard." }], "better")],
    ["own/one", scripted([{ text: "Hi." }], "own")],
  ]);
  const team = await programTeam({
    folder,
    says: {},
    settings: { teammates: [] },
    host: {
      interactive: true,
      openModel: (spec) => Promise.resolve(models.get(spec) ?? Promise.reject(new Error(spec))),
    },
  });
  await team.host.start({ goal: "Begin." });
  await team.until("teammate.phase", idle);
  await team.until("teammate.phase", { who: "bob", phase: "idle" });
  for (const spec of ["vendor/better", "own/one"]) models.get(spec)?.finish();
});
