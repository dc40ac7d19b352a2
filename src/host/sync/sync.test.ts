import {
  existsSync,
  linkSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { systemClock } from "../../adapters/clock.ts";
import { FolderLock } from "../../adapters/layout/folder-lock.ts";
import { TaskFolder } from "../../adapters/layout/task-folder.ts";
import { openStore } from "../../adapters/store/index.ts";
import type { Seat } from "../../core/board/member.ts";
import { asTaskId, type HostId, LEAD, type Name, PERSON, type TaskId } from "../../core/ids.ts";
import type { Store } from "../../ports/index.ts";
import { FolderSync } from "./sync.ts";

const one = asTaskId(1);
let dir = "";
let at = "";
let store: Store;
let now = 0;
let told: string[] = [];
let sync: FolderSync;
beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), "ekiden-sync-"));
  at = join(dir, ".tasks");
  store = await openStore({
    url: `sqlite:${join(dir, "team.db")}`,
    team: "default" as Name,
    clock: systemClock,
  });
  now = Date.now() + 60_000; // so that no file is young
  told = [];
  sync = reopened();
});
afterEach(async () => {
  await store.close();
  rmSync(dir, { recursive: true });
});

const reopened = (): FolderSync =>
  new FolderSync(
    new TaskFolder(at),
    { store, url: "u" },
    (text) => told.push(text),
    () => now,
  );
const put = (file: string, content: unknown): void =>
  writeFileSync(join(at, file), typeof content === "string" ? content : JSON.stringify(content));
const get = (file: string): Record<string, unknown> => JSON.parse(readFileSync(join(at, file), "utf8"));
const files = (): string[] => readdirSync(at).filter((name) => !name.startsWith("."));
const tasks = async () =>
  (await store.board.tasks()).map(({ id, subject, status, blockedBy }) => [id, subject, status, blockedBy]);
async function seat(name = "alice"): Promise<Seat> {
  const host = `h-${name}` as HostId;
  await store.roster.open(host, "here", process.pid);
  return store.roster.join(
    { name: name as Name, kind: "teammate", role: "", model: "", prompt: "", needsPlan: false },
    host,
    LEAD,
  );
}
async function claim(task: TaskId, by?: Seat) {
  const owner = by ?? (await seat());
  const got = await store.board.claim(owner, task);
  if (!got.ok) throw new Error(got.why);
  return { seat: owner, task, attempt: got.task.attempt };
}

it("makes tasks of files, with their edges whatever their order and ids, and does nothing the second time", async () => {
  put("task_1.json", { id: 1, subject: "Test", status: "pending", blockedBy: ["build"], owner: "" });
  put("task_build.json", { id: "build", subject: "Build", description: "make", custom: [1] });
  put("task_3.json", { subject: "Done before", status: "completed", owner: "carol" });
  await sync.pass();
  expect(await tasks()).toEqual([
    [1, "Done before", "completed", []],
    [2, "Build", "pending", []],
    [3, "Test", "pending", [2]],
  ]);
  expect((await store.board.task(asTaskId(2)))?.createdBy).toBe("ekiden");
  expect(get("task_build.json")).toMatchObject({ custom: [1] });
  const before = files().map((file) => readFileSync(join(at, file), "utf8"));
  told = [];
  for (const again of [sync, reopened()]) await again.pass();
  expect(files().map((file) => readFileSync(join(at, file), "utf8"))).toEqual(before);
  expect([told, (await tasks()).length]).toEqual([[], 3]);
});

it("writes what happens on the board into the files, and keeps what they say besides", async () => {
  await store.board.addAll(
    [
      { subject: "A", description: "a" },
      { subject: "B", blockedBy: [{ nth: 0 }], role: "tester" },
    ],
    PERSON,
  );
  await sync.pass();
  expect(get("task_1.json")).toEqual({
    id: 1,
    subject: "A",
    description: "a",
    status: "pending",
    owner: null,
    blockedBy: [],
  });
  expect(get("task_2.json")).toMatchObject({ blockedBy: [1], role: "tester" });
  put("task_1.json", { ...get("task_1.json"), tags: ["x"] });
  const held = await claim(one);
  await sync.pass();
  expect(get("task_1.json")).toMatchObject({ status: "in_progress", owner: "alice", tags: ["x"] });
  await store.board.complete(held, "it works");
  await sync.pass();
  expect(get("task_1.json")).toMatchObject({ status: "completed", result: "it works", tags: ["x"] });
  expect(told).toEqual([]);
});

