/** Undo and redo of what members change in files, on every database. */
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { OwnRepository } from "../../src/adapters/git/undo/own-repository.ts";
import { type NewChange, Records } from "../../src/adapters/git/undo/records.ts";
import { type Entry, heard } from "../../src/core/conversation/chat.ts";
import { Conversation } from "../../src/core/conversation/conversation.ts";
import { PERSON } from "../../src/core/ids.ts";
import { lazy } from "../../src/core/lazy.ts";
import { toUndo } from "../../src/core/undo/change.ts";
import { Recorder } from "../../src/host/checkpoints/recorder.ts";
import type { Store } from "../../src/ports/store.ts";
import type { Call } from "../../src/runtime/agent/call.ts";
import { carryOut, finishPending } from "../../src/team/actions/undo/carry-out.ts";
import { changesIn, redo, undo } from "../../src/team/actions/undo/undo.ts";
import { start } from "../fixtures/children.ts";
import { anything, isFile, stateOf } from "../fixtures/folder-states.ts";
import { FUZZ, randomFrom } from "../fixtures/fuzz.ts";
import { type Repository, repository } from "../fixtures/repository.ts";
import { soon } from "../fixtures/soon.ts";
import { BACKENDS, type Crew, name, stage } from "../fixtures/stage.ts";

/** By hand: EKIDEN_UNDO_TURNS=500 */
const TURNS = Number(process.env.EKIDEN_UNDO_TURNS ?? 8);
/** By hand: EKIDEN_UNDO_KILLS=100 */
const KILLS = Number(process.env.EKIDEN_UNDO_KILLS ?? 4);
const env = { PATH: process.env.PATH ?? "", HOME: process.env.HOME ?? "" };

