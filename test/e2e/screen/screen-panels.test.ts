/** Panels of the full screen: one goes through their rows, filters them, and acts on them by keys. */
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { PERSON } from "../../../src/core/ids.ts";
import { type SaidCall, says, startModelServer } from "../../fixtures/model-server/index.ts";
import { project } from "../../fixtures/project.ts";
import type { InTerminal } from "../../fixtures/pty.ts";
import { repositoryIn } from "../../fixtures/repository.ts";
import { soon } from "../../fixtures/soon.ts";
import type { Project } from "../cli-program.ts";

const F2 = "\x1bOQ";
const F6 = "\x1b[17~";
const F7 = "\x1b[18~";
const F8 = "\x1b[19~";
const F9 = "\x1b[20~";
const DOWN = "\x1b[B";

async function onBoard(
  subjects: readonly string[],
  size = { columns: 100, rows: 30 },
): Promise<{ place: Project; terminal: InTerminal }> {
  const place = project();
  const store = await place.store();
  await store.board.addAll(
    subjects.map((subject) => ({ subject })),
    PERSON,
  );
  const terminal = await place.open(["--model", "runbook"], size);
  await terminal.shows("Type what you want");
  terminal.type(F2);
  await terminal.shows("↓ selects · esc closes");
  return { place, terminal };
}