it("merges changes of different fields, and tells the owner of a task that is at work on it", async () => {
  await store.board.add({ subject: "A", description: "old" }, PERSON);
  await sync.pass();
  await claim(one);
  put("task_1.json", { ...get("task_1.json"), description: "new", status: undefined, owner: undefined });
  await store.board.change(one, { priority: 7 }, LEAD);
  await sync.pass();
  expect(await store.board.task(one)).toMatchObject({
    description: "new",
    priority: 7,
    describedBy: "ekiden",
  });
  expect(get("task_1.json")).toMatchObject({ description: "new", priority: 7 });
  const [letter] = await store.mail.unread("alice" as Name);
  expect(letter?.body).toMatchObject({ text: expect.stringContaining("now reads: A\nnew") });
  expect(told).toEqual([]);
});

it("keeps the file's text where both have changed the same, and says where", async () => {
  await store.board.add({ subject: "A", description: "old" }, PERSON);
  await sync.pass();
  put("task_1.json", { ...get("task_1.json"), description: "theirs" });
  await store.board.change(one, { description: "ours" }, LEAD);
  await sync.pass();
  expect(get("task_1.json").description).toBe("ours");
  expect(told).toEqual([
    expect.stringMatching(/^task_1.json: #1 .*description: changed on both sides.*-1\.json$/),
  ]);
  expect(get(".ekiden-conflicts/task_1-1.json").description).toBe("theirs");
  told = [];
  await sync.pass();
  expect(told).toEqual([]);
});

it("completes, cancels and retries what nobody here has begun, and refuses it for what a member is at", async () => {
  await store.board.addAll([{ subject: "A" }, { subject: "B" }, { subject: "C" }], PERSON);
  await claim(asTaskId(3));
  await sync.pass();
  put("task_1.json", { ...get("task_1.json"), status: "completed", result: "by hand" });
  put("task_2.json", { ...get("task_2.json"), status: "deleted" });
  put("task_3.json", { ...get("task_3.json"), status: "completed" });
  await sync.pass();
  expect((await tasks()).map(([, , status]) => status)).toEqual(["completed", "cancelled", "in_progress"]);
  expect(await store.board.task(one)).toMatchObject({ result: "by hand" });
  expect(get("task_3.json").status).toBe("in_progress");
  expect(told).toEqual([expect.stringContaining("alice is at work on it here")]);
  put("task_2.json", { ...get("task_2.json"), status: "pending" });
  await sync.pass();
  expect(await store.board.task(asTaskId(2))).toMatchObject({ status: "pending" });
  expect((await store.board.claimNext(await seat("bob")))?.id).toBe(2);
});

it("leaves a task alone that somebody outside has, and frees it when they give it back", async () => {
  put("task_1.json", { id: 1, subject: "A", status: "pending", owner: "Carol S." });
  put("task_2.json", { id: 2, subject: "B", status: "pending", role: "tester", owner: null });
  await sync.pass();
  const bob = await seat("bob");
  expect(await store.board.claimNext(bob)).toBeNull();
  put("task_1.json", { ...get("task_1.json"), status: "in_progress" });
  put("task_2.json", { ...get("task_2.json"), status: "in_progress", owner: "dan" });
  await sync.pass();
  expect(get("task_1.json")).toMatchObject({ status: "in_progress", owner: "Carol S." });
  expect(await store.board.task(asTaskId(2))).toMatchObject({ assignee: "outside:dan", role: "tester" });
  put("task_1.json", { ...get("task_1.json"), status: "pending", owner: "" });
  put("task_2.json", { ...get("task_2.json"), status: "completed" });
  await sync.pass();
  expect(await store.board.task(asTaskId(2))).toMatchObject({ status: "completed", role: "tester" });
  expect((await store.board.claimNext(bob))?.id).toBe(1);
  await sync.pass();
  expect(get("task_1.json")).toMatchObject({ status: "in_progress", owner: "bob" });
  expect(told.filter((text) => text.includes("conflicts"))).toEqual([]);
});

it("gives a task to the teammate that a file names, by its name here", async () => {
  const alice = await seat();
  put("task_1.json", { id: 1, subject: "A", status: "pending", owner: "Alice" });
  await sync.pass();
  expect(await store.board.claimNext(await seat("bob"))).toBeNull();
  expect((await store.board.claimNext(alice))?.id).toBe(1);
});

it("names what cannot be used once, uses the rest, and looks again at what is half written", async () => {
  put("task_1.json", '{"id": 1, "subj');
  put("task_2.json", { id: 2, subject: "Good" });
  put("task_3.json", { id: 3, subject: "x".repeat(600) });
  put("task_4.json", { id: 2, subject: "Twice" });
  put("task_5.json", { id: 5, subject: "Waits", blockedBy: [99] });
  put("task_6.json", { id: 6, subject: "Ring", blockedBy: [7] });
  put("task_7.json", { id: 7, subject: "Ring", blockedBy: [6] });
  put("notes.txt", "x");
  symlinkSync(join(dir, "team.db"), join(at, "task_8.json"));
  now = Date.now();
  expect((await sync.pass()).again).toBe(true);
  expect(told.join("\n")).not.toContain("task_1.json");
  now += 60_000;
  expect(await sync.pass()).toEqual({ again: false, faults: 7 });
  const text = told.join("\n");
  for (const part of ["not valid JSON", "600 characters", "also in task_2.json", "waits for 99", "is a link"])
    expect(text).toContain(part);
  expect((await tasks()).map(([, subject]) => subject)).toEqual(["Good"]);
  told = [];
  await sync.pass();
  expect(told).toEqual([]);
  put("task_1.json", { id: 1, subject: "Whole now" });
  await sync.pass();
  expect((await tasks()).map(([, subject]) => subject)).toEqual(["Good", "Whole now"]);
  expect(readFileSync(join(at, "task_8.json")).subarray(0, 6).toString()).toBe("SQLite");
});

it("tells an owner once that the file of its task was changed", async () => {
  await store.board.add({ subject: "A", description: "old" }, PERSON);
  const { seat: owner } = await claim(one);
  await sync.pass();
  put("task_1.json", { ...get("task_1.json"), description: "new" });
  await sync.pass();
  const notes = (await store.mail.unread(owner.name)).map(({ body, urgent }) => [body, urgent]);
  const text = "Your task #1 was changed (description). It now reads: A\nnew";
  expect(notes).toEqual([[{ kind: "note", text }, true]]);
});

it("cancels the task of a deleted file, writes it again when a member is at it, and knows a renamed one", async () => {
  await store.board.addAll([{ subject: "A" }, { subject: "B" }, { subject: "C" }], PERSON);
  await claim(asTaskId(2));
  await sync.pass();
  rmSync(join(at, "task_1.json"));
  rmSync(join(at, "task_2.json"));
  renameSync(join(at, "task_3.json"), join(at, "task_33.json"));
  expect((await sync.pass()).again).toBe(true);
  expect((await tasks()).map(([, , status]) => status)).toEqual(["pending", "in_progress", "pending"]);
  now += 3_000;
  await sync.pass();
  expect((await tasks()).map(([, , status]) => status)).toEqual(["cancelled", "in_progress", "pending"]);
  expect(files()).toEqual(["task_2.json", "task_33.json"]);
  expect(told).toEqual([
    expect.stringContaining("#1 is cancelled (to undo it: ekiden retry 1)"),
    expect.stringContaining("task_2.json was deleted and is written again: alice is at work"),
  ]);
  await store.board.retry(one, PERSON);
  await sync.pass();
  expect(get("task_1.json")).toMatchObject({ status: "pending", subject: "A" });
});

it("cancels nothing when the folder is emptied or gone", async () => {
  await store.board.addAll([{ subject: "A" }, { subject: "B" }], PERSON);
  await sync.pass();
  for (const file of files()) rmSync(join(at, file));
  await sync.pass();
  now += 3_000;
  await sync.pass();
  expect(files()).toEqual(["task_1.json", "task_2.json"]);
  expect((await tasks()).map(([, , status]) => status)).toEqual(["pending", "pending"]);
  rmSync(at, { recursive: true });
  now += 10_000;
  expect((await sync.pass()).faults).toBe(1);
  expect(told.at(-1)).toContain("is gone");
  expect(existsSync(at)).toBe(false);
});

it("makes no second task after a kill between the board and its notes", async () => {
  put("task_7.json", { id: 7, subject: "A", description: "d" });
  await sync.pass();
  rmSync(join(at, ".ekiden-sync.json"));
  put("task_7.json", { ...get("task_7.json"), priority: 5 });
  await reopened().pass();
  expect((await tasks()).length).toBe(1);
  expect(await store.board.task(one)).toMatchObject({ priority: 5 });
  put(".ekiden-sync.json", "{ nonsense");
  await reopened().pass();
  expect((await tasks()).length).toBe(1);
});

it("never overwrites a file that changed after it was read", async () => {
  const folder = new TaskFolder(at);
  put("task_1.json", "a");
  expect(folder.write("task_1.json", "c", "b")).toBe(false);
  expect(folder.write("task_1.json", "c", null)).toBe(false);
  expect(folder.write("task_1.json", "c", "a")).toBe(true);
  expect(readFileSync(join(at, "task_1.json"), "utf8")).toBe("c");
  expect(readdirSync(at)).toEqual(["task_1.json"]);
});

it("keeps the numbers of other programs apart from those of the board, and writes as they do", async () => {
  put("2.json", { id: "2", subject: "Theirs", status: "pending", blocks: ["5"], blockedBy: [] });
  put("5.json", { id: "5", subject: "After", status: "pending", blocks: [], blockedBy: [] });
  await sync.pass();
  expect(await tasks()).toEqual([
    [1, "Theirs", "pending", []],
    [2, "After", "pending", [1]],
  ]);
  await store.board.add({ subject: "Ours", blockedBy: [asTaskId(2)] }, LEAD);
  await sync.pass();
  expect(files()).toEqual(["2.json", "3.json", "5.json"]);
  expect(get("3.json")).toEqual({
    id: "3",
    subject: "Ours",
    description: "",
    status: "pending",
    blocks: [],
    blockedBy: ["5"],
  });
  await store.board.add({ subject: "Fifth" }, LEAD);
  await store.board.add({ subject: "Its number is taken" }, LEAD);
  await sync.pass();
  expect(get("6.json").subject).toBe("Its number is taken");
  await store.board.cancel(asTaskId(3), LEAD, "no");
  await sync.pass();
  expect(get("3.json").status).toBe("deleted");
  await sync.pass();
  expect((await store.board.task(asTaskId(3)))?.status).toBe("cancelled");
});

it("lets another program drop completed tasks from its edges", async () => {
  await store.board.addAll([{ subject: "A" }, { subject: "B", blockedBy: [{ nth: 0 }] }], PERSON);
  await sync.pass();
  await store.board.complete(await claim(one), "");
  put("task_2.json", { ...get("task_2.json"), blockedBy: [] });
  await sync.pass();
  expect(get("task_2.json").blockedBy).toEqual([]);
  expect((await store.board.task(asTaskId(2)))?.blockedBy).toEqual([1]);
  expect(told).toEqual([]);
});

it("keeps a folder for one team and one process", async () => {
  await sync.pass();
  expect(
    () =>
      new FolderSync(
        new TaskFolder(at),
        { store, url: "other" },
        () => {},
        () => now,
      ),
  ).toThrow('is kept for team "default" of another store');
  const folder = new TaskFolder(at);
  const lock = (pid: number, machine = "here", time = 0) =>
    new FolderLock(folder, { me: { machine, pid }, now: () => time, isAlive: (one) => one < 100 });
  const first = lock(1);
  expect(first.take()).toBeNull();
  expect(lock(2).take()).toMatchObject({ pid: 1 });
  expect(lock(1, "there", 50_000).take()).toMatchObject({ machine: "here" });
  expect(lock(500, "there", 70_000).take()).toBeNull();
  expect(first.renew()).toBe(false);
  first.release(); // which is another one's
  expect(lock(3, "there").take()).toBeNull(); // its holder 500 has died
  expect(lock(4, "there").take()).toMatchObject({ pid: 3 });
});

it("follows no link in the place of its own files", async () => {
  const secret = join(dir, "secret");
  writeFileSync(secret, "s");
  symlinkSync(secret, join(at, ".ekiden-sync.json"));
  linkSync(secret, join(at, "task_1.json"));
  utimesSync(secret, 1, 1);
  sync = reopened();
  await store.board.add({ subject: "A" }, PERSON);
  await sync.pass();
  expect(readFileSync(secret, "utf8")).toBe("s");
});
