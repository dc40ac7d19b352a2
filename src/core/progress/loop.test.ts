/** These tests check which repetitions are noticed, when, and which are not. */
import { describe, expect, it } from "vitest";
import type { Body, Mail } from "../board/mail.ts";
import type { Entry, ToolCall } from "../conversation/chat.ts";
import { type MailId, type Name, name, PERSON, type TaskId } from "../ids.ts";
import { LoopDetector, type LoopVerdict } from "./loop.ts";
import { type Round, stepsOf } from "./steps.ts";

const traits = (tool: string) => ({ watches: tool === "check_background" });
/** Rounds follow each other at once, unless `now` says when they end. */
const observe = (detector: LoopDetector, round: Round, now = 0): LoopVerdict =>
  detector.observe(round, stepsOf(round, traits), now);
let ids = 0;
const called = (tool: string, input: unknown, result: string): Round => {
  ids += 1;
  const call: ToolCall = { type: "call", id: `c${ids}`, tool, input };
  const answer: Entry = {
    kind: "result",
    result: { type: "result", id: call.id, tool, text: result, isError: false },
  };
  return [{ kind: "said", message: { role: "assistant", content: [call] } }, answer];
};
const text = (words: string): Round => [
  {
    kind: "said",
    message: { role: "assistant", content: words === "" ? [] : [{ type: "text", text: words }] },
  },
];
/** Rounds after which the agent was told and ended; null for never within 60. */
const watch = (round: (n: number) => Round, detector = new LoopDetector()) => {
  const verdicts: LoopVerdict[] = [];
  while (verdicts.length < 60 && verdicts.at(-1)?.kind !== "ended")
    verdicts.push(observe(detector, round(verdicts.length + 1)));
  const at = (kind: LoopVerdict["kind"]): number | null =>
    verdicts.findIndex((one) => one.kind === kind) + 1 || null;
  const last = verdicts.find(({ kind }) => kind !== "fine");
  return { told: at("told"), ended: at("ended"), words: last && "text" in last ? last.text : "" };
};
const turns = (rounds: readonly Round[]) => (n: number) => rounds[(n - 1) % rounds.length] ?? [];
const ls = called("bash", { command: "ls" }, "a b");
const cat = called("read_file", { path: "a" }, "hello");

/** Other letters for each number. */
const word = (n: number): string => String.fromCharCode(96 + (n % 26), 97 + Math.floor(n / 26));
const bash = (command: string, result: string): Round => called("bash", { command }, result);

describe("ends", () => {
  it("the same call with the same result, after a word", () => {
    const seen = watch(turns([ls]));
    expect(seen).toMatchObject({ told: 3, ended: 6 });
    expect(seen.words).toContain('You called bash {"command":"ls"} 3 times in a row. The last result: a b');
  });

  it("the same text, and no text at all", () => {
    expect(watch(() => text("Working on it."))).toMatchObject({ told: 3, ended: 6 });
    expect(watch(() => text(""))).toMatchObject({ told: 3, ended: 6 });
    expect(watch(turns([ls, text("Now I look.")]))).toMatchObject({ told: 6, ended: 12 });
  });

  it.each([
    [2, 6, 12],
    [5, 15, 30],
    [9, 27, 54],
    [10, null, null],
  ])("%i replies in turn", (period, told, ended) => {
    const reads = Array.from({ length: period }, (_, i) => called("read_file", { path: `f${word(i)}` }, "x"));
    expect(watch(turns(reads))).toMatchObject({ told, ended });
  });

  it("calls that differ in white space alone, and results that differ in what is volatile alone", () => {
    const write = (n: number) => called("write_file", { path: "a", content: `x${" \n".repeat(n)}` }, "ok");
    expect(watch(write)).toMatchObject({ told: 3, ended: 6 });
    const sized = (n: number) =>
      called("write_file", { path: "a", content: `x${" ".repeat(n)}` }, `${n} bytes`);
    expect(watch(sized)).toMatchObject({ told: 4, ended: 7 });
    expect(watch((n) => bash("date", `Mon Nov 23 13:39:${10 + n} UTC 2026`))).toMatchObject({ ended: 6 });
    expect(watch((n) => bash("npm test", `1 failed (${10 + ((n * 7) % 5)} ms)`))).toMatchObject({ ended: 6 });
    const jitter = (n: number) => bash("npm test", `1 failed\nTime ${4 + ((n * 7) % 5)}.2 s`);
    expect(watch(jitter).ended).toBeLessThanOrEqual(12);
  });

  it("long calls only if they are the same to the last character", () => {
    const filled = (n: number) =>
      called("write_file", { path: "a", text: `${"-".repeat(999)}${word(n)}` }, "ok");
    expect(watch(() => filled(1))).toMatchObject({ told: 3, ended: 6 });
    expect(watch(filled)).toMatchObject({ told: null });
  });
});

