/**
 * A red target of three hosts on PostgreSQL, in one folder and in three clones of a remote, with kills and with a person at the target. The whole size, which takes minutes:
 * EKIDEN_RED_TASKS=12 EKIDEN_RED_KILLS=100.
 */
import type { ChildProcess } from "node:child_process";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Event, FactOf } from "../../../src/core/event.ts";
import { sampled } from "../../fixtures/fuzz.ts";
import { projectOn } from "../../fixtures/project-on.ts";
import { type Repository, repository, repositoryIn } from "../../fixtures/repository.ts";
import { soon } from "../../fixtures/soon.ts";
import { BACKENDS } from "../../fixtures/stage.ts";
import { type Ended, ended, Project } from "../cli-program.ts";

const TASKS = Number(process.env.EKIDEN_RED_TASKS ?? 6);
const KILLS = Number(process.env.EKIDEN_RED_KILLS ?? 3);
const GATE_SECONDS = Number(process.env.EKIDEN_RED_GATE_SECONDS ?? 1);
const HOSTS = 3;

const complete = { tool: "complete_task", input: { result: "done" } };
const bash = (command: string) => ({ tool: "bash", input: { command } });
/** What each does, whatever a killed process has done of it before. */
const work = bash("case $PWD in *repair-*main-*) rm -f bad ;; *) echo x > $(basename $PWD).txt ;; esac");
const STEPS = [
  {
    ...{ who: "lead", when: "Go" },
    calls: Array.from({ length: TASKS }, (_, i) => ({
      tool: "create_task",
      input: { subject: `Write ${i + 1}` },
    })),
  },
  { who: "lead", text: "Noted.", times: "any" },
  { when: "subject=", calls: [work, complete], times: "any" },
  { when: "is still yours", calls: [work, complete], times: "any" },
  { when: "interrupted", calls: [work, complete], times: "any" },
  { when: "bad", calls: [work, complete], times: "any" },
  { text: "Noted.", times: "any" },
];

type Host = { readonly child: ChildProcess; readonly over: Promise<Ended> };

const FILES = { "a.txt": "a\n", bad: "x\n", ".gitignore": ".ekiden/\n" };
const GATE = `if test -e bad; then echo "not ok 1 - bad"; exit 1; fi; sleep ${GATE_SECONDS}`;
const SETTINGS = {
  ...{ sandbox: "off", permissionMode: "bypass", exitCheck: false, worktrees: true },
  ...{ teammates: TASKS / HOSTS, gateParallel: TASKS, gate: GATE },
};
const PLACES = ["in one folder", "with a clone each"] as const;
type Place = (typeof PLACES)[number];

/** The folders of the hosts, and that of a person who commits to the target; `main`: where its last commit is seen. */
function folders(place: Place, first: Project) {
  if (place === "in one folder") {
    const repo = repositoryIn(first.dir, FILES);
    return { projects: Array<Project>(HOSTS).fill(first), person: repo, main: repo.git, push: () => {} };
  }
  const person = repository(FILES);
  const bare = join(repository({ "unused.txt": "" }).dir, "bare");
  person.git("clone", "--quiet", "--bare", person.dir, bare);
  person.git("remote", "add", "origin", bare);
  const projects = [first, ...Array.from({ length: HOSTS - 1 }, () => new Project())];
  for (const project of projects) person.git("clone", "--quiet", bare, project.dir);
  onTestFinished(() => Promise.all(projects.slice(1).map((project) => project.end())).then(() => {}));
  const push = () => person.git("push", "--quiet", "origin", "main");
  return { projects, person, main: (...args: string[]) => person.git("-C", bare, ...args), push };
}

function team(place: Place) {
  const at = projectOn("postgres");
  const { projects, person, main, push } = folders(place, at.project);
  const settings = place === "in one folder" ? SETTINGS : { ...SETTINGS, remote: "origin" };
  for (const project of projects)
    project.write({
      ".ekiden/settings.json": JSON.stringify(settings),
      ".ekiden/script.json": JSON.stringify({ steps: STEPS }),
    });
  const env = { ...at.env, EKIDEN_LEASE_MS: "4000" };
  const begin = (host: number, ...args: string[]): Host => {
    const project = projects[host] ?? at.project;
    const model = ["--model", `scripted:${join(project.dir, ".ekiden", "script.json")}`];
    const child = project.start([...args, ...model], env);
    return { child, over: ended(child) };
  };
  const facts = async (): Promise<Event[]> => {
    const { journal } = await at.store();
    return (await journal.read(journal.from(0), { limit: 100_000 })).events;
  };
  /** Again where a landing of the team came first. */
  const commit = (message: string, change: (person: Repository) => void): Promise<void> =>
    soon(() => {
      if (place !== "in one folder") person.git("fetch", "--quiet", "origin");
      person.git("reset", "--quiet", "--hard", ...(place === "in one folder" ? [] : ["origin/main"]));
      change(person);
      person.commit(message);
      push();
    });
  return {
    ...{ ...at, facts, commit },
    log: () => main("log", "--format=%s", "main"),
    lead: () => begin(0, "run", "Go"),
    resume: () => begin(0, "resume"),
    worker: (host: number) => begin(host, "worker", "--count", String(TASKS / HOSTS)),
    seen: (type: Event["type"]) =>
      soon(async () => expect((await facts()).map((fact) => fact.type)).toContain(type)),
  };
}
type Team = ReturnType<typeof team>;

