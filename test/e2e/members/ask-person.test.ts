/** A member asks the person with options, waits without a model call, and gets the answer from any face, also after kill -9. */
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { FactOf } from "../../../src/core/event.ts";
import { name, PERSON } from "../../../src/core/ids.ts";
import type { InboxData } from "../../../src/core/views/inbox.ts";
import { questionViews } from "../../../src/core/views/request.ts";
import { answer } from "../../../src/team/actions/answer.ts";
import { requests } from "../../../src/team/queries/requests.ts";
import { programTeam } from "../../fixtures/program-team.ts";
import { soon } from "../../fixtures/soon.ts";
import { Project } from "../cli-program.ts";

let project: Project;
beforeEach(() => {
  project = new Project();
});
afterEach(() => project.end());

const QUESTION = "Which colour shall the shed have?";
const OPTIONS = [{ label: "Red", description: "as the barn" }, "Green"];
const ask = { tool: "ask_person", input: { question: QUESTION, options: OPTIONS } };
const call = (tool: string, input: object) => ({ calls: [{ tool, input }] });
const alice = name("alice");

async function asking(...says: object[]) {
  const team = await programTeam({
    settings: { permissionsTo: "person" },
    says: {
      lead: [{ times: "any", text: "fine" }],
      alice: [...(says as { text: string }[]), { text: "Done.", times: "any" }],
    },
  });
  await team.store.board.add({ subject: "Paint" }, PERSON);
  await team.host.start({ goal: "Go" });
  return team;
}

it("waits idle, with no call of the model and no end of the run, until the person picks an option", async () => {
  const team = await asking({ calls: [ask, ask] }, call("complete_task", { result: "painted" }));
  await team.until("teammate.phase", { who: alice, phase: "idle", reason: "awaiting_answer" });
  const [first] = (await requests(team.store)).requests;
  expect(first).toMatchObject({ kind: "question", by: "alice", of: "person", text: QUESTION, task: null });
  const shown = JSON.stringify(questionViews(await requests(team.store)));
  expect(shown).toContain("1. Red: as the barn\\n2. Green");
  // The second question of the reply was not asked, and the member made no further request.
  expect(await team.events("question.asked")).toHaveLength(1);
  expect(team.requests("alice")).toHaveLength(1);
  expect(await team.store.board.announceQuiet()).not.toBe("quiet");
  await expect(answer(team.store, first?.id ?? "", " ")).rejects.toThrow("empty");
  await answer(team.store, first?.id ?? "", "2");
  expect(await team.host.done).toMatchObject({ completed: 1 });
  expect(JSON.stringify(team.requests("alice")[1])).toContain(`About your question \\"${QUESTION}\\": Green`);
  await expect(answer(team.store, first?.id ?? "", "1")).rejects.toThrow("answered before");
});

it("continues if it says so, and hears own words later", async () => {
  const team = await asking(
    { calls: [{ ...ask, input: { ...ask.input, go_on: true } }] },
    call("todo_write", { todos: [{ step: "paint", status: "in_progress" }] }),
    call("idle", { waiting_for: "messages" }),
    call("complete_task", { result: "painted" }),
  );
  await team.until("teammate.phase", { who: alice, phase: "idle", reason: "awaiting_messages" });
  const [first] = (await requests(team.store)).requests;
  await answer(team.store, first?.id ?? "", "Blue,", "and no red");
  expect(await team.host.done).toMatchObject({ completed: 1 });
  expect(JSON.stringify(team.requests("alice").at(-1))).toContain(`\\"${QUESTION}\\": Blue, and no red`);
});

it("refuses what is no question", async () => {
  const bad = (input: object) => call("ask_person", { question: QUESTION, options: OPTIONS, ...input });
  const team = await asking(
    bad({ question: " " }),
    bad({ options: [{ label: "One" }] }),
    bad({ options: [{ label: "a" }, { label: " A " }] }),
    bad({ options: Array.from({ length: 5 }, (_, i) => ({ label: `${i}` })) }),
    call("complete_task", { result: "painted" }),
  );
  expect(await team.host.done).toMatchObject({ completed: 1 });
  const called = (await team.events("tool.called")) as FactOf<"tool.called">[];
  expect(called.filter(({ tool }) => tool === "ask_person")).toMatchObject([
    { isError: true, note: expect.stringContaining("The question is empty") },
    { isError: true, note: expect.stringContaining("2 to 4 options, this one 1") },
    { isError: true, note: expect.stringContaining("same label") },
    { isError: true, note: expect.stringContaining("2 to 4 options, this one 5") },
  ]);
});

