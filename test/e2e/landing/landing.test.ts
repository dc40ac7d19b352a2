/** Landing with members that can mend: conflicts, red gates, tasks that go back, and the lead's own tools. A scripted model. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { type ScriptedModel, type Step, scripted } from "../../../src/adapters/models/scripted.ts";
import { recruit } from "../../../src/core/board/recruit.ts";
import type { Event, FactType } from "../../../src/core/event.ts";
import { type Name, PERSON } from "../../../src/core/ids.ts";
import { DEFAULT_SETTINGS, type Settings } from "../../../src/core/settings/settings.ts";
import { openHost } from "../../../src/host/host.ts";
import type { TeamHost } from "../../../src/host/team-host.ts";
import type { Model, ModelRequest } from "../../../src/ports/index.ts";
import { workspacesIn } from "../../fixtures/landing-trees.ts";
import { opening } from "../../fixtures/opening.ts";
import { ownHome } from "../../fixtures/own-home.ts";
import { LINES, type Repository, repository } from "../../fixtures/repository.ts";
import { soon } from "../../fixtures/soon.ts";

type Stage = {
  readonly repo: Repository;
  readonly host: TeamHost;
  /** The last message of each request for a member, in order. */
  heard(who: string): string[];
  facts<T extends FactType>(type: T): Promise<Extract<Event, { type: T }>[]>;
  until(type: FactType): Promise<void>;
};

/** Everybody has a script; the lead says a word to whatever else it hears. */
async function stage(
  repo: Repository,
  says: Readonly<Record<string, readonly Step[]>>,
  settings: Partial<Settings> = {},
): Promise<Stage> {
  const anything: Step = { text: "Noted.", times: "any" };
  const models = new Map<string, ScriptedModel>(
    Object.entries({ lead: [], ...says }).map(([who, steps]) => [who, scripted([...steps, anything], who)]),
  );
  const model: Model = {
    spec: "scripted",
    window: 1_000_000,
    reply: (request, options) => {
      const who = /^You are "([^"]+)"/.exec(opening(request))?.[1] ?? "";
      const script = models.get(who);
      return script ? script.reply(request, options) : Promise.reject(new Error(`${who} has no script`));
    },
  };
  const teammates = Object.keys(says).filter((who) => who !== "lead");
  const host = await openHost({
    settings: {
      ...DEFAULT_SETTINGS,
      model: "scripted",
      permissionMode: "bypass",
      worktrees: true,
      teammates: teammates.map(recruit),
      ...settings,
    },
    cwd: repo.dir,
    env: { PATH: process.env.PATH, HOME: ownHome(), GIT_CONFIG_NOSYSTEM: "1" },
    openModel: () => Promise.resolve(model),
    interactive: false,
  });
  onTestFinished(() => host.close());
  const { store } = host;
  const facts = async <T extends FactType>(type: T): Promise<Extract<Event, { type: T }>[]> =>
    (await store.journal.read(store.journal.from(0), { types: [type], limit: 10_000 })).events as never;
  return {
    repo,
    host,
    facts,
    heard: (who) => (models.get(who)?.requests ?? []).map((request) => textOfLast(request)),
    async until(type) {
      for (;;) {
        const mark = store.wake.mark();
        if ((await facts(type)).length > 0) return;
        await store.wake.changed(mark, ["journal"], 500);
      }
    },
  };
}

const textOfLast = ({ messages }: ModelRequest): string =>
  (messages.at(-1)?.content ?? []).map((part) => ("text" in part ? part.text : "")).join("\n");
const use = (when: string, tool: string, input: object): Step => ({
  when,
  calls: [{ tool, input: { ...input } }],
});
const bash = (when: string, command: string): Step => use(when, "bash", { command });
const complete = (when: string): Step => use(when, "complete_task", { result: "done" });
const runbook = (...subjects: string[]) => ({
  runbook: { goal: "Goal", tasks: subjects.map((subject) => ({ subject })) },
});
/** A promise and the way to resolve it. */
function signal(): { readonly given: Promise<void>; give(): void } {
  let give = (): void => {};
  const given = new Promise<void>((resolve) => {
    give = resolve;
  });
  return { given, give: () => give() };
}

