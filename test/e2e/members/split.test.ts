/** A teammate splits its task: the team does the parts, and the task comes back with their results. */
import { expect, it } from "vitest";
import type { ScriptedStep } from "../../../src/adapters/models/scripted.ts";
import { name, PERSON } from "../../../src/core/ids.ts";
import { sentence } from "../../../src/core/views/sentence.ts";
import { call, quiet } from "../../fixtures/loops.ts";
import { programTeam, resultsIn } from "../../fixtures/program-team.ts";

const settings = { permissionMode: "bypass", sandbox: "off" } as const;
const runbook = { goal: "Paint", tasks: [{ subject: "Paint the house" }] };
const on = (when: string, step: ScriptedStep): ScriptedStep => ({ when, ...step });
const split = (subject: string, ...more: { subject: string; after?: number[] }[]): ScriptedStep =>
  call("split_task", { parts: [{ subject, description: "Do it." }, ...more], note: "The ladder stands." });
const done = (result: string): ScriptedStep => call("complete_task", { result });

async function play(alice: readonly ScriptedStep[], more: object = {}) {
  const teammates = [{ name: name("alice"), role: "" }];
  const team = await programTeam({
    says: { lead: quiet, alice: [...alice, ...quiet] },
    settings: { ...settings, teammates, ...more },
  });
  await team.host.start({ runbook });
  return { ...team, outcome: await team.host.done };
}

it("gives the owner the results of its parts", async () => {
  const { outcome, store, requests, events } = await play([
    on("Paint the house", split("Wall", { subject: "Roof", after: [1] })),
    on('subject="Wall"', done("white")),
    on('subject="Roof"', done("red")),
    on("white", done("painted")),
  ]);
  expect(outcome).toMatchObject({ reason: "concluded", completed: 3, failed: 0 });
  expect(await store.board.task(1 as never)).toMatchObject({ attempt: 2, result: "painted" });
  const last = JSON.stringify(requests("alice").at(-1)?.messages);
  for (const text of ["The ladder stands.", "#2 Wall (completed):", "#3 Roof (completed):"])
    expect(last).toContain(text);
  const [fact] = await events("task.released");
  expect(fact && sentence(fact)).toMatchObject({
    who: "alice",
    text: "split #1, which waits for #2 #3 now: The ladder stands.",
  });
});

it("gives it back with the reason when a part fails, and it is not complete before its parts are", async () => {
  const { outcome, requests } = await play([
    on("Paint the house", split("Wall", { subject: "Roof" })),
    on('subject="Wall"', call("fail_task", { reason: "no paint" })),
    on("no paint", done("half")),
    on("have not ended", call("split_task", { note: "Roof only." })),
    on('subject="Roof"', done("red")),
    on("Roof only.", done("only the roof")),
  ]);
  expect(outcome).toMatchObject({ completed: 2, failed: 1, unfinished: 0 });
  expect(JSON.stringify(requests("alice").at(-1)?.messages)).toContain("#2 Wall (failed):");
});

it("refuses parts of parts beyond taskDepth, with a way out", async () => {
  const { outcome, requests } = await play(
    [
      on("Paint the house", split("Wall")),
      on('subject="Wall"', split("Stone")),
      on("taskDepth", done("white")),
      on("white", done("painted")),
    ],
    { taskDepth: 1 },
  );
  expect(outcome).toMatchObject({ completed: 2, failed: 0 });
  const refusal = resultsIn(requests("alice").at(-1)).find((text) => text.includes("taskDepth"));
  expect(refusal).toContain("split_task: No task was added: #2");
});

it("is offered to teammates, and tells a model what a wrong input lacks", async () => {
  const { requests, store } = await play([
    on("Paint the house", call("split_task", { note: "x" })),
    on("no parts", call("split_task", { parts: [{ subject: "a", description: "", after: [7] }], note: "x" })),
    on("positions", call("split_task", { parts: [{ subject: " ", description: "" }], note: "x" })),
    on("needs a subject", done("alone")),
  ]);
  expect(requests("alice")[0]?.tools.map((tool) => tool.name)).toContain("split_task");
  expect(await store.board.tasks()).toMatchObject([{ status: "completed", attempt: 1, createdBy: PERSON }]);
});
