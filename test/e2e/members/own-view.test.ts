/** These tests check what members know of their team, and may do unasked: the others' names, a plan of one's own. */
import { expect, it } from "vitest";
import { name } from "../../../src/core/ids.ts";
import type { ModelRequest } from "../../../src/ports/index.ts";
import { toolsOf } from "../../fixtures/equipped-team.ts";
import { opening } from "../../fixtures/opening.ts";
import { programTeam } from "../../fixtures/program-team.ts";

const two = {
  teammates: [
    { name: name("bob"), role: "tester" },
    { name: name("alice"), role: "coder" },
  ],
};
const complete = { calls: [{ tool: "complete_task", input: { result: "ok" } }] };

it("a teammate knows the others, plans without being asked, and continues after the lead's answer", async () => {
  const review = (request: ModelRequest) => {
    const id = /request="([^"]+)"/.exec(JSON.stringify(request.messages).replaceAll('\\"', '"'))?.[1] ?? "";
    return { calls: [{ tool: "review_plan", input: { request: id, approve: true } }] };
  };
  const team = await programTeam({
    says: {
      lead: [{ when: "on the board", text: "Continue." }, review, { text: "I see.", times: "any" }],
      alice: [
        { when: "auto-claimed", calls: [{ tool: "submit_plan", input: { plan: "1. Look 2. Write" } }] },
        { when: "is approved", ...complete },
        { text: "Done." },
      ],
    },
    settings: two,
  });
  await team.host.start({ runbook: { goal: "Go", tasks: [{ subject: "Do it", role: "coder" }] } });
  expect(await team.host.done).toMatchObject({ completed: 1 });
  const [first] = team.requests("alice");
  expect(first && opening(first)).toContain("Others: bob (tester).");
});

it("the lead's tools do not change when it spawns a teammate", async () => {
  const team = await programTeam({
    says: {
      lead: [
        { when: "Go", calls: [{ tool: "spawn_teammate", input: { name: "alice" } }] },
        { when: "joined", text: "Done." },
      ],
      alice: [],
    },
    settings: { teammates: [] },
  });
  await team.host.start({ goal: "Go" });
  await team.host.done;
  const [before, after] = team.requests("lead");
  expect(toolsOf(after)).toEqual(toolsOf(before));
});
