/** The files of a fork, and its comparison with the original. They do not depend on the database. */
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { OwnRepository } from "../../src/adapters/git/undo/own-repository.ts";
import { Records } from "../../src/adapters/git/undo/records.ts";
import type { Seat } from "../../src/core/board/member.ts";
import { LEAD, PERSON } from "../../src/core/ids.ts";
import { Recorder } from "../../src/host/checkpoints/recorder.ts";
import type { Store } from "../../src/ports/store.ts";
import type { Call } from "../../src/runtime/agent/call.ts";
import { fork, pointOf } from "../../src/team/actions/fork/fork.ts";
import { compare } from "../../src/team/queries/compare.ts";
import { type Repository, repository } from "../fixtures/repository.ts";
import { BACKENDS, claimed, held, name, stage } from "../fixtures/stage.ts";
import { takeAway } from "../fixtures/take-away.ts";

const env = { PATH: process.env.PATH ?? "", HOME: process.env.HOME ?? "" };

describe.runIf(BACKENDS.includes("sqlite"))("the files of a fork", () => {
  const at = stage("sqlite");
  let store: Store;
  let alice: Seat;
  let repo: Repository;
  beforeEach(async () => {
    const crew = await at.crew(["alice"]);
    store = crew.store;
    alice = crew.seats[0] as Seat;
    repo = repository({
      "a.txt": "1\n2\n3\n4\n5\n6\n7\n",
      "gone.txt": "x\n",
      ".gitignore": "ignored/\n.ekiden/\n",
    });
    mkdirSync(join(repo.dir, ".ekiden"));
  });

  /** A command of alice. */
  const call = async (act: () => void): Promise<void> => {
    const own = new OwnRepository(repo.dir, null, env);
    const parts = {
      workspace: repo.dir,
      store,
      changed: new Set(),
      looks: new Set(),
      secrets: { redact: (text: string) => text },
    };
    const recorder = new Recorder(parts as never, own, new Records(own, store.team));
    const made = {
      tool: { name: "bash", subject: () => "make", line: () => "make" },
      ...{
        call: { id: "c" },
        input: {},
        access: "exec",
        ctx: { self: name("alice"), workspace: repo.dir, currentTask: async () => null },
      },
    } as unknown as Call;
    await recorder.around(
      made,
      async () => {
        act();
        return "done";
      },
      1,
    );
    await recorder.flush();
  };
  const made = async (asked: object) =>
    (await fork(store, { cwd: repo.dir, url: at.url }, PERSON, asked)).data;

  it("are as they were then, with what the person changed since", async () => {
    repo.write({ "mine.txt": "mine\n", "large.bin": "x".repeat(6 * 1024 * 1024) });
    await call(() => repo.write({ "a.txt": "one\n2\n3\n4\n5\n6\n7\n" }));
    // The records have the time of the system.
    await at.clock.advance(Date.now() - at.clock.now());
    await store.board.add({ subject: "later" }, PERSON);
    const point = (await store.journal.read(store.journal.from(0), { limit: 100 })).events.at(-1)?.seq;
    await call(() => {
      repo.write({ "a.txt": "one\ntwo\n3\n4\n5\n6\n7\n", "new.txt": "new\n" });
      repo.git("rm", "--quiet", "gone.txt");
      repo.git("commit", "--quiet", "-am", "later");
    });
    repo.write({ "a.txt": "one\ntwo\n3\n4\n5\n6\nperson\n" });
    const before = repo.git("status", "--porcelain");
    const { folder, takenBack, said, team } = await made({ at: String(point) });
    expect(folder).toBe(join(repo.dir, ".ekiden", "forks", team));
    expect(readFileSync(join(folder, "a.txt"), "utf8")).toBe("one\n2\n3\n4\n5\n6\nperson\n");
    expect(readFileSync(join(folder, "gone.txt"), "utf8")).toBe("x\n");
    expect(readFileSync(join(folder, "mine.txt"), "utf8")).toBe("mine\n");
    expect(existsSync(join(folder, "new.txt"))).toBe(false);
    expect([takenBack, said]).toEqual([3, []]);
    expect(repo.git("status", "--porcelain")).toBe(before);
    expect(repo.git("-C", folder, "rev-parse", "--abbrev-ref", "HEAD").trim()).toBe(
      repo.git("rev-parse", "--abbrev-ref", "HEAD").trim(),
    );

    writeFileSync(join(folder, "a.txt"), "other\n");
    const { files, sinceFork } = await compare(store, repo.dir, [store.team, team]);
    expect(sinceFork).toBe(true);
    expect(files?.map(({ path }) => path).sort()).toEqual(["a.txt", "gone.txt", "new.txt"]);
    // From inside of it, too; and a fork of it is beside it, where its name leads to.
    const inside = await compare(store, folder, [store.team, team]);
    expect(inside.files).toEqual(files);
    const own = await store.forTeam(team);
    const again = (await fork(own, { cwd: folder, url: at.url }, PERSON, {})).data;
    await own.close();
    expect(again.folder).toBe(join(repo.dir, ".ekiden", "forks", again.team));
    expect(readFileSync(join(again.folder, "a.txt"), "utf8")).toBe("other\n");
    // A folder of that name is somebody's work.
    await expect(made({ at: String(point), team })).rejects.toMatchObject({ code: "name_taken" });
    expect(lstatSync(folder).isDirectory()).toBe(true);
    expect((await made({})).team).not.toBe(team);
  });

  it("needs no repository, and a member cannot fork", async () => {
    const dir = realpathSync(mkdtempSync(join(tmpdir(), "ekiden-plain-")));
    onTestFinished(() => takeAway(dir));
    writeFileSync(join(dir, "a.txt"), "plain\n");
    const { commit, folder } = (await fork(store, { cwd: dir, url: at.url }, PERSON, { team: "plain" })).data;
    expect([commit, readFileSync(join(folder, "a.txt"), "utf8")]).toEqual([null, "plain\n"]);
    await expect(fork(store, { cwd: repo.dir, url: at.url }, LEAD, {})).rejects.toMatchObject({
      code: "not_permitted",
    });
  });

  it("are compared with what each has spent since the fork, first on what is not completed", async () => {
    await store.board.addAll([{ subject: "a" }, { subject: "b" }], PERSON);
    const called = (seat: Seat) =>
      ({
        type: "tool.called",
        who: seat.name,
        tool: "bash",
        subject: "make",
        ms: 1,
        isError: false,
      }) as const;
    const turn = async (of: Store, seat: Seat, usd: number): Promise<void> => {
      const spent = { inputTokens: 9, cachedTokens: 0, outputTokens: 9, usd };
      const fact = { type: "turn.taken", who: seat.name, model: "m", ...spent, ms: 1, text: "" } as const;
      await of.transcript.record(seat, [], { spent: { turns: 1, ...spent }, facts: [fact, called(seat)] });
    };
    await at.clock.advance(5);
    const one = await claimed(store, alice);
    await turn(store, alice, 8);
    await at.clock.advance(5);
    const { team } = await made({});
    await at.clock.advance(5);
    await turn(store, alice, 2);
    await store.board.fail(held(alice, one), "cannot");
    const other = await store.forTeam(team);
    await other.roster.open("there" as never, "this machine", process.pid);
    const seat = (await other.roster.adopt(alice.name, "there" as never)) as Seat;
    await turn(other, seat, 1);
    await other.board.complete(held(seat, one), "done");
    await other.close();
    const { sides, tasks } = await compare(store, repo.dir, [store.team, team]);
    expect(sides).toMatchObject([
      { usd: 2, lostUsd: 2, turns: 1, calls: 1, counts: { failed: 1 } },
      { usd: 1, lostUsd: 0, turns: 1, counts: { completed: 1 } },
    ]);
    expect(tasks).toMatchObject([{ id: 1, states: ["failed", "completed"] }]);
    await expect(compare(store, repo.dir, [store.team, name("nope")])).rejects.toMatchObject({
      code: "not_found",
    });
  });
});

it("reads a line, a task and a time", () => {
  expect(pointOf("120", 0)).toEqual({ seq: 120 });
  expect(pointOf("#3", 0)).toEqual({ task: 3 });
  expect(pointOf("task 3", 0)).toEqual({ task: 3 });
  expect(pointOf("2026-11-29T14:30:00Z", Date.parse("2027-01-01"))).toEqual({
    at: Date.parse("2026-11-29T14:30:00Z"),
  });
  const evening = new Date(2026, 10, 29, 20).getTime();
  expect(new Date(pointOf("14:30", evening).at ?? 0).getHours()).toBe(14);
  expect(pointOf("20:00", evening).at).toBeGreaterThanOrEqual(evening);
  for (const later of ["20:01", "23:59:59", "2031-01-01"])
    expect(() => pointOf(later, evening)).toThrow("has not come yet");
  for (const odd of ["", "yesterday", "-3", "1.5", "#x", "99:99", "24:00", "12:60"])
    expect(() => pointOf(odd, 0)).toThrow();
});
