/** The forms in which agent programs of several vendors report what they did and what they used, by a real program that obeys a script. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { recruit } from "../../../src/core/board/recruit.ts";
import { PERSON } from "../../../src/core/ids.ts";
import type { Settings } from "../../../src/core/settings/settings.ts";
import { type AgentScript, agentProgram } from "../../fixtures/agent-program.ts";
import { journalOf } from "../../fixtures/journal.ts";
import { type ProgramTeam, programTeam } from "../../fixtures/program-team.ts";
import { soon } from "../../fixtures/soon.ts";

const done = { call: "complete_task", input: { result: "done" } };
const chunk = { sessionUpdate: "agent_message_chunk", content: { type: "text", text: "" } };
const update = (what: object) => ({ update: what });

const stepsOf = async ({ store }: ProgramTeam): Promise<string[]> =>
  (await store.transcript.current("ann" as never)).flatMap((one) =>
    one.kind === "result" && one.result.tool === "agent_step" ? [one.result.text] : [],
  );

/** A team whose ann is the program, when it has completed its one task. */
async function worked(script: AgentScript, settings: Partial<Settings> = {}) {
  const program = agentProgram(script);
  const team = await programTeam({
    says: { lead: Array.from({ length: 6 }, () => ({ text: "Waiting." })) },
    settings: { teammates: [program.recruit("ann")], sandbox: "off", ...settings },
  });
  await team.store.board.add({ subject: "Work" }, PERSON);
  await team.host.start({ goal: "Do the task" });
  await team.until("task.completed", { task: 1 });
  await team.until("turn.taken", { who: "ann", text: "Bye." });
  const warnings = (await team.events("warning.raised")).map((event) => (event as { text?: string }).text);
  const steps = await stepsOf(team);
  const turns = (await team.events("turn.taken")).filter((event) => "who" in event && event.who === "ann");
  return { program, team, warnings, steps, turns };
}

it("keeps what a command printed, which Codex sends in pieces and without content", async () => {
  const printed = (data: string) =>
    update({
      sessionUpdate: "tool_call_update",
      toolCallId: "c1",
      _meta: { terminal_output_delta: { terminal_id: "c1", data } },
    });
  const { steps } = await worked({
    prompts: [
      [
        update({ sessionUpdate: "tool_call", toolCallId: "c1", kind: "execute", title: "make" }),
        printed("one\n"),
        printed("two\n"),
        update({ sessionUpdate: "tool_call_update", toolCallId: "c1", status: "completed" }),
        done,
        { say: "Bye." },
      ],
    ],
  });
  expect(steps).toEqual(["one\ntwo\n"]);
});

it("knows the board's tools by the name that Qwen Code gives beside a title, and asks nobody for them", async () => {
  const raw = '{"result":"done"}';
  const named = { kind: "other", title: raw, _meta: { toolName: "mcp__ekiden__complete_task" } };
  const { program, steps } = await worked({
    prompts: [
      [
        { ask: { kind: "other", title: raw }, always: "Always Allow in project: complete_task" },
        { ask: { kind: "other", title: raw }, always: "Always Allow in project: other_tool" },
        { ask: { kind: "execute", title: raw }, always: "Always Allow in project: complete_task" },
        done,
        update({ sessionUpdate: "tool_call", toolCallId: "q1", status: "completed", ...named }),
        { say: "Bye." },
      ],
    ],
  });
  expect(program.heard("answer")).toEqual(["allow_once", "reject_once", "reject_once"]);
  expect(steps).toEqual([]);
});

it("counts tokens that come at the end of a prompt, beside words, or in the form of Gemini CLI", async () => {
  const beside = update({
    ...chunk,
    _meta: { usage: { inputTokens: 30, outputTokens: 4, cachedReadTokens: 10 } },
  });
  const prompts = [[beside, beside, done, { say: "Bye." }]];
  const qwen = await worked({ prompts, end: {} });
  expect(qwen.turns).toContainEqual(
    expect.objectContaining({ inputTokens: 60, cachedTokens: 20, outputTokens: 8 }),
  );
  const end = { _meta: { quota: { token_count: { input_tokens: 50, output_tokens: 6 } } } };
  const gemini = await worked({ prompts: [[done, { say: "Bye." }]], end });
  expect(gemini.turns).toContainEqual(expect.objectContaining({ inputTokens: 50, outputTokens: 6 }));
});