describe("does not end", () => {
  it.each([
    ["a command whose result changes", (n: number) => bash("gh run view", `${n} of 40 checks`)],
    ["a command that sleeps", () => bash("sleep 60; gh run view", "pending")],
    ["a look, and a sleep", (n: number) => (n % 2 ? bash("gh run view", "pending") : bash("sleep 60", ""))],
    ["a background job", () => called("check_background", { id: "j1" }, "running")],
    ["an elapsed time that rises", (n: number) => bash("gh run view", `in progress, elapsed ${n}m`)],
    [
      "one that rises now and then",
      (n: number) => bash("gh run view", `elapsed ${7 + Math.floor(n / 5)}m12s`),
    ],
  ] as const)("watching: %s, but a word says what costs nothing", (_, round) => {
    const seen = watch(round);
    expect(seen.ended).toBe(null);
    expect(seen.words === "" || seen.words.includes("call idle")).toBe(true);
  });

  it.each(["grep -rn wait src", "until [ -e go ]; do sleep 0.05; done; echo gone", "cat watch.ts"])(
    "waiting: %s, which only names it, unless it took a second",
    (line) => {
      const rounds = (ms: number): LoopVerdict[] => {
        const detector = new LoopDetector();
        return Array.from({ length: 20 }, (_, n) => observe(detector, bash(line, "the same"), n * ms));
      };
      expect(rounds(10).findIndex(({ kind }) => kind === "ended")).toBe(5);
      expect(rounds(1_000).some(({ kind }) => kind === "ended")).toBe(false);
    },
  );

  it("a poll at intervals of 20 seconds, and the same one without them", () => {
    const polls = (ms: number): LoopVerdict[] => {
      const detector = new LoopDetector();
      return Array.from({ length: 40 }, (_, n) => observe(detector, bash("gh run view", "pending"), n * ms));
    };
    expect(polls(20_000).some(({ kind }) => kind === "ended")).toBe(false);
    expect(polls(19_000).findIndex(({ kind }) => kind === "ended")).toBe(5);
  });

  it("edit and test, pages of a file, tries with other numbers, mail, tasks", () => {
    const test = called("bash", { command: "npm test" }, "1 failed");
    const rounds: ((n: number) => Round)[] = [
      (n) => (n % 2 ? called("edit_file", { path: "a", to: `v${n}` }, "Edited.") : test),
      (n) => called("read_file", { offset: n }, `line ${n}`),
      (n) => bash(`train --rate 0.${n}`, `loss 0.${n}`),
      (n) => called("write_file", { path: "a", content: "x".repeat(n) }, "Written."),
      (n) => called("create_task", { subject: `t${n}` }, `#${n}`),
      (n) => called("send_message", { to: "bob", text: word(n) }, "Sent."),
      (n) => text(`Then ${word(n)}.`),
    ];
    for (const round of rounds) expect(watch(round)).toMatchObject({ told: null, ended: null });
  });

  it("the same answer to different news", () => {
    const detector = new LoopDetector();
    const seen = watch((n) => {
      detector.read([letter({ kind: "result", task: n as TaskId, inHand: false, text: "done" })]);
      return text("Noted.");
    }, detector);
    expect(seen).toMatchObject({ told: null, ended: null });
  });
});

