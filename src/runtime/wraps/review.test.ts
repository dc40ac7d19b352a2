/** The review of a completion: whose completions are reviewed. `test/e2e` tests the rest with whole teams. */
import { expect, it } from "vitest";
import { agentOf, modelOf } from "../../../test/fixtures/member.ts";
import { claimed, name, stage } from "../../../test/fixtures/stage.ts";
import type { Seat } from "../../core/board/member.ts";
import { LEAD } from "../../core/ids.ts";
import { completeTask } from "../../tools/team/claims.ts";
import { act } from "../turn/act.ts";
import { reviewed } from "./review.ts";

const here = stage("sqlite");

it("reviews the task of the member that completes it, and no task of others", async () => {
  const { store, seats } = await here.crew(["alice", "bob"]);
  const [alice, bob] = seats as [Seat, Seat];
  const jobs: string[] = [];
  const wrap = reviewed({
    setting: "all",
    rounds: 3,
    reviewer: async (job) => {
      jobs.push(job);
      return { name: name("alice/1"), text: "VERDICT: approved", stopped: "" };
    },
    signals: () => Promise.resolve([]),
    changes: async () => "diff --git a/b.ts b/b.ts\n--- a/b.ts\n+++ b/b.ts\n@@ -1 +1 @@\n-a\n+b\n",
  });
  await store.board.addAll([{ subject: "paint", touches: ["a.ts"] }, { subject: "sand" }], LEAD);
  const [own, other] = [await claimed(store, alice), await claimed(store, bob)];
  const model = modelOf(() => ({}));
  const agent = agentOf(store, alice, here.clock, model, { tools: [completeTask], wraps: [wrap] });
  const complete = async (id: number): Promise<unknown> => {
    const input = { id, result: "done" };
    const call = { type: "call", id: `c${id}`, tool: completeTask.name, input } as const;
    agent.conversation.add({ kind: "said", message: { role: "assistant", content: [call] } });
    const [entry] = await act(agent, [call], new AbortController().signal, { rest: () => {} });
    return entry?.kind === "result" && entry.result.isError;
  };
  expect(await complete(other.id)).toBe(true);
  expect(jobs).toEqual([]);
  await complete(own.id);
  // It also hears of the files that the task does not name.
  expect(jobs).toEqual([expect.stringContaining("<task-files>\nb.ts\n</task-files>")]);
});

it("asks a second reviewer where the first gives no verdict, and no third", async () => {
  const { store, seats } = await here.crew(["alice"]);
  const alice = seats[0] as Seat;
  let asked = 0;
  const wrap = reviewed({
    setting: "all",
    rounds: 3,
    reviewer: async () => {
      asked += 1;
      return { name: name("alice/1"), text: "I do not know.", stopped: "" };
    },
    signals: () => Promise.resolve([]),
    changes: async () => "",
  });
  await store.board.add({ subject: "paint" }, LEAD);
  const { id } = await claimed(store, alice);
  const model = modelOf(() => ({}));
  const agent = agentOf(store, alice, here.clock, model, { tools: [completeTask], wraps: [wrap] });
  const call = { type: "call", id: "c1", tool: completeTask.name, input: { id, result: "done" } } as const;
  agent.conversation.add({ kind: "said", message: { role: "assistant", content: [call] } });
  await act(agent, [call], new AbortController().signal, { rest: () => {} });
  expect(asked).toBe(2);
});
