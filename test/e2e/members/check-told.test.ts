/** What a check does beside its judgement is one fact: the run, `ekiden tasks ID` and the log say it in the same words. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { bubblewrapOrSkip } from "../../fixtures/bubblewrap.ts";
import { repositoryIn } from "../../fixtures/repository.ts";
import { Project } from "../cli-program.ts";

const CHECKS = {
  leaves: "(setsid sleep 300 >/dev/null 2>&1 &) ; sleep 300 & true",
  floods: "yes | head -c 5000000; true",
  removes: "rm -f lid; touch made",
  asks: "read a < /dev/tty",
  is_killed: "kill -9 $$",
} as const;
const TOLD: Readonly<Record<keyof typeof CHECKS, string>> = {
  leaves:
    "check green: (setsid sleep 300 >/dev/null 2>&1 &) ; sleep 300 & true (0s); it left 2 processes running, which were ended",
  floods: "check green: yes | head -c 5000000; true (0s); it printed 5 MB, and only its ends are kept",
  removes:
    "check doing harm: rm -f lid; touch made (0s); it removed files: lid; it changed files: made. To take back what was done for #3: ekiden undo 3",
  asks: "check red: read a < /dev/tty (0s); it seems to ask for input, by its output, and has no terminal",
  is_killed: "check red: kill -9 $$ (0s)",
};

const plan = Object.entries(CHECKS)
  .map(([name, check]) => `## ${name}\nCheck: \`${check}\`\n\`\`\`sh\ntrue\n\`\`\`\n`)
  .join("\n");

const same = (text: string): string => text.replace(/\(\d+s\)/g, "(0s)");

async function tells(sandbox: "required" | "off"): Promise<void> {
  const project = new Project();
  onTestFinished(() => project.end());
  repositoryIn(project.dir, { ".gitignore": ".ekiden/\nplan.md\n", lid: "open\n" });
  project.write({ "plan.md": `# Checks\n\n${plan}` });
  const env = { EKIDEN_SANDBOX: sandbox, EKIDEN_WORKTREES: "false" };
  const args = ["run", "plan.md", "--teammates", "1", "--allow", "bash(*)"];
  const { stderr } = await project.run(args, { env });
  const log = same((await project.run(["log"])).stdout);
  for (const [nth, told] of Object.values(TOLD).entries()) {
    expect(same(stderr)).toContain(`begins #${nth + 1} with its ${told}`);
    expect(same((await project.run(["tasks", String(nth + 1)])).stdout)).toContain(told);
    expect(log).toContain(told);
  }
  await project.run(["undo", "3"]);
  expect(() => writeFileSync(join(project.dir, "lid"), "shut\n", { flag: "wx" })).toThrow("EEXIST");
}

bubblewrapOrSkip(it)("says what checks did in the sandbox", () => tells("required"), 120_000);
it.runIf(process.platform === "linux")("says what checks did without one", () => tells("off"), 120_000);
