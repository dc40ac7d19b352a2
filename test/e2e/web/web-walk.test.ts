/** The whole way without a terminal: an empty folder, a plan, two questions, a landed change, a review comment, and a second run that does what it says. */
import { execFileSync } from "node:child_process";
import { afterEach, describe, expect, it } from "vitest";
import { faultsOfAccess } from "../../fixtures/axe.ts";
import { hasBrowser, visit } from "../../fixtures/browser.ts";
import { addressIn } from "../../fixtures/web-program.ts";
import { Project } from "../cli-program.ts";

const PLAN = `# Paint the door
## Paint
\`\`\`sh
echo one coat > door.txt
\`\`\`
## Dry
After: Paint
\`\`\`sh
test -s door.txt
touch dry.txt
\`\`\`
`;
const COMMENT = `Paint it twice.
\`\`\`sh
echo two coats > door.txt
\`\`\``;

let ours: Project;
afterEach(() => ours.end());

describe.skipIf(!hasBrowser)("without a terminal", () => {
  it("goes from an empty folder to a landed change that a person has asked about, read and had changed", async () => {
    ours = new Project();
    const web = ours.start(["web", "--port", "0"], { EKIDEN_MODEL: "runbook" });
    const { page } = await visit(await addressIn(web.stdout));
    const git = (...args: string[]): string => execFileSync("git", args, { cwd: ours.dir, encoding: "utf8" });
    const card = (subject: string) => page.locator(".card", { hasText: subject });

    await page.getByLabel("Goal").fill(PLAN);
    expect(await page.getByLabel("This is a plan").isChecked()).toBe(true);
    await page.getByLabel("Branches").selectOption("yes");
    await page.getByText("this empty folder becomes one").waitFor();
    await page.getByLabel("Ask me before each command").check();
    expect(await faultsOfAccess(page)).toEqual([]);
    await page.getByRole("button", { name: "Start", exact: true }).click();

    // One question is answered beside its task, the other by a key.
    await card("Paint").click();
    await page.getByRole("button", { name: "Allow", exact: true }).click();
    await card("Paint").locator('[aria-label="Completed"]').waitFor();
    await page.getByRole("link", { name: /^Questions/ }).click();
    await page.locator(".question", { hasText: "touch dry.txt" }).waitFor();
    await page.locator(".question", { hasText: "one coat" }).waitFor({ state: "detached" });
    await page.keyboard.press("j"); // chosen by hand: a fresh question takes no key
    await page.keyboard.press("y");
    await page.getByText("2 of 2 done").waitFor();
    await page.locator(".live", { hasText: "Finished" }).waitFor();
    expect(git("show", "HEAD~1:door.txt")).toBe("one coat\n");
    expect(git("status", "--porcelain", "--untracked-files=no")).toBe("");

    await page.getByRole("link", { name: "Outcome", exact: true }).first().click();
    await page.getByRole("heading", { name: "Done", exact: true }).waitFor();
    const file = page.getByRole("region", { name: "door.txt", exact: true });
    await file.getByRole("button", { name: "Comment on line 1", exact: true }).click();
    await page.getByLabel("Comment on door.txt, line 1").fill(COMMENT);
    await page.getByRole("button", { name: "Add to the review" }).click();
    await page.getByRole("button", { name: "Finish review (1)" }).click();
    await page.getByText("1 comment became #3.").waitFor();

    await page.getByRole("link", { name: "Board", exact: true }).click();
    await page.getByText("Nobody works: no process runs this team.").waitFor();
    await card("Paint").first().click();
    await page.locator(".task-time", { hasText: "waits for a permission" }).waitFor();
    expect(await faultsOfAccess(page)).toEqual([]);

    // The second run works as the first was told to.
    await page.getByRole("link", { name: "Start", exact: true }).click();
    expect(await page.getByLabel("Branches").inputValue()).toBe("yes");
    await page.getByRole("button", { name: "Continue with 1 open task" }).click();
    await card("Review of #1").click();
    await page.locator(".asked", { hasText: "echo two coats > door.txt" }).waitFor();
    await page.getByRole("button", { name: "Allow", exact: true }).click();
    await page.getByText("3 of 3 done").waitFor();
    await page.locator(".live", { hasText: "Finished" }).waitFor();
    expect(git("show", "HEAD:door.txt")).toBe("two coats\n");

    await page.getByRole("link", { name: "Outcome", exact: true }).first().click();
    await page.locator(".totals", { hasText: /^Completed1Time/ }).waitFor(); // of the last run alone
    await page.getByRole("region", { name: "door.txt", exact: true }).getByText("two coats").waitFor();
    expect(await faultsOfAccess(page)).toEqual([]);

    // The whole of it plays by itself, and a moment of it has an address.
    await page.getByRole("button", { name: "Watch it in 15 seconds" }).click();
    await page.locator(".live", { hasText: "Replay" }).waitFor();
    await page.getByText("3 of 3 done").waitFor();
    await page.getByRole("button", { name: "Play", exact: true }).waitFor();
    await page.waitForURL(/[?&]at=\d{13}/);
    for (let steps = 0; steps < 2; steps += 1) {
      const before = page.url();
      await page.keyboard.press(","); // first to the completion of the last task
      await page.waitForURL((url) => url.href !== before);
    }
    await page.getByText("2 of 3 done").waitFor();
    await page.reload();
    await page.locator(".live", { hasText: "Replay" }).waitFor();
    await page.getByText("2 of 3 done").waitFor();
    await page.getByRole("button", { name: "Back to live" }).click();
    await page.getByText("3 of 3 done").waitFor();
    expect(page.url()).not.toContain("at=");
  });
});
