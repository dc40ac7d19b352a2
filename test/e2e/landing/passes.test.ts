/** Who passes a change that alters its own gate: a reviewer, a person, or nobody. Real repositories and gates; models are scripted. */
import { expect, it } from "vitest";
import type { Step } from "../../../src/adapters/models/scripted.ts";
import { PERSON } from "../../../src/core/ids.ts";
import type { Settings } from "../../../src/core/settings/settings.ts";
import { heardIn } from "../../fixtures/equipped-team.ts";
import { sampled } from "../../fixtures/fuzz.ts";
import { type ProgramTeam, programTeam } from "../../fixtures/program-team.ts";
import { type Repository, repository } from "../../fixtures/repository.ts";

const quiet: Step = { times: "any", text: "fine" };
const call = (tool: string, input: Record<string, unknown>): Step => ({ calls: [{ tool, input }] });
const CHEAT = call("bash", {
  command: "printf 'exit 0\\n' > check.sh; printf 'exports.sum = (a, b) => a - b;\\n' > sum.js",
});
const HONEST = call("bash", { command: "printf 'exports.sum = (a, b) => a + b;\\n' > sum.js" });
const BACK = call("bash", {
  command: "git checkout -q main -- check.sh; printf 'exports.sum = (a, b) => a + b;\\n' > sum.js",
});
const done = call("complete_task", { result: "Done." });
const says = (nth: number, text: string): Step => ({ who: `alice/${nth}`, text });
const of = (steps: readonly Step[]): Step[] =>
  steps.map((step) => (typeof step === "object" && !("who" in step) ? { who: "alice", ...step } : step));
const GATE = "echo run >> ../../../runs; sh check.sh"; // above the worktrees
const FILES = {
  "check.sh": `set -e\nnode -e 'require("./sum.js").sum(1, 2) === 3 || process.exit(1)'\n`,
  "sum.js": "exports.sum = (a, b) => a + b + 0;\n",
  ".gitignore": "runs\n",
};
const plan = (words = "") => ({
  goal: "Go",
  tasks: [{ subject: "Tidy the sum", description: `Make it short.${words}` }],
});
const MEANT = plan("\n\nJudges: yes");

async function stage(
  steps: readonly Step[],
  settings: Partial<Settings> = {},
  more: Partial<Parameters<typeof programTeam>[0]> = {},
): Promise<ProgramTeam & { readonly repo: Repository; readonly gates: () => number }> {
  const repo = repository(FILES);
  const team = await programTeam({
    says: { lead: [quiet], alice: of(steps) },
    settings: { permissionMode: "bypass", worktrees: true, gate: GATE, sandbox: "off", ...settings },
    folder: repo.dir,
    ...more,
  });
  const gates = (): number => repo.read("runs").split("\n").length - 1;
  return Object.assign(team, { repo, gates });
}

it("lands what a reviewer passes, who hears the signals and what the second gate said", async () => {
  const team = await stage([CHEAT, done, says(1, "VERDICT: APPROVE"), { text: "Done." }], {
    tampering: "review",
  });
  await team.host.start({ runbook: plan() });
  expect(await team.host.done).toMatchObject({ completed: 1, failed: 0 });
  const asked = heardIn(team.requests("alice").find((one) => heardIn(one).includes("VERDICT")));
  expect(asked).toContain("check.sh");
  expect(asked).toContain("its gate is red");
  expect(asked).toContain("+exit 0");
  expect(await team.events("task.reviewed")).toMatchObject([{ by: "alice/1", verdict: "approved" }]);
  expect(await team.events("task.signalled")).toMatchObject([{ gate: "red" }]);
  expect(team.repo.read("check.sh")).toBe("exit 0\n");
  expect(team.gates()).toBe(4); // the change, with the script of main, main itself, and what lands
});

it("lands nothing that a reviewer does not pass, until the owner takes it back", async () => {
  const steps = [
    ...[CHEAT, done, says(1, "check.sh:1: it tests nothing.\nVERDICT: REMARKS"), done],
    ...[BACK, done, { text: "Done." }],
  ];
  const team = await stage(steps, { tampering: "review", reviewRounds: 3 });
  await team.host.start({ runbook: plan() });
  expect(await team.host.done).toMatchObject({ completed: 1, failed: 0 });
  // The second completion changed nothing: nobody is asked again.
  expect(await team.events("task.reviewed")).toHaveLength(1);
  expect(await team.events("task.reopened")).toMatchObject([{ why: "review" }, { why: "review" }]);
  expect(team.repo.read("check.sh")).toContain("set -e");
});

it.each(sampled([true, false], 2))("asks a person, who watches or not, and obeys: %s", async (yes) => {
  const team = await stage(yes ? [CHEAT, done, { text: "Done." }] : [CHEAT, done, BACK, done, quiet], {
    tampering: "person",
  });
  await team.host.start({ runbook: plan() });
  await team.until("permission.asked", { tool: "land" });
  const [request] = await team.store.requests.open({ kind: "permission" });
  expect(request).toMatchObject({ of: PERSON, ask: { why: expect.stringContaining("check.sh") } });
  expect(request?.ask).toMatchObject({ diff: expect.stringContaining("+exit 0") });
  expect(request?.ask).not.toMatchObject({ diff: expect.stringContaining("b/sum.js") });
  await team.store.requests.answer(PERSON, request?.id as never, "permission", { yes, text: "As you like." });
  expect(await team.host.done).toMatchObject({ completed: 1, failed: 0 });
  expect(await team.events("task.reviewed")).toMatchObject([
    { by: PERSON, verdict: yes ? "approved" : "remarks", text: "As you like." },
  ]);
  expect(team.repo.read("check.sh") === "exit 0\n").toBe(yes);
});

it("has a reviewer pass what is meant to change its judge, and no second gate", async () => {
  const team = await stage([CHEAT, done, says(1, "VERDICT: APPROVE"), { text: "Done." }]);
  await team.host.start({ runbook: MEANT });
  expect(await team.host.done).toMatchObject({ completed: 1, failed: 0 });
  expect(await team.events("task.signalled")).toMatchObject([{ gate: "none" }]);
  expect(await team.events("task.reviewed")).toHaveLength(1);
  expect(team.gates()).toBe(2);
});

it("lands it with the note where nobody can pass it, and runs one gate without signals", async () => {
  const meant = await stage([CHEAT, done, { text: "Done." }], { review: "none" });
  await meant.host.start({ runbook: MEANT });
  expect(await meant.host.done).toMatchObject({ completed: 1, failed: 0 });
  expect(await meant.events("task.signalled")).toMatchObject([{ gate: "none" }]);
  expect(meant.gates()).toBe(1);
  const plain = await stage([HONEST, done, { text: "Done." }], { tampering: "person" });
  await plain.host.start({ runbook: plan() });
  expect(await plain.host.done).toMatchObject({ completed: 1, failed: 0 });
  expect(plain.gates()).toBe(1);
});
