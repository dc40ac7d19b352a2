/** The conversation on the full screen of a real terminal, with a model that streams over HTTP. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { textOf } from "../../../src/core/conversation/chat.ts";
import {
  type Answer,
  calls,
  fails,
  type ModelCall,
  type ModelServer,
  says,
  startModelServer,
} from "../../fixtures/model-server/index.ts";
import type { InTerminal, Size } from "../../fixtures/pty.ts";
import { soon } from "../../fixtures/soon.ts";
import { Project } from "../cli-program.ts";

const SIZES: readonly Size[] = [
  { columns: 80, rows: 24 },
  { columns: 120, rows: 40 },
  { columns: 200, rows: 60 },
];
const [SMALL, MIDDLE] = SIZES as [Size, Size, Size];
const PACE = { paceMs: 15 };
const LONG = Array.from({ length: 60 }, (_, i) => `Sentence number ${i} of an answer that streams.`).join(
  " ",
);
const TABLE =
  "Here:\n\n| file | lines |\n|---|---|\n| src/a.ts | 12 |\n\n- **bold** and 日本語\n\n```ts\nconst a = 1;\n```\n\nThe end.";

const giveBack: (() => unknown)[] = [];
afterEach(async () => {
  for (const one of giveBack.splice(0).reverse()) await one();
});

type Model = (said: string, request: ModelCall) => Answer;

async function conversation(
  model: Model,
  size: Size = SMALL,
  project = new Project(),
): Promise<{ project: Project; terminal: InTerminal; server: ModelServer }> {
  const server = await startModelServer({
    anthropic: (request) => {
      const last = request.messages.at(-1);
      const isResult = last?.content.some(({ type }) => type === "result") === true;
      return model(isResult || !last ? "" : textOf(last), request);
    },
  });
  giveBack.push(() => server.close());
  giveBack.push(() => project.end());
  const terminal = await project.open(["--model", "anthropic/claude-sonnet-5-5"], {
    ...size,
    env: { ...server.env, EKIDEN_SANDBOX: "off" }, // so that a command is asked about
  });
  await terminal.shows("Type what you want");
  return { project, terminal, server };
}

const lastLines = (terminal: InTerminal): string[] => terminal.grid.lines().slice(-4);

it.each(SIZES)("keeps what is typed while an answer streams at $columns×$rows", async (size) => {
  const { terminal } = await conversation(() => says(LONG, PACE), size);
  terminal.type("tell me\r");
  await terminal.shows("Sentence number 3");
  const typed = "a draft with 日本語 and a lot of words";
  let shown = "";
  for (const letter of typed) {
    terminal.type(letter);
    shown += letter;
    await soon(() => {
      const [top = "", line = "", bottom = ""] = lastLines(terminal);
      expect([top, bottom].map((border) => border.replaceAll("─", ""))).toEqual(["", ""]);
      expect(line).toBe(shown.trimEnd());
    });
  }
  await terminal.shows("Sentence number 59");
  expect(lastLines(terminal)[1]).toBe(typed);
});

it("shows each word of an answer once, while it streams and after its end", async () => {
  const words = Array.from({ length: 60 }, (_, i) => `word${i}.`);
  const { terminal } = await conversation(() => says(words.join(" "), { paceMs: 60 }));
  terminal.type("tell me\r");
  const twice = (): string[] => words.filter((word) => terminal.screen().split(word).length > 2);
  await terminal.shows("word20.");
  expect(twice()).toEqual([]);
  await terminal.shows("word59.");
  terminal.type("/effort\r");
  await terminal.shows(/lead\s+auto/);
  expect(twice()).toEqual([]);
});

it("paints the first frame before the program is loaded, and loses nothing that is typed meanwhile", async () => {
  const project = new Project();
  giveBack.push(() => project.end());
  const terminal = await project.open(["--model", "runbook"], SMALL);
  const frame = await terminal.shows("starting …");
  terminal.type("a line typed early\r");
  expect(terminal.output).not.toContain("No model");
  expect(frame.split("\n")[1]).toMatch(/^ekiden \d+\.\d+\.\d+ · /);
  const lines = frame.split("\n").slice(-4);
  expect(lines).toEqual(["─".repeat(SMALL.columns), "", "─".repeat(SMALL.columns), " starting …"]);
  await terminal.shows(/› a line typed early[\s\S]*No model: only runbooks are run/);
  // One alternate screen from the first frame on: nothing flickers.
  expect(terminal.output.split("\x1b[?1049h")).toHaveLength(2);
});

it("gives the terminal back before it says why it cannot start", async () => {
  const project = new Project();
  giveBack.push(() => project.end());
  const terminal = await project.open(["--max-turns", "many"], SMALL);
  expect(await terminal.ended).toBe(2);
  expect(terminal.output).toContain("\x1b[?1049h");
  expect(terminal.screen()).toMatch(/^ekiden: .*"many"/m);
});

it("shows Markdown as it is meant, and breaks it again after a resize", async () => {
  const { terminal } = await conversation(() => says(`${LONG}\n\n${TABLE}`, { paceMs: 2 }));
  terminal.type("show\r");
  const screen = await terminal.shows("The end.");
  expect(screen).toMatch(/│ src\/a\.ts +│ 12 +│/);
  expect(screen).not.toContain("**bold**");
  terminal.resize(MIDDLE);
  const wider = await terminal.shows(
    /Sentence number \d+ of an answer that streams\. Sentence number \d+ of an answer that streams\. Sentence/,
  );
  for (const line of wider.split("\n")) expect(line.length).toBeLessThanOrEqual(MIDDLE.columns);
  expect(terminal.grid.lines().at(-3)).toBe("");
});

it.each(["\x1b", "\x03"])("interrupts a streamed answer at once and says so (%j)", async (key) => {
  const { terminal, server } = await conversation(() => says(LONG.repeat(5), PACE));
  terminal.type("tell me\r");
  await terminal.shows("Sentence number 3");
  terminal.type("kept");
  await terminal.shows("kept");
  terminal.type(key);
  await terminal.shows("■ interrupted");
  expect(await server.requests[0]?.gone).toBe(true);
  expect(lastLines(terminal)[1]).toBe("kept");
  terminal.type("\x15next\r");
  await soon(() => expect(server.requests).toHaveLength(2));
});

it("ends the wait for a provider that does not answer with Esc, and asks it again for the next line", async () => {
  const { terminal } = await conversation((said) =>
    said.includes("next") ? says("Here I am.") : fails.overloaded(),
  );
  terminal.type("broken\r");
  await terminal.shows(/^· retrying in \d+ s, attempt \d+: /m);
  expect(terminal.screen().match(/^· retrying/gm)).toHaveLength(1);
  terminal.type("\x1b");
  await soon(() => expect(terminal.screen()).toMatch(/› broken\n· interrupted\n/));
  terminal.type("next\r");
  await terminal.shows("Here I am.");
});

it("leaves with the second Ctrl-C, gives the terminal back and keeps the conversation", async () => {
  const project = new Project();
  const { terminal } = await conversation(() => says("A short answer."), SMALL, project);
  terminal.type("first question\r");
  await terminal.shows("A short answer.");
  // While the lead is at work, Ctrl-C interrupts it.
  await soon(async () => expect((await project.run(["team"])).stdout).toMatch(/lead.*idle/));
  // A key between them, or a line that is typed, makes it the first again.
  for (const between of ["x", "\x7f"]) {
    terminal.type("\x03");
    await terminal.shows(
      between === "x" ? "ctrl+c again stops the team and leaves" : "up brings the line back",
    );
    terminal.type(between);
    await soon(() => expect(terminal.screen()).not.toContain("ctrl+c again"));
  }
  terminal.type("\x03");
  await terminal.shows("ctrl+c again stops the team and leaves; nothing is lost");
  terminal.type("\x03");
  expect(await terminal.ended).toBe(130);
  expect(terminal.output).toContain("\x1b[?1049l");
  expect(terminal.screen()).toContain("Stopped; nothing is lost.");
  // The next one shows what was said, and has the history.
  const again = await project.open(["--model", "anthropic/claude-sonnet-5-5"], {
    ...SMALL,
    env: { ANTHROPIC_API_KEY: "none" },
  });
  await again.shows(/› first question[\s\S]*A short answer\./);
  again.type("\x1b[A\x1b[A");
  await soon(() => expect(lastLines(again)[1]).toBe("first question"));
});

it("takes a pasted trace as one message", async () => {
  const { terminal, server } = await conversation(() => says("Read it."));
  terminal.type("\x1b[200~Error: it broke\n    at one (a.js:1)\n    at two (b.js:2)\x1b[201~");
  await terminal.shows("at two (b.js:2)");
  expect(server.requests).toHaveLength(0);
  terminal.type("\r");
  await terminal.shows("Read it.");
  expect(server.requests).toHaveLength(1);
  expect(textOf(server.requests[0]?.messages.at(-1) as never)).toContain(
    "Error: it broke\n    at one (a.js:1)\n    at two (b.js:2)",
  );
});

it("offers commands and files while one types, and runs a command of the person", async () => {
  const project = new Project();
  project.write({ "src/parser.ts": "export {};\n" });
  const { terminal } = await conversation(() => says("Yes."), SMALL, project);
  terminal.type("/tas");
  await terminal.shows(/\/tasks +the board/);
  terminal.type("\x15see @pars");
  await terminal.shows(/→ src\/parser\.ts/);
  terminal.type("\t");
  await soon(() => expect(lastLines(terminal)[1]).toBe("see @src/parser.ts"));
  terminal.type("\x15!echo $((40 + 2)); exit 3\r");
  await terminal.shows(/42\n *exit code 3/);
  // One that continues is shown as it runs, and ends with what it started: by Esc, and with the screen.
  for (const end of ["\x1b", "\x04"]) {
    terminal.type("!sleep 987 & echo pid $!.; wait\r");
    const screen = await terminal.shows(/pid \d+\.\n(?![\s\S]*ended by you)/);
    const pid = Number(/.*pid (\d+)\./s.exec(screen)?.[1]);
    terminal.type(end);
    await soon(() => expect(() => process.kill(pid, 0)).toThrow("ESRCH"));
    if (end === "\x1b") await terminal.shows("ended by you");
  }
});

it.each(["SIGKILL", "SIGHUP"])("ends a command of the person with its terminal: %s", async (signal) => {
  const { terminal } = await conversation(() => says("Yes."), SMALL, new Project());
  terminal.type("!sleep 988 & a=$!; sleep 989 & echo pids $a $!.; wait\r");
  const screen = await terminal.shows(/pids \d+ \d+\.\n/);
  const pids = (/pids (\d+) (\d+)\./.exec(screen) ?? []).slice(1).map(Number);
  expect(pids).toHaveLength(2);
  terminal.pty.kill(signal);
  await terminal.ended;
  for (const pid of pids) await soon(() => expect(() => process.kill(pid, 0)).toThrow("ESRCH"));
});

it("shows a running command with its last lines, and the diff of an edit before and after it is allowed", async () => {
  const project = new Project();
  project.write({ "a.txt": "one\ntwo\nthree\n" });
  const model: Model = (said) => {
    if (said.includes("count"))
      return calls("bash", {
        command: "touch new; for i in 1 2 3 4 5; do echo step-$i; done; until [ -e go ]; do sleep 0.05; done",
      });
    if (said.includes("edit")) return calls("edit_file", { path: "a.txt", old: "two", new: "TWO" });
    return says("Done.");
  };
  const { terminal } = await conversation(model, MIDDLE, project);
  terminal.type("count\r");
  await terminal.shows(/lead wants to run a command +1 of 1/);
  const card = await terminal.shows("until [ -e go ]; do sleep 0.05; done");
  expect(card).toContain("why:");
  await terminal.shows("↓↑ choose");
  terminal.type("y\r");
  await terminal.shows(/│ step-3\n[^\n]*│ step-4\n[^\n]*│ step-5/);
  expect(terminal.screen()).toMatch(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] runs/);
  project.write({ go: "" });
  await terminal.shows("Done.");
  terminal.type("edit\r");
  await terminal.shows(/-two\n[^\n]*\+TWO/);
  expect(readFileSync(join(project.dir, "a.txt"), "utf8")).toContain("two");
  await terminal.shows("↓↑ choose");
  terminal.type("y\r");
  await terminal.shows(/● edits a\.txt[^\n]*\n +2 -two\n +2 \+TWO/);
  expect(readFileSync(join(project.dir, "a.txt"), "utf8")).toBe("one\nTWO\nthree\n");
});

/** A lead that runs one command for each word of the person. */
const runsTests: Model = (said) =>
  said.includes("run: ")
    ? calls("bash", { command: /run: ([^\n<]*)/.exec(said)?.[1]?.trim() })
    : says("Done.");
