/** These tests check which repetitions are noticed, when, and which are not. */
import { describe, expect, it } from "vitest";
import type { Body, Mail } from "../board/mail.ts";
import type { Entry, ToolCall } from "../conversation/chat.ts";
import { type MailId, type Name, name, PERSON, type TaskId } from "../ids.ts";
import { type Round, stepsOf } from "./gains.ts";
import { LoopDetector, type LoopVerdict } from "./loop.ts";

const traits = (tool: string) => ({
  aboutTeam: tool === "send_message" || tool === "create_task",
  createsTasks: tool === "create_task",
  completes: tool === "complete_task",
  looks: ["bash", "read_file", "glob", "grep"].includes(tool),
  writes: tool === "write_file" || tool === "edit_file",
});
const observe = (detector: LoopDetector, round: Round): LoopVerdict =>
  detector.observe(round, stepsOf(round, traits));
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

describe("ends", () => {
  it("the same call with the same result after three rounds and five more", () => {
    const seen = watch(turns([ls]));
    expect(seen).toMatchObject({ told: 3, ended: 8 });
    expect(seen.words).toContain('You called bash {"command":"ls"} 3 times in a row. The last result: a b');
  });

  it("two calls in turn", () => {
    expect(watch(turns([ls, cat]))).toMatchObject({ told: 6, ended: 11 });
  });

  it("the same text, and no text at all", () => {
    expect(watch(() => text("Working on it."))).toMatchObject({ told: 3, ended: 8 });
    expect(watch(() => text(""))).toMatchObject({ told: 3, ended: 8 });
    expect(watch(turns([ls, text("Now I look.")]))).toMatchObject({ told: 6, ended: 11 });
  });

  it("mail to and fro in which only numbers differ", () => {
    const mail = (n: number) =>
      called("send_message", { to: "bob", text: `ping ${n}` }, `Sent to bob (${n}).`);
    expect(watch((n) => (n % 2 ? mail(n) : text(`sent ${n}`)))).toMatchObject({ told: 10, ended: 20 });
  });

  it("a flood of tasks, numbered or not", () => {
    const words = (n: number) => String.fromCharCode(96 + (n % 26), 97 + Math.floor(n / 26));
    expect(watch((n) => called("create_task", { subject: `t${n}` }, `#${n}`))).toMatchObject({ ended: 20 });
    expect(watch((n) => called("create_task", { subject: words(n) }, `#${n}`))).toMatchObject({
      told: 20,
      ended: 40,
    });
  });

  it("a call or a text that only grows, at its end or in the middle", () => {
    const more = (n: number) => "pad ".repeat(n);
    const glob = (n: number) => called("glob", { pattern: `${more(n)}*` }, `${n} files: ${more(60 - n)}`);
    expect(watch(glob)).toMatchObject({ told: 8, ended: 20 });
    expect(watch((n) => called("bash", { command: `echo ${more(n)}` }, more(n)))).toMatchObject({
      ended: 20,
    });
    expect(watch((n) => text(`So: ${more(n)}`))).toMatchObject({ told: 8, ended: 20 });
    expect(watch(glob).words).toContain("Each time you only add");
  });

  it.each([
    [4, 12, 17],
    [5, 10, 20],
    [9, 18, 32],
    [16, 32, 53],
    [17, null, null],
  ])("%i replies in turn", (period, told, ended) => {
    const reads = Array.from({ length: period }, (_, i) => called("read_file", { path: `f${i}` }, "x"));
    expect(watch(turns(reads))).toMatchObject({ told, ended });
  });

  it("calls that fail in other ways, and mail in other words", () => {
    const word = (n: number) => String.fromCharCode(96 + (n % 26), 97 + Math.floor(n / 26));
    const failed = (n: number): Round =>
      called("bash", { command: word(n) }, `${word(n)}: not found`).map((entry) =>
        entry.kind === "result" ? { ...entry, result: { ...entry.result, isError: true } } : entry,
      );
    expect(watch(failed)).toMatchObject({ told: 15, ended: 40 });
    const mail = (n: number) => called("send_message", { to: "bob", text: word(n) }, "Sent.");
    expect(watch(mail)).toMatchObject({ told: 20, ended: 40 });
  });

  it("long calls only if they are the same to the last character", () => {
    const write = (text: string) => called("write_file", { path: "a", text }, "Written.");
    const filled = (n: number, at: number) => {
      const all = [..."-".repeat(2_000)];
      all[at] = "abc"[n % 3] ?? "";
      return write(all.join(""));
    };
    expect(watch(() => filled(0, 0))).toMatchObject({ told: 3, ended: 8 });
    for (const at of [0, 1, 1_000, 1_001, 1_998, 1_999])
      expect(watch((n) => filled(n, at))).toMatchObject({ told: 9 });
  });

  it("polls whose results differ in their digits alone", () => {
    const seen = watch((n) => called("bash", { command: "date" }, `09:${n}`));
    expect(seen).toMatchObject({ told: 5, ended: 17 });
    expect(seen.words).toContain("call idle");
  });
});

