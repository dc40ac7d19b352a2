/** These tests check what the full screen shows and hides: trust, undo, thoughts, calls, Markdown while it streams, a team of eight. */
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { expect, it, onTestFinished } from "vitest";
import { processesOf } from "../../../src/adapters/process-table.ts";
import { textOf } from "../../../src/core/conversation/chat.ts";
import { type Answer, calls, says, startModelServer } from "../../fixtures/model-server/index.ts";
import { project } from "../../fixtures/project.ts";
import type { InTerminal, Size } from "../../fixtures/pty.ts";
import { soon } from "../../fixtures/soon.ts";

const SMALL = { columns: 80, rows: 24 };
const LARGE = { columns: 200, rows: 60 };
const ESCAPE = "\x1b";
const WAIT = "until [ -e go ]; do sleep 0.05; done";

async function conversation(answer: (said: string) => Answer, size: Size = SMALL): Promise<InTerminal> {
  const server = await startModelServer({
    anthropic: ({ messages }) => {
      const last = messages.at(-1);
      return answer(last ? textOf(last) : "");
    },
  });
  onTestFinished(() => server.close());
  const args = ["--model", "anthropic/claude-sonnet-5-5", "--allow", "bash"];
  const terminal = await project().open(args, { ...size, env: server.env });
  await terminal.shows("Type what you want");
  return terminal;
}

it("asks about trust on the normal screen, and continues with the full one", async () => {
  const place = project();
  const hook = { matcher: "bash", hooks: [{ type: "command", command: "true" }] };
  place.write({ ".ekiden/settings.json": JSON.stringify({ hooks: { PreToolUse: [hook] } }) });
  const terminal = await place.open(["--model", "runbook"], { ...SMALL, env: { EKIDEN_TRUST: "" } });
  // A terminal that answers late is asked about the keyboard by each full screen.
  const late = "\x1b[?1;2c";
  terminal.pty.onData((data) => void (data.includes("\x1b[c") && setTimeout(() => terminal.type(late), 40)));
  await terminal.shows(/hook PreToolUse \(bash\): true\n.*Allow this\? It is asked again when it changes/);
  expect(terminal.screen()).not.toMatch(/────|1;2c/);
  terminal.type("y\r");
  await terminal.shows("No model: only runbooks are run");
  terminal.type("still typed here");
  await soon(() => expect(terminal.grid.lines().at(-3)).toBe("still typed here"));
});

it("can be left while a store does not answer", async () => {
  const silent = createServer(() => {});
  silent.listen(0, "127.0.0.1");
  await once(silent, "listening");
  onTestFinished(() => void silent.close());
  const { port } = silent.address() as AddressInfo;
  const store = `postgres://user:password@127.0.0.1:${port}/team`;
  const terminal = await project().open(["--model", "runbook", "--store", store], SMALL);
  await Promise.all([once(silent, "connection"), terminal.shows("starting …")]);
  terminal.type("\x03");
  await terminal.shows("ctrl+c again leaves");
  terminal.type("\x03");
  expect(await terminal.ended).toBe(130);
  expect(terminal.screen()).not.toContain("────");
});

const MODES = new RegExp(`${ESCAPE}\\[(?:\\?([\\d;]+)([hl])|>4;?(\\d*)m|([<>])\\d*u)`, "g");
/** On before: wrapped lines, the cursor, a wheel that moves in other programs. */
const USUAL = new Set(["?7", "?25", "?1007"]);

/** The modes that an output leaves changed: private modes and keyboard protocols. */
function leftOn(output: string): string[] {
  const on = new Map<string, boolean>();
  for (const [, modes, set, level, push] of output.matchAll(MODES)) {
    for (const mode of modes?.split(";") ?? []) on.set(`?${mode}`, set === "h");
    if (level !== undefined) on.set(">4", level !== "" && level !== "0");
    if (push !== undefined) on.set("keyboard", push === ">");
  }
  return [...on].flatMap(([mode, isOn]) => (USUAL.has(mode) === isOn ? [] : [mode]));
}

it.each([0, 20, 60, 150, 400])(
  "resets every mode when it is left %i ms after its first frame",
  async (ms) => {
    const args = ["--model", "anthropic/claude-sonnet-5-5"];
    const terminal = await project().open(args, { ...SMALL, env: { ANTHROPIC_API_KEY: "none" } });
    await soon(() => expect(terminal.output).toContain("\x1b[?1049h"));
    await delay(ms);
    terminal.type("\x03");
    await delay(30);
    terminal.type("\x03");
    await terminal.ended;
    expect(leftOn(terminal.output)).toEqual([]);
  },
);

it("draws keys that come at once together, such as a paste without marks", async () => {
  const terminal = await project().open(["--model", "runbook"], LARGE);
  await terminal.shows("Type what you want");
  const before = terminal.output.length;
  terminal.type(`${"z".repeat(2_000)}END`);
  await terminal.shows("zzzEND");
  const frames = terminal.output.slice(before).split("\x1b[?2026h").length - 1;
  expect(frames).toBeGreaterThan(0);
  expect(frames).toBeLessThan(500);
});

