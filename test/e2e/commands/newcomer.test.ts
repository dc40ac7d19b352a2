/**
 * The first ten minutes of a newcomer, typed into one shell: the demo, a runbook with a failing step, a team with a permission, a plan
 * and a word to a teammate, Ctrl-Z and fg, Ctrl-C, resume, the summary.
 */
import { copyFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { ROOT } from "../../../scripts/fresh.ts";
import { textOf } from "../../../src/core/conversation/chat.ts";
import {
  type Answer,
  calls,
  type ModelCall,
  runs,
  says,
  startModelServer,
} from "../../fixtures/model-server/index.ts";
import type { InTerminal } from "../../fixtures/pty.ts";
import { soon } from "../../fixtures/soon.ts";
import { Project } from "../cli-program.ts";

const SIZE = { columns: 120, rows: 40 };
const RUNBOOK = `# Ship

## Build

\`\`\`sh
echo built
\`\`\`

## Check

After: Build

\`\`\`sh
echo checking; test -e fixed
\`\`\`
`;

const giveBack: (() => unknown)[] = [];
afterEach(async () => {
  for (const one of giveBack.splice(0).reverse()) await one();
});

/** One task is an edit and a wait, the other needs a plan. */
function team({ system, messages }: ModelCall): Answer {
  const last = messages.at(-1);
  const results = last?.content.flatMap((part) => (part.type === "result" ? [part.text] : [])) ?? [];
  const text = [...results, last ? textOf(last) : ""].join("\n");
  if (system.startsWith('You are "lead"'))
    return says(text.includes("board is quiet") ? "All of it is done." : "I see.");
  if (text.startsWith("Completed")) return says("Done.");
  if (text.includes("Your plan for #2 is approved") || /\bgone\b/.test(text))
    return calls("complete_task", { result: "did it" });
  if (text.includes("Change the API") && text.includes("<auto-claimed"))
    return calls("submit_plan", { plan: "The plan:\n\n1. **rename** all" });
  if (text.includes("<auto-claimed"))
    return calls("edit_file", { path: "greet.txt", old: "hello", new: "hi" });
  return /greet\.txt|interrupted/.test(results.join()) ? runs("sh wait.sh") : says("I wait.");
}

/** Types a command at the prompt; resolves with what it ended with. */
async function command(shell: InTerminal, line: string): Promise<() => Promise<number>> {
  const before = shell.output.length;
  shell.type(`${line}; echo "ended with $?"\r`);
  return () =>
    soon(() => {
      const [, code] = /\nended with (\d+)/.exec(shell.output.slice(before)) ?? [];
      if (code === undefined) throw new Error(`${line} has not ended:\n${shell.screen()}`);
      return Number(code);
    });
}

it("gets a newcomer through the first ten minutes", async () => {
  const project = new Project();
  giveBack.push(() => project.end());
  const server = await startModelServer({ anthropic: team });
  giveBack.push(() => server.close());
  project.write({
    "own/plan.md": RUNBOOK,
    "team/greet.txt": "hello\n",
    "team/wait.sh": "until [ -e go ]; do sleep 0.05; done; echo gone\n",
  });
  mkdirSync(join(project.dir, "demo/src"), { recursive: true });
  for (const file of ["examples/quickstart.md", "package.json", "package-lock.json", "src/index.ts"])
    copyFileSync(join(ROOT, file), join(project.dir, "demo", file.replace("examples/", "")));
  const shell = await project.shell(SIZE);
  await shell.shows("$");

  // The demo, which needs no key.
  const demo = await command(shell, "cd demo && ekiden run quickstart.md");
  expect(await demo()).toBe(0);
  await shell.shows(/Read health-report\/report\.md/);
  expect(readFileSync(join(project.dir, "demo/health-report/report.md"), "utf8")).toContain("## Languages");

  // A runbook of one's own: its second step fails, is corrected, and only that one runs again.
  const first = await command(shell, "cd ../own && ekiden run plan.md");
  expect(await first()).toBe(1);
  await shell.shows(/1 completed, 1 failed[\s\S]*Failed: #2 [\s\S]*ekiden tasks 2/);
  const why = await command(shell, "ekiden tasks 2");
  expect(await why()).toBe(0);
  await shell.shows("checking");
  const second = await command(shell, "touch fixed; ekiden run plan.md");
  expect(await second()).toBe(0);

  // A team with a model.
  const keys = Object.entries(server.env).map(([name, value]) => `${name}='${value}'`);
  shell.type(`clear; export ${keys.join(" ")}\r`);
  const model = "--model anthropic/claude-sonnet-5-5";
  const adding = await command(shell, 'cd ../team && ekiden add Greet && ekiden add "Change the API" --plan');
  expect(await adding()).toBe(0);
  shell.type(`ekiden run "Do the tasks" --teammates 2 --allow "bash(sh wait.sh)" ${model}\r`);
  const questions = [/ edits [\s\S]*-hello\n[^\n]*\+hi/, /plans #2[\s\S]*1\. rename all/];
  await shell.shows("1 of 2");
  const asked = questions.findIndex((question) => question.test(shell.screen()));
  for (const question of [questions[asked], questions[1 - asked]]) {
    await shell.shows(question as RegExp);
    await shell.shows("↓↑ choose");
    const greeting = question === questions[0] || asked === 1 ? "hello\n" : "hi\n";
    await soon(() => expect(readFileSync(join(project.dir, "team/greet.txt"), "utf8")).toBe(greeting));
    shell.type("y\r");
  }
  const greeter = (await shell.shows(/(\w+) +#1 +runs sh wait\.sh/)).match(/(\w+) +#1 +runs/)?.[1] ?? "";
  await soon(() => expect(readFileSync(join(project.dir, "team/greet.txt"), "utf8")).toBe("hi\n"));

  // A word to a teammate.
  shell.type(`/to ${greeter}\r`);
  await shell.shows(new RegExp(`^ ${greeter} +esc .*← lead`, "m"));
  expect(shell.screen()).toMatch(/-hello\n[^\n]*\+hi/);
  shell.type("mind the cat\r");
  await shell.shows(`→ ${greeter}: mind the cat`);
  shell.type("/to\r");
  await soon(() => expect(shell.screen()).not.toContain("← lead"));

  // Ctrl-Z gives the shell back, fg the screen.
  shell.type("\x1a");
  await shell.shows("Stopped");
  shell.type("fg\r");
  await shell.shows(/#1 +runs sh wait\.sh/);

  // Ctrl-C keeps everything, resume continues with it.
  shell.type("\x03");
  await shell.shows(/tasks: 1 completed, 1 unfinished · 1 file changed · .* tokens/);
  expect(existsSync(join(project.dir, "team/go"))).toBe(false);
  const resumed = await command(shell, 'touch go; ekiden resume --allow "bash(sh wait.sh)"');
  expect(await resumed()).toBe(0);
  await shell.shows("All of it is done.");
  expect(shell.screen()).toMatch(/2 completed · .* tokens/);
  expect(server.requests.some(({ messages }) => JSON.stringify(messages).includes("mind the cat"))).toBe(
    true,
  );
});
