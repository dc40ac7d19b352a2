/** Questions about permissions find their way to somebody: a terminal of this process, any other terminal, the lead; or end as no. */
import { existsSync, readFileSync } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it, onTestFinished } from "vitest";
import type { Step } from "../../../src/adapters/models/scripted.ts";
import { recruits } from "../../../src/core/board/recruit.ts";
import { name, PERSON } from "../../../src/core/ids.ts";
import type { Settings } from "../../../src/core/settings/settings.ts";
import type { ModelRequest, Request } from "../../../src/ports/index.ts";
import { personalFile } from "../../../src/project/own-folders.ts";
import { answer } from "../../../src/team/actions/answer.ts";
import { WaitingQuestions } from "../../../src/team/queries/requests.ts";
import {
  type ProgramOptions,
  type ProgramTeam,
  programTeam,
  resultsIn,
} from "../../fixtures/program-team.ts";
import { soon } from "../../fixtures/soon.ts";

const alice = name("alice");
const call = (tool: string, input: Record<string, unknown> = {}) => ({ calls: [{ tool, input }] });
const bash = (command: string) => call("bash", { command });
const done = call("complete_task", { result: "ok" });
const quietly: Step = { times: "any", text: "fine" };
const last: readonly Step[] = [done, { text: "Done." }];

/** alice with a task, started. */
async function working(
  says: readonly Step[],
  settings: Partial<Settings> = {},
  more: Partial<ProgramOptions> = {},
): Promise<ProgramTeam> {
  const team = await programTeam({
    settings,
    ...more,
    says: { lead: [quietly], alice: [...says, ...last], ...more.says },
  });
  await team.store.board.add({ subject: "Paint" }, PERSON);
  await team.host.start({ goal: "Go" });
  return team;
}
async function question({ store, until }: ProgramTeam, shape = {}): Promise<Request> {
  await until("permission.asked", shape);
  const [request] = await store.requests.open({ kind: "permission" });
  if (!request) throw new Error("no question is open");
  return request;
}

it("headless, nobody is asked: refused at once, with the rule that would allow it", async () => {
  const team = await working([
    bash("touch x"),
    { when: "nobody is there to be asked", text: "So be it.", calls: done.calls },
  ]);
  expect(await team.host.done).toMatchObject({ completed: 1 });
  expect(resultsIn(team.requests("alice")[1])[0]).toMatch(/It would be allowed by --allow 'bash\(touch.*\)'/);
  expect(await team.events("permission.asked")).toEqual([]);
  expect(existsSync(join(team.folder, "x"))).toBe(false);
  expect(team.requests("lead")[0]?.tools.map(({ name }) => name)).not.toContain("review_permission");
});

it("a question waits for any terminal, shown as such; yes runs the call, and nothing is heard twice", async () => {
  const team = await working([bash("touch x"), bash("touch y")], { permissionsTo: "person" });
  const first = await question(team);
  expect(first).toMatchObject({ by: "alice", of: "person", ask: { tool: "bash", subject: "touch x" } });
  await team.until("teammate.phase", { who: alice, phase: "idle", reason: "awaiting_permission" });
  expect(await team.store.board.announceQuiet()).toBe("busy");
  await answer(team.store, first.id, "yes", "");
  const second = await question(team, { subject: "touch y" });
  // It asks, and then it is shown as waiting.
  await soon(async () =>
    expect(await team.store.roster.member(alice)).toMatchObject({
      activity: { reason: "awaiting_permission" },
    }),
  );
  await answer(team.store, second.id, "no", "x is enough");
  expect(await team.host.done).toMatchObject({ completed: 1 });
  const heard = team.requests("alice").at(-1);
  expect(resultsIn(heard)[1]).toBe(
    "bash: The person said no to bash (touch y): x is enough. Do it another way, or ask what they want.",
  );
  expect(JSON.stringify(heard)).not.toContain("permission_response");
  expect([existsSync(join(team.folder, "x")), existsSync(join(team.folder, "y"))]).toEqual([true, false]);
  expect(await team.events("permission.answered")).toMatchObject([
    { who: "alice", allowed: true, by: "person" },
    { allowed: false },
  ]);
});

const WAIT_MS = 1_500;

it("nobody answers: no at the deadline, and the work continues", async () => {
  const team = await working([bash("touch x"), { when: "nobody answered in time", ...bash("true") }], {
    permissionsTo: "person",
    permissionDeadlineMs: WAIT_MS,
  });
  expect(await team.host.done).toMatchObject({ completed: 1 });
  const [refused] = await team.events("tool.called");
  if (refused?.type !== "tool.called") throw new Error("no call was refused");
  // The wait for an answer is not the work of the call.
  expect(refused.isError).toBe(true);
  expect(refused.ms).toBeLessThan(WAIT_MS);
  expect(await team.events("permission.answered")).toMatchObject([{ allowed: false, by: "ekiden" }]);
});

