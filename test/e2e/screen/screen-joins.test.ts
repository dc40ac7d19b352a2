/** A terminal that joins an `ekiden run` of another one: the same picture, live, and the same keys; the run does not end with it. */
import { expect, it, onTestFinished } from "vitest";
import { textOf } from "../../../src/core/conversation/chat.ts";
import { runs, says, startModelServer } from "../../fixtures/model-server/index.ts";
import { project } from "../../fixtures/project.ts";
import { soon } from "../../fixtures/soon.ts";

const MODEL = ["--model", "anthropic/claude-sonnet-5-5"];
const SIZE = { columns: 110, rows: 24 };

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
  await place.run(["add", "Wait"]);
  const env = { ...server.env, EKIDEN_CONFINED_COMMANDS: "ask" };
  const run = await place.open(["resume", "--teammate", "bob", "--allow", "bash(until *)", ...MODEL], {
    ...SIZE,
    env,
  });
  await run.shows(/bob +#1 Wait · bash until/);
  const other = await place.open([], { ...SIZE, env });
  await other.shows(/bob +#1 Wait · bash until[\s\S]*· default ·|default ·/);
  other.type("\x1b[Z");
  for (const terminal of [other, run]) await terminal.shows(/ accept-edits · /);

  other.type("\x0e");
  await other.shows("what you type goes to bob");
  other.type("\x1b");
  await other.shows("interrupted bob");
  await run.shows(/bob .*interrupted/);
  other.type("hello bob\r");
  await other.shows("Hello, I am bob.");
  // It goes on with its task, and the line to the run is still the first one.
  await other.shows(/bob +#1 Wait · bash until/);
  other.type("\x1b");
  await other.shows(/bob +idle: interrupted/);
  other.type("push it\r");
  for (const terminal of [other, run]) await terminal.shows("bob wants to run bash");
  await soon(() => {
    other.type("n\r");
    expect(other.screen()).not.toContain("bob wants to run bash");
  });
  await soon(() => expect(run.screen()).not.toContain("bob wants to run bash"));
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