describe.each(BACKENDS)("undo on %s", (backend) => {
  const at = stage(backend);
  let crew: Crew;
  let store: Store;
  let repo: Repository;
  let recorder: Recorder;
  let reply = 0;
  beforeEach(async () => {
    crew = await at.crew(["alice", "bob"]);
    store = crew.store;
    repo = repository({ "a.txt": "1\n2\n3\n4\n5\n6\n7\n8\n", "src/b.ts": "b\n", ".gitignore": "ignored/\n" });
    const own = new OwnRepository(repo.dir, null, env);
    mkdirSync(join(repo.dir, ".ekiden"));
    recorder = new Recorder(
      {
        workspace: repo.dir,
        store,
        changed: new Set(),
        looks: new Set(),
        secrets: { redact: (text: string) => text } as never,
      },
      own,
      new Records(own, store.team),
    );
  });

  /** A call of a member: with `files` by a file tool, else by a command. `says`: its line. */
  const call = async (
    who: string,
    act: () => void,
    files?: readonly string[],
    line = "make",
    there?: { workspace: string; task: unknown },
  ): Promise<string> => {
    reply += 1;
    const made = {
      tool: {
        name: files ? "write_file" : "bash",
        subject: () => line,
        ...(files ? { writes: () => files } : { line: () => line }),
      },
      call: { id: `c${reply}` },
      input: {},
      access: files ? "write" : "exec",
      ctx: {
        self: name(who),
        workspace: there?.workspace ?? repo.dir,
        currentTask: lazy(async () => (there && !isOver ? { id: there.task } : null)),
      },
    } as unknown as Call;
    let isOver = false;
    const run = async (): Promise<string> => {
      act();
      isOver = true; // its task may be completed before the look after it ends
      return "done";
    };
    const said = await recorder.around(made, run, reply);
    await recorder.flush();
    return said;
  };
  const write = (path: string, text: string): void => repo.write({ [path]: text });
  const take = (what?: string) => undo(store, repo.dir, PERSON, { what });

  // The files do not depend on the database.
  const onFirst = (title: string, test: () => Promise<void>, limitMs?: number): void => {
    if (backend === BACKENDS[0]) it(title, test, limitMs);
  };

  onFirst(
    "takes back turns to the byte, with modes, links, removed and renamed files, and puts them back",
    async () => {
      const random = randomFrom(FUZZ.seed);
      const names = [
        "a.txt",
        "src/b.ts",
        "src/deep/c",
        'o "d" d\n.txt',
        "ünï",
        "-x",
        "link",
        "bin.dat",
        "src",
      ];
      const states = [stateOf(repo.dir)];
      for (let turn = 0; turn < TURNS; turn += 1) {
        const path = names[random(names.length)] as string;
        const isPlain = !path.includes("src") && isFile(join(repo.dir, path));
        if (random(2) === 0 && isPlain)
          await call("alice", () => write(path, `${turn}\n${random(1e9)}\n`), [path]);
        // Of one member at most 200 are kept.
        else
          await call(`bob-${turn % 4}`, () =>
            anything(repo.dir, path, names[random(names.length)] as string, random(7), turn),
          );
        states.push(stateOf(repo.dir));
      }
      const differ = states.filter((state, nth) => nth > 0 && state !== states[nth - 1]).length;
      const left = [...states];
      for (let nth = 0; nth < differ; nth += 1) {
        const now = stateOf(repo.dir);
        while (left.at(-1) === now) left.pop();
        const { data } = await take();
        expect(data.conflicts).toEqual([]);
        expect(stateOf(repo.dir)).toBe(left.at(-1));
      }
      expect(stateOf(repo.dir)).toBe(states[0]);
      for (let nth = 0; nth < differ; nth += 1) await redo(store, repo.dir, PERSON);
      expect(stateOf(repo.dir)).toBe(states.at(-1));
      await expect(redo(store, repo.dir, PERSON)).rejects.toThrow("Nothing was undone");
      expect(repo.git("status", "--porcelain", "--", ".git")).toBe("");
      expect(repo.git("count-objects")).not.toBe("");
    },
    600_000,
  );

  onFirst("takes back more calls than are kept one by one", async () => {
    const before = stateOf(repo.dir);
    const at = Date.now();
    const change = async (who: string, text: string): Promise<void> => {
      await call(who, () => write("a.txt", text), ["a.txt"]);
      await call(who, () => write(`of-${who}.txt`, text), undefined);
    };
    for (const nth of [1, 2, 3]) await change("bob", `${nth}\n`);
    await call("bob", () => write("taken-back.txt", "x\n"));
    await take("bob");
    await change("alice", "alice\n");
    for (const nth of [4, 5, 6]) await change("bob", `${nth}\n`);
    const after = stateOf(repo.dir);
    const records = new Records(new OwnRepository(repo.dir, null, env), store.team);
    for (let nth = 0; nth < 3; nth += 1) await records.prune(Date.now(), 2);
    const list = await changesIn(store, repo.dir);
    expect(list.map(({ who, what }) => [who, what])).toEqual([
      ["bob", "bash: make"],
      ["bob", "write_file: make"],
      ["bob", "10 earlier calls"],
      ["alice", "bash: make"],
      ["alice", "write_file: make"],
    ]);
    expect(toUndo(await records.list(), { since: at })).toHaveLength(5);
    // The calls that are one are before and behind that time.
    expect(toUndo(await records.list(), { since: list.at(-1)?.at ?? 0 })).toHaveLength(4);
    const { events } = await store.journal.read(store.journal.from(0), { limit: 1 });
    const { data } = await undo(store, repo.dir, PERSON, { since: String(events[0]?.seq) });
    expect(data.conflicts).toEqual([]);
    expect(stateOf(repo.dir)).toBe(before);
    await redo(store, repo.dir, PERSON);
    expect(stateOf(repo.dir)).toBe(after);
  });

  onFirst("keeps the newer half of too many bytes, and does so once in an hour", async () => {
    for (const nth of [1, 2, 3, 4]) await call("bob", () => write("a.txt", `${nth}\n`), ["a.txt"]);
    const records = new Records(new OwnRepository(repo.dir, null, env), store.team);
    const newer = (await records.list()).slice(-2);
    expect([await records.prune(Date.now(), 200, 0), await records.prune(Date.now(), 200, 0)]).toEqual([
      2, 0,
    ]);
    expect(await records.list()).toEqual(newer);
    expect(await records.prune(Date.now() + 3_600_001, 200, 0)).toBe(1);
  });

  onFirst("removes nothing that nobody made, and names what it cannot know", async () => {
    write(".gitignore", "*.log\n");
    write("mine.log", "of the person\n");
    write("big.bin", "x".repeat(6 * 1024 * 1024));
    write("gone.bin", "x".repeat(6 * 1024 * 1024));
    mkdirSync(join(repo.dir, "n"));
    repo.git("init", "--quiet", "n");
    write("n/mine.txt", "of the person\n");
    await call("alice", () => {});
    // The clock of the disk has moved on.
    await soon(() => {
      write(".ekiden/probe", "");
      expect(lstatSync(join(repo.dir, ".ekiden/probe")).ctimeMs).toBeGreaterThan(
        lstatSync(join(repo.dir, "n/mine.txt")).ctimeMs + 50,
      );
    });
    await call("bob", () => {
      write(".gitignore", "");
      write("big.bin", "small");
      rmSync(join(repo.dir, "gone.bin"));
      rmSync(join(repo.dir, "n/.git"), { recursive: true });
      renameSync(join(repo.dir, "src"), join(repo.dir, "lib"));
    });
    const { data } = await take("bob");
    expect(data.left.toSorted()).toEqual(["big.bin", "gone.bin"]);
    expect(data.files.map(({ path, how }) => `${path} ${how}`)).toEqual([
      ".gitignore changed back",
      "lib/b.ts removed",
      "src/b.ts restored",
    ]);
    // What a file was is not known any more once the objects of the project are gone.
    await call("bob", () => {
      rmSync(join(repo.dir, ".git"), { recursive: true });
      write("a.txt", "x\n");
    });
    expect((await take("bob")).data).toMatchObject({ files: [], left: expect.arrayContaining(["a.txt"]) });
    await call("bob", () => write("src/b.ts", "x\n"));
    expect((await take("bob")).data.files).toMatchObject([{ path: "src/b.ts" }]);
    expect([isFile(join(repo.dir, "n/mine.txt")), isFile(join(repo.dir, "mine.log"))]).toEqual([true, true]);
  });

  onFirst("loses no line of the person, however the edits are mixed", async () => {
    const random = randomFrom(FUZZ.seed + 1);
    const files = ["a.txt", "src/b.ts", "c.txt"];
    for (let turn = 0; turn < TURNS; turn += 1) {
      const path = files[random(3)] as string;
      const at = join(repo.dir, path);
      const text = existsSync(at) ? readFileSync(at, "utf8") : "";
      const lines = text.split("\n");
      const nth = random(lines.length + 1);
      // What a member removes comes back by an undo, and goes again by a redo: that is no loss.
      const removes = lines[nth]?.startsWith("person") ? 0 : random(2);
      lines.splice(nth, removes, `${random(3) === 0 ? "person" : "member"} ${turn}`);
      const act = (): void => write(path, lines.join("\n"));
      if (lines.some((line) => line === `person ${turn}`)) act();
      else await call(random(2) === 0 ? "alice" : "bob", act, random(2) === 0 ? [path] : undefined);
      if (random(4) !== 0) continue;
      const before = personLines(repo.dir);
      const done =
        random(3) === 0 ? redo(store, repo.dir, PERSON) : take(random(2) === 0 ? "bob" : undefined);
      await done.catch((error: Error) => expect(error.message).toMatch(/Nothing was undone|No change/));
      expect(personLines(repo.dir)).toEqual(before);
    }
  });

  onFirst("is whole or absent when it is killed at any of its steps", async () => {
    const paths = ["a.txt", "new.txt", "src/b.ts"];
    const before = stateOf(repo.dir);
    await call("bob", () => {
      write("a.txt", "x\n");
      write("new.txt", "n\n");
      rmSync(join(repo.dir, "src"), { recursive: true });
    });
    const after = stateOf(repo.dir);
    const records = new Records(new OwnRepository(repo.dir, null, env), store.team);
    const [change] = await records.list();
    const roots = (change?.roots ?? []).map(({ root, paths: all }) => ({
      root,
      paths: all.map(({ path, before: was, after: is }) => ({ path, before: is, after: was })),
    }));
    const undoing = { ...change, kind: "undo", of: [change?.id], roots } as unknown as NewChange;
    for (let steps = 0; steps <= paths.length; steps += 1) {
      const pending = await records.add(undoing, "pending");
      const begun = {
        ...pending,
        roots: pending.roots.map((one) => ({ ...one, paths: one.paths.slice(0, steps) })),
      };
      await carryOut(repo.dir, records, begun); // and killed here
      write(".ekiden/undo/drafts/left", "half");
      await finishPending(store, repo.dir, records);
      expect(stateOf(repo.dir)).toBe(before);
      expect(await records.list("pending")).toEqual([]);
      await redo(store, repo.dir, PERSON);
      expect(stateOf(repo.dir)).toBe(after);
    }
    // One that the project has brought, which leads out of it.
    const content = { mode: "100644", content: Buffer.from("evil") };
    for (const root of ["..", ".ekiden/worktrees/../..", ".ekiden/worktrees/x/../../../.."])
      await records.add(
        { ...undoing, roots: [{ root, paths: [{ path: "evil", before: null, after: content }] }] },
        "pending",
      );
    await finishPending(store, repo.dir, records);
    expect(existsSync(join(repo.dir, "../evil"))).toBe(false);
  });

  onFirst(
    "is whole or absent when its process is killed at any time",
    async () => {
      const random = randomFrom(FUZZ.seed + 2);
      const before = stateOf(repo.dir);
      await call("bob", () => {
        for (let nth = 0; nth < 30; nth += 1) write(`many/${nth}.txt`, `${nth}\n`);
        write("a.txt", "x\n");
        rmSync(join(repo.dir, "src"), { recursive: true });
      });
      const after = stateOf(repo.dir);
      const records = new Records(new OwnRepository(repo.dir, null, env), store.team);
      let wasBetween = 0;
      for (let nth = 0; nth < KILLS; nth += 1) {
        const again = stateOf(repo.dir) === before;
        const child = start({
          ...{ url: at.url, team: store.team, job: "undo", cwd: repo.dir },
          ...{ again, waitMs: random(2) === 0 ? random(400) : 0 },
          // At every second one, files have changed.
          ...(nth % 2 === 0 && { watch: join(repo.dir, `many/${random(30)}.txt`), waitMs: 0 }),
        });
        await child.next();
        child.go();
        await child.ended();
        const own = stateOf(repo.dir);
        if (own !== before && own !== after) wasBetween += 1;
        // A git that was under way may have written its record after that.
        await soon(async () => {
          await finishPending(store, repo.dir, records);
          expect([before, after]).toContain(stateOf(repo.dir));
          expect(await records.list("pending")).toEqual([]);
        });
      }
      if (process.env.EKIDEN_UNDO_KILLS) console.log(`${wasBetween} of ${KILLS} were killed between`);
      if (stateOf(repo.dir) === before) await redo(store, repo.dir, PERSON);
      else await take();
      expect([before, after]).toContain(stateOf(repo.dir));
    },
    300_000,
  );

  onFirst("records a command that was killed together with its process", async () => {
    const before = stateOf(repo.dir);
    const child = start({ url: at.url, team: store.team, job: "killed command", cwd: repo.dir });
    await child.ended();
    expect(existsSync(join(repo.dir, "src"))).toBe(false);
    expect(await changesIn(store, repo.dir)).toMatchObject([
      { who: "bob", what: "bash: rm -rf src", files: 1 },
    ]);
    await take("bob");
    expect(stateOf(repo.dir)).toBe(before);
    expect(readdirSync(join(repo.dir, ".ekiden/undo/running"))).toEqual([]);
  });

  it("tells who did what, what it leaves out, and the members", async () => {
    mkdirSync(join(repo.dir, "ignored"));
    repo.git("init", "--quiet", "nested");
    await call("alice", () => {
      write("mine.txt", "mine\n");
      write("ignored/x", "x\n");
      write("nested/x", "x\n");
      write("big.bin", "x".repeat(6 * 1024 * 1024));
    });
    const said = await call(
      "bob",
      () => rmSync(join(repo.dir, "src"), { recursive: true }),
      undefined,
      "rm -rf src",
    );
    expect(said).toBe("done\n[deleted src/b.ts; the person can undo it]");
    const list = await changesIn(store, repo.dir);
    expect(list.map(({ who, files, what }) => [who, files, what])).toEqual([
      ["bob", 1, "bash: rm -rf src"],
      ["alice", 1, "bash: make"],
    ]);
    const shown = await undo(store, repo.dir, PERSON, { what: "alice", dryRun: true });
    expect(shown.text).toContain("-mine");
    const { data, text } = await take("alice");
    expect(data).toMatchObject({
      files: [{ path: "mine.txt", how: "removed" }],
      left: ["big.bin"],
      whose: ["alice"],
    });
    expect(text).toBe(
      "undid changes of alice: mine.txt (removed)\nnot recorded: big.bin\nekiden redo puts it back",
    );
    expect(existsSync(join(repo.dir, "src/b.ts")) || !existsSync(join(repo.dir, "ignored/x"))).toBe(false);
    const [letter] = await store.mail.box(name("alice"), 1);
    expect(letter?.body).toMatchObject({ kind: "note", text: expect.stringContaining("mine.txt") });
    const { events } = await store.journal.read(store.journal.from(0), { types: ["work.undone"] });
    expect(events).toMatchObject([{ by: PERSON, whose: ["alice"], paths: ["mine.txt"], kept: [] }]);
    await expect(undo(store, repo.dir, name("bob"), {})).rejects.toThrow("may not decide that");
    await expect(take("carol")).rejects.toThrow('No member "carol"');
    await expect(take("99")).rejects.toThrow("No change for #99");
    await expect(undo(store, repo.dir, PERSON, { since: "x" })).rejects.toThrow("not the number");
    // What is left in conflict can be undone later.
    write("src/b.ts", "of the person\n");
    expect((await take("bob")).data).toMatchObject({ id: null, conflicts: ["src/b.ts"] });
    rmSync(join(repo.dir, "src"), { recursive: true });
    expect((await take("bob")).data.files).toEqual([{ path: "src/b.ts", how: "restored" }]);
  });

  it("cuts the conversation of a member whom no process runs, after the call that is undone", async () => {
    const [seat] = crew.seats;
    if (!seat) throw new Error("no seat");
    const entry = (id: string, text: string): Entry[] => [
      {
        kind: "said",
        message: { role: "assistant", content: [{ type: "call", id, tool: "bash", input: {} }] },
      },
      { kind: "result", result: { type: "result", id, tool: "bash", text, isError: false } },
    ];
    const write1 = async (path: string): Promise<void> => {
      await call("alice", () => write(path, "x\n"));
      await store.transcript.record(seat, entry(`c${reply}`, path));
    };
    await store.transcript.record(seat, [heard("go")]);
    await write1("kept.txt");
    await write1("undone.txt");
    await store.transcript.record(seat, entry("later", "later"));
    await call("bob", () => write("bob.txt", "x\n")); // nothing of it is in his conversation
    await store.roster.suspend(seat.host);
    const wanted = { what: "alice", conversation: true };
    expect((await undo(store, repo.dir, PERSON, { ...wanted, dryRun: true })).text).toContain(
      "the conversation of alice would continue after its call of",
    );
    const { data } = await undo(store, repo.dir, PERSON, wanted);
    expect(data.conversations).toEqual([
      expect.stringContaining("the conversation of alice continues after"),
    ]);
    const conversation = new Conversation(await store.transcript.current(seat.name));
    const text = JSON.stringify(conversation.messages());
    expect([
      text.includes("kept.txt"),
      text.includes("later"),
      text.includes("Undone by the person"),
    ]).toEqual([true, false, true]);
    expect(conversation.awaitsReply).toBe(false);
    expect((await undo(store, repo.dir, PERSON, { what: "bob", conversation: true })).text).toContain(
      "the conversation of bob stays as it is: it was summed up since",
    );
    expect((await redo(store, repo.dir, PERSON)).data.conversations).toEqual([]);
  });

  it("reverts a task that has landed by a task, and refuses what went with its workspace", async () => {
    const { id } = await store.board.add({ subject: "Paint" }, PERSON);
    const tree = join(repo.dir, ".ekiden/worktrees/1-paint");
    mkdirSync(tree, { recursive: true });
    await call("alice", () => writeFileSync(join(tree, "x"), "x"), ["x"], "make", {
      workspace: tree,
      task: id,
    });
    rmSync(tree, { recursive: true });
    await expect(take("1")).rejects.toThrow("The workspace of these changes is gone");
    const landed = { branch: "ekiden/1-paint", target: "main", commit: "1234567890".repeat(4) } as const;
    await store.journal.note([{ type: "task.landed", task: id, by: name("alice"), ...landed }]);
    expect((await undo(store, repo.dir, PERSON, { what: "1", dryRun: true })).text).toContain(
      "would revert it",
    );
    expect((await take("1")).text).toContain("#1 has landed on main as 123456789, so #2 reverts it");
    const added = (await store.board.tasks()).at(-1);
    expect(added).toMatchObject({
      subject: "Revert #1: Paint",
      description: expect.stringContaining(landed.commit),
    });
  });
});

function personLines(root: string): string[] {
  return ["a.txt", "src/b.ts", "c.txt"].flatMap((path) =>
    existsSync(join(root, path))
      ? readFileSync(join(root, path), "utf8")
          .split("\n")
          .filter((line) => line.startsWith("person"))
          .map((line) => `${path}: ${line}`)
      : [],
  );
}
