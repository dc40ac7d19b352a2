/**
 * Frames of the screen: facts in, lines out. Each scene is drawn at four widths and compared with its file in `goldens`, so that a change of
 * the screen is read in the diff of its commit. `npx vitest run --project unit src/faces/screen -u` writes the files.
 */
import { stripVTControlCharacters } from "node:util";
import { visibleWidth } from "@earendil-works/pi-tui";
import { expect, it, onTestFinished, vi } from "vitest";
import { asked, claimed, result, Scene, SECOND, said, turn } from "../../../test/fixtures/screen-scene.ts";
import { name, stage } from "../../../test/fixtures/stage.ts";
import { heard } from "../../core/conversation/chat.ts";
import { tagged } from "../../core/conversation/tags.ts";
import type { Fact } from "../../core/event.ts";
import { LEAD, type Name, PERSON, type RequestId, type TaskId } from "../../core/ids.ts";

const WIDTHS = [60, 80, 120, 200];
const HEIGHT = 24;
const [alice, bob] = [name("alice"), name("bob")];

const ANSWER = `The parser reads **two** formats:

1. \`key = value\`, one a line
2. JSON

| format | file | lines |
|---|:-:|--:|
| lines | \`src/lines.ts\` | 9 |
| JSON | \`src/json.ts\` | 日本 120 |

\`\`\`ts
export const parse = (text: string) => JSON.parse(text);
\`\`\`
`;

/** Two teammates at work on a board of five tasks, one of them failed. */
async function working(scene: Scene): Promise<void> {
  await scene.join(LEAD);
  await scene.join(alice, "builder");
  await scene.join(bob);
  await scene.add(
    "Parse the settings",
    "Write the loader of plugins, with a subject that is longer than most lines of a terminal have room for",
    "Übersetze die Texte 日本語のタスク",
    "Publish",
    "Test the parser",
  );
  await scene.facts(
    claimed(1, alice, "Parse the settings"),
    claimed(3, bob, "Übersetze die Texte 日本語のタスク"),
    turn(LEAD, 9_000, 0.12),
    turn(alice, 42_000, 0.4),
    { type: "task.failed", task: 4 as TaskId, subject: "Publish", by: LEAD, attempt: 1, reason: "no token" },
    { type: "teammate.phase", who: LEAD, phase: "idle", reason: "no_tool_use" },
  );
  const edit = { path: "src/lines.ts", old: "const a = 1;", new: "const a = 2;" };
  await scene.entries(
    alice,
    heard(tagged("auto-claimed", {}, "Parse the settings")),
    said("I read the file first.", { id: "1", tool: "edit_file", input: edit }),
    result("1", "Replaced line 9 in src/lines.ts."),
    said("", { id: "2", tool: "bash", input: { command: "npm test -- --reporter dot" } }),
  );
  scene.team.story(alice).output("npm test -- --reporter dot", "12 passed\n13 passed\n");
}

const called = (who: Name, tool: string, subject: string): Fact => ({
  ...{ type: "tool.called", who, tool, subject, ms: 20, isError: false },
});

