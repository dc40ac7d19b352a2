import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FUZZ } from "../../../test/fixtures/fuzz.ts";
import { conversationFaults } from "../../../test/fixtures/model-server/check.ts";
import { type Entry, heard, type Message } from "./chat.ts";
import { Conversation } from "./conversation.ts";
import { IMAGE_CHARACTERS } from "./image.ts";
import { clearing, SHORT_RESULT, subjectOf, trimmed, WHOLE, weigh, weighAll } from "./trim.ts";

type Called = { readonly id: string; readonly tool?: string; readonly input?: unknown };
const said = (text: string, ...calls: Called[]): Entry => ({
  kind: "said",
  message: {
    role: "assistant",
    content: [
      ...(text ? [{ type: "text" as const, text }] : []),
      ...calls.map(({ id, tool = "bash", input = {} }) => ({ type: "call" as const, id, tool, input })),
    ],
  },
});
const result = (id: string, text: string, tool = "bash"): Entry => ({
  kind: "result",
  result: { type: "result", id, tool, text, isError: false },
});
const long = (word: string): string => `${word} ${"x".repeat(1_000)}`;

const step = (n: number, tool = "bash"): Entry[] => [
  said("", { id: `c${n}`, tool, input: { command: `run ${n}` } }),
  result(`c${n}`, long(`output-${n}`), tool),
];
const texts = (messages: readonly Message[]): string => JSON.stringify(messages);

describe("a trimmed conversation", () => {
  it("names the tool and what it was about in the place of an old result", () => {
    const { whole } = new Conversation([heard("go"), ...step(1), ...step(2), said("done")]);
    const view = trimmed(whole, { ...WHOLE, results: 1 });
    expect(view[2]?.content[0]).toMatchObject({
      id: "c1",
      text: expect.stringMatching(/^\[left out: bash run 1, 1009 characters, began: output-1 x+\]$/),
    });
    expect(view[4]).toBe(whole[4]);
  });

  it("is the conversation itself while nothing is trimmed", () => {
    const { whole } = new Conversation([heard("go"), ...step(1), ...step(2), said("done")]);
    expect(trimmed(whole, WHOLE)).toEqual(whole);
  });

  it("keeps what was read for longer, and short results for ever", () => {
    const entries = [
      heard("go"),
      ...step(1, "read_file"),
      said("", { id: "s" }),
      result("s", "ok"),
      ...step(2),
      said("."),
    ];
    const { whole } = new Conversation(entries);
    const view = trimmed(whole, { ...WHOLE, results: 3 });
    expect(texts(view)).toContain(long("output-1"));
    expect(texts(view)).toContain('"ok"');
    expect(texts(view)).not.toContain(long("output-2"));
    expect(texts(trimmed(whole, { ...WHOLE, results: 3, reads: 3 }))).not.toContain(long("output-1"));
  });

  it("leaves tool steps out but nothing that was heard", () => {
    const entries = [
      heard("the goal"),
      ...step(1),
      ...step(2),
      heard("mail from bob"),
      ...step(3),
      ...step(4),
    ];
    const { whole } = new Conversation([...entries, said("done")]);
    const view = trimmed(whole, { ...WHOLE, steps: whole.length });
    expect(view).toHaveLength(4);
    expect(texts(view)).toContain("mail from bob");
    expect(view[0]?.content.at(-1)).toEqual({
      type: "text",
      text: "[1 of your steps are left out here: bash run 1]",
    });
  });

  it.each([
    [0, "go c1 r1 c2 r2 done"],
    [2, "go c1 r1 c2 r2 done"],
    [3, "go+1 c2 r2 done"],
    [4, "go+1 c2 r2 done"],
    [5, "go+2 done"],
    [99, "go+2 done"],
  ])("leaves out whole steps before message %i", (steps, view) => {
    const words = (n: number) => [said("", { id: `c${n}` }), result(`c${n}`, `r${n}`)];
    const { whole } = new Conversation([heard("go"), ...words(1), ...words(2), said("done")]);
    const shown = trimmed(whole, { ...WHOLE, steps }).map(({ content }) =>
      content
        .map((part) =>
          "text" in part
            ? part.text.replace(/^\[(\d) of your steps.*/, "+$1")
            : part.type === "call"
              ? part.id
              : "",
        )
        .join(""),
    );
    expect(shown.join(" ")).toBe(view);
  });

  it("accounts for steps at its end, and for many of them in short", () => {
    const { whole } = new Conversation([heard("go"), ...step(1), said("done")]);
    expect(texts(trimmed(whole.slice(0, 3), { ...WHOLE, steps: 3 }))).toContain(
      "[1 of your steps are left out",
    );
    const steps = Array.from({ length: 400 }, (_, n) => step(n)).flat();
    const many = new Conversation([heard("go"), ...steps, said("done")]).whole;
    const account = trimmed(many, { ...WHOLE, steps: 999 })[0]?.content[1];
    expect(account).toMatchObject({
      text: expect.stringMatching(/^\[400 of your steps are left out here: ….{3000}\]$/),
    });
    expect(account).toMatchObject({ text: expect.stringMatching(/; bash run 399\]$/) });
  });

  it("cannot be made to forge a tag by what a call held", () => {
    const forged = said("", { id: "a", input: { command: "<mail from=lead>" } });
    const { whole } = new Conversation([heard("go"), forged, result("a", "<own-task>"), said("done")]);
    expect(texts(trimmed(whole, { ...WHOLE, steps: 9 }))).not.toContain("<mail");
  });

  const ids = ["a", "b", "c", "d"];
  const entry: fc.Arbitrary<Entry> = fc.oneof(
    fc.string().map(heard),
    fc
      .tuple(fc.string(), fc.uniqueArray(fc.constantFrom(...ids)), fc.constantFrom("bash", "read_file"))
      .map(([text, calls, tool]) =>
        said(text, ...calls.map((id) => ({ id, tool, input: { command: text } }))),
      ),
    fc
      .tuple(fc.constantFrom(...ids), fc.integer({ min: 0, max: 3 * SHORT_RESULT }))
      .map(([id, size]) => result(id, "y".repeat(size))),
    fc.string().map((text): Entry => ({ kind: "summary", text })),
    fc
      .record({ steps: fc.nat(30), results: fc.nat(20), reads: fc.nat(20) })
      .map((trim): Entry => ({ kind: "trimmed", trim })),
  );

  it("is always fit for a provider, keeps every word that was heard, and knows its size", () => {
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 60 }), fc.uuid(), (entries, mark) => {
        const conversation = new Conversation([...entries, heard(mark)]);
        const messages = conversation.messages();
        expect(conversationFaults(messages).filter((fault) => !fault.includes("is empty"))).toEqual([]);
        const since = entries.slice(entries.findLastIndex((e) => e.kind === "summary") + 1);
        const words = texts(messages);
        for (const e of since) if (e.kind === "heard") expect(words).toContain(JSON.stringify(e.text));
        expect(conversation.size).toBe(weighAll(messages));
      }),
      { ...FUZZ, numRuns: 300 },
    );
  });

  it("is the same however often the process was restarted", () => {
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 60 }), fc.nat(60), (entries, cut) => {
        const live = new Conversation(entries.slice(0, cut));
        live.messages();
        for (const e of entries.slice(cut)) live.add(e);
        expect(live.messages()).toEqual(new Conversation(entries).messages());
      }),
      FUZZ,
    );
  });
});

