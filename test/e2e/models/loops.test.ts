/** Models that repeat themselves, at default settings: each is stopped, says why, and costs at most `MOST` calls. */
import { describe, expect, it } from "vitest";
import type { ScriptedStep, Step } from "../../../src/adapters/models/scripted.ts";
import type { ModelRequest } from "../../../src/ports/index.ts";
import { sampled } from "../../fixtures/fuzz.ts";
import { type ProgramOptions, programTeam } from "../../fixtures/program-team.ts";
import { soon } from "../../fixtures/soon.ts";

const MOST = 64;
const call = (tool: string, input: Readonly<Record<string, unknown>> = {}): ScriptedStep => ({
  calls: [{ tool, input }],
});
/** Steps in turn, for ever. */
function* inTurn(steps: readonly ScriptedStep[]): Generator<ScriptedStep> {
  for (;;) yield* steps;
}
/** More than any limit allows: a model that runs out fails, and its test with it. */
const forEver = (...steps: readonly ScriptedStep[]): Step[] => {
  const source = inTurn(steps);
  return Array.from({ length: 2_000 }, () => source.next().value as ScriptedStep);
};
const counted = (step: (n: number) => ScriptedStep): Step[] =>
  Array.from({ length: 2_000 }, (_, n) => step(n + 1));
/** Other letters for each number, and no digits. */
const word = (n: number): string =>
  Array.from({ length: 5 }, (_, at) =>
    String.fromCharCode(97 + (Math.floor((n * 7919) / 23 ** at) % 23)),
  ).join("");
const looks = call("list_tasks");
const quiet: Step[] = [{ text: "I see.", times: "any" }];
const lastHeard = (requests: readonly ModelRequest[]): string =>
  JSON.stringify(requests.at(-1)?.messages ?? []);

const LOOPS: Readonly<Record<string, readonly Step[]>> = {
  "the same call": forEver(looks),
  "two calls in turn": forEver(looks, call("glob", { pattern: "*.md" })),
  "a text alone": forEver({ text: "I am on it." }),
  "an empty answer": forEver({}),
  "a call and a text in turn": forEver(looks, { text: "I looked." }),
  "a clock that is asked": forEver(call("bash", { command: "date" })),
  "a failing call": forEver(call("read_file", { path: "missing" })),
  "a tool that does not exist": forEver(call("do_it")),
  "a flood of tasks": counted((n) => call("create_task", { subject: `More ${n}` })),
  "a growing argument": counted((n) => call("glob", { pattern: `${"a".repeat(n)}*` })),
  "a growing text": counted((n) => ({ text: `I think ${"and think ".repeat(n)}` })),
  "an ever-changing text": counted((n) => ({ text: `Next I look at ${word(n)}.` })),
  "always something new": counted((n) => call("write_file", { path: `${word(n)}.txt`, content: word(n) })),
};
const kinds = Object.keys(LOOPS);
const bypass = { permissionMode: "bypass" } as const;

/** The judge says this of work that no repetition ends. */
const judge: Step[] = [{ who: "judge", text: "STOP: it gets nowhere", times: "any" }];
/** A member that only talks, or whose calls all fail, is one that cannot work: it rests, and its run ends after a while. */
const UNABLE = new Set([
  "a text alone",
  "an empty answer",
  "a failing call",
  "a tool that does not exist",
  "a growing text",
  "an ever-changing text",
]);
const JUDGED = new Set(["a flood of tasks", "a growing argument", "always something new"]);

const begin = async (says: ProgramOptions["says"], settings: ProgramOptions["settings"] = {}) =>
  await programTeam({ says: { judge, ...says }, settings: { ...bypass, ...settings } });

