/**
 * These tests check every tool that a member has with every strict emulator: each is called once, and its result goes back with the
 * thought before it. A new tool needs a call here.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { sampled } from "../../fixtures/fuzz.ts";
import { calls, type ModelCall, type Said, says } from "../../fixtures/model-server/index.ts";
import { pdfOf } from "../../fixtures/pdf.ts";
import { SERVICES } from "../../fixtures/thinking-models.ts";
import { hasThoughts, isLead, StrictProgram } from "./strict-program.ts";

let program: StrictProgram;
beforeEach(() => {
  program = new StrictProgram();
});
afterEach(() => program.end());

type Call = readonly [tool: string, input: object];

const PATCH = "*** Begin Patch\n*** Add File: patched.txt\n+patched\n*** End Patch";
const ALL: readonly Call[] = [
  ["read_transcript", {}],
  ["todo_write", { todos: [{ content: "Call all tools", status: "in_progress" }] }],
  ["write_file", { path: "a.txt", content: "one\ntwo\n" }],
  ["read_file", { path: "a.txt" }],
  ["read_file", { path: "a.pdf" }],
  ["read_file", { path: "a.ipynb" }],
  ["edit_file", { path: "a.txt", edits: [{ old: "one", new: "1" }] }],
  ["edit_file", { path: "a.txt", old: "three", new: "3" }],
  ["apply_patch", { patch: PATCH }],
  ["glob", { pattern: "*.txt" }],
  ["grep", { pattern: "two" }],
  ["bash", { command: "echo here" }],
  ["bash", { command: "echo behind", run_in_background: true }],
  ["check_background", {}],
  ["stop_background", { id: "1" }],
  ["fetch_url", { url: "http://127.0.0.1:9/" }],
  ["web_search", { query: "lamps" }],
  ["load_skill", { name: "hum" }],
  ["remember", { topic: "lamps", text: "They hang high." }],
  ["recall", { topic: "lamps" }],
  ["task", { prompt: "How is the wall?", read_only: true }],
  ["ask_person", { question: "Which lamp?", options: ["the red one", "the blue one"], go_on: true }],
  ["list_tasks", {}],
  ["get_task", { id: "1" }],
  ["note", { text: "The lamp is red.", kind: "trap" }],
  ["compact", {}],
];
const LEAD: readonly Call[] = [
  ["create_task", { subject: "Second", description: "Nothing to do." }],
  ["update_task", { id: "2", priority: 3 }],
  ["claim_task", { id: "2" }],
  ["release_task", { reason: "not mine" }],
  ["fail_task", { reason: "not mine" }],
  ["complete_task", { id: "2", result: "done", override: true }],
  ["send_message", { to: "alice", text: "Hello." }],
  ["broadcast", { text: "Hello, all." }],
  ["check_inbox", {}],
  ["spawn_teammate", { name: "bob" }],
  ["list_teammates", {}],
  ["retry_task", { id: "99" }],
  ["cancel_task", { id: "99", reason: "It is not there." }],
  ["request_plan", { name: "bob", text: "How?" }],
  ["review_plan", { request: "none", approve: true }],
  ["schedule_cron", { cron: "0 4 * * *", text: "Good morning." }],
  ["list_crons", {}],
  ["cancel_cron", { id: "1" }],
  ["request_shutdown", { name: "bob" }],
  ...ALL,
  ["idle", {}],
];
const TEAMMATE: readonly Call[] = [
  ["submit_plan", { plan: "1. call 2. rest" }],
  ["create_task", { subject: "Third" }],
  ["send_message", { to: "lead", text: "Hello." }],
  ["respond_shutdown", { request: "none", accept: false }],
  ...ALL,
  ["release_task", { reason: "for a moment" }],
  ["claim_task", { id: "1" }],
  ["complete_task", { result: "All is called." }],
  ["complete_task", { result: "All is called." }],
  ["split_task", { note: "too late" }],
  ["fail_task", { reason: "too late" }],
  ["idle", {}],
];

/** Calls its tools in order, those that it is offered. */
function walker(
  steps: readonly Call[],
  last: readonly Said[] = [says("All is called.")],
): { next(request: ModelCall): Said; readonly offered: Set<string> } {
  const left = [...steps];
  const offered = new Set<string>();
  let over = 0;
  return {
    offered,
    next({ tools }) {
      for (const tool of tools) offered.add(tool);
      for (let step = left.shift(); step; step = left.shift())
        if (tools.includes(step[0])) return calls(step[0], step[1]);
      over += 1;
      return last[over % last.length] as Said;
    },
  };
}

const services = sampled(Object.entries(SERVICES), 4);
it.each(services)("%s takes a call of every tool, and its result", async (_, service) => {
  // The teammate completes what is left on the board: else it would rest.
  const rest = [says("All is called."), calls("complete_task", { result: "All is called." })];
  const [lead, teammate] = [walker(LEAD), walker(TEAMMATE, rest)];
  const own: ModelCall[] = [];
  await program.serve((request) => {
    const { system, tools } = request;
    // a summary, or a search of the web
    if (tools.length < 2) return says("Lamps hang high.");
    if (isLead(request)) return lead.next(request);
    if (!system.includes('You are "alice", ')) return says("Nothing to do.");
    own.push(request);
    return teammate.next(request);
  });
  program.project.write({
    // Bob does nothing, so he rests, and the run ends when nobody else works.
    ".ekiden/settings.json": JSON.stringify({ memory: true, models: {}, providerTimeoutMs: 2_000 }),
    ".ekiden/skills/hum/SKILL.md": "---\nname: hum\ndescription: How to hum.\n---\nHum low.",
    "a.ipynb": JSON.stringify({
      ...{ nbformat: 4, metadata: {} },
      cells: [{ cell_type: "code", source: ["print(1)"], outputs: [] }],
    }),
  });
  writeFileSync(join(program.project.dir, "a.pdf"), pdfOf([["Lamps of the house"]]));
  await program.add("First");
  const { code, stderr } = await program.run(service, ["run", "Call all.", "--teammate", "alice"]);
  expect([0, 1, 3], stderr).toContain(code);
  const called = (steps: readonly Call[]): string[] => [...new Set(steps.map(([tool]) => tool))];
  expect(called(LEAD)).toEqual(expect.arrayContaining([...lead.offered]));
  expect(called(TEAMMATE)).toEqual(expect.arrayContaining([...teammate.offered]));
  expect(own.length).toBeGreaterThan(teammate.offered.size);
  await program.isSound("lead", "alice");
  hasThoughts(own.at(-1), service);
});
