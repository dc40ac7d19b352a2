/** Runs whose lead gets no usable answer: they have no result, and may not report one. */
import { expect, it } from "vitest";
import { PERSON } from "../../../src/core/ids.ts";
import { exitCodeOf } from "../../../src/faces/kit/exit-code.ts";
import { programTeam } from "../../fixtures/program-team.ts";

const silent = { times: "any", text: "" } as const;
const create = { calls: [{ tool: "create_task", input: { subject: "Paint" } }] };
const alice = [
  { when: "auto-claimed", calls: [{ tool: "complete_task", input: { id: 1, result: "painted" } }] },
  { times: "any", text: "fine" },
] as const;

it.each([
  ["is stopped by the provider's filter", [{ times: "any", text: "I can", stop: "refused" }], 3],
  ["is stopped by the filter after a task", [create, { ...silent, stop: "refused" }], 3],
  ["is empty", [silent], 3],
  ["is empty once all tasks are completed", [create, silent], 0],
  ["is cut off by the output limit", [{ times: "any", text: "It is ", stop: "length" }], 3],
  ["is cut off once all tasks are completed", [create, { times: "any", text: "It is ", stop: "length" }], 0],
] as const)("an answer that %s", async (_, lead, code) => {
  const team = await programTeam({ says: { lead, alice } });
  await team.host.start({ goal: "Paint" });
  const outcome = await team.host.done;
  expect(exitCodeOf(outcome)).toBe(code);
  expect(outcome.reason).toBe(code === 0 ? "concluded" : "model");
  if (code !== 0)
    expect(outcome.error?.message).toMatch(/(no result|its end is missing)\. Another model may continue/);
});

it.each([
  ["once", [{ text: "It is ", stop: "length" }, { text: "white." }], "It is white."],
  ["again and again", [{ times: "any", text: "It is ", stop: "length" }], "It is It is It is It is"],
] as const)(
  "says and mails all parts of an answer that the output limit cut off %s",
  async (_, lead, text) => {
    const team = await programTeam({ says: { lead } });
    await team.host.start({ goal: "What is it?" });
    expect((await team.host.done).text).toBe(text);
    const reports = (await team.store.mail.box(PERSON)).map(({ body }) => body);
    expect(reports).toMatchObject([{ kind: "result", text }]);
  },
);
