/**
 * Components of the page as HTML: facts in, markup out. Each scene is compared with its file in `goldens`, so that a change of the page is
 * read in the diff of its commit. `npx vitest run --project unit src/faces/web -u` writes the files. Data that a component requests
 * from the server is absent here, because nothing of a component runs but its drawing.
 */
import { type ComponentChild, h } from "preact";
import render from "preact-render-to-string/jsx";
import { beforeEach, expect, it } from "vitest";
import { type AssistantMessage, type Entry, heard } from "../../../core/conversation/chat.ts";
import { tagged } from "../../../core/conversation/tags.ts";
import type { Event, Fact } from "../../../core/event.ts";
import { instant, LEAD, name, PERSON, type RequestId, type TaskId } from "../../../core/ids.ts";
import { Picture } from "../../../core/picture/picture.ts";
import type { Question } from "../wire.ts";
import { app } from "./app.ts";
import { Sidebar } from "./sidebar.tsx";
import { TaskPanel } from "./task/task-panel.tsx";
import { BoardView } from "./views/board.tsx";
import { EntryBlock } from "./views/entries.tsx";
import { QuestionsView } from "./views/questions.tsx";
import { TeamView } from "./views/team.tsx";

const NOON = new Date(2100, 0, 1, 12).getTime();
const [alice, bob] = [name("alice"), name("bob")];
const id = (task: number): TaskId => task as TaskId;

beforeEach(() => {
  let [seq, now] = [0, NOON];
  app.clock = () => now;
  app.connection = { is: "live" };
  app.live = new Picture();
  app.overview = {
    ...{ teams: [], readOnly: false, mayStart: true },
    project: "shop",
    version: "1",
    first: "t",
  };
  app.route = { team: "t", view: "board", item: "", task: null, at: null };
  app.questions = [];
  const facts: readonly Fact[] = [
    { type: "teammate.spawned", who: LEAD, kind: "lead", role: "", model: "anthropic/claude" },
    { type: "teammate.spawned", who: alice, kind: "teammate", role: "builder", model: "anthropic/claude" },
    { type: "teammate.spawned", who: bob, kind: "teammate", role: "", model: "anthropic/claude" },
    {
      type: "task.added",
      task: id(1),
      subject: "Parse <settings>",
      by: LEAD,
      blockedBy: [],
      description: "Read `a = 1`.",
    },
    {
      type: "task.added",
      task: id(2),
      subject: "Write the loader",
      by: LEAD,
      blockedBy: [id(1)],
      priority: 2,
    },
    { type: "task.added", task: id(3), subject: "Publish", by: LEAD, blockedBy: [] },
    { type: "task.claimed", task: id(1), by: alice, subject: "Parse <settings>", attempt: 1 },
    { type: "tool.called", who: alice, tool: "bash", subject: "npm test", ms: 900, isError: false },
    {
      type: "task.failed",
      task: id(3),
      subject: "Publish",
      by: bob,
      attempt: 1,
      reason: "There is no token.",
    },
    { type: "teammate.phase", who: bob, phase: "idle", reason: "awaiting_tasks" },
    {
      ...{ type: "turn.taken", who: alice, model: "anthropic/claude", inputTokens: 42_000, cachedTokens: 9 },
      ...{ outputTokens: 300, usd: 0.4, ms: 900, text: "" },
    },
  ];
  for (const fact of facts) {
    seq += 1;
    now += 10_000;
    app.live.apply({ ...fact, seq, at: instant(now) } as Event);
  }
});

const question = (about: Partial<Question>): Question => ({
  ...{ id: "r1" as RequestId, kind: "permission", by: alice, of: PERSON, at: instant(NOON), attempt: 1 },
  ...{ deadline: instant(app.now + 90_000), leftMs: 90_000, task: id(1), text: "git push" },
  ...about,
});
const questions = (...open: readonly Question[]): ComponentChild => {
  app.questions = open;
  return h(QuestionsView, {});
};

const entry = (one: Entry): ComponentChild =>
  h(EntryBlock, {
    who: alice,
    line: { seq: 1, at: NOON, entry: one },
    results: new Map(),
    before: new Map(),
    isPast: false,
    firstSubagent: 1,
    goesOn: false,
  });

const SCENES: Readonly<Record<string, () => ComponentChild>> = {
  "the sidebar": () => h(Sidebar, { current: "board" }),
  "the board in columns": () => {
    app.route = { ...app.route, item: "columns" };
    return h(BoardView, {});
  },
  "an empty board": () => {
    app.live = new Picture();
    return h(BoardView, {});
  },
  "the team": () => h(TeamView, {}),
  "a task in progress": () => h(TaskPanel, { id: 1 }),
  "a task that waits": () => h(TaskPanel, { id: 2 }),
  "a task that failed": () => h(TaskPanel, { id: 3 }),
  "a permission is asked for": () =>
    questions(question({ why: "it sends commits away", rule: "bash(git push)", tool: "bash" })),
  "a plan and a question": () =>
    questions(
      question({ kind: "plan", text: "# Plan\n\n- read `a.ts`\n- <b>write</b>" }),
      question({
        ...{ id: "r2" as RequestId, kind: "question", by: bob, task: null, text: "Which format?" },
        options: [
          { label: "YAML", description: "people know it" },
          { label: "JSON", description: "" },
        ],
      }),
    ),
  "what a member was told": () =>
    entry(heard(tagged("mail", { from: PERSON, kind: "note" }, "Begin with\nthe <parser>."))),
  "what a member says": () =>
    entry({
      kind: "said",
      message: {
        role: "assistant",
        content: [
          { type: "thinking", text: "Hm." },
          { type: "text", text: "It reads **two** formats:\n\n| a | b |\n|---|---|\n| 1 | <i>2</i> |" },
          { type: "call", id: "1", tool: "edit_file", input: { path: "a.ts", old: "one", new: "two" } },
          { type: "call", id: "2", tool: "bash", input: { command: "npm test" } },
        ],
      } as AssistantMessage,
    }),
  "a task that is not there": () => h(TaskPanel, { id: 9 }),
};

it.each(Object.entries(SCENES))("%s", async (title, scene) => {
  const html = render(h("div", {}, scene()), {}, { pretty: "  ", jsx: false, functions: false });
  // Attributes of a time depend on the zone and language of the machine.
  await expect(`${html.replace(/<time .*?>/g, "<time>")}\n`).toMatchFileSnapshot(
    `goldens/${title.replaceAll(" ", "-")}.html`,
  );
});