describe("a lead", () => {
  it.each(
    sampled(
      kinds.filter((kind) => kind !== "always something new"),
      4,
    ),
  )("that repeats %s", async (kind) => {
    const team = await begin({ lead: LOOPS[kind] ?? [] }, { teammates: [] });
    await team.host.start({ goal: "Go" });
    const { reason } = await team.host.done;
    const asked = team.requests("lead").length;
    expect(asked).toBeLessThanOrEqual(MOST);
    const rests = kind.includes("text") || kind === "an empty answer"; // as a lead does when it is done
    if (!rests) {
      expect(reason).toBe(JUDGED.has(kind) ? "progress" : "loop");
      if (JUDGED.has(kind)) return;
      expect((await team.events("warning.raised"))[0]).toMatchObject({ who: "lead" });
      expect(lastHeard(team.requests("lead"))).toContain("in a row");
    }
  });

  it("that always does something new is looked at after 60 calls, then after 120 and 240 more", async () => {
    const hints: Step[] = [
      { who: "judge", text: "GO ON" },
      { who: "judge", text: "**HINT**: read the notes first" },
      ...judge,
    ];
    const lead = LOOPS["always something new"] ?? [];
    const team = await programTeam({ says: { judge: hints, lead }, settings: { ...bypass, teammates: [] } });
    await team.host.start({ goal: "Go" });
    expect(await team.host.done).toMatchObject({
      reason: "progress",
      why: expect.stringContaining("nowhere"),
    });
    const looks = await team.events("work.judged");
    expect(
      looks.map(
        (fact) =>
          "verdict" in fact && ["task" in fact && fact.task, "calls" in fact && fact.calls, fact.verdict],
      ),
    ).toEqual([
      [null, 60, "go on"],
      [null, 150, "hint"],
      [null, 180, "stop"],
    ]);
    expect(JSON.stringify(team.requests("lead")[151]?.messages.at(-1))).toContain("read the notes first");
    const [{ system, messages, tools } = { system: "", messages: [], tools: [] }] = team.requests("judge");
    const size = Buffer.byteLength(system + JSON.stringify(messages));
    expect([tools, size < 9_000]).toEqual([[], true]);
    expect(JSON.stringify(messages)).toMatch(/The person said to the lead:.*Go.*60 model calls.*write_file/);
  });
});

describe("a teammate with a task", () => {
  const usual = kinds.filter((kind) => kind !== "always something new" && kind !== "a flood of tasks");
  it.each(sampled(usual, 4, 1))(
    "that repeats %s: the task goes back with the evidence, then it is failed",
    async (kind) => {
      const team = await begin({ lead: quiet, alice: LOOPS[kind] ?? [] }, { providerTimeoutMs: 500 });
      await team.host.start({ runbook: { goal: "Go", tasks: [{ subject: "Do it" }] } });
      const outcome = await team.host.done;
      expect(team.requests("alice").length).toBeLessThanOrEqual(MOST);
      if (UNABLE.has(kind)) return expect(outcome).toMatchObject({ reason: "model", failed: 0 });
      expect(outcome).toMatchObject({ reason: "concluded", failed: 1 });
      expect(await team.store.board.task(1 as never)).toMatchObject({
        status: "failed",
        attempt: JUDGED.has(kind) ? 1 : 3,
        reason: expect.stringContaining(JUDGED.has(kind) ? 'says "stop": it gets nowhere' : "alice"),
      });
    },
  );

  it("that floods the board is stopped, and its task goes back", async () => {
    const team = await begin({ lead: quiet, alice: LOOPS["a flood of tasks"] ?? [] }, { maxAttempts: 1 });
    await team.host.start({ runbook: { goal: "Go", tasks: [{ subject: "Do it" }] } });
    await team.until("task.failed", { task: 1 });
    expect(team.requests("alice").length).toBeLessThanOrEqual(MOST);
  });

  it("that always does something new is failed by a look, and continues where the answer cannot be read", async () => {
    const says = { lead: quiet, alice: LOOPS["always something new"] ?? [] };
    const team = await begin({ ...says, judge: [{ who: "judge", text: "Well …", times: 2 }, ...judge] });
    await team.host.start({ runbook: { goal: "Go", tasks: [{ subject: "Do it" }] } });
    expect(await team.host.done).toMatchObject({ reason: "concluded", failed: 1 });
    expect((await team.events("work.judged")).map((fact) => "verdict" in fact && fact.verdict)).toEqual([
      "none",
      "none",
      "stop",
    ]);
    expect(team.requests("alice")).toHaveLength(180);
  });

  it("that is found too large by a look is told to split it, and what came from it ends with it", async () => {
    const answers = ["SPLIT: by folder", "GO ON"].map((text) => ({ who: "judge", text }));
    const steps = [...(LOOPS["always something new"] ?? [])];
    steps[61] = call("create_task", { subject: "A part" });
    const team = await begin({ lead: quiet, alice: steps, judge: [...answers, ...judge] });
    await team.host.start({ runbook: { goal: "Go", tasks: [{ subject: "Do it" }] } });
    expect(await team.host.done).toMatchObject({ failed: 1, cancelled: 1, unfinished: 0 });
    expect(lastHeard(team.requests("alice").slice(0, 63))).toMatch(
      /after 60 model calls says that it is too large for one agent\. Split it into smaller tasks\. by folder/,
    );
  });
});

