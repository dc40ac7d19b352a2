/** `ekiden run --plain` on a terminal: a feed of lines, and questions below it. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { textOf } from "../../../src/core/conversation/chat.ts";
import { calls, runs, says, startModelServer } from "../../fixtures/model-server/index.ts";
import { Project } from "../cli-program.ts";

const giveBack: (() => unknown)[] = [];
afterEach(async () => {
  for (const one of giveBack.splice(0).reverse()) await one();
});

it("continues with the feed above a question that waits, and keeps what is typed below it", async () => {
  const project = new Project();
  giveBack.push(() => project.end());
  await project.run(["add", "Ask", "--role", "asker"]);
  await project.run(["add", "Work", "--role", "worker"]);
  project.write({
    "wait.sh": "until [ -e go ]; do sleep 0.05; done; echo gone\n",
    ".ekiden/roles/asker.md": "---\ndescription: asks\n---\nAsk.\n",
    ".ekiden/roles/worker.md": "---\ndescription: works\n---\nWork.\n",
  });
  const server = await startModelServer({
    anthropic: ({ system, messages }) => {
      const last = messages.at(-1);
      const results = last?.content.flatMap((part) => (part.type === "result" ? [part.text] : [])) ?? [];
      const text = [...results, last ? textOf(last) : ""].join("\n");
      if (system.startsWith('You are "lead"'))
        return says(text.includes("What is left?") ? "Nothing." : "I see.");
      if (text.includes("<auto-claimed"))
        return system.startsWith('You are "alice"') ? runs("touch made") : runs("sh wait.sh");
      if (text.startsWith("Completed") || results.length === 0) return says("Done.");
      return calls("complete_task", { result: "finished it" });
    },
  });
  giveBack.push(() => server.close());
  const team = ["--teammate", "alice:asker", "--teammate", "bob:worker", "--allow", "bash(sh wait.sh)"];
  const args = ["run", "Do it", "--plain", ...team, "--model", "anthropic/claude-sonnet-5-5"];
  const terminal = await project.open(args, {
    columns: 60,
    rows: 30,
    env: { ...server.env, EKIDEN_SANDBOX: "off" },
  });
  await terminal.shows(/alice wants to run touch made[\s\S]*alice \[y\/n\/a\]>/);
  // Longer than a row.
  const typed = "no, because this is an answer that takes more than one row of a terminal";
  terminal.type(typed);
  const flat = (): string => terminal.screen().replaceAll("\n", "");
  await terminal.shows(/row of a termi/);
  project.write({ go: "" });
  const screen = await terminal.shows(/completed #2 Work[\s\S]*alice \[y\/n\/a\]>/);
  expect(flat()).toContain(`alice [y/n/a]> ${typed}`);
  expect(screen.match(/because this is/g)).toHaveLength(1);
  // The prompt takes commands and words for the lead while a question waits.
  terminal.type("\x15/team\r");
  await terminal.shows(/bob@default +worker/);
  terminal.type("What is left?\r");
  await terminal.shows(/lead +says: Nothing\./);
  terminal.type("ok\r");
  expect(await terminal.ended).toBe(0);
  expect(existsSync(join(project.dir, "made"))).toBe(true);
  expect(terminal.screen()).toContain("2 completed");
});
