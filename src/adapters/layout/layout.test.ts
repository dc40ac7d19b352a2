import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { heard } from "../../core/conversation/chat.ts";
import { asTaskId, type HostId, instant, LEAD, type Name, PERSON } from "../../core/ids.ts";
import { NOTE_FACTS, notesIn } from "../../core/plan/notes.ts";
import type { Store } from "../../ports/store.ts";
import { systemClock } from "../clock.ts";
import { openStore } from "../store/index.ts";
import { readLayout } from "./read.ts";
import { isThere, restore } from "./restore.ts";
import { writeLayouts } from "./write.ts";

let dir = "";
const stores: Store[] = [];
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "ekiden-layout-"));
});
afterEach(async () => {
  for (const store of stores.splice(0)) await store.close();
  rmSync(dir, { recursive: true });
});

const alice = "alice" as Name;
const files = (list: Record<string, unknown>): void => {
  for (const [path, content] of Object.entries(list)) {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), typeof content === "string" ? content : JSON.stringify(content));
  }
};
async function open(file: string): Promise<Store> {
  const store = await openStore({
    url: `sqlite:${join(dir, file)}`,
    team: "default" as Name,
    clock: systemClock,
  });
  stores.push(store);
  return store;
}
const notes = ({ journal }: Store) => notesIn(journal.pages(journal.from(0), NOTE_FACTS));
let hosts = 0;
const into = (store: Store, path: string) => {
  hosts += 1;
  return restore(store, readLayout(path).record, `import-${hosts}` as HostId, "here", process.pid);
};
/** The data that an export must keep: everything but times. */
const essence = async (store: Store) => ({
  tasks: (await store.board.tasks()).map(
    ({ createdAt, updatedAt, attempt, createdBy, lastFailure, ...task }) => ({
      ...task,
      startedAt: 0,
      endedAt: 0,
    }),
  ),
  members: (await store.roster.members())
    .map(({ name, kind, role, task }) => ({ name, kind, role, task }))
    .sort((a, b) => a.name.localeCompare(b.name)), // they are listed by when they joined, which is not exported
  alice: (await store.mail.unread(alice)).map(({ from, body, urgent }) => ({ from, body, urgent })),
});

it("reads a project of the courses, whichever ids it has", async () => {
  files({
    ".tasks/task_1.json": {
      id: 1,
      subject: "Set up",
      description: "",
      status: "completed",
      blockedBy: [],
      owner: "Alice",
    },
    ".tasks/task_2.json": {
      id: 2,
      subject: "Write code",
      status: "in_progress",
      blockedBy: [1],
      owner: "Alice",
    },
    ".tasks/task_10.json": { id: 10, subject: "Test", status: "pending", blockedBy: [2], owner: "" },
    ".tasks/task_a.json": {
      id: "task_a",
      subject: "Later",
      status: "pending",
      blockedBy: ["task_1"],
      owner: null,
      worktree: null,
    },
    ".team/config.json": {
      team_name: "default",
      members: [
        { name: "Alice", role: "coder", status: "working" },
        { name: "Bob", role: "tester", status: "idle" },
      ],
    },
    ".team/inbox/Alice.jsonl":
      '{"type":"message","from":"lead","content":"Hello","timestamp":1718888888.888}\n',
    ".mailboxes/Alice.jsonl":
      '{"type":"message","from":"lead","content":"Hello","ts":1718888888.888}\n{"from":"Bob","to":"Alice","type":"plan_approval_request","content":{"plan":"x","request_id":"r7"},"ts":1}\n',
  });
  const { faults } = readLayout(dir);
  expect(faults).toEqual([{ file: ".tasks/task_a.json", why: expect.stringContaining("waits for task_1") }]);
  const store = await open("team.db");
  expect(await into(store, dir)).toMatchObject({
    tasks: 4,
    members: 2,
    mail: 2,
    faults: [],
    ids: { 1: 1, 2: 2, 10: 3, task_a: 4 },
  });
  expect(await essence(store)).toMatchObject({
    tasks: [
      { id: 1, status: "completed", owner: "alice" },
      { id: 2, status: "in_progress", owner: "alice", blockedBy: [1] },
      { id: 3, status: "pending", blockedBy: [2] },
      { id: 4, status: "pending", blockedBy: [] },
    ],
    members: [
      { name: "alice", kind: "teammate", role: "coder", task: 2 },
      { name: "bob", role: "tester" },
    ],
    alice: [
      { from: "lead", body: { kind: "note", text: "Hello" } },
      {
        from: "bob",
        body: {
          kind: "note",
          text: '[plan_approval_request, request r7, sent 1970-01-01T00:00:01.000Z] {"plan":"x","request_id":"r7"}',
        },
      },
    ],
  });
  expect((await store.roster.members()).every((member) => member.host === null)).toBe(true);
});

