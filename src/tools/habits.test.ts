/** These tests check that nothing of a call is dropped: each word of the table of habits is understood by its tool, any other is refused. */
import { describe, expect, it } from "vitest";
import type { z } from "zod";
import { everyTool } from "../../test/fixtures/every-tool.ts";
import { inputFault } from "../core/tool-faults.ts";
import { ASIDE } from "../core/tool-habits.ts";
import { inOurNames, TOOL_NAMES } from "../core/tool-names.ts";
import { folded, HABITS } from "../core/tool-words.ts";
import type { Tool } from "../ports/index.ts";
import { specOf } from "./index.ts";

type Fields = Readonly<Record<string, unknown>>;

/** A whole input of each tool, with every field in one of its forms. */
const SAMPLES: Readonly<Record<string, Fields>> = {
  bash: { command: "ls", timeout_ms: 5_000, run_in_background: true },
  check_background: { id: "j1", tail_bytes: 100 },
  stop_background: { id: "j1" },
  read_file: { path: "a", offset: 2, limit: 3 },
  write_file: { path: "a", content: "x", append: true },
  edit_file: { path: "a", old: "x", new: "y", all: true, edits: [{ old: "b", new: "c", all: true }] },
  apply_patch: { patch: "*** Begin Patch\n*** End Patch" },
  glob: { pattern: "*.ts", path: "src" },
  grep: { pattern: "x", path: "src", glob: "*.ts", files_only: true, ignore_case: true, context: 2 },
  fetch_url: { url: "https://example.org", offset: 2 },
  web_search: { query: "x" },
  ask_person: { question: "Which?", options: [{ label: "one", description: "first" }], go_on: true },
  task: { prompt: "Look", read_only: true, role: "tester" },
  todo_write: { todos: [{ content: "one", status: "pending" }] },
  load_skill: { name: "release" },
  list_tasks: { all: true },
  get_task: { id: 3 },
  create_task: {
    ...{ subject: "A", description: "B", blocked_by: [1, 2], priority: 1, estimate: 2, role: "tester" },
    ...{ assign: "bob", needs_plan: true, review: true, judges: true, touches: ["src/**"], replaces: 4 },
  },
  update_task: {
    ...{ id: 3, subject: "A", description: "B", add_blocked_by: [1], remove_blocked_by: [2], priority: 1 },
    ...{ estimate: 2, role: "tester", assign: "bob", needs_plan: true },
  },
  claim_task: { id: 3, owner: "alice" },
  answer_review: { label: "R1", how: "declined", text: "no" },
  complete_task: { id: 3, result: "done", override: true },
  fail_task: { id: 3, reason: "broken" },
  release_task: { id: 3, reason: "later" },
  retry_task: { id: 3, reason: "again" },
  cancel_task: { id: 3, reason: "not needed" },
  split_task: { parts: [{ subject: "A", description: "B", after: [1] }], note: "half" },
  send_message: { to: "bob", text: "hello", urgent: true },
  broadcast: { text: "hello" },
  note: { text: "hello", kind: "trap", files: ["a.ts"], task: 3 },
  check_inbox: {},
  list_teammates: {},
  spawn_teammate: {
    ...{ name: "bob", role: "tester", prompt: "Test", model: "haiku", effort: "low", needs_plan: true },
  },
  request_shutdown: { name: "bob", reason: "done" },
  respond_shutdown: { request: "r1", accept: false, reason: "busy" },
  request_plan: { name: "bob", text: "first" },
  submit_plan: { plan: "steps" },
  review_plan: { request: "r1", approve: false, feedback: "more" },
  review_permission: { request: "r1", allow: false, reason: "no" },
  idle: { waiting_for: "messages" },
  schedule_cron: {
    ...{
      cron: "* * * * *",
      text: "x",
      to: "bob",
      as_task: false,
      once: true,
      durable: true,
      time_zone: "UTC",
    },
  },
  list_crons: {},
  cancel_cron: { id: "c1" },
  create_worktree: { id: 3, name: "b" },
  keep_worktree: { id: 3 },
  remove_worktree: { id: 3 },
  create_team: { name: "web", goal: "Build" },
  delete_team: { name: "web", force: true },
  remember: { topic: "build", text: "npm" },
  recall: { topic: "build" },
  compact: {},
  read_transcript: { search: "port", from: 2, to: 5 },
  call_tool: { name: "x", input: {} },
  connect_mcp: { name: "x", command: "y", args: ["z"], url: "https://example.org" },
};

