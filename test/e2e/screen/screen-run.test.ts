/** `ekiden run` on the full screen: runbooks, questions of several members, plans, a word to a teammate, interrupt and resume. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { textOf } from "../../../src/core/conversation/chat.ts";
import {
  type Answer,
  calls,
  type ModelCall,
  type ModelServer,
  runs,
  says,
  startModelServer,
} from "../../fixtures/model-server/index.ts";
import { project } from "../../fixtures/project.ts";
import type { InTerminal } from "../../fixtures/pty.ts";
import { soon } from "../../fixtures/soon.ts";

const SIZE = { columns: 120, rows: 40 };
const SMALL = { columns: 80, rows: 24 };
const WAIT_FOR_GO = "until [ -e go ]; do sleep 0.05; done; echo gone";
const MODEL = ["--model", "anthropic/claude-sonnet-5-5"];

/** A lead that only talks, and teammates that do what `work` says. `work` gets the last message and whether it is a result. */
async function models(
  work: (text: string, isResult: boolean, request: ModelCall) => Answer,
): Promise<ModelServer> {
  const server = await startModelServer({
    anthropic: (request) => {
      const last = request.messages.at(-1);
      const text = last ? textOf(last) : "";
      if (request.system.startsWith('You are "lead"'))
        return says(text.includes("board is quiet") ? "All of it is done." : "I see.");
      const results = last?.content.flatMap((part) => (part.type === "result" ? [part.text] : [])) ?? [];
      return work([...results, text].join("\n"), results.length > 0, request);
    },
  });
  onTestFinished(() => server.close());
  return server;
}

/** Answers the question that waits once the card says that it may be answered. */
async function answers(terminal: InTerminal, answer: string, question: string | RegExp): Promise<void> {
  await terminal.shows(question);
  await terminal.shows("↓↑ choose");
  terminal.type(`${answer}\r`);
}

