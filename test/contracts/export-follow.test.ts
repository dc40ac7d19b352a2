/** An export that follows the board, on every database: what it writes again, and what it does with what others do in its folder. */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { FollowedLayouts, isShown } from "../../src/adapters/layout/follow.ts";
import type { Seat } from "../../src/core/board/member.ts";
import { PERSON, type TaskId } from "../../src/core/ids.ts";
import type { Store } from "../../src/ports/store.ts";
import { BACKENDS, name, stage } from "../fixtures/stage.ts";

describe.each(BACKENDS)("a followed export of %s", (backend) => {
  const at = stage(backend);
  let store: Store;
  let alice: Seat;
  let dir: string;
  let said: string[];
  beforeEach(async () => {
    const crew = await at.crew(["alice"]);
    store = crew.store;
    [alice] = crew.seats as [Seat];
    dir = realpathSync(mkdtempSync(join(tmpdir(), "ekiden-follow-")));
    onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
    await store.board.addAll([{ subject: "a" }, { subject: "b" }], PERSON);
    said = [];
  });
  const begin = (force = false) =>
    FollowedLayouts.begin(store, dir, { force, tell: (text) => said.push(text) });
  const read = (path: string): unknown => JSON.parse(readFileSync(join(dir, path), "utf8"));
  const inode = (path: string): number => statSync(join(dir, path)).ino;

  it("writes each file that changes and no other, in every layout, and takes away what is over", async () => {
    const from = await store.journal.end();
    const files = await begin();
    expect(existsSync(join(dir, "ekiden.json"))).toBe(false);
    const before = inode(".tasks/task_2.json");
    await store.board.claimNext(alice);
    await store.mail.send(PERSON, { to: name("alice"), body: { kind: "note", text: "hello" } });
    await store.board.add({ subject: "c" }, PERSON);
    await files.write();
    expect(read(".tasks/task_1.json")).toMatchObject({ status: "in_progress", owner: "alice" });
    expect(read("claude-tasks/1.json")).toMatchObject({ id: "1", status: "in_progress", owner: "alice" });
    expect(read(".tasks/task_3.json")).toMatchObject({ subject: "c" });
    expect(read(".mailboxes/alice.jsonl")).toMatchObject({ content: "hello" });
    expect(inode(".tasks/task_2.json")).toBe(before);
    await store.mail.deliver(alice, () => []);
    await files.write();
    expect(existsSync(join(dir, ".mailboxes/alice.jsonl"))).toBe(false);
    expect(existsSync(join(dir, ".team/inbox/alice.jsonl"))).toBe(false);
    expect(said).toEqual([]);
    expect((await store.journal.read(from)).events.some(isShown)).toBe(true);
  });

  it("refuses an earlier export without force, and with it also takes away what a killed process left", async () => {
    await begin();
    await expect(begin()).rejects.toThrow("--force");
    mkdirSync(join(dir, ".export-a1B2c3"));
    writeFileSync(join(dir, ".tasks", ".ekiden-0.tmp"), "{");
    await begin(true);
    expect(readdirSync(dir).sort()).toEqual([".mailboxes", ".tasks", ".team", "claude-tasks"]);
    expect(readdirSync(join(dir, ".tasks"))).toEqual(["task_1.json", "task_2.json"]);
  });

  it("writes again what others changed or removed, and says so once", async () => {
    const files = await begin();
    writeFileSync(join(dir, ".tasks/task_1.json"), "{}");
    writeFileSync(join(dir, ".tasks/notes.txt"), "mine");
    await files.write();
    expect(said).toEqual([expect.stringMatching(/^\.tasks\/task_1\.json changed in .*: overwritten/)]);
    expect(read(".tasks/task_1.json")).toMatchObject({ subject: "a" });
    rmSync(dir, { recursive: true });
    await files.write();
    await files.write();
    expect(said.slice(1)).toEqual([expect.stringMatching(/^\.tasks\/task_1\.json and 4 more changed in/)]);
    expect(read(".tasks/task_2.json")).toMatchObject({ subject: "b" });
  });

  it("writes through no link, names what is in the way, and continues when it is gone", async () => {
    const files = await begin();
    const elsewhere = join(dir, "elsewhere");
    mkdirSync(elsewhere);
    rmSync(join(dir, ".tasks"), { recursive: true });
    symlinkSync(elsewhere, join(dir, ".tasks"));
    await store.board.change(1 as TaskId, { subject: "changed" }, PERSON);
    await files.write();
    await files.write();
    expect(readdirSync(elsewhere)).toEqual([]);
    expect(read("claude-tasks/1.json")).toMatchObject({ subject: "changed" });
    expect(said.filter((text) => text.includes("cannot be written"))).toHaveLength(2);
    rmSync(join(dir, ".tasks"));
    await files.write();
    expect(read(".tasks/task_1.json")).toMatchObject({ subject: "changed" });
  });

  it("writes through no link above its folder", async () => {
    const [own, elsewhere] = [join(dir, "own"), join(dir, "elsewhere")];
    const files = await FollowedLayouts.begin(store, join(own, "out"), { force: false, tell: () => {} });
    mkdirSync(join(elsewhere, "out"), { recursive: true });
    renameSync(own, join(dir, "moved"));
    symlinkSync(elsewhere, own);
    await store.board.change(1 as TaskId, { subject: "changed" }, PERSON);
    await files.write();
    expect(readdirSync(join(elsewhere, "out"))).toEqual([]);
  });
});
