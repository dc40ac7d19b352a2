/** Leaving the full screen while members work: they work on, and the screen shows them again. */
import { expect, it, onTestFinished } from "vitest";
import { textOf } from "../../../src/core/conversation/chat.ts";
import { runs, startModelServer } from "../../fixtures/model-server/index.ts";
import { project } from "../../fixtures/project.ts";
import { soon } from "../../fixtures/soon.ts";
import { waitingTeam } from "../../fixtures/waiting-team.ts";

it.each([
  ["by a command", "/detach\r"],
  ["by Ctrl-D, said twice", "\x04\x04"],
])("leaves the team at work %s, and comes back to it", async (_, keys) => {
  const { place, terminal, again } = await waitingTeam({ gone: "Done." });
  terminal.type(keys);
  expect(await terminal.ended).toBe(0);
  expect(terminal.output).toMatch(
    /The team works on in process \d+\. To come back: ekiden --model anthropic\/claude-sonnet-5-5\. To end it: ekiden stop\./,
  );
  expect((await place.run(["ps"])).stdout).toMatch(/^working +default/m);
  const later = await again();
  await later.shows(/bob +#1 Wait · bash until/);
  place.write({ go: "" });
  await later.shows(/bob .*Done\./);
  later.type("\x04");
  expect(await later.ended).toBe(0);
  expect((await place.run(["log", "--json"])).stdout).not.toContain('"task.failed"');
});

it("leaves the team at work when its terminal is closed", async () => {
  const { place, terminal } = await waitingTeam({ gone: "Done." });
  (terminal.pty as unknown as { destroy(): void }).destroy();
  await soon(async () => expect((await place.run(["ps"])).stdout).toMatch(/^working +default/m));
  await soon(async () => expect((await place.run(["log"])).stdout).toMatch(/resumed/));
  place.write({ go: "" });
  await soon(async () => expect((await place.run(["ps"])).stdout).toMatch(/^done +default/m));
});

it("leaves the lead at its turn, and its question waits for an answer from anywhere", async () => {
  const place = project();
  const server = await startModelServer({
    anthropic: ({ messages }) =>
      messages.some((one) => textOf(one).includes("it is over"))
        ? runs("git push nowhere")
        : runs("until [ -e go ]; do sleep 0.05; done; echo it is $(echo over)"),
  });
  onTestFinished(() => server.close());
  const terminal = await place.open(["--allow", "bash(until *)", "--model", "anthropic/claude-sonnet-5-5"], {
    ...{ columns: 110, rows: 24, env: { ...server.env, EKIDEN_CONFINED_COMMANDS: "ask" } },
  });
  await terminal.shows("What you type goes to the lead");
  terminal.type("wait\r");
  await terminal.shows(/bash until/);
  onTestFinished(async () => void (await place.run(["stop", "--now"])));
  terminal.type("/detach\r");
  expect(await terminal.ended).toBe(0);
  place.write({ go: "" });
  await soon(async () => expect((await place.run(["ps"])).stdout).toMatch(/^needs you +default/m));
});
