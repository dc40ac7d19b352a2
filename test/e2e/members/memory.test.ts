/** Memory over sessions: by hand, by itself at the end of a stint, and within its bound. */
import { expect, it, onTestFinished } from "vitest";
import { systemClock } from "../../../src/adapters/clock.ts";
import { openModel } from "../../../src/adapters/models/index.ts";
import { name, PERSON } from "../../../src/core/ids.ts";
import { compact as compactOf } from "../../../src/tools/compact.ts";
import { equippedTeam, heardIn, toolsOf } from "../../fixtures/equipped-team.ts";
import { calls, says, startModelServer } from "../../fixtures/model-server/index.ts";
import { opening } from "../../fixtures/opening.ts";

const compact = compactOf(() => Number.POSITIVE_INFINITY);

const alice = name("alice");
const idle = { who: "alice", phase: "idle" };
const look = { calls: [{ tool: "glob", input: { pattern: "*" } }] };
const notes = (...list: readonly [topic: string, text: string][]) => ({
  text: JSON.stringify(list.map(([topic, text]) => ({ topic, text }))),
  usage: { inputTokens: 50, outputTokens: 5 },
});

it("is offered only where a project has one, and what is remembered is recalled in another session", async () => {
  const files = {
    ".ekiden/memory/MEMORY.md": "# Memory\n\n- [build](build.md): npm test\n",
    ".ekiden/memory/build.md": "- npm test needs PostgreSQL\n",
  };
  const first = await equippedTeam({
    files,
    says: {
      alice: [
        { calls: [{ tool: "recall", input: { topic: "build" } }] },
        {
          when: "npm test needs PostgreSQL",
          calls: [
            { tool: "remember", input: { topic: "People", text: "Ada wants small commits" } },
            { tool: "remember", input: { topic: "keys", text: `token: ${"abc123def"}` } },
          ],
        },
        { when: "seems to hold a secret", text: "Noted." },
        { when: "again", calls: [{ tool: "recall", input: { topic: "people" } }] },
        { when: "- Ada wants small commits (alice, ", text: "Known." },
      ],
    },
  });
  await first.join("alice", { prompt: "Go" });
  await first.until("mail.sent", { from: "alice", kind: "idle_notice" });
  await first.store.mail.send(PERSON, { to: alice, body: { kind: "note", text: "again" } });
  await first.until("turn.taken", { text: "Known." });
  first.models.get("alice")?.finish();
  const requests = first.models.get("alice")?.requests ?? [];
  expect(requests[0] && opening(requests[0])).toContain("<memory>");
  expect(heardIn(requests[2])).not.toContain("(people.md)"); // not during a stint
  expect(heardIn(requests[3])).toContain("- [people](people.md): Ada wants small commits");
  expect(await first.memory.index()).not.toContain("keys");

  const bare = await equippedTeam({ says: { alice: [{ text: "Hi." }] } });
  await bare.join("alice", { prompt: "Go" });
  await bare.until("teammate.phase", idle);
  expect(toolsOf(bare.models.get("alice")?.requests[0])).not.toContain("remember");
  expect(await bare.memory.exists()).toBe(false);
});

it("is kept by itself at the end of a stint, when it is switched on; the call is bounded and booked", async () => {
  const team = await equippedTeam({
    notes: true,
    says: {
      alice: [
        look,
        look,
        { text: "The tests need PostgreSQL." },
        notes(["build", "Tests need PostgreSQL"], ["keys", `password: ${"hunter22"}`]),
        { when: "short", text: "Short answer." },
      ],
    },
  });
  await team.join("alice", { prompt: "Look around" });
  await team.until("mail.sent", { from: "alice", kind: "idle_notice" });
  const model = team.models.get("alice");
  const extract = model?.requests[3];
  expect(extract?.tools).toEqual([]);
  expect(extract?.maxOutputTokens).toBe(1_000);
  expect(heardIn(extract)).toContain("The tests need PostgreSQL.");
  expect(await team.events("memory.kept")).toMatchObject([{ who: "alice", topics: ["build"] }]);
  expect(await team.memory.recall("build")).toContain("Tests need PostgreSQL (alice, ");
  expect(team.costs).toEqual([{ who: "alice", tokens: 55, usd: 0 }]);
  // neither its question nor its answer became part of the conversation
  expect(JSON.stringify(await team.store.transcript.all(alice))).not.toContain("hunter22");

  await team.store.mail.send(PERSON, { to: alice, body: { kind: "note", text: "short" } });
  await team.until("turn.taken", { text: "Short answer." });
  await team.store.journal.end();
  model?.finish(); // a stint of one reply is not worth a call
});

