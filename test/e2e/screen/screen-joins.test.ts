/** A terminal that joins an `ekiden run` of another one: the same picture, live, and the same keys; the run does not end with it. */
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it, onTestFinished } from "vitest";
import { textOf } from "../../../src/core/conversation/chat.ts";
import { calls, runs, says, startModelServer } from "../../fixtures/model-server/index.ts";
import { project } from "../../fixtures/project.ts";
import type { InTerminal } from "../../fixtures/pty.ts";
import { soon } from "../../fixtures/soon.ts";

const MODEL = ["--model", "anthropic/claude-sonnet-5-5"];
const SIZE = { columns: 110, rows: 24 };

/** Esc interrupts when the head line could be read. What is typed next begins with another key, which may come together with the last Esc. */
const interrupt = (terminal: InTerminal): Promise<void> =>
  soon(() => {
    terminal.type("\x1b");
    expect(terminal.screen()).toMatch(/bob +#1 +waits for you: you stopped it/);
  });

it("steers a run from a second terminal: mode, interruption, question, words", async () => {
  const place = project();
  const server = await startModelServer({
    anthropic: ({ system, messages }) => {
      if (system.startsWith('You are "lead"')) return says("I see.");
      const last = messages.at(-1);
      if (last && textOf(last).includes("hello bob")) return says("Hello, I am bob.");
      if (last && textOf(last).includes("push it")) return runs("git push origin main");
      return runs("until [ -e go ]; do sleep 0.05; done; echo gone");
    },
  });
  onTestFinished(() => server.close());
  await place.add({ subject: "Wait" });
  const env = { ...server.env, EKIDEN_CONFINED_COMMANDS: "ask" };
  const run = await place.open(["resume", "--teammate", "bob", "--allow", "bash(until *)", ...MODEL], {
    ...SIZE,
    env,
  });
  await run.shows(/bob +#1 +runs until/);
  const other = await place.open([], { ...SIZE, env });
  await other.shows(/bob +#1 +runs until[\s\S]*asks before edits ·/);
  other.type("\x1b[Z");
  for (const terminal of [other, run]) await terminal.shows(/ edits without asking · /);

  other.type("\x0e");
  await other.shows("what you type goes to bob");
  await interrupt(other);
  await run.shows(/bob +#1 +waits for you: you stopped it/);
  await other.shows(/^ bob +← lead/m);
  other.type("\x15hello bob\r");
  await other.shows("Hello, I am bob.");
  // It continues with its task, and the line to the run is still the first one.
  await other.shows(/bob +#1 +runs until/);
  await interrupt(other);
  await run.shows(/bob +#1 +waits for you: you stopped it/);
  await other.shows(/^ bob +← lead/m);
  other.type("\x15push it\r");
  for (const terminal of [other, run]) await terminal.shows("bob wants to run a command");
  await soon(() => {
    other.type("n\r");
    expect(other.screen()).not.toContain("bob wants to run a command");
  });
  await soon(() => expect(run.screen()).not.toContain("bob wants to run a command"));
  expect(other.output).not.toContain("the line to the process of the team is cut");

  // Leaving, in whichever way, leaves the run.
  other.type("\x15/quit\r");
  expect(await other.ended).toBe(0);
  expect(other.output).toMatch(/The team works on in process \d+/);
  expect((await place.run(["ps"])).stdout).toMatch(/^(?:working|idle|needs you) +default/m);
  expect(run.screen()).toContain("bob");
  run.type("\x03");
  expect(await run.ended).toBe(130);
});

it("keeps the questions of a run without a terminal open while a terminal has joined it", async () => {
  const limitMs = 6_000;
  const place = project();
  const server = await startModelServer({
    anthropic: ({ system, messages }) => {
      if (system.startsWith('You are "lead"')) return says("I see.");
      if (messages.some((one) => one.role === "assistant" && JSON.stringify(one).includes("painted red")))
        return says("That is all.");
      const said = JSON.stringify(messages.at(-1));
      if (said.includes("Red")) return calls("complete_task", { result: "painted red" });
      if (said.includes("gone"))
        return calls("ask_person", { question: "Which colour?", options: ["Red", "Green"] });
      return runs("until [ -e go ]; do sleep 0.05; done; echo gone");
    },
  });
  onTestFinished(() => server.close());
  await place.add({ subject: "Paint" });
  const env = { ...server.env, EKIDEN_QUESTION_DEADLINE_MS: String(limitMs) };
  const run = place.run(["resume", "--teammate", "bob", "--permission-mode", "bypass", ...MODEL], { env });
  const joined = await soonJoined(place, env);
  place.write({ go: "" });
  await joined.shows("bob asks you");
  await sleep(2 * limitMs); // the time that is waited for is the matter of the test
  await joined.shows(/1 Red[\s\S]*a number or your own words/);
  joined.type("1\r");
  const { code, stderr } = await run;
  expect(code, stderr).toBe(0);
  expect(stderr).toContain("painted red");
  await joined.ended;
  expect(joined.output).toContain("The run has ended. Its last words: ekiden inbox person");
});

it("asks a terminal that has joined a run without one about permissions, and nobody once it has left", async () => {
  const place = project();
  const server = await startModelServer({
    anthropic: ({ system, messages }) => {
      if (system.startsWith('You are "lead"')) return says("I see.");
      const said = JSON.stringify(messages.at(-1));
      if (said.includes("nobody is there to be asked")) return calls("complete_task", { result: "refused" });
      if (said.includes("first")) return runs("until [ -e left ]; do sleep 0.05; done; echo second");
      if (said.includes("second")) return runs("git tag no");
      return runs(
        said.includes("gone") ? "echo first; git tag yes" : "until [ -e go ]; do sleep 0.05; done; echo gone",
      );
    },
  });
  onTestFinished(() => server.close());
  await place.add({ subject: "Paint" });
  const env = { ...server.env, EKIDEN_CONFINED_COMMANDS: "ask" };
  const run = place.run(["resume", "--teammate", "bob", "--allow", "bash(until *)", ...MODEL], { env });
  const joined = await soonJoined(place, env);
  place.write({ go: "" });
  await joined.shows(/bob wants to run a command +1 of 1$[\s\S]*↓↑ choose/m);
  joined.type("y");
  await soon(() => expect(joined.screen()).not.toContain("bob wants to run a command"));
  joined.type("\x04\x04");
  await joined.ended;
  place.write({ left: "" });
  const { code, stderr } = await run;
  expect(code, stderr).toBe(0);
  expect(stderr).toMatch(/may run echo first; git tag yes \(your decision\)/);
  expect(stderr).toContain("refused");
});

/** A terminal of the run, and not of a process of its own. */
async function soonJoined(
  place: ReturnType<typeof project>,
  env: Readonly<Record<string, string>>,
): Promise<InTerminal> {
  await soon(async () => expect((await place.run(["team"])).stdout).toMatch(/bob@default .*#1 Paint/));
  const terminal = await place.open([], { ...SIZE, env });
  await terminal.shows(/bob +#1 +runs until/);
  return terminal;
}