/** For each form that is no field of ours: a value, and the call that it makes. */
const FORMS: Readonly<Record<string, readonly (readonly [value: unknown, tool: string, fields: Fields])[]>> =
  {
    "bash @cwd": [["src", "bash", { command: "cd -- src && {\nls\n}" }]],
    "bash @timeout": [
      [5, "bash", { command: "ls", timeout_ms: 5_000 }],
      ["70000", "bash", { command: "ls", timeout_ms: 70_000 }],
    ],
    "read_file @end": [[7, "read_file", { path: "a", offset: 1, limit: 7 }]],
    "read_file @range": [
      [[2, 4], "read_file", { path: "a", offset: 2, limit: 3 }],
      [[2, -1], "read_file", { path: "a", offset: 2 }],
    ],
    "read_file @pages": [
      ["2-4", "read_file", { path: "a", offset: 2, limit: 3 }],
      ["2", "read_file", { path: "a", offset: 2, limit: 1 }],
    ],
    "write_file @mode": [
      ["a", "write_file", { path: "a", content: "x", append: true }],
      ["overwrite", "write_file", { path: "a", content: "x" }],
    ],
    "edit_file @count": [
      [1, "edit_file", { path: "a", old: "x", new: "y" }],
      [3, "edit_file", { path: "a", old: "x", new: "y", all: true }],
    ],
    "glob @recursive": [[true, "glob", { pattern: "*.ts" }]],
    "grep @before": [[2, "grep", { pattern: "x", context: 2 }]],
    "grep @after": [[3, "grep", { pattern: "x", context: 3 }]],
    "grep @mode": [["files_with_matches", "grep", { pattern: "x", files_only: true }]],
    "grep @sensitive": [[false, "grep", { pattern: "x", ignore_case: true }]],
    "ask_person @questions": [
      [
        [{ question: "Which?", header: "H", options: ["a", "b"] }],
        "ask_person",
        { question: "Which?", options: ["a", "b"] },
      ],
    ],
    "task @name": [["bob", "spawn_teammate", { name: "bob", prompt: "Look" }]],
    "task @model": [["inherit", "task", { prompt: "Look" }]],
    "task @mode": [["default", "task", { prompt: "Look" }]],
    "task @plan": [[false, "task", { prompt: "Look" }]],
    "list_tasks @status": [
      ["all", "list_tasks", { all: true }],
      ["pending", "list_tasks", {}],
    ],
    "create_task @status": [["pending", "create_task", { subject: "A" }]],
    "update_task @status": [
      ["in_progress", "claim_task", { id: 3 }],
      ["completed", "complete_task", { id: 3 }],
      ["failed", "fail_task", { id: 3 }],
      ["deleted", "cancel_task", { id: 3 }],
    ],
    "update_task @blocks": [[[5], "update_task", { id: 5, add_blocked_by: [3] }]],
    "send_message @type": [
      ["message", "send_message", { to: "bob", text: "hello" }],
      ["shutdown_request", "request_shutdown", { name: "bob", reason: "hello" }],
    ],
    "spawn_teammate @mode": [
      ["plan", "spawn_teammate", { name: "bob", needs_plan: true }],
      ["acceptEdits", "spawn_teammate", { name: "bob" }],
    ],
    "review_plan @plan": [["steps", "submit_plan", { plan: "steps" }]],
    "schedule_cron @recurring": [
      [false, "schedule_cron", { cron: "* * * * *", text: "x", once: true }],
      [true, "schedule_cron", { cron: "* * * * *", text: "x", once: false }],
    ],
  };

/** The least that a tool takes, for the forms. */
const LEAST: Readonly<Record<string, Fields>> = {
  bash: { command: "ls" },
  read_file: { path: "a" },
  write_file: { path: "a", content: "x" },
  edit_file: { path: "a", old: "x", new: "y" },
  glob: { pattern: "*.ts" },
  grep: { pattern: "x" },
  task: { prompt: "Look" },
  create_task: { subject: "A" },
  update_task: { id: 3 },
  send_message: { to: "bob", text: "hello" },
  spawn_teammate: { name: "bob" },
  schedule_cron: { cron: "* * * * *", text: "x" },
};

const UNKNOWN = (
  "frobnicate xyzzy constructor __proto__ toString hasOwnProperty subjekt2 no.such $ref blocked" as const
).split(" ");

/** Values with null as the prototype of none: `__proto__` as JSON has it. */
const withField = (input: Fields, name: string, value: unknown): Fields =>
  Object.fromEntries([...Object.entries(input), [name, value]]);
