/** A person at the page changes a team that works, in the process that runs it: mode, budget, the turn of a member. */
import { afterEach, describe, expect, it } from "vitest";
import { faultsOfAccess } from "../../fixtures/axe.ts";
import { hasBrowser, visit } from "../../fixtures/browser.ts";
import { addressIn } from "../../fixtures/web-program.ts";
import { Project } from "../cli-program.ts";

const projects: Project[] = [];
afterEach(async () => {
  await Promise.all(projects.splice(0).map((project) => project.end()));
});

const RUNBOOK = `# Wait
## Long
\`\`\`sh
while ! test -f go; do sleep 0.05; done
\`\`\`
`;

describe.skipIf(!hasBrowser)("a team that works", () => {
  it("takes another mode, more money and an interruption from the page of another process", async () => {
    const ours = new Project();
    projects.push(ours);
    ours.write({ "wait.md": RUNBOOK });
    const web = ours.start(["web", "--port", "0"]);
    const { page } = await visit(await addressIn(web.stdout));
    ours.start(["run", "wait.md"]);
    await page.locator(".card", { hasText: "Long" }).locator('[aria-label="In progress"]').waitFor();
    await page.keyboard.press("g");
    await page.getByLabel("Mode", { exact: true }).selectOption("plan");
    await page.getByText("Mode plan: no file is edited").waitFor();
    await page.getByLabel(/US dollars more/).fill("nonsense");
    await page.getByRole("button", { name: "Allow" }).click();
    await page.getByRole("alert").getByText("is not an amount in US dollars").waitFor();
    await page.getByLabel(/US dollars more/).fill("7");
    await page.getByRole("button", { name: "Allow" }).click();
    await page.getByText(/The team may spend \$7/).waitFor();
    await page.getByLabel("Effort").selectOption("high");
    await page.getByText("The team thinks with effort high").waitFor();
    expect(await faultsOfAccess(page)).toEqual([]);
    await page.getByRole("link", { name: "Team", exact: true }).click();
    await page.getByRole("link", { name: "alice", exact: true }).click();
    await page.getByRole("button", { name: "Interrupt" }).waitFor();
    await page.locator("body").press("Escape");
    await page.getByText("alice was interrupted").waitFor();
    await page.getByText("was interrupted and waits for a message").waitFor();
  });
});
