/** These tests check what one changes from inside the full screen: the model, the permission mode, the member that is looked at. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { textOf } from "../../../src/core/conversation/chat.ts";
import { calls, runs, says, startModelServer } from "../../fixtures/model-server/index.ts";
import { project } from "../../fixtures/project.ts";
import { soon } from "../../fixtures/soon.ts";
import { waitingTeam } from "../../fixtures/waiting-team.ts";

const SMALL = { columns: 80, rows: 24 };
const MODEL = ["--model", "anthropic/claude-sonnet-5-5"];

it("changes the model and the mode from the next call on", async () => {
  const place = project();
  place.write({ "a.txt": "one\n" });
  const server = await startModelServer({
    anthropic: ({ messages }) => {
      const last = messages.at(-1);
      return last && textOf(last).includes("edit")
        ? calls("edit_file", { path: "a.txt", old: "one", new: "two" })
        : says("Done.");
    },
  });
  onTestFinished(() => server.close());
  const terminal = await place.open(MODEL, { ...SMALL, env: server.env });
  await terminal.shows("The lead alone on anthropic/claude-sonnet-5-5");
  terminal.type("/model anthropic/claude-haiku-5\r");
  await terminal.shows("the team uses anthropic/claude-haiku-5 from the next call on");
  terminal.type("/story\r");
  await terminal.shows("the whole story is shown; /story NAME shows one member's");
  terminal.type("\x1b[Z");
  await terminal.shows("mode accept-edits: files are edited without asking · ");
  terminal.type("/mode accept-edits\r");
  await terminal.shows("mode accept-edits: files are edited without asking");
  terminal.type("edit\r");
  await terminal.shows("Done.");
  expect(server.requests.map(({ body }) => body.model)).toEqual(["claude-haiku-5", "claude-haiku-5"]);
  expect(readFileSync(join(place.dir, "a.txt"), "utf8")).toBe("two\n");
  terminal.type("/mode plan\r");
  await terminal.shows("mode plan: no file is edited");
  place.write({ "a.txt": "one\n" });
  terminal.type("edit again\r");
  await soon(() => expect(server.requests).toHaveLength(4));
  expect(readFileSync(join(place.dir, "a.txt"), "utf8")).toBe("one\n");
  terminal.type("/mode yolo\r");
  await terminal.shows(/"yolo" is not a permission mode\. Modes: plan, default, accept-edits, bypass/);
  terminal.type("/model no-such/model\r");
  await terminal.shows(/"no-such\/model" is not a model/);
  terminal.type("/model anthropic/claude-haiku-5 bob\r");
  await terminal.shows(/No member "bob" in team "default"/);
  const { stdout } = await place.run(["log"]);
  expect(stdout).toMatch(/person +set the model anthropic\/claude-haiku-5 for all members/);
  expect(stdout).toMatch(/person +set the permission mode accept-edits[\s\S]*set the permission mode plan/);
});

it("shows that the lead works, and how to stop it; a question goes with the turn that asked", async () => {
  const server = await startModelServer({
    anthropic: async ({ messages, gone }) => {
      const last = messages.at(-1);
      if (last && textOf(last).includes("push")) return runs("git push origin main");
      await gone;
      return says("");
    },
  });
  onTestFinished(() => server.close());
  const env = { ...server.env, EKIDEN_CONFINED_COMMANDS: "ask" };
  const terminal = await project().open(MODEL, { ...SMALL, env });
  await terminal.shows("ctrl+t panels · ? help");
  terminal.type("think\r");
  await terminal.shows(/^ [⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] thinks \d+s · esc interrupts/m);
  terminal.type("\x1b");
  await terminal.shows(/· interrupted\n[\s\S]*lead stopped: say what to do instead/);
  terminal.type("push\r");
  await terminal.shows("lead wants to run a command");
  expect(terminal.output).toMatch(/9;Ekiden, \S+: lead wants to run a command/);
  expect(terminal.output).toContain("\x1b]2;(1) waits for you · ");
  terminal.resize({ columns: 30, rows: 8 });
  await terminal.shows(/lead wants to run[^\n]*\n[\s\S]*\n─{30}\n.*\n─{30}\n.*$/);
  terminal.resize(SMALL);
  await terminal.shows("y yes");
  terminal.type("\x1b");
  await soon(() => expect(terminal.screen()).not.toContain("lead wants to run a command"));
});

it("searches the history, and keeps a line that Ctrl-C takes away", async () => {
  const terminal = await project().open(["--model", "runbook"], SMALL);
  await terminal.shows("Type what you want");
  const line = (text: string): Promise<void> => soon(() => expect(terminal.grid.lines().at(-3)).toBe(text));
  for (const text of ["!echo first alpha", "!echo second beta", "!echo third alpha"]) {
    terminal.type(`${text}\r`);
    await line("");
  }
  // Ctrl-C would end a command that runs.
  for (const output of ["first alpha", "second beta", "third alpha"])
    await terminal.shows(new RegExp(`^ +${output}$`, "m"));
  terminal.type("a draft\x12");
  await terminal.shows("history: ▏ ctrl+r older");
  terminal.type("ALPH");
  await terminal.shows("history: ALPH▏");
  expect(terminal.grid.lines().at(-3)).toBe("!echo third alpha");
  terminal.type("a");
  await terminal.shows("history: ALPHa▏");
  expect(terminal.grid.lines().at(-3)).toBe("!echo third alpha");
  terminal.type("\x12");
  await line("!echo first alpha");
  terminal.type("\x12?");
  await terminal.shows("history, nothing has: ALPHa?▏");
  await line("!echo first alpha");
  terminal.type("\x7f");
  await line("!echo third alpha");
  terminal.type("\x1b");
  await line("a draft");
  terminal.type("\x12second\r");
  await line("!echo second beta");
  await soon(() => expect(terminal.screen()).not.toContain("history:"));
  terminal.type(" more\x03");
  await line("");
  await terminal.shows("up brings the line back");
  terminal.type("\x1b[A");
  await line("!echo second beta more");
});

it("puts nothing of an earlier menu into what was typed since", async () => {
  const place = project();
  place.write({ "notes.txt": "" });
  const terminal = await place.open(["--model", "runbook"], SMALL);
  await terminal.shows("Type what you want");
  terminal.type("@no");
  await terminal.shows("→ notes.txt");
  terminal.type("\x15!echo typed after\r");
  await terminal.shows(/^! echo typed after\n +typed after$/m);
});

it("enters the teammate whose line is clicked, and scrolls by the wheel", async () => {
  const place = project();
  await place.add({ subject: "Wait" });
  const server = await startModelServer({
    anthropic: ({ system }) =>
      system.startsWith('You are "lead"') ? says("I see.") : runs("until [ -e go ]; do sleep 0.05; done"),
  });
  onTestFinished(() => server.close());
  const args = ["--teammates", "2", "--allow", "bash", ...MODEL];
  const terminal = await place.open(args, { ...SMALL, env: server.env });
  await terminal.shows(/(?:alice|bob) +#1 +runs until/);
  const row = terminal.grid.lines().findIndex((line) => /^ . bob /.test(line)) + 1;
  terminal.type(`\x1b[<0;5;${row}M\x1b[<0;5;${row}m`);
  await terminal.shows(/^ bob +.*← lead/m);
  // A click on the lead returns.
  const lead = terminal.grid.lines().findIndex((line) => /^ . lead /.test(line)) + 1;
  terminal.type(`\x1b[<0;5;${lead}M\x1b[<0;5;${lead}m`);
  await soon(() => expect(terminal.screen()).not.toContain("← lead"));
  terminal.type("!seq 1 60\r");
  await terminal.shows(/^ +60$/m);
  terminal.type("\x1b[<64;5;5M\x1b[<64;5;5M");
  await terminal.shows("more lines below");
  terminal.type("\x1b[<65;5;5M".repeat(4));
  await soon(() => expect(terminal.screen()).not.toContain("more lines below"));
  place.write({ go: "" });
});

it("interrupts the member that is looked at, and asks before it leaves a team at work", async () => {
  const { place, terminal } = await waitingTeam({ "make haste": "I hurry." });
  terminal.type("\x04");
  await terminal.shows("1 member works: ctrl+d again leaves it at work · /quit stops the team");
  terminal.type("/to bob\r");
  await terminal.shows(/^ bob +esc interrupts · ← lead/m);
  // It interrupts when the head line could be read.
  await soon(() => {
    terminal.type("\x1b");
    expect(terminal.screen()).toContain("bob stopped: say what to do instead · ← lead");
  });
  await terminal.shows(/^ bob +← lead/m);
  expect((await place.run(["tasks", "1"])).stdout).toMatch(/in progress.*bob/s);
  terminal.type("make haste\r");
  await terminal.shows("I hurry.");
  terminal.type("\x1b[D");
  await soon(() => expect(terminal.screen()).not.toMatch(/^ bob +/m));
  terminal.type("\x10"); // the member before the lead is the last one
  await terminal.shows(/^ bob +(?:esc interrupts · )?← lead/m);
  terminal.type("\x1b[D");
  terminal.type("\x04\x04");
  expect(await terminal.ended).toBe(0);
});

it("goes through the modes by Shift-Tab, and shows the mode at all times", async () => {
  const place = project();
  const terminal = await place.open(["--model", "runbook", "--permission-mode", "bypass"], SMALL);
  for (const [mode, words] of [
    ["bypass", "asks nothing"],
    ["default", "asks before edits"],
    ["accept-edits", "edits without asking"],
    ["plan", "plans, edits nothing"],
    ["default", "asks before edits"],
  ]) {
    await soon(() =>
      expect(terminal.screen()).toMatch(new RegExp(`^ mode ${mode}: | ${words} · \\d+s$`, "m")),
    );
    terminal.type("\x1b[Z");
  }
  // The process of the team writes it.
  const { journal } = await place.store();
  await soon(async () => {
    const { events } = await journal.read(journal.from(0), { types: ["mode.changed"] });
    expect(events).toContainEqual(expect.objectContaining({ mode: "plan" }));
  });
});

it("says in the last line that the budget is used up, until more is allowed", async () => {
  const server = await startModelServer({
    anthropic: ({ messages }) => says(messages.length > 2 ? "I continue." : "I begin."),
  });
  onTestFinished(() => server.close());
  const options = ["--model", "anthropic/claude-sonnet-5-5", "--budget-usd", "0.00001"];
  const terminal = await project().open(options, { ...SMALL, env: server.env });
  await terminal.shows("Type what you want");
  terminal.type("begin\r");
  await terminal.shows("I begin.");
  terminal.type("continue\r");
  await terminal.shows(/^ the budget is used up: \/budget 5 continues +asks before edits/m);
  terminal.type("/budget 5\r");
  await terminal.shows("I continue.");
  await soon(() => expect(terminal.grid.lines().at(-1)).not.toContain("used up"));
});