it("shows a conflict to the second of two, who resolves it and lands", async () => {
  const repo = repository({ "a.txt": "start\n", "b.txt": LINES });
  const bobWrote = signal();
  const aliceLanded = signal();
  const { host, facts, heard, until } = await stage(repo, {
    alice: [
      bash("auto-claimed", "echo alice > a.txt"),
      async () => {
        await bobWrote.given;
        return { calls: [{ tool: "complete_task", input: { result: "done" } }] };
      },
    ],
    bob: [
      bash("auto-claimed", "echo bob > a.txt"),
      async () => {
        bobWrote.give();
        await aliceLanded.given;
        return { calls: [{ tool: "complete_task", input: { result: "done" } }] };
      },
      bash(
        "cannot land",
        "export GIT_COMMITTER_NAME=bob GIT_COMMITTER_EMAIL=bob@example.org; git rebase main; printf 'alice\\nbob\\n' > a.txt; git add a.txt; git -c core.editor=true rebase --continue",
      ),
      complete("Successfully rebased"),
    ],
  });
  await host.start(runbook("Write a", "Write a too"));
  await until("task.landed");
  aliceLanded.give();
  const outcome = await host.done;
  expect(outcome, JSON.stringify(await facts("task.failed"))).toMatchObject({
    completed: 2,
    failed: 0,
    reason: "concluded",
  });
  const [reopened, ...more] = await facts("task.reopened");
  expect(more).toEqual([]);
  expect(reopened).toMatchObject({ why: "conflict", by: "bob" });
  expect(reopened?.evidence).toMatch(
    /Conflicts with main in a\.txt[\s\S]*<<<<<<<[\s\S]*alice[\s\S]*=======[\s\S]*bob[\s\S]*>>>>>>>/,
  );
  const shown = heard("bob").find((text) => text.includes("cannot land"));
  expect(shown).toContain("<<<<<<<");
  expect(shown).toContain("refused 1 of 3 times");
  expect(repo.read("a.txt")).toBe("alice\nbob\n");
  expect(repo.git("log", "--format=%s").split("\n")).toHaveLength(3);
  expect(repo.git("rev-list", "--merges", "HEAD")).toBe("");
  expect(await facts("task.landed")).toHaveLength(2);
  expect(workspacesIn(repo.dir)).toEqual([]);
});

it("gives a task back with the output of a red gate, and lands it when it is green", async () => {
  const repo = repository({ "a.txt": "a\n" });
  const { host, facts, heard } = await stage(
    repo,
    {
      alice: [
        bash("auto-claimed", "echo broken > b.txt"),
        complete("no output"),
        bash("cannot land", "echo fine > b.txt; echo mended"),
        complete("mended"),
      ],
    },
    { gate: "cat b.txt; ! grep -q broken b.txt" },
  );
  await host.start(runbook("Write b"));
  expect(await host.done).toMatchObject({ completed: 1, failed: 0 });
  expect(await facts("task.reopened")).toMatchObject([
    { why: "gate", evidence: expect.stringMatching(/ended with exit code 1 on the merged tree:\nbroken/) },
  ]);
  expect(heard("alice").some((text) => text.includes("merged tree:\nbroken"))).toBe(true);
  expect(repo.read("b.txt")).toBe("fine\n");
  expect(repo.git("log", "--format=%s")).toBe("Write b\nFirst"); // not the commit that was red
});

it("fails a task that could not land three times, with the evidence, and keeps its work", async () => {
  const repo = repository({ "a.txt": "a\n" });
  const { host, facts } = await stage(
    repo,
    {
      alice: [
        bash("auto-claimed", "echo broken > b.txt"),
        complete("no output"),
        complete("refused 1 of 3"),
        complete("refused 2 of 3"),
      ],
    },
    { gate: "test ! -e b.txt || { cat b.txt; false; }" },
  );
  await host.start(runbook("Write b"));
  expect(await host.done).toMatchObject({ completed: 0, failed: 1 });
  expect(await facts("task.reopened")).toHaveLength(3);
  const [failed] = await facts("task.failed");
  expect(failed?.reason).toMatch(
    /refused 3 times\. The last time it could not land \(gate\); its work is on ekiden\/1-write-b\.\n[\s\S]*broken/,
  );
  expect(repo.git("log", "--format=%s", "main")).toBe("First");
  expect(repo.git("show", "ekiden/1-write-b:b.txt")).toBe("broken");
});