const rulesOf = (project: Project): string => {
  const folder = join(project.home, ".config/ekiden/projects");
  const files = existsSync(folder) ? readdirSync(folder) : [];
  return files.map((name) => readFileSync(join(folder, name, "settings.json"), "utf8")).join("");
};

it("writes the rule of an always into the person's own settings, and asks no more", async () => {
  const { terminal, project } = await conversation(runsTests, SMALL);
  terminal.type("run: touch made\r");
  await terminal.shows("the same, always");
  await terminal.shows("↓↑ choose");
  terminal.type("a\r");
  await terminal.shows("Done.");
  expect(existsSync(join(project.dir, "made"))).toBe(true);
  expect(JSON.parse(rulesOf(project))).toEqual({ allow: ["bash(touch made)"] });
  expect(existsSync(join(project.dir, ".ekiden/settings.json"))).toBe(false);
});

it("offers a wider rule, which is edited before it is saved and holds at the next start", async () => {
  const { terminal, project, server } = await conversation(runsTests, MIDDLE);
  terminal.type("run: git log --oneline --output=one\r");
  await terminal.shows("↓↑ choose");
  terminal.type("a\t");
  await terminal.shows("always bash(git log *)");
  terminal.type("\t");
  await terminal.shows(/^always bash\(git log --oneline --output=one\)$/m);
  // One that does not cover what is asked is not taken, and the question still waits.
  terminal.type("\x15a bash(git show *)\r");
  await terminal.shows("does not cover what is asked about");
  terminal.type("\x15");
  await soon(() => expect(terminal.screen()).not.toMatch(/^a bash/m));
  terminal.type("a\t\r");
  await soon(() => expect(rulesOf(project)).toContain("bash(git log *)"));
  await terminal.shows("Done.");
  terminal.type("/quit\r");
  await terminal.ended;
  const again = await project.open(["--model", "anthropic/claude-sonnet-5-5"], {
    ...MIDDLE,
    env: { ...server.env, EKIDEN_SANDBOX: "off" },
  });
  await again.shows("Type what you want");
  again.type("run: git log --output=two\r");
  await again.shows(/› run: git log --output=two[\s\S]*Done\./);
  expect(again.output).not.toContain("wants to run");
});

