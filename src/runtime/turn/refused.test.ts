/** These tests check which errors of a provider are about the conversation, so that another form of it may be accepted. */
import { afterEach, expect, it } from "vitest";
import { type Answer, agentOf, endLives, failing, modelOf, saying } from "../../../test/fixtures/member.ts";
import { type Crew, stage } from "../../../test/fixtures/stage.ts";
import type { Seat } from "../../core/board/member.ts";
import { type Entry, heard, textOf } from "../../core/conversation/chat.ts";
import { Conversation } from "../../core/conversation/conversation.ts";
import { EkidenError } from "../../core/errors.ts";
import { isRefusal } from "./refused.ts";
import { turn } from "./turn.ts";

const here = stage("sqlite");
afterEach(endLives);

const said = (text: string): Entry => ({
  kind: "said",
  message: { role: "assistant", content: [{ type: "text", text }] },
});
const image = {
  type: "image",
  sha256: "0".repeat(64),
  name: "a.png",
  mediaType: "image/png",
  bytes: 9,
} as const;
const FIRST = new Conversation([heard("go")]);
const LATER = new Conversation([heard("go"), said("yes"), heard("go on")]);
const WITH_IMAGE = new Conversation([heard("go", [image])]);

it.each([
  ["model_refused", 400, "conversation", [true, true, true]],
  ["model_refused", 400, "images", [false, false, true]],
  ["model_refused", 400, "request", [false, false, false]],
  // With images, because a model that takes none refuses them in its own way.
  ["model_refused", 400, undefined, [false, true, true]],
  ["model_refused", 422, undefined, [false, true, true]],
  ["model_refused", 404, undefined, [false, false, true]],
  ["model_refused", 404, "conversation", [false, false, false]],
  ["model_overloaded", 400, "conversation", [false, false, false]],
] as const)(
  "%s with status %i about %s, at first, later, and with an image: %j",
  (code, status, about, tried) => {
    const error = new EkidenError(code, "no", { details: { status, ...(about && { about }) } });
    expect([FIRST, LATER, WITH_IMAGE].map((conversation) => isRefusal(error, conversation))).toEqual(tried);
  },
);

const refusing = (about?: "conversation" | "request"): EkidenError =>
  failing("model_refused", { status: 400, ...(about && { about }) });

let crew: Crew | null = null;
let taken = 0;
afterEach(() => {
  crew = null;
  taken = 0;
});

/** The next member takes one turn, at a provider that answers this. */
async function refusedAt(entries: readonly Entry[], then: (nth: number) => Answer) {
  crew ??= await here.crew(["alice", "bob", "carol", "dora"]);
  const { store, seats } = crew;
  taken += 1;
  const model = modelOf((_, nth) => then(nth));
  const agent = agentOf(store, seats[taken - 1] as Seat, here.clock, model, { entries });
  const took = await turn(agent, new AbortController().signal).catch((error: unknown) => error);
  const sent = model.requests.map(({ messages }) => messages.map(textOf).join("\n"));
  return { took, sent };
}

const ANSWERED = [heard("go"), said("yes"), heard("now \u0001this")];

it("sends a conversation that is refused as text, then without its earlier part; other errors end it at once", async () => {
  const { took, sent } = await refusedAt(ANSWERED, (nth) => (nth < 3 ? refusing() : saying("ok")));
  expect(took).toMatchObject({ text: "ok" });
  expect(sent).toHaveLength(3);
  expect(sent[1]).toMatch(/as plain text[\s\S]*\[you said\] yes[\s\S]*now this/);
  expect(sent[2]).not.toContain("[you said] yes");
  for (const other of [failing("model_auth"), refusing("request")]) {
    const ended = await refusedAt(ANSWERED, (nth) => (nth === 1 ? refusing() : other));
    expect(ended.took).toMatchObject({ code: other.code });
    expect(ended.sent).toHaveLength(2);
  }
});

it("does not send a first request again that is refused, unless another form of it says something else", async () => {
  const always = (): Answer => refusing("conversation");
  expect((await refusedAt([heard("go")], always)).sent).toHaveLength(1);
  expect((await refusedAt([heard("go")], () => refusing())).sent).toHaveLength(1);
  const { took, sent } = await refusedAt([heard("go \u0001on")], (nth) =>
    nth === 1 ? refusing("conversation") : saying("ok"),
  );
  expect(took).toMatchObject({ text: "ok" });
  expect(sent).toHaveLength(2);
  expect(sent[1]).toContain("go on");
  // its second form would be the same
  expect((await refusedAt([heard("go \u0001on")], always)).sent).toHaveLength(2);
});

it("keeps the notes of a summary that was not answered yet", async () => {
  const entries: Entry[] = [{ kind: "summary", text: "The door is green.\u0001" }, heard("go")];
  const { sent } = await refusedAt(entries, (nth) => (nth === 1 ? refusing() : saying("ok")));
  expect(sent[1]).toContain("The door is green.");
});
