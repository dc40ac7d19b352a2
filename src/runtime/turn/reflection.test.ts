/** Notes of a member after a stint: what the model is shown of the transcript. */
import { expect, it } from "vitest";
import { agentOf, modelOf, saying } from "../../../test/fixtures/member.ts";
import { stage } from "../../../test/fixtures/stage.ts";
import type { Seat } from "../../core/board/member.ts";
import { type Entry, heard } from "../../core/conversation/chat.ts";
import { Conversation } from "../../core/conversation/conversation.ts";
import { type Memory, reflection } from "./reflection.ts";

const here = stage("sqlite");
const said = (text: string): Entry => ({
  kind: "said",
  message: { role: "assistant", content: [{ type: "text", text }] },
});
const empty: Memory = {
  index: () => Promise.resolve(""),
  remember: () => Promise.resolve("known"),
};

it("shows all that came after the last reply before this life, once", async () => {
  const { store, seats } = await here.crew(["alice"]);
  const seat = seats[0] as Seat;
  const before = [heard("the goal"), said("an old reply")];
  await store.transcript.record(seat, before);
  const conversation = new Conversation(before);
  const model = modelOf(() => saying("none"));
  const agent = agentOf(store, seat, here.clock, model, { conversation });
  const reflect = reflection(empty, conversation);
  const live = async (...entries: Entry[]): Promise<string> => {
    await store.transcript.record(seat, entries);
    await reflect(agent, new AbortController().signal);
    return JSON.stringify(model.requests.at(-1)?.messages ?? "");
  };
  expect(await live(heard("the port is 5432"), said("one"), said("two"))).toBe('""'); // two replies tell too little
  const first = await live(said("three"));
  for (const text of ["the port is 5432", "one", "three"]) expect(first).toContain(text);
  expect(first).not.toContain("an old reply");
  const second = await live(heard("the host is north"), said("four"), said("five"), said("six"));
  expect(second).toContain("the host is north");
  expect(second).not.toContain("5432");
});