it("lets the next owner continue where the last one left off, in files that nobody committed", async () => {
  const repo = repository({ "a.txt": "a\n" });
  const stopped = signal();
  const { host, facts, heard } = await stage(
    repo,
    {
      lead: [use('kind="stopped"', "spawn_teammate", { name: "bob" })],
      alice: [
        bash("auto-claimed", "echo half > b.txt; git add b.txt; git commit -qm Half; echo more > c.txt"),
        () => {
          stopped.give();
          return { calls: [{ tool: "bash", input: { command: "sleep 60" } }] };
        },
      ],
      bob: [
        bash("auto-claimed", "pwd; git status --short; echo end >> c.txt"),
        use("?? c.txt", "read_file", { path: "c.txt" }),
        use("end", "write_file", { path: "d.txt", content: "d\n" }),
        bash("d.txt", "bash -c 'test -s d.txt' && echo it is there"),
        complete("it is there"),
      ],
    },
    { teammates: [recruit("alice")] },
  );
  repo.git("config", "user.name", "Pat");
  repo.git("config", "user.email", "pat@example.org");
  const task = { subject: "Write b", touches: ["b.txt", "c.txt"] };
  await host.start({ runbook: { goal: "Goal", tasks: [task] } });
  await stopped.given;
  await host.stop("alice" as Name, true);
  expect(await host.done).toMatchObject({ completed: 1, failed: 0 });
  expect(await facts("task.claimed")).toMatchObject([
    { by: "alice", attempt: 1 },
    { by: "bob", attempt: 2 },
  ]);
  expect(heard("bob").join("\n")).toContain(join(repo.dir, ".ekiden/worktrees/1-write-b"));
  expect(repo.git("log", "--format=%an: %s")).toBe("Pat: Write b\nPat: Half\nPat: First");
  // The task names the others.
  expect(await facts("task.drifted")).toMatchObject([{ task: 1, by: "bob", files: ["d.txt"] }]);
  expect(repo.read("b.txt") + repo.read("c.txt") + repo.read("d.txt")).toBe("half\nmore\nend\nd\n");
});

it("offers the lead worktrees in advance, and takes away only what holds nothing", async () => {
  const repo = repository({ "a.txt": "a\n" });
  const { host, heard } = await stage(repo, {
    lead: [
      use("Goal", "create_task", { subject: "Later", touches: ["a.txt"] }),
      use("Created #1", "create_worktree", { id: 1, name: "a/b" }),
      use("cannot name a worktree", "create_worktree", { id: 1, name: "in-advance" }),
      use("has a worktree now", "bash", { command: "pwd; echo x > .ekiden/worktrees/1-in-advance/x.txt" }),
      use(repo.dir, "remove_worktree", { id: 1 }),
      use("something would be lost: uncommitted: x.txt", "keep_worktree", { id: 1 }),
      use("stays", "bash", { command: "rm .ekiden/worktrees/1-in-advance/x.txt" }),
      use("no output", "remove_worktree", { id: 1 }),
      use("Removed", "claim_task", { id: 1 }),
      use("auto-claimed", "bash", { command: "pwd" }),
      use("/.ekiden/worktrees/1-later", "complete_task", { id: 1, result: "nothing to do" }),
    ],
  });
  await host.start({ goal: "Goal" });
  expect(await host.done).toMatchObject({ completed: 1, reason: "concluded" });
  expect((await host.store.board.tasks())[0]?.touches).toEqual(["a.txt"]);
  const claim = heard("lead").find((text) => text.includes("<auto-claimed"));
  expect(claim).toContain(`workspace="${join(repo.dir, ".ekiden/worktrees/1-later")}"`);
  expect(existsSync(join(repo.dir, ".ekiden/worktrees/1-later"))).toBe(false);
  expect(repo.git("branch", "--format=%(refname:short)")).toBe("main");
});

it("runs nothing of a teammate that holds no task: it is told to claim one, and may read", async () => {
  const repo = repository({ "shared.txt": LINES });
  const { host, heard } = await stage(repo, {
    alice: [
      { calls: [{ tool: "write_file", input: { path: "stray.txt", content: "x" } }] },
      { calls: [{ tool: "bash", input: { command: "touch stray.txt" } }] },
      { calls: [{ tool: "bash", input: { command: "cat shared.txt" } }] },
    ],
  });
  await host.start({ interactive: true });
  await host.store.mail.send(PERSON, { to: "alice" as Name, body: { kind: "note", text: "Continue." } });
  const [, written, ran, read] = await soon(() => {
    const all = heard("alice");
    expect(all).toHaveLength(4);
    return all;
  });
  expect(written).toContain("you hold no task now");
  expect(ran).toContain("you hold no task now");
  expect(read).toContain(LINES.split("\n")[0]);
  expect(existsSync(join(repo.dir, "stray.txt"))).toBe(false);
});
