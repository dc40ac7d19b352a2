import { expect, it } from "vitest";
import type { Event } from "../event.ts";
import { asTaskId, instant, type Name } from "../ids.ts";
import { fits } from "./search.ts";

const claimed: Event = {
  ...{ seq: 1, at: instant(0), type: "task.claimed", task: asTaskId(1), attempt: 1 },
  ...{ subject: "Write TESTS", by: "alice" as Name },
} as Event;
const mailed = { seq: 2, at: instant(0), type: "mail.sent", from: "bob", to: "carol", kind: "note" } as Event;
const ANY = { text: "", who: "", kind: "" };

it.each([
  ["nothing", {}, true, true],
  ["the kind of the first", { kind: "task" }, true, false],
  ["a part of a kind", { kind: "tas" }, false, false],
  ["the author", { who: "alice" }, true, false],
  ["the sender", { who: "bob" }, false, true],
  ["the recipient", { who: "carol" }, false, true],
  ["nobody", { who: "dave" }, false, false],
  ["words of the sentence", { text: "write tests" }, true, false],
  ["words of the type", { text: "mail.sent" }, false, true],
  ["a name in the sentence", { text: "bob" }, false, true],
  ["other words", { text: "deploy" }, false, false],
  ["a kind and another author", { kind: "task", who: "bob" }, false, false],
  ["an author and other words", { who: "alice", text: "deploy" }, false, false],
  ["all three", { kind: "mail", who: "bob", text: "note" }, false, true],
])("a search for %s finds what fits", (_, search, first, second) => {
  expect([fits(claimed, { ...ANY, ...search }), fits(mailed, { ...ANY, ...search })]).toEqual([
    first,
    second,
  ]);
});
