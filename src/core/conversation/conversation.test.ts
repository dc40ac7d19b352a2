import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FUZZ } from "../../../test/fixtures/fuzz.ts";
import { callsOf, type Entry, heard, INTERRUPTED, type Message } from "./chat.ts";
import { Conversation } from "./conversation.ts";
import { WHOLE } from "./trim.ts";

const messagesOf = (entries: readonly Entry[]): Message[] => new Conversation(entries).messages();
const said = (text: string, ...calls: string[]): Entry => ({
  kind: "said",
  message: {
    role: "assistant",
    content: [
      ...(text ? [{ type: "text" as const, text }] : []),
      ...calls.map((id) => ({ type: "call" as const, id, tool: "bash", input: {} })),
    ],
  },
});
const result = (id: string, text = "ok"): Entry => ({
  kind: "result",
  result: { type: "result", id, tool: "bash", text, isError: false },
});

/** The places where a conversation breaks a rule that every provider has. */
function faults(messages: readonly Message[]): string[] {
  const found: string[] = [];
  messages.forEach((message, i) => {
    if (i > 0 && messages[i - 1]?.role === message.role)
      found.push(`two ${message.role} messages in a row at ${i}`);
    if (message.role === "assistant") {
      const next = messages[i + 1];
      const answers =
        next?.role === "user" ? next.content.flatMap((c) => (c.type === "result" ? [c.id] : [])) : [];
      const asked = callsOf(message).map((c) => c.id);
      if (next !== undefined || asked.length > 0)
        if (JSON.stringify(asked) !== JSON.stringify(answers))
          found.push(`calls ${asked} answered by ${answers} at ${i}`);
    } else if (i === 0 && message.content.some((c) => c.type === "result"))
      found.push("orphan result at the start");
  });
  return found;
}

describe("a conversation", () => {
  it("puts results behind their reply in call order, before what was heard meanwhile", () => {
    const messages = messagesOf([
      heard("go"),
      said("", "a", "b"),
      result("b", "second"),
      heard("mail"),
      result("a", "first"),
    ]);
    expect(messages.at(-1)).toEqual({
      role: "user",
      content: [
        expect.objectContaining({ id: "a", text: "first" }),
        expect.objectContaining({ id: "b", text: "second" }),
        { type: "text", text: "mail" },
      ],
    });
  });

  it("answers a call that a crash cut short", () => {
    const conversation = new Conversation([heard("go"), said("", "a", "b"), result("a")]);
    expect(conversation.messages().at(-1)?.content).toMatchObject([
      { id: "a", text: "ok" },
      { id: "b", text: INTERRUPTED, isError: true },
    ]);
  });

  it("starts at the last summary", () => {
    const messages = messagesOf([
      heard("old"),
      said("old", "a"),
      result("a"),
      { kind: "summary", text: "the gist" },
      heard("new"),
    ]);
    expect(messages).toEqual([
      {
        role: "user",
        content: [
          { type: "text", text: "the gist" },
          { type: "text", text: "new" },
        ],
      },
    ]);
  });

  it("keeps the identity of settled messages", () => {
    const conversation = new Conversation([heard("go"), said("", "a"), result("a"), said("done")]);
    const before = conversation.messages();
    conversation.add(heard("more"));
    const after = conversation.messages();
    expect(before.every((message, i) => after[i] === message)).toBe(true);
  });

  it("continues after a call that was undone, live as well as read again, and nothing of what came later is in it", () => {
    const entries = [heard("go"), said("", "a"), result("a"), said("", "b", "c"), result("b"), heard("mail")];
    const later: Entry[] = [said("", "d"), result("d"), { kind: "cut", call: "b", text: "undone" }];
    const live = new Conversation(entries);
    live.messages();
    for (const entry of later) live.add(entry);
    expect(live.messages()).toEqual(messagesOf([...entries, ...later]));
    expect(live.messages().at(-1)?.content).toEqual([
      expect.objectContaining({
        id: "b",
        text: expect.stringContaining("Undone by the person"),
        isError: true,
      }),
      expect.objectContaining({ id: "c", text: expect.stringContaining("Undone by the person") }),
      { type: "text", text: "undone" },
    ]);
    expect(JSON.stringify(live.messages())).not.toMatch(/mail|"d"/);
    // A second cut, further back; one behind a call that is not there any more changes nothing.
    for (const call of ["d", "a"]) live.add({ kind: "cut", call, text: `at ${call}` });
    expect(callsOf(live.lastSaid ?? { role: "assistant", content: [] }).map(({ id }) => id)).toEqual(["a"]);
    expect(live.awaitsReply).toBe(true);
    live.add({ kind: "cut", call: "a", text: "again", atRest: true });
    expect(live.awaitsReply).toBe(false);
  });

  it("never holds an unanswered call or an orphan result, whatever was recorded", () => {
    const entry = fc.oneof(
      fc.string().map(heard),
      fc
        .tuple(fc.string(), fc.uniqueArray(fc.constantFrom("a", "b", "c", "d")))
        .map(([text, ids]) => said(text, ...ids)),
      fc.constantFrom("a", "b", "c", "d", "e").map((id) => result(id)),
      fc.string().map((text): Entry => ({ kind: "summary", text })),
      fc.constantFrom("a", "b", "c", "d", "e").map((call): Entry => ({ kind: "cut", call, text: "cut" })),
    );
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 40 }), (entries) => {
        expect(faults(messagesOf(entries))).toEqual([]);
      }),
      FUZZ,
    );
  });
});