it("is taken from what a summary replaced: before the summary, and from the transcript afterwards", async () => {
  const team = await equippedTeam({
    notes: true,
    says: {
      alice: [
        { text: "Port 4711 is taken.", calls: [{ tool: "list_tasks" }] },
        look,
        { text: "Looked.", calls: [{ tool: "compact" }] },
        notes(["ports", "Port 4711 is taken"]),
        { text: "short notes of the conversation" },
        look,
        look,
        { text: "The end." },
        notes(["end", "It ended"]),
      ],
    },
    tools: [compact],
  });
  await team.join("alice", { prompt: "Look around" });
  await team.until("mail.sent", { from: "alice", kind: "idle_notice" });
  const requests = team.models.get("alice")?.requests ?? [];
  expect(heardIn(requests[3])).toContain("Port 4711 is taken.");
  expect(heardIn(requests[4])).toContain("Port 4711 is taken."); // the summary itself
  expect(heardIn(requests[8])).toContain("The end.");
  expect(heardIn(requests[8])).not.toContain("Port 4711 is taken."); // read before
  expect(await team.events("memory.kept")).toMatchObject([{ topics: ["ports"] }, { topics: ["end"] }]);
  team.models.get("alice")?.finish();
});

it("is taken at the end of a stint also from what a summary replaced, if too little had been said before it", async () => {
  const team = await equippedTeam({
    notes: true,
    says: {
      alice: [
        { text: "Port 4711 is taken.", calls: [{ tool: "list_tasks" }] },
        { text: "Looked.", calls: [{ tool: "compact" }] },
        { text: "short notes of the conversation" },
        { text: "The end." },
        notes(["ports", "Port 4711 is taken"]),
      ],
    },
    tools: [compact],
  });
  await team.join("alice", { prompt: "Look around" });
  await team.until("mail.sent", { from: "alice", kind: "idle_notice" });
  const extract = heardIn(team.models.get("alice")?.requests[4]);
  expect(extract).toContain("Port 4711 is taken.");
  expect(extract).toContain("The end.");
  expect(await team.events("memory.kept")).toMatchObject([{ topics: ["ports"] }]);
  team.models.get("alice")?.finish();
});

it("that cannot be kept is a warning, and the member continues", async () => {
  const team = await equippedTeam({
    notes: true,
    says: {
      alice: [
        look,
        look,
        { text: "Done." },
        { fail: { code: "model_overloaded", message: "busy" } },
        { when: "again", text: "Still here." },
      ],
    },
  });
  await team.join("alice", { prompt: "Go" });
  await team.until("mail.sent", { from: "alice", kind: "idle_notice" });
  expect(await team.events("warning.raised")).toMatchObject([
    { who: "alice", text: expect.stringContaining("was not kept") },
  ]);
  await team.store.mail.send(PERSON, { to: alice, body: { kind: "note", text: "again" } });
  await team.until("turn.taken", { text: "Still here." });
});

it("takes no new topic once it is full: the model is told before, and a note that is not kept is a warning", async () => {
  const index = Array.from({ length: 40 }, (_, i) => `- [t${i}](t${i}.md): fact ${i}`).join("\n");
  const team = await equippedTeam({
    files: { ".ekiden/memory/MEMORY.md": `${index}\n` },
    notes: true,
    says: { alice: [look, look, { text: "Done." }, notes(["new", "lost"], ["t0", "one more"])] },
  });
  await team.join("alice", { prompt: "Go" });
  await team.until("mail.sent", { from: "alice", kind: "idle_notice" });
  expect(heardIn(team.models.get("alice")?.requests[3])).toContain("Memory is full");
  expect(await team.memory.recall("t0")).toContain("one more");
  expect(await team.events("memory.kept")).toMatchObject([{ topics: ["t0"] }]);
  expect(await team.events("warning.raised")).toMatchObject([
    { who: "alice", text: expect.stringMatching(/was not kept: Memory is full.*Use one of its topics: t0,/) },
  ]);
  team.models.get("alice")?.finish();
});

it("works the same over HTTP: skill, subagent, memory, and a conversation that a strict vendor accepts", async () => {
  const server = await startModelServer({
    anthropic: ({ system, messages }) => {
      if (system.startsWith("You keep the memory")) return says(notes(["build", "make is enough"]).text);
      if (system.includes('"alice/'))
        return messages.length === 1 ? calls("glob", { pattern: "*.md" }) : says("README.md");
      const heard = JSON.stringify(messages.at(-1));
      if (heard.includes("Look after the docs")) return calls("load_skill", { name: "docs" });
      if (heard.includes("Read everything."))
        return {
          calls: [1, 2].map((n) => ({ tool: "task", input: { prompt: `Part ${n}`, read_only: true } })),
        };
      return says("All read.");
    },
  });
  onTestFinished(() => server.close());
  const model = await openModel("anthropic/claude-haiku-4-5", { env: server.env, clock: systemClock });
  const team = await equippedTeam({
    notes: true,
    files: { "README.md": "", ".agents/skills/docs/SKILL.md": "Read everything." },
    model: () => model,
  });
  await team.join("alice", { prompt: "Look after the docs" });
  await team.until("mail.sent", { from: "alice", kind: "idle_notice" });
  expect(await team.memory.recall("build")).toContain("make is enough");
  const subs = server.requests.filter(({ system }) => system.includes('"alice/'));
  expect(subs).toHaveLength(4);
  expect(new Set(subs.map(({ system }) => /"(alice\/\d)"/.exec(system)?.[1]))).toEqual(
    new Set(["alice/1", "alice/2"]),
  );
  const booked = await team.store.roster.member(alice);
  expect(booked?.turns).toBe(7);
  expect(team.costs).toHaveLength(5);
});