const shapeOf = (tool: Tool): string[] => Object.keys((tool.input() as unknown as z.ZodObject).shape);
const formsOf = (name: string): readonly Tool[] => everyTool.filter((tool) => tool.name === name);
/** The form of a tool with the most fields. */
const widest = (name: string): Tool =>
  formsOf(name).reduce((best, tool) => (shapeOf(tool).length > shapeOf(best).length ? tool : best));
const camel = (word: string): string => word.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

const understood = (tool: Tool, called: string, input: Fields): unknown => {
  const meant = inOurNames({ tool: called, input });
  expect(meant.tool).toBe(tool.name);
  return tool.input().parse(meant.input);
};

describe("the table", () => {
  it("has every field of every tool, and no other", () => {
    for (const name of TOOL_NAMES) {
      const known = Object.keys(HABITS[name]?.fields ?? {}).filter((field) => !field.startsWith("@"));
      const fields = new Set(formsOf(name).flatMap(shapeOf));
      expect([name, ...known.sort()]).toEqual([name, ...[...fields].sort()]);
    }
  });

  it("gives each word one meaning", () => {
    const names = Object.entries(HABITS).flatMap(([tool, { names }]) => [tool, ...names]);
    expect(names.filter((name, i) => names.indexOf(name) !== i)).toEqual([]);
    for (const [tool, habit] of Object.entries(HABITS))
      for (const { fields, aside } of [habit, ...Object.values(habit.lists)]) {
        const words = Object.entries(fields).flatMap(([field, words]) => [field, ...words]);
        expect([tool, words.filter((word, i) => words.indexOf(word) !== i)]).toEqual([tool, []]);
        const both = aside.filter((word) => words.includes(word) && !ASIDE.split(" ").includes(word));
        expect([tool, both]).toEqual([tool, []]);
        for (const word of [...words, ...aside])
          expect(word.startsWith("-") ? word : folded(word.replace(/=.*/, ""))).toBe(word.replace(/=.*/, ""));
      }
  });

  it("has an example of each tool and of each form", () => {
    expect(Object.keys(SAMPLES).sort()).toEqual([...TOOL_NAMES].sort());
    const forms = Object.entries(HABITS).flatMap(([tool, { fields }]) =>
      Object.keys(fields).flatMap((field) => (field.startsWith("@") ? [`${tool} ${field}`] : [])),
    );
    expect(forms.filter((form) => FORMS[form] === undefined)).toEqual(OF_ANSWERS);
  });
});

/** Those of an answer have a meaning only together, and lines only without a command: tested below and in `tool-names.test.ts`. */
const OF_ANSWERS = ["bash @lines", "update_task @result", "send_message @request", "send_message @yes"];

describe.each(TOOL_NAMES)("%s", (name) => {
  const habit = HABITS[name] as (typeof HABITS)[string];
  const tool = widest(name);
  const sample = Object.fromEntries(
    Object.entries(SAMPLES[name] ?? {}).filter(([field]) => shapeOf(tool).includes(field)),
  );
  const expected = tool.input().parse(sample);

  it("is known by its names elsewhere", () => {
    for (const other of [name, ...habit.names, camel(name), `functions.${name}`])
      expect(inOurNames({ tool: other, input: sample }).tool).toBe(name);
  });

  it("understands each word of the table", () => {
    for (const [field, words] of Object.entries(habit.fields))
      for (const word of words.flatMap((one) => [one, camel(one)])) {
        if (field.startsWith("@")) continue;
        const { [field]: value, ...others } = sample;
        if (value === undefined) continue;
        expect([word, understood(tool, name, withField(others, word, value))]).toEqual([word, expected]);
      }
    for (const word of habit.aside) {
      const [, key = word, value = '"x"'] = /^(\w+)=(.*)$/.exec(word) ?? [];
      if (Object.entries(habit.fields).flat(2).includes(key)) continue;
      expect([word, understood(tool, name, withField(sample, key, JSON.parse(value)))]).toEqual([
        word,
        expected,
      ]);
    }
  });

  it("understands the words within its lists", () => {
    for (const [list, { fields, aside }] of Object.entries(habit.lists)) {
      const [item] = sample[list] as Fields[];
      for (const [field, words] of Object.entries(fields))
        for (const word of words.flatMap((one) => [one, camel(one)])) {
          const { [field]: value, ...others } = item as Fields;
          const input = { ...sample, [list]: [withField(others, word, value)] };
          expect([word, understood(tool, name, input)]).toEqual([word, expected]);
        }
      for (const word of aside)
        if (!Object.hasOwn(fields, word))
          expect(understood(tool, name, { ...sample, [list]: [{ ...item, [word]: "x" }] })).toEqual(expected);
    }
  });

  it.each(
    Object.keys(habit.fields).flatMap((form) =>
      (FORMS[`${name} ${form}`] ?? []).map((one) => [form, ...one] as const),
    ),
  )("makes ours of %s = %j", (form, value, meant, fields) => {
    for (const word of (habit.fields[form] ?? []).flatMap((one) => [one, camel(one)]))
      expect([word, inOurNames({ tool: name, input: { ...LEAST[name], [word]: value } })]).toEqual([
        word,
        { tool: meant, input: fields },
      ]);
  });

  it("refuses any other word, and names the fields that there are", () => {
    for (const form of formsOf(name))
      for (const word of UNKNOWN) {
        const input = withField(SAMPLES[name] ?? {}, word, "x");
        const meant = inOurNames({ tool: name, input });
        const parsed = form.input().safeParse(meant.input);
        expect(parsed.success, word).toBe(false);
        const { schema } = specOf(form);
        const words = inputFault(name, parsed.error?.issues ?? [], schema, meant.input);
        expect(words).toContain(`there is no field ${JSON.stringify(word)}`);
        const fields = Object.keys(schema.properties as object);
        expect(words).toContain(
          fields.length === 0 ? "it has no fields" : `the fields are ${fields.join(", ")}`,
        );
      }
  });

  it("refuses a field that is given twice with different values", () => {
    for (const [field, [word]] of Object.entries(habit.fields)) {
      const value = sample[field];
      if (word === undefined || value === undefined || field === "edits") continue;
      const said = (second: unknown): ReturnType<typeof inOurNames> =>
        inOurNames({ tool: name, input: { ...sample, [word]: second } });
      expect(tool.input().parse(said(value).input)).toEqual(expected);
      const { input } = said("other");
      const parsed = tool.input().safeParse(input);
      expect(inputFault(name, parsed.error?.issues ?? [], specOf(tool).schema, input)).toContain(
        `"${word}" means ${field}, and both are given with different values: give only ${field}`,
      );
    }
  });
});