const image = { type: "image", name: "a", sha256: "0", mediaType: "image/png", bytes: 1 } as const;
const summary: Entry = { kind: "summary", text: "the gist" };

it("knows that it has an image", () => {
  expect(new Conversation([heard("look"), said("where?")]).hasImages).toBe(false);
  expect(new Conversation([heard("look", [image]), said("seen"), heard("again")]).hasImages).toBe(true);
});

it.each([
  ["nothing", [], { isEmpty: true, awaitsReply: false, news: [], newImages: [], size: 0 }],
  ["mail", [heard("mail")], { isEmpty: false, awaitsReply: true, news: ["mail"], size: 4 }],
  ["an image", [heard("a", [image])], { news: ["a"], newImages: [image] }],
  ["an answered word", [heard("go"), said("done")], { isEmpty: false, awaitsReply: false, news: [] }],
  ["a word of its own", [said("hello")], { isEmpty: false, awaitsReply: false }],
  ["a blank word", [said(" ")], { isEmpty: true, awaitsReply: false, lastSaid: null }],
  ["an open call", [heard("go"), said("", "a")], { isEmpty: false, awaitsReply: true, news: [] }],
  ["a result", [heard("go"), said("", "a"), result("a")], { awaitsReply: true, news: [] }],
  ["a summary", [heard("go"), said("done"), summary], { isEmpty: false, awaitsReply: true, news: [] }],
  ["two summaries", [summary, { ...summary, text: "b" }], { news: [], size: 1 }],
] as const)("has this to tell after %s", (_, entries, state) => {
  expect(new Conversation(entries)).toMatchObject(state);
});

it("gives results to the calls whose odd ids they had, in any order", () => {
  const conversation = new Conversation([said("", "x!", "y!"), result("y!", "of y"), result("x!", "of x")]);
  expect(conversation.unanswered?.content).toMatchObject([
    { id: "x_", text: "of x" },
    { id: "y_", text: "of y" },
  ]);
});

it("keeps the last reply and what is trimmed until the next summary", () => {
  const trim = { ...WHOLE, results: 1 };
  const conversation = new Conversation([heard("go"), said("done"), { kind: "trimmed", trim }]);
  expect(conversation).toMatchObject({ trim, lastSaid: { content: [{ text: "done" }] } });
  conversation.add(summary);
  expect(conversation).toMatchObject({ trim: WHOLE, lastSaid: null });
});

it("forgets the calls before a summary, so that their ids are free", () => {
  const conversation = new Conversation([heard("go"), said("", "a"), result("a", "old")]);
  const [again] = [said("", "a")].flatMap((entry) => (entry.kind === "said" ? [entry.message] : []));
  expect(again && callsOf(conversation.accepted(again))).toMatchObject([{ id: "a_2" }]);
  conversation.add(summary);
  expect(again && callsOf(conversation.accepted(again))).toMatchObject([{ id: "a" }]);
  conversation.add(result("a", "late"));
  conversation.add(said("", "a"));
  expect(conversation.unanswered?.content).toMatchObject([{ id: "a", text: INTERRUPTED }]);
});
