/** The facts about a conversation that is made shorter: the steps, and what a feature cannot keep before a summary. */
import { expect, it } from "vitest";
import { journalOf } from "../../../test/fixtures/journal.ts";
import { agentOf, modelOf, saying } from "../../../test/fixtures/member.ts";
import { stage } from "../../../test/fixtures/stage.ts";
import type { Seat } from "../../core/board/member.ts";
import { type Entry, heard } from "../../core/conversation/chat.ts";
import { DEFAULT_SETTINGS } from "../../core/settings/settings.ts";
import { turn } from "./turn.ts";

const here = stage("sqlite");

it("records how large the conversation was before and after each of two steps", async () => {
  const model = modelOf(() => saying("."));
  const { store, seats } = await here.crew(["alice"]);
  const seat = seats[0] as Seat;
  const context = { ...DEFAULT_SETTINGS, contextTokens: 1_000_000, trimTokens: 10_000 };
  const agent = agentOf(store, seat, here.clock, model, { context });
  const { conversation } = agent;
  const step = (n: number): Entry[] => [
    {
      kind: "said",
      message: { role: "assistant", content: [{ type: "call", id: `c${n}`, tool: "bash", input: {} }] },
    },
    {
      kind: "result",
      result: {
        type: "result",
        id: `c${n}`,
        tool: "bash",
        text: "o".repeat(n < 60 ? 500 : 1_500),
        isError: false,
      },
    },
  ];
  const entries = [heard("go"), ...Array.from({ length: 90 }, (_, n) => step(n)).flat()];
  await store.transcript.record(seat, entries);
  for (const entry of entries) conversation.add(entry);
  await turn(agent, new AbortController().signal);
  const [first, second, ...more] = await journalOf(store).events("context.compacted");
  expect([first, second, more]).toMatchObject([{ layer: "snip" }, { layer: "micro" }, []]);
  if (first?.type !== "context.compacted" || second?.type !== "context.compacted") throw new Error("none");
  expect(second.before).toBe(first.after);
  expect(second.after).toBeLessThan(second.before);
});

it("has a warning where a feature fails before a summary, which is made all the same", async () => {
  const model = modelOf((request) => saying(request.tools.length === 0 ? "Goal: ship" : "."));
  const { store, seats } = await here.crew(["alice"]);
  const context = { ...DEFAULT_SETTINGS, contextTokens: 4_000, trimTokens: 1_000 };
  const onSummary = () => Promise.reject(new Error("the notes are full"));
  const agent = agentOf(store, seats[0] as Seat, here.clock, model, { context, features: [{ onSummary }] });
  const entries = [
    heard("g".repeat(20_000)),
    { kind: "said", message: { role: "assistant", content: [] } },
  ] as const;
  await store.transcript.record(seats[0] as Seat, entries);
  for (const entry of entries) agent.conversation.add(entry);
  agent.conversation.add(heard("go on"));
  await turn(agent, new AbortController().signal);
  expect(await journalOf(store).events("warning.raised")).toMatchObject([{ text: "the notes are full" }]);
  expect(await journalOf(store).events("context.compacted")).toMatchObject([{ layer: "summary" }]);
});
