/** News that has just enough room. */
import { expect, it } from "vitest";
import { agentOf, modelOf } from "../../../test/fixtures/member.ts";
import { stage } from "../../../test/fixtures/stage.ts";
import type { Seat } from "../../core/board/member.ts";
import { heard } from "../../core/conversation/chat.ts";
import { newsOf } from "./news.ts";

const here = stage("sqlite");

it("leaves news as it is while it has room, to the last character", async () => {
  const { store, seats } = await here.crew(["alice"]);
  const model = modelOf(() => ({}));
  const agent = agentOf(store, seats[0] as Seat, here.clock, model, { entries: [heard("n".repeat(1_000))] });
  const { length } = agent.conversation.news.join("");
  expect((await newsOf(agent, length)).shortened).toBe(false);
  expect((await newsOf(agent, length - 1)).shortened).toBe(true);
});