describe("does not end", () => {
  it("polls of what really changes, but tells what costs nothing", () => {
    const grown = (n: number) => called("check_background", { job: "j1" }, "x".repeat(n));
    expect(watch(grown)).toMatchObject({ told: 5, ended: null });
  });

  it("edit and test, pages of a file, tries with other numbers", () => {
    const edit = (n: number) => called("edit_file", { path: "a", to: `v${n}` }, "Edited.");
    const test = called("bash", { command: "npm test" }, "1 failed");
    expect(watch((n) => (n % 2 ? edit(n) : test))).toMatchObject({ told: null, ended: null });
    const page = (n: number) => called("read_file", { offset: n }, `line ${n}`);
    expect(watch(page)).toMatchObject({ told: null, ended: null });
    const tried = (n: number) => called("bash", { command: `train --rate 0.${n}` }, `loss 0.${n}`);
    expect(watch(tried)).toMatchObject({ told: null, ended: null });
  });

  it("what grows with other work between, and what only resembles the call before", () => {
    const notes = (n: number) => called("write_file", { path: "n", text: "x".repeat(n) }, `${n} characters`);
    expect(watch((n) => (n % 2 ? notes(n) : called("read_file", { path: `f${n}` }, `${n} b`)))).toMatchObject(
      {
        ended: null,
      },
    );
    const word = (n: number) => String.fromCharCode(97 + (n % 26)).repeat(1 + (n % 9));
    expect(watch((n) => called("grep", { pattern: word(n) }, `${word(n)} found`))).toMatchObject({
      told: null,
    });
  });

  it("a file that grows, and edits that differ in digits", () => {
    const chapters = (n: number) => Array.from({ length: n }, (_, i) => `Chapter ${i}`).join("\n");
    const write = (n: number) => called("write_file", { path: "a", content: chapters(n) }, `${n} lines`);
    expect(watch(write)).toMatchObject({ told: null, ended: null });
    const edit = (n: number) =>
      called("edit_file", { path: "a", old: `v${n} = 0`, new: `v${n} = 1` }, `Replaced line ${n}.`);
    expect(watch(edit)).toMatchObject({ told: null, ended: null });
  });

  it("new tasks with other work between", () => {
    const words = (n: number) => String.fromCharCode(96 + (n % 26), 97 + Math.floor(n / 26));
    const task = (n: number) => called("create_task", { subject: words(n) }, `#${n}`);
    const read = (n: number) => called("read_file", { path: words(n) }, words(n + 7));
    expect(watch((n) => (n % 2 ? task(n) : read(n)))).toMatchObject({ told: null, ended: null });
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

it("goes on with an agent that waits for commands which end alike, and ends one that starts the same ones again", () => {
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
  expect(watch(() => text("Noted."), silent).ended).toBe(8);
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
  for (let i = 0; i < 3; i += 1) expect(detector.read([letter(note("Go on."), PERSON)])).toBe(true);
});

it("calls a stint progress when it made a call, or got a result, that it had not seen", () => {
  const detector = new LoopDetector();
  observe(detector, ls);
  expect(detector.takeProgress()).toBe(true);
  observe(detector, ls);
  observe(detector, text("new words are no progress"));
  expect(detector.takeProgress()).toBe(false);
  observe(detector, called("bash", { command: "ls" }, "a b c"));
  expect(detector.takeProgress()).toBe(true);
  detector.begin();
  observe(detector, ls);
  expect(detector.takeProgress()).toBe(true);
});

describe("says", () => {
  const more = (n: number) => "pad ".repeat(n);
  const task = (n: number) => called("create_task", { subject: `t${n}` }, `#${n}`);
  const LOOK = 'called bash {"command":"ls"}';
  it.each([
    [turns([ls]), `${LOOK} 8 times in a row. The last result: a b`, false],
    [
      turns([cat, ls]),
      `called read_file {"path":"a"} 5 times in a row in turn with 1 other reply. The`,
      false,
    ],
    [turns([cat, text("a"), ls]), "4 times in a row in turn with 2 other replies.", false],
    [turns([cat, text("a"), text("a")]), "5 times in a row in turn with 2 other replies.", false],
    [() => text(""), "gave an empty answer 8 times in a row.", false],
    [() => text("Hm."), 'answered "Hm." without a call 8 times in a row.', false],
    [(n: number) => text(`So: ${more(n)}`), "without a call 20 times in a row.", false],
    [task, 'called create_task {"subject":"t20"} 20 times in a row. The last result: #20', true],
    [
      (n: number) => called("create_task", { subject: `${"abcdefg"[n % 7]}${"hijkl"[n % 5]}` }, `#${n}`),
      "40 times",
      true,
    ],
    [(n: number) => text(`I sent ${n}.`), 'answered "I sent 20." without a call 20 times', true],
  ])("what was repeated, and whether that reached others (%#)", (round, words, floods) => {
    const detector = new LoopDetector();
    let last: LoopVerdict = { kind: "fine" };
    for (let n = 1; n <= 60 && last.kind !== "ended"; n += 1) last = observe(detector, round(n));
    expect(last).toMatchObject({ kind: "ended", text: expect.stringContaining(words), floods });
  });
});

/** The kinds of the verdicts on these rounds; "news" and "task" are what comes in between. */
function kindsOf(...steps: readonly (Round | "news" | "task")[]): string {
  const detector = new LoopDetector();
  const kinds = steps.flatMap((step) => {
    if (step === "news") detector.read([letter({ kind: "note", text: "Go on." }, PERSON)]);
    else if (step === "task") detector.begin();
    else return [observe(detector, step).kind];
    return [];
  });
  return kinds.join(" ");
}

it.each([
  ["tells once", [ls, ls, ls, ls, ls], "fine fine told fine fine"],
  ["tells again after other work", [ls, ls, ls, cat, ls, ls, ls], "fine fine told fine fine fine told"],
  ["counts anew after news", [ls, ls, "news", ls, ls, ls], "fine fine fine fine told"],
  ["tells again after news", [ls, ls, ls, "news", ls, ls, ls], "fine fine told fine fine told"],
  ["counts anew with another task", [ls, ls, "task", ls, ls, ls], "fine fine fine fine told"],
] as const)("%s", (_, steps, kinds) => expect(kindsOf(...steps)).toBe(kinds));

it("takes no progress of one task for that of the next", () => {
  const detector = new LoopDetector();
  observe(detector, ls);
  detector.begin();
  expect(detector.takeProgress()).toBe(false);
});