describe("a teammate without a task", () => {
  const told: readonly Step[] = [call("send_message", { to: "alice", text: "Look around." }), ...quiet];

  it.each(sampled(kinds, 4, 2))("that repeats %s waits for news, and the lead hears of it", async (kind) => {
    const team = await begin({ lead: told, alice: LOOPS[kind] ?? [] });
    await team.host.start({ goal: "Go" });
    await team.host.done;
    expect(team.requests("alice").length).toBeGreaterThan(0);
    expect(team.requests("alice").length).toBeLessThanOrEqual(MOST);
    expect(team.requests("lead").length).toBeLessThanOrEqual(6);
  });

  /** With a person at the terminal, so that the lead does not conclude between two mails. */
  const conversation = async (lead: readonly Step[]) => {
    const team = await programTeam({
      says: { lead, alice: LOOPS["the same call"] ?? [] },
      settings: { ...bypass, idleTimeoutMs: 600_000 },
      host: { interactive: true },
    });
    await team.host.start({ interactive: true });
    return team;
  };

  it("continues when there is news", async () => {
    const team = await conversation(told);
    await team.store.mail.send("person" as never, {
      to: "alice" as never,
      body: { kind: "note", text: "Look around." },
    });
    await team.until("teammate.phase", { who: "alice", phase: "idle", reason: "repeating" });
    const before = team.requests("alice").length;
    expect(before).toBe(6);
    await team.store.mail.send("person" as never, {
      to: "alice" as never,
      body: { kind: "note", text: "Look around." },
    });
    await soon(() => expect(team.requests("alice")).toHaveLength(before + 6));
  });

  it("is not asked again for what it has heard before", async () => {
    const team = await conversation(quiet);
    const { mail } = team.store;
    const sent = async (from: string): Promise<void> => {
      const body = { kind: "note", text: "Look again." } as const;
      await mail.send(from as never, { to: "alice" as never, body });
      await soon(async () => expect(await mail.unread("alice" as never)).toEqual([]));
    };
    await sent("lead");
    await soon(() => expect(team.requests("alice")).toHaveLength(6));
    await team.until("teammate.phase", { who: "alice", phase: "idle", reason: "repeating" });
    await sent("lead");
    await sent("person"); // whose words are always news
    await soon(async () => {
      const phases = await team.events("teammate.phase");
      const stopped = phases.filter((event) => JSON.stringify(event).includes("repeating"));
      expect(stopped).toHaveLength(2);
    });
    expect(team.requests("alice")).toHaveLength(12);
  });
});

describe("two members", () => {
  const alice = { to: "alice", text: "Your turn." };
  const bob = { to: "bob", text: "Your turn." };
  it.each([
    ["the same words", () => "Your turn."],
    ["numbered words", (n: number) => `Ping ${n}.`],
  ])("that keep each other awake with %s are stopped", async (_, words) => {
    const pingpong = (to: string): Step[] =>
      counted((n) => (n % 2 ? call("send_message", { to, text: words(n) }) : { text: "Sent." }));
    const lead: Step[] = [call("send_message", alice), call("send_message", bob), ...quiet];
    const team = await begin(
      { lead, alice: pingpong("bob"), bob: pingpong("alice") },
      {
        teammates: [
          { name: "alice" as never, role: "" },
          { name: "bob" as never, role: "" },
        ],
      },
    );
    await team.host.start({ goal: "Go" });
    await team.host.done;
    const all = ["lead", "alice", "bob"].map((who) => team.requests(who).length);
    expect(all.reduce((sum, n) => sum + n)).toBeLessThanOrEqual(MOST);
  });
});

it("ends a subagent that repeats itself, and says so to its member", async () => {
  const team = await begin(
    {
      lead: [
        { who: "lead/1", times: "any", ...call("glob", { pattern: "*" }) },
        { who: "lead", ...call("task", { prompt: "Look." }) },
        { who: "lead", when: "It was stopped because it repeated itself", text: "I see." },
      ],
    },
    { teammates: [] },
  );
  await team.host.start({ goal: "Go" });
  expect(await team.host.done).toMatchObject({ reason: "concluded", text: "I see." });
  expect(team.requests("lead").length).toBe(8);
});

it("ends a run at the limit of calls for its goal, tells it at 80 %, and names it", async () => {
  const settings = { teammates: [], callsPerTask: 10, turnsPerStint: 50 };
  const team = await begin({ lead: LOOPS["always something new"] ?? [] }, settings);
  await team.host.start({ goal: "Go" });
  expect((await team.host.done).reason).toBe("calls");
  expect(team.requests("lead").length).toBeLessThanOrEqual(11);
  expect(await team.events("warning.raised")).toMatchObject([
    { text: expect.stringMatching(/^80 % of what lead, members without a task .* may use \(10 model calls/) },
    { text: expect.stringContaining("(10 model calls, setting callsPerTask) is used up") },
  ]);
  expect(JSON.stringify(team.requests("lead").at(-1))).toContain("80 % of what");
});