it("undoes in the editor", async () => {
  const terminal = await conversation(() => says("Yes."));
  const line = (text: string): Promise<void> => soon(() => expect(terminal.grid.lines().at(-3)).toBe(text));
  terminal.type("keep these words");
  await line("keep these words");
  terminal.type("\x17");
  await line("keep these");
  terminal.type("\x1f");
  await line("keep these words");
});

it("folds thoughts and output until Ctrl-O shows them", async () => {
  const thinking = "The first thought.\nThe last thought.";
  const terminal = await conversation((said) =>
    said.includes("count") ? { ...calls("bash", { command: "seq 101 120" }), thinking } : says("Done."),
  );
  terminal.type("count\r");
  await terminal.shows("Done.");
  const folded = await terminal.shows(
    /∴ The last thought\.[\s\S]*… 17 earlier lines \(ctrl\+o shows them\)\n[^\n]*118\n[^\n]*119\n[^\n]*120/,
  );
  expect(folded).not.toContain("The first thought.");
  terminal.type("\x0f");
  terminal.resize(LARGE);
  await terminal.shows(/The first thought\.\n +The last thought\.[\s\S]*│ 101\n[\s\S]*│ 120/);
  terminal.type("\x0f");
  await soon(() => expect(terminal.screen()).not.toContain("The first thought."));
  terminal.type("/context\r");
  const context = await terminal.shows(
    /filled [^\n]*[\d,]+ of [\d,]+ tokens \(\d+ %\)[\s\S]*results of bash +(?:< 1|\d+) % +\d+/,
  );
  expect(context).toMatch(/instructions +\d+ %/);
});

it("renders a table and highlights code while the answer still streams", async () => {
  const text = `| file | lines |\n|---|---|\n| src/a.ts | 12 |\n\n\`\`\`ts\nconst answer = 42; // why\n${"let more = 1;\n".repeat(40)}\`\`\`\n\nThe end.`;
  const terminal = await conversation(() => says(text, { paceMs: 15 }), LARGE);
  terminal.type("show\r");
  const screen = await terminal.shows("let more = 1;");
  expect(screen).not.toContain("The end.");
  expect(screen).toMatch(/│ src\/a\.ts +│ 12 +│/);
  expect(terminal.output).toMatch(new RegExp(`${ESCAPE}\\[\\d+mconst${ESCAPE}`));
  await terminal.shows("The end.");
});

it("shows a team of eight: all of them where there is room, the rest as a number where there is not", async () => {
  const place = project();
  const tasks = Array.from(
    { length: 8 },
    (_, i) => `## Part ${i}\n\n\`\`\`sh\necho 出力-${i}; ${WAIT}\n\`\`\`\n`,
  );
  place.write({ "plan.md": `# Eight\n\n${tasks.join("\n")}` });
  const terminal = await place.open(["run", "plan.md", "--teammates", "8"], LARGE);
  await soon(() => expect(terminal.screen().match(/#\d +runs [^\n]* 出力-\d/g)).toHaveLength(8));
  // In a column of their own, where a click enters a member.
  const row = terminal.grid.lines().findIndex((line) => /│ .. alice /.test(line));
  const column = terminal.grid.lines()[row]?.lastIndexOf("alice") ?? 0;
  const click = (at: number): void => terminal.type(`\x1b[<0;${at};${row + 1}M\x1b[<0;${at};${row + 1}m`);
  click(5);
  click(column);
  await terminal.shows(/^ alice +esc interrupts/m);
  terminal.type("/to\r");
  await soon(() => expect(terminal.screen()).not.toContain("← lead"));
  terminal.resize(SMALL);
  const small = await terminal.shows(/and \d at work: \w+/);
  expect(small).toMatch(/#\d +runs [^\n]* 出力-\d/);
  for (const line of terminal.grid.lines()) expect(line.length).toBeLessThanOrEqual(SMALL.columns);
  place.write({ go: "" });
  expect(await terminal.ended).toBe(0);
});

it("sets a terminal right that was left by kill -9", async () => {
  const place = project();
  const env = { EKIDEN_MODEL: "runbook" };
  const left = await place.shell({ columns: 80, rows: 24, env });
  // A shell of the plainest kind: it leaves the modes of its terminal as they are.
  left.type("exec sh\r");
  await left.shows(/exec sh\n\$/);
  left.type("ekiden\r");
  await left.shows("Type what you want");
  const faces = (): number[] =>
    processesOf(`HOME=${place.home}\0`).filter((pid) => {
      const line = readFileSync(`/proc/${pid}/cmdline`, "utf8");
      return line.includes("node") && !line.includes("\0host\0");
    });
  expect(faces()).toHaveLength(1);
  for (const pid of faces()) process.kill(pid, "SIGKILL");
  await soon(() => expect(left.output).toMatch(/Killed/));
  left.type("ekiden\n");
  await soon(() => expect(left.screen()).not.toContain("Killed"));
  await left.shows("Type what you want");
  left.type("/quit\r");
  await soon(() => expect(faces()).toEqual([]));
  left.type("until stty -a | grep -q ' icanon'; do sleep 0.1; done; expr 6 '*' 7\n");
  // The line was typed before there was an echo, or behind it.
  await left.shows(/^(?:\$ )?42$/m);
});