const SCENES: Readonly<Record<string, (scene: Scene) => Promise<void>>> = {
  "a lead alone answers": async (scene) => {
    await scene.join(LEAD);
    await scene.facts(turn(LEAD, 12_000, 0.05));
    await scene.entries(LEAD, asked("Which formats does the parser read?"), said(ANSWER));
    await scene.facts({ type: "teammate.phase", who: LEAD, phase: "idle", reason: "no_tool_use" });
  },
  "a command runs and one has failed": async (scene) => {
    await scene.join(LEAD);
    await scene.entries(
      LEAD,
      asked("Run the tests."),
      said("", { id: "1", tool: "bash", input: { command: "npm test" } }),
      result("1", "1 failed\nexpected 3, got 4\nexit code 1", true),
      said("I look at the failure.", { id: "2", tool: "bash", input: { command: "cat src/sum.ts" } }),
    );
  },
  "a no, and commands that end": async (scene) => {
    await scene.join(LEAD);
    const no =
      "The person said no to edit_file (a.ts): use single quotes. Do it another way, or ask what they want.";
    await scene.entries(
      LEAD,
      said("", { id: "1", tool: "edit_file", input: { path: "a.ts", old: "1", new: "2" } }),
      result("1", no, true),
      said("", { id: "2", tool: "bash", input: { command: "npm test" } }),
      result("2", "1 failed\n[exit code 1]"),
      said("", { id: "3", tool: "bash", input: { command: "npm run build" } }),
      result("3", "built\n[exit code 0]"),
    );
    await scene.facts({
      ...{ type: "permission.answered", who: LEAD, request: "r1" as RequestId, tool: "edit_file" },
      ...{ subject: "a.ts", allowed: false, by: PERSON },
    });
  },
  "a member was stopped by the person": async (scene) => {
    await working(scene);
    await scene.facts({ type: "teammate.phase", who: bob, phase: "idle", reason: "interrupted" });
    await scene.open("board");
  },
  "a team works": working,
  "the provider is asked again": async (scene) => {
    await working(scene);
    const again = { why: "overloaded (529)", attempt: 2, waitMs: 30 * SECOND };
    await scene.facts({ type: "model.retried", who: bob, ...again });
    await scene.facts({ type: "teammate.phase", who: bob, phase: "idle", reason: "rate_limited" });
  },
  "the provider of a lead alone is asked again": async (scene) => {
    await scene.join(LEAD);
    const why = "anthropic/claude-sonnet-5-5: the provider is busy or broken (529). Overloaded";
    await scene.facts({ type: "model.retried", who: LEAD, why, attempt: 5, waitMs: 30 * SECOND });
    scene.looks = { mode: "accept-edits" };
  },
  "a teammate is looked at": async (scene) => {
    await working(scene);
    scene.looks = { at: alice, feed: scene.team.story(alice).feed };
  },
  "twelve members": async (scene) => {
    await scene.join(LEAD);
    for (let i = 1; i < 12; i += 1) await scene.join(name(`member-${i}`));
    await scene.add("One task");
    await scene.facts(claimed(1, name("member-7"), "One task"));
    for (let i = 1; i < 6; i += 1)
      await scene.facts({
        type: "teammate.phase",
        who: name(`member-${i}`),
        phase: "idle",
        reason: "awaiting_tasks",
      });
  },
  "a permission is asked for": async (scene) => {
    await working(scene);
    await scene.ask(alice, {
      ...{ kind: "permission", tool: "bash", subject: "git push --force origin main && npm publish" },
      ...{ why: "`git push` sends commits to another machine", rule: "bash(git push:*)" },
    });
    await scene.ask(bob, { kind: "permission", tool: "bash", subject: "rm -r dist" });
  },
  "a wider rule is chosen": async (scene) => {
    await working(scene);
    await scene.ask(alice, { kind: "permission", tool: "bash", subject: "rm -r dist" });
    await scene.ask(bob, {
      ...{ kind: "permission", tool: "bash", subject: "npm test -- src/lines.test.ts" },
      ...{
        why: "mode default asks about tools that run programs",
        rule: "bash(npm test -- src/lines.test.ts)",
      },
    });
    scene.questions.lookAt(bob);
    for (let i = 0; i < 3; i += 1) scene.questions.move(1);
    scene.questions.widen(1);
    scene.looks = { at: bob, feed: scene.team.story(bob).feed };
  },
  "a plan is to be judged": async (scene) => {
    await working(scene);
    const plan = "# Plan\n\n- read `src/settings.ts`\n- write a parser\n- test it";
    await scene.ask(alice, { kind: "plan", task: 1 as TaskId, attempt: 1, plan });
  },
  "a member asks the person": async (scene) => {
    await working(scene);
    const options = [
      { label: "YAML", description: "people know it" },
      { label: "JSON", description: "" },
    ];
    const question = "Which format shall the settings have?";
    await scene.ask(alice, { kind: "question", task: 1 as TaskId, waits: true, question, options });
  },
  "a message is queued": async (scene) => {
    await scene.join(LEAD);
    const story = scene.team.story(LEAD);
    for (const text of ["Run the tests.", "And the linter."]) story.echo(text, true);
    await scene.entries(LEAD, asked("Run the tests."), said("I do."));
  },
  "each task is a line of the story": async (scene) => {
    await working(scene);
    const who = { by: alice, task: 1 as TaskId, subject: "Parse the settings", attempt: 1 };
    await scene.facts(called(alice, "edit_file", "src/lines.ts"), {
      ...{
        type: "permission.asked",
        who: alice,
        request: "r1" as RequestId,
        tool: "bash",
        subject: "npm test",
      },
    });
    await scene.clock.advance(3_600 * SECOND);
    await scene.facts(
      {
        ...{ type: "permission.answered", who: alice, request: "r1" as RequestId, tool: "bash" },
        ...{ subject: "npm test", allowed: true, by: PERSON },
      },
      { type: "gate.started", task: who.task, by: alice, command: "npm run check" },
      {
        type: "task.landed",
        task: who.task,
        by: alice,
        branch: "b",
        target: "main",
        commit: "0123456789abcdef",
      },
      { type: "task.completed", ...who, result: "Lines and JSON are read; 13 tests pass." },
      claimed(2, alice, "Write the loader of plugins, with a subject that is longer than most lines"),
      { ...turn(alice, 900, 0.01), text: "I look for the place where plugins are named." } as Fact,
      {
        ...{
          type: "task.failed",
          task: 3 as TaskId,
          by: bob,
          subject: "Übersetze die Texte 日本語のタスク",
          attempt: 1,
        },
        reason: "There is no glossary, and two terms of the texts have more than one translation.",
      },
    );
  },
  "one member in the story": async (scene) => {
    await SCENES["each task is a line of the story"]?.(scene);
    scene.team.main.filter(bob);
  },
  "the board is open while three wait": async (scene) => {
    await working(scene);
    await scene.join(name("carol"));
    await scene.facts(claimed(5, name("carol"), "Test the parser"));
    const plan = "# Plan\n\n- read `src/settings.ts`\n- write a parser\n- test it";
    await scene.ask(name("carol"), { kind: "plan", task: 5 as TaskId, attempt: 1, plan });
    for (const who of [alice, bob])
      await scene.ask(who, {
        ...{ kind: "permission", tool: "write_file", subject: "src/a.ts", rule: "write_file(src/a.ts)" },
        ...{
          why: "mode default asks before tools that write files",
          diff: `@@ -0,0 +1,9 @@\n${"+line\n".repeat(9)}`,
        },
      });
    scene.questions.next();
    await scene.open("board");
  },
  "the board is gone through while three wait": async (scene) => {
    await SCENES["the board is open while three wait"]?.(scene);
    scene.panel.takes("\x1b[B", true);
  },
  "three wait for the person": async (scene) => {
    await SCENES["the board is open while three wait"]?.(scene);
    scene.panel.open(null);
  },
  "the board is open": async (scene) => {
    await working(scene);
    await scene.open("board");
  },
  "the board is filtered": async (scene) => {
    await working(scene);
    await scene.open("board");
    for (const key of ["\x1b[B", "/", ..."parse the set"]) scene.panel.takes(key, true);
  },
  "the details of a task": async (scene) => {
    await working(scene);
    await scene.view(1, "1");
  },
  "the conversation of a task": async (scene) => {
    await working(scene);
    await scene.view(1, "2");
  },
  "the members are gone through": async (scene) => {
    await working(scene);
    await scene.ask(bob, { kind: "permission", tool: "bash", subject: "rm -r dist" });
    await scene.open("members");
    scene.panel.takes("\x1b[B", true);
    scene.panel.takes("\x1b[B", true);
  },
  "the questions are gone through": async (scene) => {
    await working(scene);
    const options = [
      { label: "YAML", description: "people know it" },
      { label: "JSON", description: "" },
    ];
    const question = "Which format shall the settings have?";
    await scene.ask(alice, { kind: "question", task: 1 as TaskId, waits: true, question, options });
    await scene.ask(bob, { kind: "permission", tool: "bash", subject: "npm test", rule: "bash(npm test)" });
    await scene.open("questions");
    scene.panel.takes("\x1b[B", true);
    scene.panel.takes("\x1b[B", true);
  },
  "the mail is open": async (scene) => {
    await scene.join(LEAD);
    await scene.store.mail.send(PERSON, {
      to: LEAD,
      body: { kind: "note", text: "Begin with\nthe parser." },
    });
    await scene.store.mail.send(LEAD, { to: PERSON, body: { kind: "note", text: "I do." }, urgent: true });
    await scene.open("mail");
  },
  "a team is watched": async (scene) => {
    await working(scene);
    await scene.ask(alice, { kind: "permission", tool: "bash", subject: "rm -r dist" });
    const title = "ekiden top · team default (2 in the store) · running";
    const watch = { title: () => title, keys: "q leave · t team · tab panel", actionOf: () => null };
    scene.looks = { watch, editor: [], mode: null };
    scene.viewer.watches = true;
    await scene.open("board");
  },
  "a task that nobody will take says why": async (scene) => {
    await scene.join(LEAD);
    await scene.join(bob);
    const failed = { subject: "Publish", by: LEAD, attempt: 1, reason: "no token" };
    for (const [task, subject, more] of [
      [1, "Test it", { role: "tester" }],
      [2, "Tell it", { assignee: alice }],
      [3, "Anything", {}],
      [4, "Publish", {}],
      [5, "Announce", { blockedBy: [4] }],
    ] as const)
      await scene.facts({
        ...{ type: "task.added", task: task as TaskId, subject, by: LEAD, blockedBy: [], ...more },
      } as Fact);
    await scene.facts({ type: "task.failed", task: 4 as TaskId, ...failed });
    await scene.open("board");
  },
  "the keys are shown": async (scene) => {
    await working(scene);
    scene.help.open();
  },
  "a red target stands above the members": async (scene) => {
    await working(scene);
    const red = {
      type: "base.judged",
      by: alice,
      target: "main",
      commit: "1a2b3c4d5e6f",
      author: "ann",
    } as const;
    const at = new Date(2026, 0, 2, 12, 4).getTime();
    const more = {
      authoredAt: at,
      names: ["a", "b", "c"],
      gate: "npm test",
      verdict: "red",
      ms: 5,
      repair: null,
    } as const;
    await scene.facts(
      { type: "gate.started", task: 1 as TaskId, by: alice, command: "npm test" },
      { ...red, ...more },
      { type: "teammate.phase", who: alice, phase: "idle", reason: "awaiting_base" },
    );
  },
  "a notice is read whole": async (scene) => {
    await working(scene);
    scene.looks = {
      notice: "ctrl+c again stops the work; ctrl+d leaves and lets the team work, as it would without you",
    };
  },
};

