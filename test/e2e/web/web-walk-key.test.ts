/** The whole way with a real provider's protocol: a key that a terminal keeps, and then on the page two questions, a landed change, a review comment, a second run. */
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { faultsOfAccess } from "../../fixtures/axe.ts";
import { hasBrowser, visit } from "../../fixtures/browser.ts";
import {
  type Answer,
  calls,
  fails,
  runs,
  says,
  startModelServer,
} from "../../fixtures/model-server/index.ts";
import { project } from "../../fixtures/project.ts";
import { addressIn } from "../../fixtures/web-program.ts";

const KEY = "sk-ant-a-key-of-the-terminal";

/** The lead asks, then makes a task and a teammate; the teammate paints, and does what a review says. */
const LEAD: readonly Answer[] = [
  calls("ask_person", { question: "Which colour?", options: ["Red: a warm one", "Blue: a cold one"] }),
  {
    calls: [
      { tool: "create_task", input: { subject: "Paint the door", description: "One coat of blue." } },
      { tool: "spawn_teammate", input: { name: "alice" } },
    ],
  },
];
const ALICE: readonly Answer[] = [
  runs("echo one coat > door.txt"),
  calls("complete_task", { result: "Painted." }),
  says("The door is blue."),
  runs("echo two coats > door.txt"),
  calls("complete_task", { result: "Painted twice." }),
];

describe.skipIf(!hasBrowser)("with a key, on the page", () => {
  it("goes from an empty folder to a landed change that a person has asked about, read and had changed", async () => {
    const turns = { lead: 0, alice: 0 };
    const server = await startModelServer({
      anthropic: ({ headers, system }) => {
        if (headers["x-api-key"] !== KEY) return fails.unauthorized();
        if (system.startsWith('You are "lead"')) return LEAD[turns.lead++] ?? says("The team works.");
        return system.includes("alice") ? (ALICE[turns.alice++] ?? says("Done.")) : says("All is well.");
      },
    });
    onTestFinished(() => server.close());
    const { ANTHROPIC_API_KEY: _, OPENAI_API_KEY: __, ...env } = server.env;
    const ours = project();
    const web = ours.start(["web", "--port", "0"], env);
    const { page } = await visit(await addressIn(web.stdout));
    const git = (...args: string[]): string => execFileSync("git", args, { cwd: ours.dir, encoding: "utf8" });
    const card = (subject: string) => page.locator(".card", { hasText: subject });

    await page.getByText("A key cannot be entered on this page.").waitFor();
    expect(await faultsOfAccess(page)).toEqual([]);
    // As `ekiden` in a terminal keeps it (`screen-first-model.test.ts`).
    const kept = join(ours.home, ".config", "ekiden");
    mkdirSync(kept, { recursive: true });
    writeFileSync(join(kept, "keys.json"), JSON.stringify({ ANTHROPIC_API_KEY: KEY }), { mode: 0o600 });
    await page.getByRole("button", { name: "Take the example plan" }).click();
    expect(await page.getByLabel("Goal").inputValue()).toContain("## Count the files\n```sh\n");
    expect(await page.getByRole("button", { name: "Start", exact: true }).isEnabled()).toBe(true);
    await page.getByLabel("Goal").fill("");
    await page.getByRole("button", { name: "Look again" }).click();
    await page.getByText("A key cannot be entered on this page.").waitFor({ state: "detached" });
    expect(await page.content()).not.toContain(KEY);
    await page.getByLabel("Goal").fill("Paint the door.");
    await page.getByLabel("Branches").selectOption("yes");
    await page.getByLabel("Ask me before each command").check();
    await page.getByRole("button", { name: "Start", exact: true }).click();

    await page.getByRole("link", { name: /^Questions/ }).click();
    await page.locator(".question", { hasText: "Which colour?" }).waitFor();
    await page.getByRole("button", { name: /^Blue/ }).click();
    await page.locator(".question", { hasText: "echo one coat" }).waitFor();
    await page.getByRole("button", { name: "Allow", exact: true }).click();
    await page.getByText("1 of 1 done").waitFor();
    await page.locator(".live", { hasText: "Finished" }).waitFor();
    expect(git("show", "HEAD:door.txt")).toBe("one coat\n");

    await page.getByRole("link", { name: "Outcome", exact: true }).first().click();
    await page.getByRole("heading", { name: "Done", exact: true }).waitFor();
    const file = page.getByRole("region", { name: "door.txt", exact: true });
    await file.getByRole("button", { name: "Comment on line 1", exact: true }).click();
    await page.getByLabel("Comment on door.txt, line 1").fill("Paint it twice.");
    await page.getByRole("button", { name: "Add to the review" }).click();
    await page.getByRole("button", { name: "Finish review (1)" }).click();
    await page.getByText("1 comment became #2").waitFor();

    await page.getByRole("link", { name: "Board", exact: true }).click();
    await page.getByText("Nobody works: no process runs this team.").waitFor();
    await page.getByRole("link", { name: "Start", exact: true }).click();
    await page.getByRole("button", { name: "Continue with 1 open task" }).click();
    await card("Review of #1").click();
    await page.getByRole("button", { name: "Allow", exact: true }).click();
    await page.getByText("2 of 2 done").waitFor();
    await page.locator(".live", { hasText: "Finished" }).waitFor();
    expect(git("show", "HEAD:door.txt")).toBe("two coats\n");
    await page.getByRole("link", { name: "Outcome", exact: true }).first().click();
    await page.getByRole("heading", { name: "Done", exact: true }).waitFor();
  });
});
