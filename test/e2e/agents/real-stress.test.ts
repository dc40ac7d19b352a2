/**
 * Agent programs of several vendors and a member of our own on one board, while they and their host are killed: every task lands once,
 * nothing is lost, and nothing runs on. The programs come from npm (see real-programs.test.ts). Two of them and a few kills are
 * part of continuous integration; EKIDEN_AGENT_STRESS=60 takes so many tasks, a kill for each three, and three vendors.
 */
import { type ChildProcess, execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { systemClock } from "../../../src/adapters/clock.ts";
import { openStore } from "../../../src/adapters/store/index.ts";
import { LEAD, name, PERSON } from "../../../src/core/ids.ts";
import type { Store } from "../../../src/ports/index.ts";
import { answer } from "../../../src/team/actions/answer.ts";
import { journalOf } from "../../fixtures/journal.ts";
import { calls, says } from "../../fixtures/model-server/index.ts";
import {
  commandLine,
  installed,
  killAll,
  PROGRAM,
  realAgents,
  type Vendor,
  worker,
} from "../../fixtures/real-agents.ts";
import { repositoryIn } from "../../fixtures/repository.ts";
import { soon } from "../../fixtures/soon.ts";
import { ended, Project } from "../cli-program.ts";

const TASKS = Number(process.env.EKIDEN_AGENT_STRESS ?? 8);
const KILLS = Math.max(3, Math.floor(TASKS / 3));
const VENDORS = installed.slice(0, process.env.EKIDEN_AGENT_STRESS ? 3 : 2);
const NAMES = ["ann", "bob", "eve"] as const;
const LIMIT = { timeout: 1_500_000, interval: 50 };

/** A run of the team in a process that asks its person elsewhere, as `run --detach` begins it. */
class Host {
  child: ChildProcess | null = null;
  private readonly project: Project;
  private readonly env: Record<string, string>;
  said = "";

  constructor(project: Project, env: Record<string, string>) {
    this.project = project;
    this.env = { ...env, EKIDEN_DETACHED: "1", EKIDEN_SANDBOX: "required" };
  }

  start(words: readonly string[]): void {
    this.child = this.project.start([...words, "--model", "anthropic/claude-sonnet-4-5"], this.env);
    // Piped text belongs to the goal, and a run waits for its end.
    this.child.stdin?.end();
    for (const stream of [this.child.stdout, this.child.stderr])
      stream?.on("data", (chunk: Buffer) => (this.said += chunk.toString()));
  }

  async kill(): Promise<void> {
    const child = this.child as ChildProcess;
    const gone = ended(child);
    child.kill("SIGKILL");
    await gone;
  }
}

/** The facts about one task, for the message of a test that failed. */
async function lifeOf(store: Store, task: number): Promise<string> {
  const facts = await journalOf(store).events();
  const isOfTask = (one: unknown): boolean =>
    new RegExp(`"task":${task}\\b|work-${task}\\.txt|#${task}\\b`).test(JSON.stringify(one));
  return facts
    .filter(isOfTask)
    .map((one) => JSON.stringify(one).slice(0, 400))
    .join("\n");
}

/** The last facts of the team, for the message of a test that failed. */
async function told(store: Store): Promise<string> {
  const members = (await store.roster.members()).map(
    ({ name, activity }) => `${name}: ${JSON.stringify(activity)}`,
  );
  const facts = (await journalOf(store).events()).slice(-25).map((one) => JSON.stringify(one).slice(0, 300));
  return [...members, ...facts].join("\n");
}

const running = (agents: Awaited<ReturnType<typeof realAgents>>, vendor: Vendor): number[] =>
  agents.processes().filter((pid) => commandLine(pid).includes(`/${PROGRAM[vendor]} `));

it("lands every task once, whatever is killed, and leaves nothing behind", async () => {
  const agents = await realAgents(
    worker((id) => `echo work > work-${id}.txt && sleep 1`, {
      // The own member asks the person before the first work on each task that can be divided by five.
      first: (id, tools) =>
        Number(id) % 5 === 0 && tools.includes("ask_person")
          ? calls("ask_person", { question: `May I do ${id}?`, options: ["yes", "no"] })
          : null,
      idle: says("Waiting."),
    }),
  );
  const project = new Project();
  onTestFinished(() => project.end());
  const { git } = repositoryIn(project.dir, { "a.txt": "a\n", ".gitignore": ".ekiden/\n" });
  project.write({
    ".ekiden/settings.json": JSON.stringify({ worktrees: true, gate: "test -f a.txt", exitCheck: false }),
  });
  const url = join(project.dir, ".ekiden/team.db");
  const store: Store = await openStore({ url, team: name("default"), clock: systemClock });
  onTestFinished(() => store.close());
  for (let nth = 1; nth <= TASKS; nth += 1)
    await store.board.add({ subject: `Write ${nth}`, description: "Write it" }, PERSON);

  const answered = new Map<string, number>();
  const answering = setInterval(() => {
    void (async () => {
      for (const { id } of await store.requests.open({ of: PERSON }))
        await answer(store, id, "yes").then(
          () => answered.set(id, (answered.get(id) ?? 0) + 1),
          () => {}, // another one was quicker, or its member was killed
        );
    })().catch(() => {});
  }, 50);
  onTestFinished(() => clearInterval(answering));

  const { PATH, HOME, ...env } = agents.env;
  const host = new Host(project, { PATH: PATH ?? "", HOME: HOME ?? "", ...env });
  const teammates = VENDORS.flatMap((vendor, nth) => ["--teammate", `${NAMES[nth]}@${vendor}`]);
  host.start(["run", "Do the tasks", ...teammates, "--teammate", "carol"]);
  const completed = async (): Promise<number> => (await store.board.counts()).completed;
  const hostOfLead = async () => (await store.roster.member(LEAD))?.host ?? null;
  const recovered = new Map<string, number[]>();
  const note = (what: string, since: number): void => {
    recovered.set(what, [...(recovered.get(what) ?? []), Math.round(performance.now() - since)]);
  };
  for (let nth = 0; nth < KILLS; nth += 1) {
    // Spread over the run.
    const wanted = Math.floor((nth * (TASKS - 3)) / KILLS);
    await vi.waitFor(
      async () => expect(await completed(), host.said.slice(-2_000)).toBeGreaterThanOrEqual(wanted),
      LIMIT,
    );
    const target = nth % 4 === 2 ? "host" : (VENDORS[nth % VENDORS.length] as Vendor);
    if (target === "host") {
      await host.kill();
      const at = performance.now();
      const before = await hostOfLead();
      host.start(["resume"]);
      await vi.waitFor(
        async () => expect([null, before], host.said.slice(-2_000)).not.toContain(await hostOfLead()),
        LIMIT,
      );
      note("host", at);
      continue;
    }
    const victims = await soon(async () => {
      const found = running(agents, target);
      if ((await completed()) < TASKS) expect(found.length, await told(store)).toBeGreaterThan(0);
      return found;
    });
    // The team has concluded before this kill.
    if (victims.length === 0) break;
    const at = performance.now();
    killAll(victims);
    await vi.waitFor(async () => {
      const isOver = (await store.board.counts()).pending === 0;
      const fresh = running(agents, target).filter((pid) => !victims.includes(pid));
      expect(isOver || fresh.length > 0).toBe(true);
    }, LIMIT);
    note(target, at);
  }
  await vi.waitFor(async () => expect(await completed(), host.said.slice(-2_000)).toBe(TASKS), LIMIT);
  expect(await ended(host.child as ChildProcess)).toMatchObject({ code: 0 });
  clearInterval(answering);

  const all = Array.from({ length: TASKS }, (_, i) => i + 1);
  const tasksOf = async (type: "task.landed" | "task.completed"): Promise<number[]> =>
    (await journalOf(store).events(type)).map((event) => (event as { task?: number }).task ?? 0);
  expect((await tasksOf("task.completed")).toSorted((a, b) => a - b)).toEqual(all);
  // A host that is killed between the landing and its fact leaves no fact: the branch says what has landed.
  const landed = await tasksOf("task.landed");
  expect(new Set(landed).size).toBe(landed.length);
  const there = git("ls-tree", "--name-only", "main").split("\n");
  for (const nth of all) {
    expect(there, await lifeOf(store, nth)).toContain(`work-${nth}.txt`);
    expect(git("log", "--oneline", "main", "--", `work-${nth}.txt`).split("\n")).toHaveLength(1);
  }
  const owners = new Set((await store.board.tasks()).map((task) => ("owner" in task ? task.owner : null)));
  // A member that is killed before its first task may find no other one.
  if (TASKS >= 30) expect(owners).toEqual(new Set([...NAMES.slice(0, VENDORS.length), "carol"]));
  expect(await store.requests.open()).toEqual([]);
  expect(new Set(answered.values())).toEqual(new Set(answered.size > 0 ? [1] : []));
  await vi.waitFor(() => expect(agents.processes().map(commandLine)).toEqual([]), {
    timeout: 5_000,
    interval: 100,
  });
  expect(
    execFileSync("git", ["worktree", "list"], { cwd: project.dir, encoding: "utf8" }).trim().split("\n"),
  ).toHaveLength(1);
  const shown = [...recovered].map(([what, ms]) => `${what}: ${ms.join(" ")} ms`);
  console.log(
    `${TASKS} tasks, ${KILLS} kills, ${answered.size} questions; until it ran again: ${shown.join(", ")}`,
  );
}, 1_800_000);