it("works through a runbook with a failing step, continues after a fix, and leaves a summary on the normal screen", async () => {
  const place = project();
  place.write({
    "plan.md": `# Ship\n\n## Build\n\n\`\`\`sh\nfor i in 1 2 3 4; do echo built-$i; done; ${WAIT_FOR_GO}\n\`\`\`\n\n## Check\n\nAfter: Build\n\n\`\`\`sh\necho checking; test -e fixed\n\`\`\`\n`,
  });
  const first = await place.open(["run", "plan.md", "--teammates", "1"], SMALL);
  await first.shows(/alice +#1 +runs .*/);
  first.type("\x1bOQ");
  await first.shows(/─ board[\s\S]*◆ +#1 Build[\s\S]*◆ +#2 Check after #1/);
  first.type("\x0e");
  await first.shows(/│ built-2\n[^\n]*│ built-3\n[^\n]*│ built-4/);
  place.write({ go: "" });
  expect(await first.ended).toBe(1);
  expect(first.screen()).toMatch(/1 completed, 1 failed/);
  expect(first.screen()).toMatch(/Failed: #2 [\s\S]*ekiden tasks 2/);
  place.write({ fixed: "" });
  const again = await place.open(["run", "plan.md"], SMALL);
  expect(await again.ended).toBe(0);
});

it("shows the board as it is when many tasks end at once and nothing happens then", async () => {
  const place = project();
  const quick = Array.from({ length: 12 }, (_, i) => `## Quick ${i + 1}\n\n\`\`\`sh\ntrue\n\`\`\`\n`).join(
    "\n",
  );
  place.write({ "plan.md": `# Ship\n\n${quick}\n## Long\n\n\`\`\`sh\n${WAIT_FOR_GO}\n\`\`\`\n` });
  const terminal = await place.open(["run", "plan.md", "--teammates", "3"], SIZE);
  terminal.type("\x1bOQ");
  await terminal.shows(/─ board[\s\S]*12 completed, 1 in progress[\s\S]*#13 Long +▶ in progress/);
  place.write({ go: "" });
  expect(await terminal.ended).toBe(0);
});

it("settles all questions of one rule by one answer, while the others' news continues", async () => {
  const place = project();
  for (const name of ["One", "Two", "Three"]) await place.add({ subject: name });
  const server = await models((text, isResult) => {
    if (!isResult) return text.includes("<auto-claimed") ? runs("touch made") : says("Nothing more.");
    return text.startsWith("Completed") ? says("Done.") : calls("complete_task", { result: "made it" });
  });
  const terminal = await place.open(["run", "Do the tasks", "--teammates", "3", ...MODEL], {
    ...SIZE,
    env: { ...server.env, EKIDEN_SANDBOX: "off" }, // so that a command is asked about
  });
  const card = await terminal.shows(/wants to run a command +1 of 3/);
  // The question of the first did not keep the others from claiming and asking.
  expect(card).toMatch(/carol +#\d +waits for you/);
  expect(card).toMatch(/for #\d (?:One|Two|Three)/);
  expect(card).toContain("yes to all 3 that this rule covers");
  terminal.type("\t");
  await terminal.shows("2 of 3");
  await answers(terminal, "all", "2 of 3");
  expect(await terminal.ended).toBe(0);
  expect(terminal.screen()).toContain("3 completed");
  expect(existsSync(join(place.dir, ".ekiden/settings.json"))).toBe(false);
});

it("shows a plan and takes the answer in place", async () => {
  const place = project();
  await place.add({ subject: "Change the API", needsPlan: true });
  const server = await models((text, isResult) => {
    if (isResult && text.startsWith("Completed")) return says("Done.");
    if (text.includes("Your plan for #1 is approved")) return calls("complete_task", { result: "changed" });
    if (text.includes("keep the old names"))
      return calls("submit_plan", { plan: "Second plan: keep the names" });
    return text.includes("<auto-claimed")
      ? calls("submit_plan", { plan: "First plan:\n\n1. **rename** all" })
      : says("I wait.");
  });
  const terminal = await place.open(["run", "Change it", "--teammates", "1", ...MODEL], {
    ...SIZE,
    env: server.env,
  });
  const card = await terminal.shows(/alice plans #1/);
  expect(card).toMatch(/for #1 Change the API/);
  expect(card).toMatch(/1\. rename all/);
  await answers(terminal, "n keep the old names", "First plan:");
  await terminal.shows("Second plan: keep the names");
  await answers(terminal, "y", "Second plan");
  expect(await terminal.ended).toBe(0);
});

it("enters a teammate, passes on a word, and returns", async () => {
  const place = project();
  await place.add({ subject: "Wait" });
  const server = await models((text, isResult) => {
    if (text.includes("hello alice")) return says("Hello to you, too.");
    if (isResult && text.includes("gone")) return calls("complete_task", { result: "waited" });
    if (isResult && text.startsWith("Completed")) return says("Done.");
    return runs(text.includes("<auto-claimed") ? WAIT_FOR_GO : WAIT_FOR_GO.replace("go ]", "go-on ]"));
  });
  const args = ["--teammates", "1", "--allow", "bash", ...MODEL];
  const terminal = await place.open(["run", "Wait for it", ...args], { ...SMALL, env: server.env });
  await terminal.shows(/alice +#1 +runs until/);
  terminal.type("/to alice\r");
  await terminal.shows(/alice +esc interrupts · ← lead/);
  terminal.type("hello alice\r");
  await terminal.shows("→ alice: hello alice");
  place.write({ go: "" });
  await soon(() =>
    expect(server.requests.some(({ messages }) => JSON.stringify(messages).includes("hello alice"))).toBe(
      true,
    ),
  );
  await terminal.shows("Hello to you, too.");
  await terminal.shows(/go-on/);
  terminal.type("/to\r");
  await soon(() => expect(terminal.screen()).not.toContain("← lead"));
  place.write({ "go-on": "" });
  expect(await terminal.ended).toBe(0);
});

it("keeps the state of a run that Ctrl-C stops; resume ends it with a summary", async () => {
  const place = project();
  await place.add({ subject: "Wait" });
  const server = await models((text, isResult) => {
    if (isResult && text.startsWith("Completed")) return says("Done.");
    if (isResult && text.includes("gone")) return calls("complete_task", { result: "waited" });
    return runs(WAIT_FOR_GO);
  });
  const args = ["--teammates", "1", "--allow", "bash", ...MODEL];
  const first = await place.open(["run", "Wait for it", ...args], { ...SMALL, env: server.env });
  await first.shows(/alice +#1 +runs until/);
  first.type("\x03");
  expect(await first.ended).toBe(130);
  expect(first.screen()).toContain("To continue: ekiden resume.");
  place.write({ go: "" });
  const second = await place.open(["resume", "--allow", "bash"], { ...SMALL, env: server.env });
  expect(await second.ended).toBe(0);
  expect(second.screen()).toContain("All of it is done.");
  expect(second.screen()).toMatch(/1 completed.* tokens/);
});