const ofType = <T extends Event["type"]>(facts: readonly Event[], type: T) =>
  facts.filter((fact): fact is Event & FactOf<T> => fact.type === type);

async function allLanded({ tasks, facts, log }: Team): Promise<Event[]> {
  const all = await tasks();
  expect(all.filter(({ status }) => status !== "completed")).toEqual([]);
  const told = await facts();
  expect(ofType(told, "task.reopened")).toEqual([]);
  expect(
    log()
      .split("\n")
      .filter((subject) => subject.startsWith("Write")),
  ).toHaveLength(TASKS);
  return told;
}

const repairsIn = async ({ tasks }: Team) =>
  (await tasks()).filter(({ subject }) => subject.startsWith("Repair "));

/** Nobody asks a model between the start of its wait and its end. */
function expectQuiet(facts: readonly Event[]): void {
  const phases = ofType(facts, "teammate.phase");
  const waits = phases.filter(({ reason }) => reason === "awaiting_base");
  expect(waits.length).toBeGreaterThan(0);
  for (const { who, seq } of waits) {
    const end = phases.find((fact) => fact.who === who && fact.seq > seq)?.seq ?? 0;
    const asked = ofType(facts, "turn.taken").filter(
      (fact) => fact.who === who && fact.seq > seq && fact.seq < end,
    );
    expect(asked).toEqual([]);
  }
}

async function over({ child, over: done }: Host, workers: readonly Host[]): Promise<void> {
  const { code, stdout, stderr } = await done;
  expect(code, stdout + stderr).toBe(0);
  for (const one of workers) one.child.kill("SIGTERM");
  await Promise.all(workers.map((one) => one.over));
  expect(child.exitCode).toBe(0);
}

describe.runIf(BACKENDS.includes("postgres")).each(sampled(PLACES, 2))(
  "a red target of three hosts %s",
  { timeout: 3_600_000 },
  (place) => {
    it("is repaired by one of those at work; all land within two gates after that", async () => {
      const at = team(place);
      const run = at.lead();
      const workers = [at.worker(1), at.worker(2)];
      await over(run, workers);
      const facts = await allLanded(at);
      expect(await repairsIn(at)).toHaveLength(1);
      expect(ofType(facts, "base.judged")).toHaveLength(1);
      expectQuiet(facts);
      const landed = ofType(facts, "task.landed");
      const [repair] = await repairsIn(at);
      const repaired = landed.find(({ task }) => task === repair?.id);
      expect(landed[0]).toBe(repaired);
      const gates = ((landed.at(-1)?.at ?? 0) - (repaired?.at ?? 0)) / (1_000 * GATE_SECONDS);
      // A short gate takes less time than git takes for the landings.
      if (GATE_SECONDS >= 10) {
        console.log(`all landed ${gates.toFixed(1)} gate times after the repair`);
        expect(gates).toBeLessThanOrEqual(2);
      }
    });

    it(`is repaired once although hosts are killed ${KILLS} times`, async () => {
      const at = team(place);
      const hosts = [at.lead(), at.worker(1), at.worker(2)];
      // A lead that is killed before continues with fewer.
      await soon(async () => expect((await at.tasks()).length).toBeGreaterThanOrEqual(TASKS));
      await at.seen("task.claimed");
      let kills = 0;
      for (let nth = 0; nth < KILLS; nth += 1) {
        await delay(Math.random() * 2_000 * GATE_SECONDS);
        const which = nth % HOSTS;
        const host = hosts[which];
        if (!host || host.child.exitCode !== null) break;
        host.child.kill("SIGKILL");
        kills += 1;
        await host.over;
        hosts[which] = which === 0 ? at.resume() : at.worker(which);
      }
      const [run, ...workers] = hosts;
      await over(run as Host, workers);
      const facts = await allLanded(at);
      expect(await repairsIn(at)).toHaveLength(1);
      expectQuiet(facts);
      if (KILLS > 3) console.log(`${kills} hosts were killed`);
    });

    it("is repaired by a person, and broken again by one", async () => {
      const at = team(place);
      const run = at.lead();
      const workers = [at.worker(1), at.worker(2)];
      await at.seen("base.judged");
      await at.commit("Repair", (person) => person.git("rm", "--quiet", "--ignore-unmatch", "bad"));
      await at.seen("task.landed");
      await at.commit("Break", (person) => person.write({ bad: "y\n" }));
      await over(run, workers);
      const facts = await allLanded(at);
      expect((await repairsIn(at)).length).toBeLessThanOrEqual(2);
      expectQuiet(facts);
      expect(at.log()).toContain("Break");
    });
  },
);
