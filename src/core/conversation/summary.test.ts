/** The words of a summary: what it keeps, what it leaves out, and in which order. */
import { expect, it } from "vitest";
import type { Body, Mail } from "../board/mail.ts";
import { instant, type MailId, name, PERSON } from "../ids.ts";
import type { Message } from "./chat.ts";
import { planLine, rendered, summaryText, toldByPerson, unreadLine } from "./summary.ts";

const mail = (body: Body, delivered = true): Mail => ({
  ...{ id: 1 as MailId, from: PERSON, to: name("lead"), at: instant(0), urgent: false, body },
  deliveredAt: delivered ? instant(1) : null,
});
const note = (text: string, delivered = true) => mail({ kind: "note", text }, delivered);
/** The texts of the mails that are kept, with "[…]" where others are left out. */
const kept = (mails: readonly Mail[], room = 10_000, shown: readonly string[] = []): string[] =>
  toldByPerson(mails, room, shown)
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("<"));
const HEAD = "The person's messages to you, word for word:";

it.each([
  ["nothing", [], []],
  ["one note", [note("goal")], [HEAD, "goal"]],
  ["in the order of time", [note("goal"), note("b"), note("c")], [HEAD, "goal", "b", "c"]],
  ["what went to all", [mail({ kind: "broadcast", text: "all" })], [HEAD, "all"]],
  ["no mail of other kinds", [mail({ kind: "cron", text: "tick", cron: "c" } as Body)], []],
  ["no mail that was not read yet", [note("goal"), note("new", false)], [HEAD, "goal"]],
])("keeps the person's words: %s", (_, mails, lines) => expect(kept(mails)).toEqual(lines));

it("keeps what the conversation does not show anyway", () => {
  expect(kept([note("goal"), note("b")], 10_000, ["before <mail"])).toEqual([HEAD, "goal", "b"]);
  const [, shown = ""] = toldByPerson([note("goal")], 10_000, []).split(`${HEAD}\n`);
  expect(kept([note("goal"), note("b")], 10_000, [`before\n${shown}\nafter`])).toEqual([HEAD, "b"]);
});

it("keeps the first and the newest words in half of the room, and marks the gap", () => {
  const frame = toldByPerson([note("")], 10_000, []).length - `${HEAD}\n`.length;
  const mails = ["aaaa", "bbbb", "cccc", "dddd"].map((text) => note(text));
  const size = frame + 4;
  expect(kept(mails, 8 * size)).toEqual([HEAD, "aaaa", "bbbb", "cccc", "dddd"]);
  expect(kept(mails, 8 * size - 2)).toEqual([HEAD, "aaaa", "[…]", "cccc", "dddd"]);
  expect(kept(mails, 4 * size)).toEqual([HEAD, "aaaa", "[…]", "dddd"]);
  expect(kept(mails, 2 * size)).toEqual([HEAD, "aaaa", "[…]"]);
});

it("shortens a first mail that is too long for its half", () => {
  const text = toldByPerson([note("x".repeat(900))], 1_000, []);
  expect(text).toContain("your notes have the gist");
  expect(text.length).toBeLessThan(700);
});

const MESSAGES: readonly Message[] = [
  {
    role: "user",
    content: [
      { type: "text", text: "I am A. go " },
      { type: "image", name: "a.png", sha256: "0", mediaType: "image/png", bytes: 1 },
    ],
  },
  {
    role: "assistant",
    content: [
      { type: "thinking", text: "hm" },
      { type: "text", text: "I look." },
      { type: "call", id: "1", tool: "ls", input: undefined },
      { type: "call", id: "2", tool: "cat", input: { path: "f" } },
    ],
  },
  {
    role: "user",
    content: [
      { type: "result", id: "1", tool: "ls", text: "f", isError: false },
      { type: "result", id: "2", tool: "cat", text: "no", isError: true },
    ],
  },
];
const LINES = `[you heard] go
[image a.png is left out]
[you thought] hm
[you said] I look.
[you called] ls null
[you called] cat {"path":"f"}
[result of ls] f
[error of cat] no`;

it("writes a conversation as one text, a line for each part", () => {
  expect(rendered(MESSAGES, "I am A.", 1_000)).toBe(`<conversation>\n${LINES}\n</conversation>`);
  expect(rendered(MESSAGES, "", 1_000)).toContain("[you heard] I am A. go\n");
});

it("cuts long parts less where there is more room", () => {
  const long = (size: number): Message => ({
    role: "user",
    content: [{ type: "result", id: "1", tool: "ls", text: "x".repeat(size), isError: false }],
  });
  const whole = "[result of ls] ".length + 5_000;
  const length = (room: number) => rendered([long(5_000)], "", room).split("x").length - 1;
  expect(length(whole)).toBe(5_000);
  expect(length(whole - 1)).toBe(2_000);
  expect(length(1_000)).toBe(600);
  expect(length(500)).toBe(200);
});

it("gives the notes, the last step if there is one, and the facts", () => {
  const parts = { identity: "I am A.", notes: " I am A. Goal: x ", room: 1_000 };
  const intro = "Your conversation so far was replaced by your notes:";
  expect(summaryText({ ...parts, last: [], facts: [] })).toBe(`<summary>\n${intro}\n\nGoal: x\n</summary>`);
  const answer: Message = { role: "user", content: [{ type: "text", text: "mail" }] };
  expect(summaryText({ ...parts, identity: "", last: [answer], facts: ["one", "", "two"] })).toBe(
    `<summary>\n${intro}\n\nI am A. Goal: x\n\nYour last step:\n[you heard] mail\n</summary>\n\none\n\ntwo`,
  );
});

it("names waiting mail and a waiting plan", () => {
  expect(unreadLine(2)).toBe("Unread mail: 2. You get it before your next turn.");
  expect(planLine(7, 2)).toBe("Your plan for #7 (attempt 2) waits for its approval.");
});
