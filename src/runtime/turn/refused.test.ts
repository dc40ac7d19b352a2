/** These tests check which errors of a provider are about the conversation, so that another form of it may be accepted. */
import { afterEach, expect, it } from "vitest";
import { agentOf, endLives, failing, modelOf, saying } from "../../../test/fixtures/member.ts";
import { stage } from "../../../test/fixtures/stage.ts";
import { EkidenError } from "../../core/errors.ts";
import type { Seat } from "../../core/member.ts";
import { isRefusal } from "./refused.ts";
import { turn } from "./turn.ts";

const here = stage("sqlite");
afterEach(endLives);

it.each([
  ["model_refused", 400, true, true],
  ["model_refused", 422, true, true],
  // With images, because a model that takes none refuses them in its own way.
  ["model_refused", 404, false, true],
  ["model_overloaded", 400, false, false],
] as const)("%s with status %i: %s, and %s with images", (code, status, alone, withImages) => {
  const error = new EkidenError(code, "no", { details: { status } });
  expect([isRefusal(error, false), isRefusal(error, true)]).toEqual([alone, withImages]);
});

it("sends a conversation that is refused as text, then without its earlier part; other errors end it at once", async () => {
  const { store, seats } = await here.crew(["alice", "bob"]);
  const taking = async (
    nth: number,
    seat: Seat | undefined,
    then = failing("model_refused", { status: 400 }),
  ) => {
    const model = modelOf((_, asked) => (asked < nth ? failing("model_refused", { status: 400 }) : then));
    const agent = agentOf(store, seat as Seat, here.clock, model);
    return {
      asked: model.requests,
      took: await turn(agent, new AbortController().signal).catch((e: unknown) => e),
    };
  };
  const accepted = modelOf((_, asked) =>
    asked < 3 ? failing("model_refused", { status: 400 }) : saying("ok"),
  );
  const agent = agentOf(store, seats[0] as Seat, here.clock, accepted);
  expect(await turn(agent, new AbortController().signal)).toMatchObject({ text: "ok" });
  expect(accepted.requests).toHaveLength(3);
  const other = await taking(2, seats[1], failing("model_auth"));
  expect(other.took).toMatchObject({ code: "model_auth" });
  expect(other.asked).toHaveLength(2);
});