const { open } = stage("sqlite");

it.each(Object.entries(SCENES))("%s", async (title, play) => {
  const scene = await Scene.on(open);
  await play(scene);
  const frames = WIDTHS.map((width) => {
    const lines = scene.frame(width, HEIGHT);
    expect(lines).toHaveLength(HEIGHT);
    for (const line of lines) expect(visibleWidth(line)).toBeLessThanOrEqual(width);
    return `${width} columns\n${lines.map((line) => stripVTControlCharacters(line).trimEnd()).join("\n")}\n`;
  });
  await expect(frames.join("\n")).toMatchFileSnapshot(`goldens/${title.replaceAll(" ", "-")}.txt`);
});

/** One of three edits on the card, with as little room as people give it. */
async function editing(scene: Scene): Promise<void> {
  await working(scene);
  await scene.join(name("carol"));
  const diff = [
    "--- index.mjs\n+++ index.mjs\n@@ -2,7 +2,9 @@",
    " import { env } from 'node:process';\n \n function init(open, close) {",
    "+  // called for each colour\n+  const end = close;\n-  return s => open + s + close;",
    "+  return s => `\\x1b[${open}m${s}\\x1b[${end}m`;\n }\n \n export { init };",
  ].join("\n");
  for (const who of [alice, bob, name("carol")])
    await scene.ask(who, {
      ...{ kind: "permission", tool: "edit_file", subject: "index.mjs", rule: "edit_file(index.mjs)", diff },
      why: "mode default asks before tools that write files",
    });
}
const plain = (lines: readonly string[]): string =>
  lines.map((line) => stripVTControlCharacters(line).trimEnd()).join("\n");