it("reads Claude Code's task folder, with edges that only one end names", async () => {
  files({
    "1.json": {
      id: "1",
      subject: "A",
      description: "d",
      activeForm: "Doing A",
      status: "completed",
      owner: "agent",
      blocks: ["2"],
      blockedBy: [],
    },
    "2.json": { id: "2", subject: "B", description: "", status: "pending", blocks: [], blockedBy: [] },
    "3.json": { id: "3", subject: "C", status: "deleted", blocks: [], blockedBy: ["2"] },
    ".highwatermark": "3",
  });
  const store = await open("team.db");
  expect((await into(store, dir)).faults).toEqual([]);
  expect((await essence(store)).tasks).toMatchObject([
    { status: "completed", description: "d" },
    { status: "pending", blockedBy: [1], openBlockers: 0 },
    { status: "cancelled", blockedBy: [2] },
  ]);
});

it("names what is damaged and imports the rest", async () => {
  files({
    ".tasks/task_1.json": { id: 1, subject: "Good", status: "pending", blockedBy: [] },
    ".tasks/task_2.json": '{"id": 2, "subject": "Cut o',
    ".tasks/task_3.json": { id: 3, subject: "Odd", status: "sleeping" },
    ".tasks/task_4.json": "",
    ".tasks/task_5.json": { id: 1, subject: "Twice" },
    ".tasks/task_6.json": { id: 6, subject: " ", status: "pending" },
    ".team/config.json": "{}",
    ".team/inbox/alice.jsonl": '{"type":"message","from":"bob","content":"ok"}\nnonsense\n',
  });
  const { record, faults } = readLayout(dir);
  expect(faults.map(({ file }) => file).sort()).toEqual([
    ".tasks/task_2.json",
    ".tasks/task_3.json",
    ".tasks/task_4.json",
    ".tasks/task_5.json",
    ".team/config.json",
    ".team/inbox/alice.jsonl",
  ]);
  expect(faults.find(({ file }) => file.endsWith("alice.jsonl"))?.why).toMatch(/^line 2: /);
  const store = await open("team.db");
  const restored = await restore(store, record, "h" as HostId, "here", process.pid);
  expect(restored).toMatchObject({
    tasks: 2,
    mail: 1,
    notes: ['task 6 has no subject and is called "task 6"'],
    faults: [],
  });
});

it("imports nothing when the tasks wait for each other in a ring", async () => {
  files({
    "1.json": { id: 1, subject: "A", blockedBy: [2] },
    "2.json": { id: 2, subject: "B", blockedBy: [1] },
  });
  const store = await open("team.db");
  await expect(into(store, dir)).rejects.toMatchObject({ code: "cycle" });
  expect(await store.board.tasks()).toEqual([]);
});

it("names the task or member that cannot be imported", async () => {
  files({ "a/1.json": { id: 1, subject: "A" }, "a/7.json": { id: 7, subject: "x".repeat(600) } });
  files({ "b/config.json": { members: [{ name: "Bob", role: "x".repeat(65) }] } });
  const store = await open("team.db");
  await expect(into(store, join(dir, "a"))).rejects.toThrow("task 7: The subject has 600 characters");
  await expect(into(store, join(dir, "b"))).rejects.toThrow("member bob: ");
  expect(await store.board.tasks()).toEqual([]);
});

it("leaves out the paths of an older export that no task may name any more", async () => {
  files({
    ".tasks/task_1.json": { id: 1, subject: "A", status: "pending", touches: ["src/**", "../x", "a;b"] },
  });
  const store = await open("team.db");
  await into(store, dir);
  expect(await store.board.tasks()).toMatchObject([{ touches: ["src/**"] }]);
});

it("refuses what is no layout at all", () => {
  files({ "readme.txt": "x" });
  expect(() => readLayout(dir)).toThrow(/contains nothing to import/);
  expect(() => readLayout(join(dir, "nowhere"))).toThrow(/does not exist/);
  files({
    "ekiden.json": { format: "ekiden-team", version: 99, tasks: [], members: [], mail: [], transcripts: {} },
  });
  expect(readLayout(dir).faults).toEqual([
    { file: "ekiden.json", why: expect.stringContaining("Update ekiden") },
  ]);
});

