/** Leaving the full screen while members work: they work on, and the screen shows them again. */
import { expect, it, onTestFinished } from "vitest";
import { textOf } from "../../src/core/conversation/chat.ts";
import { runs, says, startModelServer } from "../fixtures/model-server/index.ts";
import { project } from "../fixtures/project.ts";
import type { InTerminal } from "../fixtures/pty.ts";
import { soon } from "../fixtures/soon.ts";
import type { Project } from "./cli-program.ts";

/** A team whose bob works until there is a file `go`. */
async function atWork(): Promise<{ place: Project; terminal: InTerminal; again(): Promise<InTerminal> }> {
  const place = project();
  await place.run(["add", "Wait"]);
  const server = await startModelServer({
    anthropic: ({ system, messages }) => {
      if (system.startsWith('You are "lead"')) return says("I see.");
      const last = messages.at(-1);
      return last && textOf(last).includes("gone")
        ? says("Done.")
        : runs("until [ -e go ]; do sleep 0.05; done; echo gone");
    },
  });
  onTestFinished(() => server.close());
  const args = ["--teammate", "bob", "--allow", "bash", "--model", "anthropic/claude-sonnet-5-5"];
  const again = (): Promise<InTerminal> => place.open(args, { columns: 110, rows: 24, env: server.env });
  const terminal = await again();
  await terminal.shows(/bob +#1 Wait · bash until/);
  onTestFinished(async () => void (await place.run(["stop", "--now"])));
  return { place, terminal, again };
}

it.each([
  ["by a command", "/detach\r"],
  ["by Ctrl-D, said twice", "\x04\x04"],
])("leaves the team at work %s, and comes back to it", async (_, keys) => {
  const { place, terminal, again } = await atWork();
  terminal.type(keys);
  expect(await terminal.ended).toBe(0);
  expect(terminal.output).toMatch(
    /The team works on in process \d+\. To come back: ekiden\. To end it: ekiden stop\./,
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
  const { place, terminal } = await atWork();
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
