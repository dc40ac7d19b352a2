/** A team whose target is red before it begins: one repair, no refusal, and nobody asks a model while it waits. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Event } from "../../../src/core/event.ts";
import type { Store } from "../../../src/ports/index.ts";
import { pictureOf } from "../../../src/team/queries/picture.ts";
import { sampled } from "../../fixtures/fuzz.ts";
import { type Placed, projectOn } from "../../fixtures/project-on.ts";
import { type Repository, repositoryIn } from "../../fixtures/repository.ts";
import { soon } from "../../fixtures/soon.ts";
import { BACKENDS, type Backend } from "../../fixtures/stage.ts";
import { ended } from "../cli-program.ts";

const TASKS = 4;
const complete = { tool: "complete_task", input: { result: "done" } };
const bash = (command: string) => ({ tool: "bash", input: { command } });
const work = bash("echo x > $(basename $PWD).txt");
const STEPS = [
  {
    ...{ who: "lead", when: "Go" },
    calls: Array.from({ length: TASKS }, (_, i) => ({
      tool: "create_task",
      input: { subject: `Write ${i + 1}` },
    })),
  },
  { when: 'subject="Repair main', calls: [bash("rm bad"), complete], times: "any" },
  { when: 'subject="Write', calls: [work, complete], times: "any" },
  {
    when: "is still yours",
    calls: [bash("case $PWD in *repair-main*) rm -f bad ;; esac"), complete],
    times: "any",
  },
  { text: "Noted.", times: "any" },
];

function redProject(backend: Backend, settings: object = {}): Placed & { readonly repo: Repository } {
  const placed = projectOn(backend);
  const { project } = placed;
  const repo = repositoryIn(project.dir, { "a.txt": "a\n", bad: "x\n" });
  project.write({
    ".ekiden/settings.json": JSON.stringify({
      ...{ sandbox: "off", teammates: TASKS, permissionMode: "bypass", exitCheck: false, worktrees: true },
      ...{ gate: 'if test -e bad; then echo "not ok 1 - bad"; exit 1; fi', ...settings },
    }),
    ".ekiden/.gitignore": "*\n",
  });
  writeFileSync(join(project.dir, ".ekiden", "script.json"), JSON.stringify({ steps: STEPS }));
  return { ...placed, repo };
}

const modelOf = ({ project }: Placed): string => `scripted:${join(project.dir, ".ekiden", "script.json")}`;

const factsOf = async (store: Store): Promise<Event[]> =>
  (await store.journal.read(store.journal.from(0), { limit: 100_000 })).events;

const repairsIn = async ({ tasks }: Placed) =>
  (await tasks()).filter(({ subject }) => subject.startsWith("Repair main"));

async function allLanded({ repo, tasks, store }: Placed & { readonly repo: Repository }): Promise<Event[]> {
  expect((await tasks()).map(({ status }) => status)).toEqual(Array(TASKS + 1).fill("completed"));
  const subjects = repo.git("log", "--format=%s", "main").split("\n");
  expect(subjects.filter((subject) => subject.startsWith("Write")).sort()).toHaveLength(TASKS);
  const facts = await factsOf(await store());
  expect(facts.filter(({ type }) => type === "task.reopened")).toEqual([]);
  return facts;
}

describe.each(sampled(BACKENDS, 2, 1))("a red target on %s", (backend) => {
  it("is repaired by one of four at work; all land, and those that wait ask no model", async () => {
    const at = redProject(backend);
    const run = at.project.start(["run", "Go", "--model", modelOf(at)], at.env);
    const { code, stdout, stderr } = await ended(run);
    expect({ code, said: code === 0 ? "" : stdout + stderr }).toEqual({ code: 0, said: "" });
    const facts = await allLanded(at);
    expect(facts.filter(({ type }) => type === "base.judged")).toMatchObject([
      { verdict: "red", names: ["bad"] },
    ]);
    expect(await repairsIn(at)).toHaveLength(1);
    const waited = facts.flatMap((fact) =>
      fact.type === "teammate.phase" && fact.reason === "awaiting_base" ? [fact] : [],
    );
    // One that was slower than the repair lands at once.
    expect(waited.length).toBeGreaterThan(0);
    const released = facts.filter((fact) => fact.type === "task.released");
    expect(released).toMatchObject([{ why: "red_base" }]);
    for (const { who, seq } of waited) {
      const goesOn = facts.find(
        (fact) => fact.type === "teammate.phase" && fact.who === who && fact.seq > seq,
      );
      const asked = facts.filter(
        (fact) =>
          fact.type === "turn.taken" && fact.who === who && fact.seq > seq && fact.seq < (goesOn?.seq ?? 0),
      );
      expect(asked).toEqual([]);
    }
  });

  it("is repaired once, and all land, although the team is killed twice on the way", async () => {
    const at = redProject(backend);
    const run = at.project.start(["run", "Go", "--model", modelOf(at)], at.env);
    const seen = (type: Event["type"]) =>
      soon(async () => expect((await factsOf(await at.store())).map((fact) => fact.type)).toContain(type));
    await seen("gate.started");
    run.kill("SIGKILL");
    await ended(run);
    const second = at.project.start(["resume", "--model", modelOf(at)], at.env);
    await seen("base.judged");
    second.kill("SIGKILL");
    await ended(second);
    const { code, stdout, stderr } = await ended(
      at.project.start(["resume", "--model", modelOf(at)], at.env),
    );
    expect({ code, said: code === 0 ? "" : stdout + stderr }).toEqual({ code: 0, said: "" });
    await allLanded(at);
    expect(await repairsIn(at)).toHaveLength(1);
  });

  it("is told, and not repaired, for a runbook: its tasks wait for a person", async () => {
    const at = redProject(backend, { teammates: 2 });
    at.project.write({
      "plan.md": "# Write\n## Write 1\n```sh\necho 1 > 1.txt\n```\n## Write 2\n```sh\necho 2 > 2.txt\n```\n",
    });
    const run = at.project.start(["run", "plan.md"], at.env);
    const over = ended(run);
    await soon(async () => {
      const { stdout } = await at.project.run(["landings", "--json"], { env: at.env });
      expect(JSON.parse(stdout)).toMatchObject({ waiting: [{ state: "base" }, { state: "base" }] });
    });
    expect(await repairsIn(at)).toEqual([]);
    const red =
      /^main is red since \w{7} \(by .+, \d\d:\d\d\): 1 test fails without any task\. Nobody repairs it; 2 landings wait\.$/;
    for (const command of [["team"], ["tasks"], ["landings"]]) {
      const { stdout } = await at.project.run([...command, "--json"], { env: at.env });
      expect(JSON.parse(stdout), command[0]).toMatchObject({ red: expect.stringMatching(red) });
    }
    const shown = await at.project.run(["tasks"], { env: at.env });
    expect(shown.stdout.replace(/\s+/g, " ")).toContain("2 landings wait.");
    const inbox = await at.project.run(["inbox", "person"], { env: at.env });
    expect(inbox.stdout.replace(/\s+/g, " ")).toContain("Landings wait until you repair it.");
    // A page or screen that opens now.
    expect((await pictureOf(await at.store())).picture.redBase).toMatchObject({
      target: "main",
      names: ["bad"],
    });
    at.repo.git("rm", "--quiet", "bad");
    at.repo.commit("Person");
    const { code, stdout, stderr } = await over;
    expect(stdout + stderr).toMatch(
      /main is red since .* without any task\. Landings wait until somebody repairs it\./,
    );
    expect(stdout + stderr).toMatch(/red without any task: main \(\w{7}, by .+\)/);
    expect(code).toBe(0);
    expect((await pictureOf(await at.store())).picture.redBase).toBeNull();
    expect(at.repo.git("log", "--format=%s", "main").split("\n").slice(2)).toEqual(["Person", "First"]);
  });
});