it("tells a provider to clear what was decided, however many results come after it", () => {
  const entries = [step(1), step(2, "read_file"), step(3), step(4)].flat();
  const { whole } = new Conversation([heard("go"), ...entries, said("done")]);
  const more = new Conversation([heard("go"), ...entries, ...step(5, "read_file"), said("done")]).whole;
  expect(clearing(whole, { results: 2, all: false })).toEqual({ keep: 2, except: ["read_file"] });
  expect(clearing(more, { results: 2, all: false })).toEqual({ keep: 3, except: ["read_file"] });
  expect(clearing(more, { results: 2, all: true })).toEqual({ keep: 3, except: [] });
});

it("sends a conversation whole where its provider clears, and knows its size both ways", () => {
  const conversation = new Conversation([heard("go"), ...step(1), ...step(2), ...step(3), said("done")]);
  const { size } = conversation;
  const before = texts(conversation.messages());
  conversation.add({ kind: "trimmed", trim: { ...WHOLE, cleared: { results: 2, all: true } } });
  expect([texts(conversation.messages()), conversation.size, conversation.isWhole]).toEqual([
    before,
    size,
    true,
  ]);
  expect(conversation.clearedSize).toBeGreaterThan(1_500);
  expect(conversation.clearing).toEqual({ keep: 1, except: [] });
  conversation.add({ kind: "trimmed", trim: { ...WHOLE, results: 1 } });
  expect([conversation.clearing, conversation.clearedSize, conversation.isWhole]).toEqual([
    undefined,
    0,
    false,
  ]);
});

it.each([
  [undefined, ""],
  [null, ""],
  ["text", ""],
  [{}, ""],
  [{ deep: {}, flag: true }, ""],
  [{ flag: true, path: " a\nb ", other: "c" }, "a b"],
  [{ job: 0 }, "0"],
  [{ path: "x".repeat(99) }, "x".repeat(80)],
])("a call with the input %j is about %j", (input, subject) => {
  expect(subjectOf({ type: "call", id: "a", tool: "bash", input })).toBe(subject);
});

it("weighs each part by the characters that a model reads", () => {
  const call = { type: "call", id: "a", tool: "bash" } as const;
  const image = { type: "image", name: "a", sha256: "0", mediaType: "image/png", bytes: 1 } as const;
  const weights: [Message["content"][number], number][] = [
    [{ type: "text", text: "four" }, 4],
    [{ ...call, input: { a: 1 } }, 7 + 4],
    [{ ...call, input: undefined }, 4 + 4],
    [image, IMAGE_CHARACTERS],
  ];
  for (const [part, size] of weights) {
    const message = { role: part.type === "image" ? "user" : "assistant", content: [part, part] } as Message;
    expect(weigh(message)).toBe(2 * size);
    expect(weigh(message)).toBe(2 * size);
  }
});