it("takes a choice by arrows for this session, and writes nothing", async () => {
  const { terminal, project } = await conversation(runsTests, MIDDLE);
  terminal.type("run: touch one\r");
  await terminal.shows("↓↑ choose");
  terminal.type("\x1b[B\x1b[B\x1b[B");
  await terminal.shows("› s exactly this, this session");
  terminal.type("\r");
  await terminal.shows("Done.");
  terminal.type("run: touch one\r");
  await terminal.shows(/Done\.[\s\S]*Done\./);
  const log = (await project.run(["log", "--json"])).stdout;
  expect(log.split('"permission.asked"')).toHaveLength(2);
  expect(rulesOf(project)).toBe("");
});

it("answers by y alone; what follows is kept where it was no yes", async () => {
  const { terminal, project } = await conversation(runsTests, SMALL);
  terminal.type("run: touch one\r");
  await terminal.shows("↓↑ choose");
  terminal.type("yes\r");
  await terminal.shows("Done.");
  expect(existsSync(join(project.dir, "one"))).toBe(true);
  expect(terminal.screen()).not.toMatch(/› (?:yes|es)/);
  terminal.type("run: touch two\r");
  await terminal.shows("↓↑ choose");
  terminal.type("n\r");
  await terminal.shows(/Done\.[\s\S]*Done\./);
  expect(existsSync(join(project.dir, "two"))).toBe(false);
  terminal.type("run: touch three\r");
  await terminal.shows(/touch three[\s\S]*┃[\s\S]*↓↑ choose/);
  terminal.type("yet");
  await terminal.shows(/^et$/m);
});