it.each([
  [60, 20, null],
  [40, 12, null],
  [80, 24, "board"],
  [60, 20, "board"],
  [40, 8, null],
] as const)("a change is seen beside y at %i×%i with the panel %s", async (width, height, panel) => {
  const scene = await Scene.on(open);
  await editing(scene);
  if (panel) await scene.open(panel);
  const frame = plain(scene.frame(width, height));
  expect(frame).toMatch(/^┃ +\d+ [-+] /m);
  expect(frame).toMatch(/^┃ +y yes/m);
  await expect(`${frame}\n`).toMatchFileSnapshot(
    `goldens/a-change-at-${width}x${height}-${panel ?? "alone"}.txt`,
  );
});

it.each(["help", "keys"])("the lines of /%s", async (word) => {
  vi.stubEnv("XDG_CONFIG_HOME", "/nowhere");
  onTestFinished(() => void vi.unstubAllEnvs());
  const scene = await Scene.on(open);
  await scene.join(LEAD);
  await scene.typed(`/${word}`);
  const frames = [60, 120].map((width) => {
    const lines = scene.frame(width, 250);
    for (const line of lines) expect(visibleWidth(line)).toBeLessThanOrEqual(width);
    const shown = lines.slice(0, -4).map((line) => stripVTControlCharacters(line).trimEnd());
    return `${width} columns\n${shown.join("\n").trim()}\n`;
  });
  await expect(frames.join("\n")).toMatchFileSnapshot(`goldens/the-lines-of-${word}.txt`);
});

it("gives keys to the panel of a watched team again after a terminal that was too low for it", async () => {
  const scene = await Scene.on(open);
  await working(scene);
  for (const [watches, hasKeys] of [
    [true, true],
    [false, false],
  ] as const) {
    scene.viewer.watches = watches;
    await scene.open("board");
    scene.panel.takes("\x1b[B", true);
    scene.frame(60, 3);
    expect([watches, scene.panel.hasKeys]).toEqual([watches, hasKeys]);
  }
});