it("says once that a budget does not count what the program does not report", async () => {
  const prompts = [[done, { say: "Bye." }]];
  const budgets = { budgetUsd: 5, teammateBudgetUsd: 5, budgetTokens: 1_000_000 };
  const of = (what: string) =>
    expect.stringMatching(new RegExp(`^The agent program .* the budget in ${what} does not`));
  const silent = await worked({ prompts, end: {} }, budgets);
  expect(silent.warnings).toEqual([of("money"), of("tokens")]);
  const counts = await worked({ prompts }, budgets);
  expect(counts.warnings).toEqual([of("money")]);
  const paid = await worked({ prompts: [[{ cost: 0.5 }, done, { say: "Bye." }]] }, budgets);
  expect(paid.warnings).toEqual([]);
  const free = await worked({ prompts, end: {} });
  expect(free.warnings).toEqual([]);
});

it("is not fooled by numbers that are none", async () => {
  const lie = { usage: { inputTokens: -50, outputTokens: "many", cachedReadTokens: null } };
  const { turns, warnings } = await worked(
    { prompts: [[{ cost: -3 }, update({ ...chunk, _meta: lie }), done, { say: "Bye." }]], end: lie },
    { budgetUsd: 5 },
  );
  for (const turn of turns) expect(turn).toMatchObject({ usd: 0, inputTokens: 0, outputTokens: 0 });
  expect(warnings).toHaveLength(1);
});

const STEPS = 60;
const PRINTED = Array.from({ length: 40 }, (_, nth) => `line ${nth} of what the command printed`).join("\n");
const bytesOf = async ({ store }: ProgramTeam, who: string): Promise<number> => {
  const entries = await store.transcript.current(who as never);
  const facts = await journalOf(store).events();
  const own = facts.filter((fact) => "who" in fact && fact.who === who && fact.type === "tool.called");
  return JSON.stringify(entries).length + JSON.stringify(own).length;
};

it("fills the transcript and the journal no more than a member of our own that makes the same calls", async () => {
  const command = (nth: number): string => `cat lines-${nth}.txt`;
  const ended = (nth: number) =>
    update({
      ...{ sessionUpdate: "tool_call_update", toolCallId: `c${nth}`, status: "completed" },
      content: [{ type: "content", content: { type: "text", text: PRINTED } }],
    });
  // Each call says many times that it continues, and twice that it has ended.
  const steps = Array.from({ length: STEPS }, (_, nth) => [
    update({
      ...{ sessionUpdate: "tool_call", toolCallId: `c${nth}`, kind: "execute", title: command(nth) },
      rawInput: { command: command(nth) },
    }),
    ...Array.from({ length: 5 }, () =>
      update({ sessionUpdate: "tool_call_update", toolCallId: `c${nth}`, status: "in_progress" }),
    ),
    ended(nth),
    ended(nth),
  ]).flat();
  const hosted = await worked({ prompts: [[...steps, done, { say: "Bye." }]] });
  // The last steps may be noted behind the word that came with them.
  await soon(async () =>
    expect(await stepsOf(hosted.team)).toEqual(Array.from({ length: STEPS }, () => PRINTED)),
  );
  const calls = Array.from({ length: STEPS }, (_, nth) => ({
    calls: [{ tool: "bash", input: { command: command(nth) } }],
  }));
  const own = await programTeam({
    says: {
      lead: Array.from({ length: 6 }, () => ({ text: "Waiting." })),
      ann: [...calls, { calls: [{ tool: "complete_task", input: done.input }] }, { text: "Bye." }],
    },
    settings: { teammates: [recruit("ann")], sandbox: "off", permissionMode: "bypass" },
  });
  for (let nth = 0; nth < STEPS; nth += 1) writeFileSync(join(own.folder, `lines-${nth}.txt`), PRINTED);
  await own.store.board.add({ subject: "Work" }, PERSON);
  await own.host.start({ goal: "Do the task" });
  await own.until("task.completed", { task: 1 });
  const [theirs, ours] = [await bytesOf(hosted.team, "ann"), await bytesOf(own, "ann")];
  expect(ours).toBeGreaterThan(STEPS * PRINTED.length);
  expect(theirs).toBeLessThan(ours * 1.2);
});