async function team(): Promise<Store> {
  const store = await open("source.db");
  const { board, roster, mail, transcript } = store;
  const host = "h1" as HostId;
  await board.addAll(
    [
      { subject: "Done", description: "all\nof it" },
      { subject: "Running", blockedBy: [{ nth: 0 }], priority: 3, estimate: 2.5 },
      { subject: "Failed" },
      {
        subject: "Waits",
        blockedBy: [{ nth: 1 }, { nth: 2 }],
        role: "tester",
        touches: ["src/**"],
        needsPlan: true,
      },
      { subject: "Dropped" },
    ],
    PERSON,
  );
  await roster.open(host, "here", process.pid);
  const profile = { role: "", model: "x/y", prompt: "", needsPlan: false };
  await roster.join({ ...profile, name: LEAD, kind: "lead" }, host, PERSON);
  const seat = await roster.join({ ...profile, name: alice, kind: "teammate", role: "coder" }, host, LEAD);
  for (const [task, end] of [
    [1, "complete"],
    [3, "fail"],
    [2, null],
  ] as const) {
    const claim = await board.claim(seat, asTaskId(task));
    if (!claim.ok) throw new Error(claim.why);
    if (end) await board[end]({ seat, task: asTaskId(task), attempt: claim.task.attempt }, `${end} it`);
  }
  await board.cancel(asTaskId(5), PERSON, "not needed");
  await transcript.record(
    seat,
    [
      heard("Begin"),
      { kind: "said", message: { role: "assistant", content: [{ type: "text", text: "Yes" }] } },
    ],
    {
      spent: { turns: 1, inputTokens: 100, cachedTokens: 10, outputTokens: 20, usd: 0.5 },
    },
  );
  await mail.send(PERSON, { to: alice, body: { kind: "note", text: "Line one\nline two 🚀" }, urgent: true });
  await roster.suspend(host);
  return store;
}

it("exports everything, and imports it again as it was", async () => {
  const source = await team();
  const noted = { kind: "trap", text: "It is wet.", task: asTaskId(2), files: ["a/**"] } as const;
  await source.journal.note([
    { type: "note.written", by: alice, ...noted },
    { type: "note.written", by: PERSON, ...noted, text: "gone", task: null },
    { type: "note.written", by: PERSON, ...noted, text: "Use oil.", task: null },
  ]);
  const [, gone] = await notes(source);
  await source.journal.note([{ type: "note.changed", by: PERSON, note: gone?.id ?? 0, text: "" }]);
  const out = join(dir, "out");
  await writeLayouts(source, out, { force: false, now: instant(1) });
  const copy = await open("copy.db");
  expect(readLayout(out).faults).toEqual([]);
  expect((await into(copy, out)).faults).toEqual([]);
  expect(await notes(copy)).toMatchObject([
    { by: alice, ...noted },
    { by: "imported:person", ...noted, text: "Use oil.", task: null },
  ]);
  expect(await essence(copy)).toEqual(asFiles(await essence(source)));
  const said = (store: Store) => store.transcript.all(alice).then((lines) => lines.map((line) => line.entry));
  expect(await said(copy)).toEqual(await said(source));
  expect(await copy.roster.member(alice)).toMatchObject({ inputTokens: 100, usd: 0.5, model: "" });
});

/** The person did not write what files say of it. */
const asFiles = <T extends { readonly alice: readonly { readonly from: string }[] }>(all: T): T => ({
  ...all,
  alice: all.alice.map((mail) => ({
    ...mail,
    from: mail.from === PERSON ? "imported:person" : mail.from,
  })),
});

it.each([".tasks", "claude-tasks"])("brings the tasks back from %s", async (folder) => {
  const source = await team();
  const out = join(dir, "out");
  await writeLayouts(source, out, { force: false, now: instant(1) });
  const copy = await open("copy.db");
  expect((await into(copy, join(out, folder))).faults).toEqual([]);
  const failed = folder === ".tasks" ? "failed" : "pending";
  expect((await copy.board.tasks()).map((task) => [task.subject, task.status, task.blockedBy])).toEqual([
    ["Done", "completed", []],
    ["Running", "in_progress", [1]],
    ["Failed", failed, []],
    ["Waits", "pending", [2, 3]],
    ["Dropped", "cancelled", []],
  ]);
});

it("brings the mail back from the mailboxes once, though it lies in two places", async () => {
  const source = await team();
  const out = join(dir, "out");
  await writeLayouts(source, out, { force: false, now: instant(1) });
  rmSync(join(out, "ekiden.json"));
  const copy = await open("copy.db");
  await into(copy, out);
  expect((await essence(copy)).alice).toEqual(asFiles(await essence(source)).alice);
});

it("replaces an earlier export only when told to, and leaves nothing half written", async () => {
  const source = await team();
  const out = join(dir, "out");
  const write = (force: boolean) => writeLayouts(source, out, { force, now: instant(1) });
  await write(false);
  await expect(write(false)).rejects.toThrow(/already holds .tasks, .*--force/);
  files({ "out/.tasks/task_99.json": "{}" });
  await write(true);
  expect(readdirSync(out).sort()).toEqual([".mailboxes", ".tasks", ".team", "claude-tasks", "ekiden.json"]);
  expect(readdirSync(join(out, ".tasks"))).not.toContain("task_99.json");
  expect(JSON.parse(readFileSync(join(out, ".tasks/task_2.json"), "utf8"))).toEqual({
    id: 2,
    subject: "Running",
    description: "",
    status: "in_progress",
    owner: "alice",
    blockedBy: [1],
    priority: 3,
    estimate: 2.5,
  });
});

