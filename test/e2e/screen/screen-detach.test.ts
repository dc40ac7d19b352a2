/** The team and its terminals: it works on whatever becomes of them, and each shows it again. */
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { processesOf } from "../../../src/adapters/process-table.ts";
import { textIn } from "../../../src/adapters/small-files.ts";
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
  expect(terminal.output).toMatch(/0 of 1 tasks completed · .* tokens · \$0\.\d+ · \d+s at this terminal/);
  expect((await place.run(["ps"])).stdout).toMatch(/^working +default/m);
  const later = await again();
  await later.shows(/bob +#1 +runs until/);
  place.write({ go: "" });
  await later.shows(/✓ #1 Wait bob .*waited/);
  later.type("\x04\x04");
  expect(await later.ended).toBe(0);
  expect((await place.run(["log", "--json"])).stdout).not.toContain('"task.failed"');
});

it("leaves the team at work when its terminal is closed", async () => {
  const { place, terminal } = await waitingTeam({ gone: "Done." });
  (terminal.pty as unknown as { destroy(): void }).destroy();
  await soon(async () => expect((await place.run(["ps"])).stdout).toMatch(/^working +default/m));
  place.write({ go: "" });
  // Its process ends when nothing is left to do and nobody looks on.
  const { roster } = await place.store();
  await soon(async () => expect(await roster.hosts()).toEqual([]));
  await soon(async () => expect((await place.run(["ps"])).stdout).toMatch(/^done +default/m));
  expect((await place.run(["log"])).stdout).not.toMatch(/resumed|took over/);
});

it("works on while its terminal is frozen or killed, and the next one shows what it said meanwhile", async () => {
  const { place, terminal, again } = await waitingTeam({ gone: "Done." });
  const pid = terminal.pty.pid;
  process.kill(pid, "SIGSTOP");
  place.write({ go: "" });
  const { board } = await place.store();
  await soon(async () => expect(await board.tasks()).toMatchObject([{ status: "completed" }]));
  expect((await place.run(["log"])).stdout).toMatch(/bob +says: Done\./);
  process.kill(pid, "SIGKILL");
  const later = await again();
  await later.shows(/✓ #1 Wait bob .*waited/);
  later.type("/quit\r");
  expect(await later.ended).toBe(0);
  const { roster } = await place.store();
  await soon(async () => expect(await roster.hosts()).toEqual([]));
  await soon(async () => expect((await place.run(["ps"])).stdout).not.toMatch(/^(?:working|idle)/m));
});

/** "" of a process that has ended since it was listed. */
const commandLine = (pid: number): string => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return "";
  }
};

it("says that the process of the team stands still, and starts it again when it was killed", async () => {
  const { place, terminal } = await waitingTeam({ gone: "Done." });
  const [pid = 0] = processesOf(`HOME=${place.home}\0`).filter(
    (one) => one !== terminal.pty.pid && /\0host\0/.test(commandLine(one)),
  );
  process.kill(pid, "SIGSTOP");
  terminal.type("\x1b[Z");
  await terminal.shows(`process ${pid} of the team does not answer`);
  process.kill(pid, "SIGKILL");
  await terminal.shows("the line to the process of the team is cut");
  await terminal.shows(/bob +#1 +runs until/);
  place.write({ go: "" });
  await terminal.shows(/✓ #1 Wait bob .*waited/);
});

it("begins again where the folder of the team was removed while it waited", async () => {
  const { place, terminal } = await waitingTeam({ gone: "Done." });
  // One may end between the two looks.
  const hosts = (): number[] =>
    processesOf(`HOME=${place.home}\0`).filter((one) => /\0host\0/.test(textIn(`/proc/${one}/cmdline`)));
  terminal.type("/detach\r");
  expect(await terminal.ended).toBe(0);
  expect(hosts()).toHaveLength(1);
  rmSync(join(place.dir, ".ekiden"), { recursive: true });
  await soon(() => expect(hosts()).toEqual([]));
  const later = await place.open(["--model", "runbook"], { columns: 100, rows: 24 });
  await later.shows("Type what you want");
});

it("shows two terminals the same, and what one of them changes", async () => {
  const { place, terminal } = await waitingTeam({ gone: "Done." });
  const env = { HOME: place.home, XDG_CONFIG_HOME: join(place.home, ".config") };
  const other = await project().open(["attach", place.dir], { columns: 110, rows: 24, env });
  await other.shows(/bob +#1 +runs until[\s\S]* asks before edits · 0\/1 tasks/);
  other.type("\x1b[Z");
  await terminal.shows(/edits without asking · 0\/1 tasks/);
  other.type("/to bob\r");
  await other.shows(/^ bob +esc interrupts/m);
  await soon(() => {
    other.type("\x1b");
    expect(terminal.screen()).toMatch(/bob +#1 +waits for you: you stopped it/);
  });
  await other.shows(/^ bob +← lead/m);
  other.type("\x15go on\r");
  await terminal.shows(/bob +#1 +runs until/);
  // It stops the team only when it is the last one.
  other.type("\x15/quit\r");
  expect(await other.ended).toBe(0);
  expect(other.output).toContain("Another terminal looks on, so the team works on in process");
  expect((await place.run(["ps"])).stdout).toMatch(/^working +default/m);
  expect((await place.run(["attach", "nobody"])).stderr).toMatch(/"nobody" is neither a folder nor a team/);
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
  await terminal.shows("Type what you want");
  terminal.type("wait\r");
  await terminal.shows(/runs until/);
  onTestFinished(async () => void (await place.run(["stop", "--now"])));
  terminal.type("/detach\r");
  expect(await terminal.ended).toBe(0);
  place.write({ go: "" });
  await soon(async () => expect((await place.run(["ps"])).stdout).toMatch(/^needs you +default/m));
  const later = await place.open([], { columns: 110, rows: 24 });
  await later.shows("lead wants to run a command");
  later.type("\x04");
  expect(await later.ended).toBe(0);
  expect(later.output).toContain("The team works on in process");
  expect((await place.run(["ps"])).stdout).toMatch(/^needs you +default/m);
});

it("lets a run beside it end with the work of that run", async () => {
  const place = project();
  place.write({ "plan.md": "# Add a file\n\n## Write it\n```sh\necho done > made\n```\n" });
  const terminal = await place.open(["--model", "runbook"], { columns: 100, rows: 30 });
  await terminal.shows(/No model: only runbooks are run/);
  const { code, stderr } = await place.run(["run", "plan.md", "--model", "runbook"]);
  expect(code, stderr).toBe(0);
  expect(stderr).toContain("tasks: 1 completed");
  terminal.type("\x04\x04");
  expect(await terminal.ended).toBe(0);
});
