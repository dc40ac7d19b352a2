/** A lead that has planned gets remarks on its board, once for each, with a real store. */
import { expect, it } from "vitest";
import { HARNESS, LEAD } from "../../../src/core/ids.ts";
import { planRemarks } from "../../../src/host/features/plan-remarks.ts";
import type { Setup } from "../../../src/host/setup.ts";
import type { Agent, Feature } from "../../../src/runtime/agent/agent.ts";
import type { Call } from "../../../src/runtime/agent/call.ts";
import { createTask, listTasks } from "../../../src/tools/team/board.ts";
import { profile, stage } from "../../fixtures/stage.ts";

const here = stage("sqlite");

it("tells the lead once what is wrong, after a turn that planned, and again only what is new", async () => {
  const { store } = await here.crew(["alice"]);
  const setup = { parts: { store }, profile: profile(LEAD, { kind: "lead" }), model: { window: 200_000 } };
  const feature = (await planRemarks(setup as unknown as Setup)) as Feature;
  const does = async (tool: Call["tool"]) =>
    await feature.wrap?.(() => Promise.resolve(""))({ tool, input: {} } as Call);
  const ends = () => feature.onStintEnd?.({} as Agent, new AbortController().signal);
  const remarks = async () =>
    (await store.mail.box(LEAD, 10, HARNESS)).map(({ body }) => JSON.stringify(body));
  const touches = ["src/a.ts"];
  await store.board.addAll(
    [
      { subject: "One", touches },
      { subject: "Two", touches },
    ],
    LEAD,
  );
  await does(listTasks);
  await ends();
  expect(await remarks()).toEqual([]);
  await does(createTask);
  await ends();
  expect(await remarks()).toEqual([
    expect.stringMatching(/#1, #2: files change.*#1 and #2 change the same files/),
  ]);
  await does(createTask);
  await ends();
  expect(await remarks()).toHaveLength(1);
  await store.board.add({ subject: "Three", role: "tester" }, LEAD);
  await does(createTask);
  await ends();
  expect((await remarks()).filter((one) => one.includes("no teammate has the role tester"))).toHaveLength(1);
});