it("acts on the task under the cursor; what takes away asks first", async () => {
  const { place, terminal } = await onBoard(["Paint the door", "Board up the window"]);
  terminal.type(DOWN);
  await terminal.shows(/^› +#1 Paint the door .* ready/m);
  await terminal.shows(
    "enter details · e edit · s assign · + sooner · - later · t take · c cancel · a add · / filter",
  );
  terminal.type("j");
  await terminal.shows(/^› +#2 Board up the window/m);
  terminal.type("+");
  // The task with the higher priority stands first; the cursor stays on its task.
  await terminal.shows(/^› +#2 Board up the window.*\n +#1 Paint/m);
  terminal.type("c");
  await terminal.shows("c again: cancel 2");
  terminal.type("jkc");
  await terminal.shows("c again: cancel 2");
  expect((await place.run(["tasks", "--status", "cancelled"])).stdout).not.toContain("#2");
  terminal.type("c");
  await terminal.shows(/^› +#2 Board up the window.* cancelled/m);
  terminal.type("r");
  await terminal.shows(/^› +#2 Board up the window.* ready/m);
  terminal.type("\r");
  await terminal.shows(/^ #2 Board up the window.* ready[\s\S]*\[1 details\][\s\S]*priority +1/m);
  // The same keys act there.
  terminal.type("+");
  await terminal.shows(/priority +2/);
  terminal.type("\x1b");
  await terminal.shows(/^› +#2 Board up the window.* ready/m);
  // Letters that are no keys are no message; tab returns to the line.
  terminal.type("q");
  await terminal.shows("tab returns to the line; here: enter e s + - t c a /");
  terminal.type("e");
  await terminal.shows("/edit 2");
  terminal.type("--subject Shut\r");
  await terminal.shows(/#2 Shut .* ready/);
});

it("filters, and closes the filter before the panel", async () => {
  const { terminal } = await onBoard(["Paint the door", "Board up the window", "Paint the wall"]);
  terminal.type(`${DOWN}/`);
  await terminal.shows("filter: ▏");
  terminal.type("paint wa");
  await terminal.shows(/filter: paint wa▏ · 1\/1/);
  await terminal.shows(/^› +#3 Paint the wall/m);
  await soon(() => expect(terminal.screen()).not.toMatch(/#1 Paint the door +○/));
  terminal.type("zz");
  await terminal.shows("Nothing fits the filter.");
  terminal.type("\x7f\x7f\r");
  await terminal.shows(/filter: paint wa · 1\/1/);
  terminal.type("\x1b");
  await terminal.shows(/3\/3 · tab to the line/);
  terminal.type("\x1b");
  await soon(() => expect(terminal.screen()).not.toContain("─ board"));
});

it("keeps the cursor in sight among many tasks on a small screen", async () => {
  const subjects = Array.from({ length: 30 }, (_, i) => `Task ${i + 1}`);
  const { terminal } = await onBoard(subjects, { columns: 60, rows: 18 });
  terminal.type(DOWN);
  terminal.type("\x1b[F");
  await terminal.shows(/^› +#30 Task 30/m);
  terminal.type("\x1b[H");
  await terminal.shows(/^› +#1 Task 1 /m);
  terminal.resize({ columns: 44, rows: 13 });
  await terminal.shows(/^› +#1 Task 1 /m);
});

it("shows the members, and leads to the conversation of one", async () => {
  const place = project();
  const terminal = await place.open(["--model", "runbook", "--teammate", "bob:reviewer"], {
    ...{ columns: 100, rows: 30 },
  });
  await terminal.shows(/bob/);
  terminal.type(F6);
  await terminal.shows("─ members");
  terminal.type(`${DOWN}${DOWN}`);
  await terminal.shows(/^› . bob reviewer/m);
  terminal.type("s");
  await terminal.shows("s again: stop bob");
  terminal.type("\r");
  await terminal.shows(/^ bob +← lead/m);
});

it("lists what waits to land, moves it in the line and drops it", async () => {
  const place = project();
  repositoryIn(place.dir, { "a.txt": "a\n" });
  const block = (nth: number): string => `\n## Write ${nth}\n\n\`\`\`sh\necho ${nth} > ${nth}.txt\n\`\`\`\n`;
  const gate = `until test -e ${place.home}/go; do sleep 0.05; done`;
  place.write({
    ".ekiden/settings.json": JSON.stringify({ sandbox: "off", teammates: 3, gate }),
    ".ekiden/.gitignore": "*\n",
    "plan.md": `# Write\n${[1, 2, 3].map(block).join("")}`,
  });
  const terminal = await place.open(["run", "plan.md", "--worktrees"], { columns: 120, rows: 40 });
  await terminal.shows("runs the gate");
  terminal.type(F8);
  await terminal.shows(/1 #\d Write \d[^\n]*gate runs[\s\S]*2 #\d Write[\s\S]*3 #\d Write/);
  terminal.type("\x1b[B\x1b[F");
  const screen = await terminal.shows(/^› 3 #\d Write \d/m);
  const [, last] = /^› 3 #(\d)/m.exec(screen) ?? [];
  terminal.type("+");
  await terminal.shows(new RegExp(`^› 2 #${last} Write`, "m"));
  terminal.type("x");
  await terminal.shows(`x again: landings ${last} drop`);
  terminal.type("x");
  await soon(() => expect(terminal.screen()).not.toMatch(new RegExp(`^. \\d #${last} Write`, "m")));
  place.write({ go: "" });
  writeFileSync(`${place.home}/go`, "");
  await terminal.ended;
  expect((await place.run(["tasks", String(last)])).stdout).toMatch(/failed|drop/);
});

it("shows the conversation and the change of a task, while it works and when it has landed", async () => {
  const place = project();
  repositoryIn(place.dir, { "a.txt": "old\n" });
  const waits = (nth: number): string => `until test -e ${place.home}/go${nth}; do sleep 0.05; done`;
  const block = (title: string, line: string): string => `\n## ${title}\n\n\`\`\`sh\n${line}\n\`\`\`\n`;
  place.write({
    ".ekiden/settings.json": JSON.stringify({ sandbox: "off", teammates: 1 }),
    ".ekiden/.gitignore": "*\n",
    "plan.md": `# Write\n${block("Write again", `echo new > a.txt; touch ${place.home}/wrote; seq 80; ${waits(1)}`)}${block("Wait", waits(2))}`,
  });
  const terminal = await place.open(["run", "plan.md", "--worktrees"], { columns: 100, rows: 24 });
  await terminal.shows(/#1 Write again/);
  terminal.type("/task 1\r");
  await terminal.shows(/^ #1 Write again.*in progress/m);
  terminal.type("2");
  await terminal.shows(/\[2 conversation\][\s\S]* · try 1[\s\S]*seq 80/);
  await soon(() => expect(existsSync(`${place.home}/wrote`)).toBe(true));
  terminal.type("3");
  await terminal.shows(/in its worktree, on [\s\S]*a\.txt[\s\S]*-old[\s\S]*\+new/);
  writeFileSync(`${place.home}/go1`, "");
  await terminal.shows(/^ #1 Write again.* completed/m);
  await terminal.shows(/landed on main as [\s\S]*a\.txt[\s\S]*-old[\s\S]*\+new/);
  terminal.type("2");
  await terminal.shows(/│ 80$/m);
  terminal.type("\x0f\x1b[H");
  await terminal.shows(/ · try 1[\s\S]*│ 1$/m);
  terminal.type("q");
  await soon(() => expect(terminal.screen()).not.toContain("[2 conversation]"));
  writeFileSync(`${place.home}/go2`, "");
  await terminal.ended;
});

it("answers the question under the cursor, whichever the card shows", async () => {
  const place = project();
  const server = await startModelServer({
    anthropic: ({ messages }) => {
      const last = messages.at(-1);
      const isResult = last?.content.some(({ type }) => type === "result") === true;
      if (isResult) return says("Done.");
      const touch = (file: string): SaidCall => ({ tool: "bash", input: { command: `touch ${file}` } });
      return { calls: [touch("one"), touch("two")] };
    },
  });
  onTestFinished(() => server.close());
  const terminal = await place.open(["--model", "anthropic/claude-sonnet-5-5"], {
    ...{ columns: 100, rows: 40, env: { ...server.env, EKIDEN_SANDBOX: "off" } },
  });
  await terminal.shows("Type what you want");
  terminal.type("run\r");
  await terminal.shows("wants to run a command");
  terminal.type(F7);
  await terminal.shows(/● lead +permission bash: touch one/);
  terminal.type(DOWN);
  await terminal.shows(/^› ● lead +permission bash: touch one/m);
  terminal.type("n");
  await terminal.shows(/\/answer \w+ no/);
  terminal.type("later\r");
  await terminal.shows(/● lead +permission bash: touch two/);
  terminal.type(`${DOWN}y`);
  await terminal.shows("No question waits for an answer.");
  await terminal.shows("Done.");
  expect(existsSync(join(place.dir, "two"))).toBe(true);
  expect(existsSync(join(place.dir, "one"))).toBe(false);
});

it("reads, edits and removes the notes of the team", async () => {
  const { place, terminal } = await onBoard(["Paint the door"]);
  await place.run(["note", "Money is kept in cents", "--kind", "trap"]);
  terminal.type(F9);
  await terminal.shows(/─ notes[\s\S]*trap +you +Money is kept in cents/);
  terminal.type(`${DOWN}e`);
  await terminal.shows("/notes edit n");
  terminal.type("and never in euros\r");
  await terminal.shows(/trap +you +Money is kept in cents and never in euros/);
  terminal.type(`${DOWN}x`);
  await terminal.shows(/x again: notes remove n\d/);
  terminal.type("x");
  await terminal.shows("No notes yet.");
});