describe("a word that is not known", () => {
  const said = (tool: string, input: Fields): string => {
    const meant = inOurNames({ tool, input });
    const form = widest(meant.tool);
    const { issues = [] } = form.input().safeParse(meant.input).error ?? {};
    return inputFault(meant.tool, issues, specOf(form).schema, meant.input);
  };
  it.each([
    ["create_task", { subject: "A", blocked_bye: [1] }, 'Did you mean "blocked_by"?'],
    ["create_task", { subject: "A", plan: true }, 'Did you mean "needs_plan"?'],
    ["create_task", { subject: "A", status: "in_progress" }, "Instead: a new task is pending"],
    ["update_task", { id: 1, status: "pending" }, "Instead: use claim_task"],
    ["update_task", { id: 1, status: "completed", subject: "A" }, "Instead: use claim_task"],
    ["bash", { command: "ls", env: {} }, "Instead: set variables within the command"],
    ["write_file", { path: "a", content: "x", mode: "x" }, 'the value of "mode" cannot be used here'],
    [
      "schedule_cron",
      { cron: "* * * * *", text: "x", once: true, recurring: true },
      'the value of "recurring" cannot be used here',
    ],
    [
      "split_task",
      { note: "x", parts: [{ subject: "A", owner: "bob" }] },
      'no field "owner" in parts.0: the fields are subject',
    ],
    ["ask_person", { question: "x", options: [{ label: "a", weight: 1 }] }, 'no field "weight" in options.0'],
    [
      "send_message",
      { to: "bob", text: "x", msg_type: "telegram" },
      'the value of "msg_type" cannot be used here',
    ],
    ["task", { prompt: "x", model: "haiku" }, "Instead: a subagent has your model"],
    ["broadcast", { text: "x", to: "bob" }, 'no field "to"'],
    ["send_message", { to: "bob", text: "x", type: "broadcast" }, 'the value of "type" cannot be used here'],
    ["send_message", { to: "bob", text: { type: "telegram" } }, 'the value of "type" cannot be used here'],
    ["grep", { pattern: "x", case_sensitive: "no" }, 'the value of "case_sensitive" cannot be used here'],
    ["grep", { pattern: "x", "-A": "many" }, 'the value of "-A" cannot be used here'],
    ["glob", { path: "a", recursive: 2 }, 'the value of "recursive" cannot be used here'],
    ["read_file", { path: "a", end_line: "x" }, 'the value of "end_line" cannot be used here'],
    ["read_file", { path: "a", view_range: [9, 3] }, 'the value of "view_range" cannot be used here'],
    ["task", { prompt: "x", needs_plan: "true" }, 'the value of "needs_plan" cannot be used here'],
    ["bash", { command: "ls", commands: ["pwd"] }, 'the value of "commands" cannot be used here'],
    ["bash", { command: "ls", timeout_ms: true }, "timeout_ms: expected a whole number"],
    ["bash", { command: "ls", run_in_background: "yes" }, "run_in_background: expected true or false"],
    ["grep", { pattern: "x", context: "" }, "context: expected a whole number"],
    ["grep", { pattern: "x", context: 50 }, "context: expected 0 to 20 lines"],
    ["create_task", { subject: "A", blocked_by: ["Build"] }, '"Build" is not a task id'],
    ["create_task", { subject: "A", blocked_by: [{ id: 1 }] }, "blocked_by: expected the number of a task"],
    ["read_file", { path: "a", paths: ["b"] }, 'Did you mean "path"? Nothing'],
  ])("of %s(%j)", (tool, input, words) => {
    expect(said(tool, input)).toContain(words);
  });
});