it("waits for a person who watches as long as the team lives, for the lead five minutes", async () => {
  const watched = await working([bash("touch x")], { permissionsTo: "person" });
  const led = await working([bash("touch x")], { permissionsTo: "lead" });
  const waits = async (team: ProgramTeam): Promise<number> => {
    const { deadline, id } = await question(team);
    const [asked] = await team.events("permission.asked");
    await answer(team.store, id, "yes");
    await team.host.done;
    return deadline - (asked?.at ?? 0);
  };
  expect(await waits(watched)).toBeGreaterThan(7 * 86_400_000);
  const minutes = Math.round((await waits(led)) / 60_000);
  expect(minutes).toBe(5);
});

it("always: the rule is written into the person's settings, and holds at once for everybody", async () => {
  const text = '{\n  // mine\n  "allow": ["bash(git status*)"], // so far\n}\n';
  const team = await programTeam({
    settings: { permissionsTo: "person", teammates: [] },
    says: {
      lead: [
        {
          when: "Go",
          calls: [
            { tool: "create_task", input: { subject: "a" } },
            { tool: "create_task", input: { subject: "b", blocked_by: [1] } },
            { tool: "spawn_teammate", input: { name: "alice" } },
          ],
        },
        quietly,
      ],
      alice: [bash("touch x"), ...last, bash("touch x"), ...last],
    },
  });
  const file = personalFile(team.folder);
  onTestFinished(() => rm(dirname(file), { recursive: true }));
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
  await team.host.start({ goal: "Go" });
  const { id, ask } = await question(team);
  const rule = ask.kind === "permission" ? (ask.rule ?? "") : "";
  await answer(team.store, id, "always", "");
  expect(await team.host.done).toMatchObject({ completed: 2 });
  expect(await team.events("permission.asked")).toHaveLength(1);
  const after = readFileSync(file, "utf8");
  expect(after).toContain("// mine");
  expect(after).toContain("// so far");
  expect(after).toContain(JSON.stringify(rule));
  expect(rule).toBe("bash(touch x)");
});

it("by policy the lead answers; it has the tool only then, and cannot permit itself anything", async () => {
  let isAnswered = false;
  const review = ({ messages }: ModelRequest): ReturnType<typeof call> | null => {
    const [, id] = /kind=\\"permission_request\\" request=\\"([^"\\]+)/.exec(JSON.stringify(messages)) ?? [];
    if (id === undefined || isAnswered) return null;
    isAnswered = true;
    return call("review_permission", { request: id, allow: true });
  };
  const team = await programTeam({
    settings: { permissionsTo: "lead" },
    says: {
      lead: [
        { when: "Go", ...bash("touch own") },
        // The question may come with the refusal, or after it.
        (request) => review(request) ?? { text: "ok" },
        (request) => review(request) ?? { text: "ok" },
        quietly,
      ],
      alice: [bash("touch x"), ...last],
    },
  });
  await team.store.board.add({ subject: "Paint" }, PERSON);
  await team.host.start({ goal: "Go" });
  expect(await team.host.done).toMatchObject({ completed: 1 });
  expect(existsSync(join(team.folder, "x"))).toBe(true);
  const hasTool = team
    .requests("lead")
    .map(({ tools }) => tools.some((tool) => tool.name === "review_permission"));
  expect(new Set(hasTool)).toEqual(new Set([true]));
  expect(await team.events("permission.answered")).toMatchObject([
    { who: "alice", allowed: true, by: "lead" },
  ]);
});

it("where a face of the process asks, the question waits for it; the first answer counts, from any process", async () => {
  const shown: { id: string; over: AbortSignal }[] = [];
  const team = await working([bash("touch x")], {}, { host: { asks: true } });
  const waiting = new WaitingQuestions(team.store, ({ id }, over) => void shown.push({ id, over }));
  const { id } = await question(team);
  await waiting.take(await team.events("permission.asked"));
  await waiting.read();
  expect(shown).toMatchObject([{ id, over: { aborted: false } }]);
  await answer(team.store, id, "yes", "");
  await expect(answer(team.store, id, "no", "")).rejects.toThrow("was answered before");
  expect(await team.host.done).toMatchObject({ completed: 1 });
  await waiting.take(await team.events("permission.answered"));
  expect(shown).toMatchObject([{ id, over: { aborted: true } }]);
  expect(existsSync(join(team.folder, "x"))).toBe(true);
});