const jobDone = (job: number, command: string): Mail =>
  letter({ kind: "job_done", job: `${job}`, command, text: "exit code 0", isError: false }, name("alice"));

it("continues with an agent that waits for commands which end alike, and ends one that starts the same ones again", () => {
  const start = (n: number) =>
    called(
      "bash",
      { command: "make part", run_in_background: true },
      `Started job j${n}, process group ${100 + n}.`,
    );
  const waiting = new LoopDetector();
  for (let n = 1; n <= 12; n += 1) observe(waiting, start(n));
  observe(waiting, called("bash", { command: "make rest", run_in_background: true }, "Started job j13."));
  const waits = watch((n) => {
    waiting.read([jobDone(n, "make part")]);
    return text("Noted.");
  }, waiting);
  expect(waits).toMatchObject({ told: null, ended: null });

  const looping = new LoopDetector();
  const loops = watch((n) => {
    if (n % 3 !== 1) looping.read([jobDone(n, "make part")]);
    return n % 3 === 1 ? start(n) : text("Noted.");
  }, looping);
  expect(loops.ended).not.toBeNull();

  const silent = new LoopDetector();
  observe(silent, start(1));
  silent.read([jobDone(1, "make part")]);
  expect(watch(() => text("Noted."), silent).ended).toBe(6);
  expect(silent.read([jobDone(1, "make part")])).toBe(false);
});

const letter = (body: Body, from: Name = name("bob")): Mail => ({
  id: 1 as MailId,
  from,
  to: name("alice"),
  at: 0 as Mail["at"],
  urgent: false,
  body,
  deliveredAt: null,
});

it("takes the same words of a member as news once, and those of the person always", () => {
  const detector = new LoopDetector();
  const note = (text: string): Body => ({ kind: "note", text });
  expect(detector.read([letter(note("ping 1"))])).toBe(true);
  expect(detector.read([letter(note("ping 2"))])).toBe(false);
  expect(detector.read([letter(note("Look at the tests."))])).toBe(true);
  for (let i = 0; i < 3; i += 1) expect(detector.read([letter(note("Continue."), PERSON)])).toBe(true);
});

it.each([
  [turns([ls]), 'called bash {"command":"ls"} 6 times in a row. The last result: a b'],
  [turns([cat, ls]), "6 times in a row in turn with 1 other reply. The"],
  [turns([cat, text("a"), ls]), "6 times in a row in turn with 2 other replies."],
  [() => text(""), "gave an empty answer 6 times in a row."],
  [() => text("Hm."), 'answered "Hm." without a call 6 times in a row.'],
])("says what was repeated (%#)", (round, words) => {
  const detector = new LoopDetector();
  let last: LoopVerdict = { kind: "fine" };
  for (let n = 1; n <= 60 && last.kind !== "ended"; n += 1) last = observe(detector, round(n));
  expect(last).toMatchObject({ kind: "ended", text: expect.stringContaining(words) });
});

/** The kinds of the verdicts on these rounds; "news" and "task" are what comes in between. */
function kindsOf(...steps: readonly (Round | "news" | "task")[]): string {
  const detector = new LoopDetector();
  const kinds = steps.flatMap((step) => {
    if (step === "news") detector.read([letter({ kind: "note", text: "Continue." }, PERSON)]);
    else if (step === "task") detector.begin();
    else return [observe(detector, step).kind];
    return [];
  });
  return kinds.join(" ");
}

it.each([
  ["tells once", [ls, ls, ls, ls, ls], "fine fine told fine fine"],
  ["tells again after other work", [ls, ls, ls, cat, ls, ls, ls], "fine fine told fine fine fine told"],
  ["counts again after news", [ls, ls, "news", ls, ls, ls], "fine fine fine fine told"],
  ["tells again after news", [ls, ls, ls, "news", ls, ls, ls], "fine fine told fine fine told"],
  ["counts again with another task", [ls, ls, "task", ls, ls, ls], "fine fine fine fine told"],
] as const)("%s", (_, steps, kinds) => expect(kindsOf(...steps)).toBe(kinds));