describe("ids", () => {
  const blockers = (value: unknown): unknown =>
    (widest("create_task").input().parse({ subject: "A", blocked_by: value }) as Fields).blocked_by;
  it.each([
    ["2", [2]],
    [2, [2]],
    ["#2", [2]],
    [["2"], [2]],
    [
      ["#2", 3, "task 4"],
      [2, 3, 4],
    ],
    ["#2, #3", [2, 3]],
    ["[2, 3]", [2, 3]],
    ['["2"]', [2]],
    ["2 3", [2, 3]],
    ["", []],
    [[], []],
  ])("%j are %j", (value, ids) => expect(blockers(value)).toEqual(ids));
  it.each(["Build", ["Build it"], "2 and Build", [0], "1.5"])("%j are refused", (value) => {
    expect(() => blockers(value)).toThrow(/task id|expected/);
  });
});

describe("calls of Claude Code", () => {
  it.each([
    [
      "TaskUpdate",
      { taskId: "1", status: "completed", result: "ok" },
      "complete_task",
      { id: "1", result: "ok" },
    ],
    ["TaskUpdate", { taskId: "1", owner: "bob" }, "update_task", { id: "1", assign: "bob" }],
    [
      "TaskUpdate",
      { taskId: "1", status: "in_progress", owner: "bob" },
      "claim_task",
      { id: "1", owner: "bob" },
    ],
    ["TaskUpdate", { taskId: "2", addBlockedBy: ["1"] }, "update_task", { id: "2", add_blocked_by: ["1"] }],
    [
      "Task",
      { name: "bob", team_name: "web", subagent_type: "general-purpose", description: "x", prompt: "Go" },
      "spawn_teammate",
      { name: "bob", prompt: "Go" },
    ],
    [
      "Agent",
      { name: "bob", prompt: "Go", mode: "plan", model: "opus" },
      "spawn_teammate",
      { name: "bob", prompt: "Go", needs_plan: true, model: "opus" },
    ],
    [
      "Task",
      { subagent_type: "Explore", description: "x", prompt: "Go" },
      "task",
      { prompt: "Go", read_only: true },
    ],
    ["SendMessage", { to: "*", message: "x", summary: "y" }, "broadcast", { text: "x" }],
    ["SendMessage", { type: "broadcast", content: "x", summary: "y" }, "broadcast", { text: "x" }],
    [
      "SendMessage",
      { to: "lead", message: { type: "shutdown_response", request_id: "r1", approve: true } },
      "respond_shutdown",
      { request: "r1", accept: true },
    ],
    [
      "SendMessage",
      { type: "plan_approval_response", recipient: "bob", request_id: "r1", approve: false, content: "no" },
      "review_plan",
      { request: "r1", approve: false, feedback: "no" },
    ],
    [
      "CronCreate",
      { cron: "0 9 * * *", prompt: "x", recurring: false },
      "schedule_cron",
      { cron: "0 9 * * *", text: "x", once: true },
    ],
    ["background_run", { command: "ls" }, "bash", { command: "ls", run_in_background: true }],
    ["ExitPlanMode", { plan: "x" }, "submit_plan", { plan: "x" }],
    ["shutdown_request", { teammate: "bob" }, "request_shutdown", { name: "bob" }],
    ["read_inbox", {}, "check_inbox", {}],
    ["create_task", { subject: "A", blockedBy: null }, "create_task", { subject: "A" }],
  ])("%s(%j) is %s(%j)", (tool, input, ours, fields) => {
    expect(inOurNames({ tool, input })).toEqual({ tool: ours, input: fields });
    expect(() => widest(ours).input().parse(fields)).not.toThrow();
  });
});