it("a deny is not asked about, and a member that is stopped while it waits does not wait on", async () => {
  const team = await working([bash("touch no"), bash("touch x")], {
    permissionsTo: "person",
    deny: ["bash(touch no)"],
  });
  const { id } = await question(team);
  expect(resultsIn(team.requests("alice")[1])[0]).toMatch(
    /^bash: Not permitted: bash \(touch no\): the rule deny/,
  );
  await team.host.stop(alice, true);
  expect(await team.store.requests.request(id)).toMatchObject({ state: "withdrawn" });
  expect(await team.store.roster.member(alice)).toMatchObject({ activity: { phase: "shutdown" } });
});

it("a subagent's question is its member's, and what it says is not streamed as its member's", async () => {
  const streamed: string[] = [];
  const team = await working(
    [
      call("task", { prompt: "Touch it for me" }),
      { when: "Touch it for me", ...bash("touch x") },
      { text: "Touched." },
    ],
    { permissionsTo: "person" },
    { host: { onDelta: (_who, { text }) => void streamed.push(text) } },
  );
  const { id } = await question(team, { who: "alice", subject: "touch x" });
  await answer(team.store, id, "yes", "");
  expect(await team.host.done).toMatchObject({ completed: 1 });
  expect(streamed).toContain("Done.");
  expect(streamed).not.toContain("Touched.");
  expect(existsSync(join(team.folder, "x"))).toBe(true);
});

it("a member that is asked to stop while its question waits answers at once; the question is taken back", async () => {
  const agree: Step = (request) => {
    const said = JSON.stringify(request.messages.at(-1)).replaceAll("\\", "");
    const id = /request="([^"]+)"/.exec(said)?.[1];
    return { calls: [{ tool: "respond_shutdown", input: { request: id, accept: true } }] };
  };
  const team = await working([bash("touch x"), agree], {
    permissionsTo: "person",
    shutdownDeadlineMs: 3_600_000,
  });
  const asked = await question(team);
  await team.host.stop(alice);
  expect(await team.store.requests.request(asked.id)).toMatchObject({ state: "withdrawn" });
  expect(await team.store.roster.member(alice)).toMatchObject({ activity: { phase: "shutdown" } });
  expect(existsSync(join(team.folder, "x"))).toBe(false);
  const [task] = await team.store.board.tasks();
  expect(task).toMatchObject({ status: "pending" });
});

it("a wider rule for this session answers the others that wait, and is written nowhere", async () => {
  const team = await working(
    [bash("git log --output=a")],
    { permissionsTo: "person", teammates: recruits(2) },
    {
      says: { bob: [bash("git log --output=b"), ...last] },
    },
  );
  await team.store.board.add({ subject: "Sand" }, PERSON);
  const open = await soon(async () => {
    const found = await team.store.requests.open();
    expect(found).toHaveLength(2);
    return found;
  });
  const [first] = open;
  const refused = answer(team.store, first?.id ?? "", "session", "bash(git show *)");
  await expect(refused).rejects.toThrow("does not cover what is asked about");
  await answer(team.store, first?.id ?? "", "session", "bash(git log *)");
  expect(await team.host.done).toMatchObject({ completed: 2 });
  expect(await team.events("permission.answered")).toHaveLength(1);
  expect(existsSync(personalFile(team.folder))).toBe(false);
});

it("asks while somebody has joined a process that nobody watches, and gives up a while after they left", async () => {
  let isThere = false;
  const come: Step = () => {
    isThere = true;
    return bash("touch b");
  };
  const team = await working(
    [bash("touch a"), come, bash("touch c")],
    { permissionDeadlineMs: WAIT_MS },
    { host: { asks: () => isThere } },
  );
  const { id } = await question(team, { subject: "touch b" });
  await team.store.requests.postpone(PERSON, 60_000);
  await sleep(2 * WAIT_MS); // the time that is waited for is the matter of the test
  await answer(team.store, id, "yes", "");
  const last = await question(team, { subject: "touch c" });
  await team.store.requests.postpone(PERSON, 60_000);
  isThere = false;
  expect(await team.host.done).toMatchObject({ completed: 1 });
  expect(await team.store.requests.request(last.id)).toMatchObject({ state: "withdrawn" });
  expect(["a", "b", "c"].map((file) => existsSync(join(team.folder, file)))).toEqual([false, true, false]);
});

it("a mode that allows an edit answers the question about it", async () => {
  const team = await working([call("write_file", { path: "x", content: "x" })], { permissionsTo: "person" });
  const { id } = await question(team);
  await team.host.order({ kind: "mode", mode: "accept-edits" });
  expect(await team.host.done).toMatchObject({ completed: 1 });
  expect(await team.store.requests.request(id)).toMatchObject({ state: "withdrawn" });
  expect(existsSync(join(team.folder, "x"))).toBe(true);
});