it("keeps roles of any script, folds names, and tells what it changes", async () => {
  files({
    ".team/config.json": {
      team_name: "default",
      members: [
        { name: "Alice", role: "编码者", status: "idle" },
        { name: "Bob", role: "测试者", status: "working" },
        { name: "Élodie", role: "Backend (Go)" },
        { name: "小明", role: "C++ dev" },
      ],
    },
    ".team/inbox/bob.jsonl":
      '{"type":"message","from":"Alice","content":"我是Alice,已准备好编码工作","timestamp":1718888889.999}\n',
    ".tasks/task_1.json": { id: 1, status: "completed" },
    ".tasks/task_3.json": { id: 3, subject: "编写测试", status: "pending", blockedBy: [1], owner: "Alice" },
  });
  const store = await open("team.db");
  expect(readLayout(dir).faults).toEqual([]);
  expect(await into(store, dir)).toMatchObject({
    tasks: 2,
    members: 4,
    mail: 1,
    faults: [],
    names: { Alice: "alice", Bob: "bob", Élodie: "elodie", 小明: "member-4" },
    notes: [
      'task 1 has no subject and is called "task 1"',
      "task 3 is pending, so its owner Alice is not kept: any member may claim it",
    ],
  });
  expect((await store.roster.members()).map(({ name, role }) => [name, role]).sort()).toEqual([
    ["alice", "编码者"],
    ["bob", "测试者"],
    ["elodie", "backend (go)"],
    ["member-4", "c++ dev"],
  ]);
});

it("takes the id of a task file that has none from the name of the file", async () => {
  files({
    ".tasks/task_1.json": { subject: "编写", status: "completed" },
    ".tasks/task_2.json": { subject: "测试", status: "pending", blockedBy: [1] },
    ".tasks/task_3.json": { status: "pending", blockedBy: [2] },
    ".tasks/task_4.json": {},
  });
  expect(readLayout(dir)).toMatchObject({
    record: { tasks: [{ id: "1" }, { id: "2", blockedBy: ["1"] }, { id: "3", blockedBy: ["2"] }] },
    faults: [{ file: ".tasks/task_4.json", why: expect.stringContaining("id: is missing") }],
  });
});

it("keeps members apart whose names fold to the same, and tells it; a mailbox in another case is the same member's", async () => {
  files({
    ".team/config.json": { members: [{ name: "Zoë" }, { name: "Zoe" }, { name: "zoe" }, { name: "Alice" }] },
    ".team/inbox/Zoe.jsonl": '{"from":"zoe","content":"to the second"}\n',
    ".team/inbox/alice.jsonl": '{"from":"Zoë","content":"to alice"}\n',
  });
  const store = await open("team.db");
  expect(await into(store, dir)).toMatchObject({
    members: 4,
    mail: 2,
    names: { Zoë: "zoe", Zoe: "zoe-2", zoe: "zoe-3", Alice: "alice" },
    notes: [
      'the members "Zoë" and "Zoe" would share the name zoe, so "Zoe" is zoe-2',
      'the members "Zoë" and "zoe" would share the name zoe, so "zoe" is zoe-3',
    ],
  });
  expect(await store.mail.unread("zoe-2" as Name)).toMatchObject([
    { from: "zoe-3", body: { text: "to the second" } },
  ]);
  expect(await store.mail.unread("alice" as Name)).toMatchObject([{ from: "zoe" }]);
});

it("sees that a source was imported before, by its tasks or else by its mail", async () => {
  files({
    "tasks/1.json": { id: 1, subject: "A  b", description: "d" },
    "tasks/2.json": { id: 2, subject: "C", blockedBy: [1] },
    "mail/bob.jsonl": '{"from":"Alice","content":"Hello"}\n',
    "none/config.json": { members: [{ name: "zoe" }] },
  });
  const store = await open("team.db");
  for (const folder of ["tasks", "mail"]) {
    const { record } = readLayout(join(dir, folder));
    expect(await isThere(store, record)).toBe(false);
    await into(store, join(dir, folder));
    expect(await isThere(store, record)).toBe(true);
  }
  files({ "tasks/3.json": { id: 3, subject: "New" } });
  expect(await isThere(store, readLayout(join(dir, "tasks")).record)).toBe(false);
  // Members alone can be imported any number of times: they are not doubled.
  await into(store, join(dir, "none"));
  expect(await into(store, join(dir, "none"))).toMatchObject({
    members: 0,
    notes: ["zoe is in the team already and stays as it is"],
  });
});