it("a question about a task that was taken away is withdrawn", async () => {
  const team = await asking({ calls: [ask] });
  await team.until("teammate.phase", { who: alice, phase: "idle", reason: "awaiting_answer" });
  await team.store.board.cancel(1 as never, PERSON, "not needed");
  await soon(async () => expect((await requests(team.store)).requests).toEqual([]));
  expect(await team.host.done).toMatchObject({ cancelled: 1 });
});

const SCRIPT = (...alice: object[]) =>
  JSON.stringify({
    steps: [...alice.map((step) => ({ who: "alice", ...step })), { text: "That is all.", times: "any" }],
  });

const openQuestion = (team: readonly string[]) =>
  soon(async () => {
    const { mail } = await project.json<InboxData>(["inbox", "person", ...team]);
    const body = mail.map((one) => one.body).find(({ kind }) => kind === "question");
    if (body?.kind !== "question") throw new Error("It has not asked yet.");
    return body.request;
  });

it("is printed by a headless run with the line that answers it, and that line answers", async () => {
  project.write({
    "script.json": SCRIPT(
      { when: "Paint", calls: [ask] },
      { when: "Red", ...call("complete_task", { result: "ok" }) },
    ),
  });
  const team = ["--team", "garden"];
  await project.run(["add", "Paint the shed", ...team]);
  const model = ["--model", `scripted:${join(project.dir, "script.json")}`, "--teammates", "1"];
  const run = project.run(["run", "Go", "--quiet", ...team, ...model]);
  const id = await openQuestion(team);
  expect((await project.run(["inbox", "person", ...team])).stdout).toContain(`ekiden answer ${id} 1|2`);
  expect((await project.run(["answer", id, "red", ...team])).stderr).toContain("told alice: Red");
  const { code, stderr } = await run;
  expect(stderr).toContain(`alice asks you: ${QUESTION}\n1. Red: as the barn\n2. Green\n`);
  expect(stderr).toContain(`ekiden answer ${id} 1|2 --cwd ${project.dir} --team garden`);
  expect(code, stderr).toBe(0);
});

it("outlives kill -9: the answer was given to a dead run, and the next one continues with it", async () => {
  project.write({
    "script.json": SCRIPT({ when: "Paint", calls: [ask] }),
    "then.json": SCRIPT({ when: "Green", ...call("complete_task", { result: "ok" }) }),
  });
  const team = ["--team", "garden"];
  const model = (file: string) => ["--model", `scripted:${join(project.dir, file)}`];
  await project.run(["add", "Paint the shed", ...team]);
  const child = project.start(["run", "Go", ...team, ...model("script.json"), "--teammates", "1"]);
  const id = await openQuestion(team);
  child.kill("SIGKILL");
  await project.run(["answer", id, "Green", ...team]);
  const { code, stderr } = await project.run(["resume", ...team, ...model("then.json")]);
  expect(code, stderr).toBe(0);
});

it("has a limit where nobody watches, which the store keeps", async () => {
  project.write({
    "script.json": SCRIPT(
      { when: "Nobody has answered", ...call("fail_task", { id: 1, reason: QUESTION }) },
      { when: "Paint", calls: [ask] },
    ),
  });
  const team = ["--team", "garden"];
  await project.run(["add", "Paint the shed", ...team]);
  const model = ["--model", `scripted:${join(project.dir, "script.json")}`, "--teammates", "1"];
  const { code, stderr } = await project.run(["run", "Go", "--quiet", ...team, ...model], {
    env: { EKIDEN_QUESTION_DEADLINE_MS: "300" },
  });
  expect(code, stderr).toBe(1);
  expect(await project.json(["tasks", "1", ...team])).toMatchObject({
    task: { status: "failed", reason: QUESTION },
  });
});
