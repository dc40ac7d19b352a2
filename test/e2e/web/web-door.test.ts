/** The front door: from an empty folder to work that is done, started again, and more, with nothing but the page. */
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it, onTestFinished } from "vitest";
import { faultsOfAccess } from "../../fixtures/axe.ts";
import { hasBrowser, visit } from "../../fixtures/browser.ts";
import { says, startModelServer } from "../../fixtures/model-server/index.ts";
import { soon } from "../../fixtures/soon.ts";
import { addressIn } from "../../fixtures/web-program.ts";
import { Project } from "../cli-program.ts";

const RUNBOOK = `# Build it
## Build
\`\`\`sh
echo built > built.txt
\`\`\`
## Pack
After: Build
\`\`\`sh
while ! test -f go; do sleep 0.05; done
test -f works
\`\`\`
`;

let ours: Project;
afterEach(() => ours.end());

describe.skipIf(!hasBrowser)("the front door", () => {
  it("starts a runbook in a folder that had no team, lets a task be tried again, and starts the team again", async () => {
    ours = new Project();
    ours.write({ "build.md": RUNBOOK, "README.md": "# About\n## Not a task\n" });
    const web = ours.start(["web", "--port", "0"]);
    const { page } = await visit(await addressIn(web.stdout));
    await page.getByRole("heading", { name: "What should the team do?" }).waitFor();
    expect(await faultsOfAccess(page)).toEqual([]);
    const files = page.getByLabel("File", { exact: true });
    expect(await files.locator("option").allInnerTexts()).toEqual([
      "none: the text above",
      "build.md: 2 tasks",
    ]);
    // No key and no Ollama: it says what is missing, and what works without.
    await page.getByText("A goal needs a model, and none is set up").waitFor();
    await page.getByText("Set one of ANTHROPIC_API_KEY").waitFor();
    await files.selectOption("build.md");
    expect(await page.getByText("A goal needs a model").count()).toBe(0);
    await page.getByRole("button", { name: "Start", exact: true }).click();
    const card = (subject: string) => page.locator(".card", { hasText: subject });
    await card("Build").locator('[aria-label="Completed"]').waitFor();
    await card("Pack").locator('[aria-label="In progress"]').waitFor();
    await page.locator(".live", { hasText: "Working" }).waitFor();

    // Nobody starts it twice; more hands may join.
    await page.keyboard.press("g");
    await page.getByRole("heading", { name: "The team is running" }).waitFor();
    await page.getByRole("button", { name: "Add teammates" }).click();
    await page.getByText("They join.").waitFor();
    await page.keyboard.press("3");
    await page.getByRole("link", { name: "worker-1", exact: true }).waitFor();

    ours.write({ go: "" });
    await page.keyboard.press("1");
    await card("Pack").locator('[aria-label="Failed"]').waitFor();
    await page.locator(".live", { hasText: "Finished" }).waitFor();
    expect(existsSync(join(ours.dir, "built.txt"))).toBe(true);

    await page.goto(new URL("/default/outcome", page.url()).href);
    await page.getByRole("heading", { name: "Finished: 1 of 2 done · 1 failed" }).waitFor();
    await page.setViewportSize({ width: 390, height: 844 });
    await page.getByRole("button", { name: "Retry 1 failed", exact: true }).waitFor();
    // The goal has room beside the act of the moment on a phone, too.
    const title = await page.locator(".header h1").boundingBox();
    expect(title?.width).toBeGreaterThan(80);
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.keyboard.press("1");

    // One click does what a run that got stuck needs.
    ours.write({ works: "" });
    await page.getByRole("button", { name: "Retry 1 failed and continue" }).click();
    await card("Pack").locator('[aria-label="Completed"]').waitFor();
    await page.locator(".live", { hasText: "Finished" }).waitFor();
  });

  it("starts a goal with the model and the hands that were chosen, and shows what came of it", async () => {
    const server = await startModelServer({ any: () => says("All is **well**.") });
    onTestFinished(() => server.close());
    ours = new Project();
    const web = ours.start(["web", "--port", "0"], server.env);
    const address = await addressIn(web.stdout);
    const { page } = await visit(address);
    await page.getByLabel("Goal").fill("See whether all is well");
    await page.getByLabel("Model").fill("anthropic/claude-haiku-4-5");
    await page.getByLabel("Teammates").fill("0");
    await page.getByLabel("Budget $").fill("$2");
    await page.getByLabel("Effort").selectOption("low");
    await page.getByRole("button", { name: "Start", exact: true }).click();
    await page.getByRole("link", { name: "Outcome", exact: true }).first().click();
    await page.locator(".last-words", { hasText: "All is well." }).waitFor();
    await page.getByRole("heading", { name: "Done", exact: true }).waitFor();
    expect(JSON.stringify(server.requests[0]?.body)).toContain("See whether all is well");
    // The team knows how it worked, not this browser.
    const other = (await visit(address)).page;
    await other.goto(`${new URL(address).origin}/default/run`);
    expect(await other.getByLabel("Model").inputValue()).toBe("anthropic/claude-haiku-4-5");
    expect(await other.getByLabel("Teammates").inputValue()).toBe("0");
    expect(await other.getByLabel("Effort").inputValue()).toBe("low");
  });

  it("edits as they come where tasks work on branches, else asks, and keeps the mode of the last run", async () => {
    ours = new Project();
    const git = (...args: string[]) =>
      execFileSync("git", ["-c", "user.name=T", "-c", "user.email=t@example.org", ...args], {
        cwd: ours.dir,
      });
    git("init", "-q");
    ours.write({
      "build.md": `${RUNBOOK}\n## Sign\nAfter: Pack\n\`\`\`sh\ntrue\n\`\`\`\n`,
      ".gitignore": ".ekiden\n",
    });
    git("add", ".");
    git("commit", "-qm", "Begin");
    const web = ours.start(["web", "--port", "0"]);
    const { page } = await visit(await addressIn(web.stdout));
    const [edits, branches] = [page.getByLabel("Edits"), page.getByLabel("Branches")];
    await page.getByLabel("Goal").fill("Paint");
    expect([await branches.inputValue(), await edits.inputValue()]).toEqual(["", "accept-edits"]);
    await branches.selectOption("one folder for all");
    expect(await edits.inputValue()).toBe("default");
    await page.getByLabel("File", { exact: true }).selectOption("build.md");
    await edits.selectOption("as they come");
    await page.getByRole("button", { name: "Start", exact: true }).click();
    const pack = page.locator(".card", { hasText: "Pack" });
    await pack.locator('[aria-label="In progress"]').waitFor();
    await page.keyboard.press("g");
    const mode = page.getByLabel("Mode", { exact: true });
    await soon(async () => expect(await mode.inputValue()).toBe("accept-edits"));
    await mode.selectOption("bypass");
    await page.locator(".notice", { hasText: "bypass" }).waitFor();
    ours.write({ go: "" });
    await page.getByRole("heading", { name: "What should the team do?" }).waitFor();
    expect(await edits.inputValue()).toBe("bypass");
    await edits.selectOption("as they come");
    ours.write({ works: "" });
    await page.keyboard.press("1");
    await pack.click();
    await page.getByRole("button", { name: "Retry", exact: true }).click();
    await page.keyboard.press("g");
    expect(await edits.inputValue()).toBe("bypass");
  });

  it("says why a run cannot begin, and keeps what was typed", async () => {
    ours = new Project();
    const web = ours.start(["web", "--port", "0"], { EKIDEN_MODEL: "" });
    const { page } = await visit(await addressIn(web.stdout));
    const goal = page.getByLabel("Goal");
    await goal.fill("--help me $(touch pwned)");
    await page.getByLabel("Model").fill("nobody/knows");
    await page.getByRole("button", { name: "Start", exact: true }).click();
    await page.getByRole("alert").getByText("nobody").waitFor();
    expect(await goal.inputValue()).toBe("--help me $(touch pwned)");
    expect(existsSync(join(ours.dir, "pwned"))).toBe(false);
    await page.getByText("Scheduled").click();
    await page.getByLabel("When", { exact: true }).fill("0 9 * * 1-5");
    await page.getByLabel("Text", { exact: true }).fill("Look at the mail");
    await page.getByRole("button", { name: "Add", exact: true }).click();
    await page.getByRole("button", { name: "Cancel c1" }).click();
    await page.getByText("c1 is cancelled").waitFor();
  });

  it("ends its page, and not the run that it started", async () => {
    ours = new Project();
    execFileSync("git", ["init", "-q"], { cwd: ours.dir });
    ours.write({ "build.md": RUNBOOK, works: "" });
    const web = ours.start(["web", "--port", "0"]);
    const { page } = await visit(await addressIn(web.stdout));
    await page.getByLabel("File", { exact: true }).selectOption("build.md");
    await page.getByRole("button", { name: "Start", exact: true }).click();
    await page.locator(".card", { hasText: "Pack" }).locator('[aria-label="In progress"]').waitFor();
    web.kill("SIGTERM");
    await soon(() => expect(web.exitCode).toBe(130));
    ours.write({ go: "" });
    await soon(async () => {
      const { board } = await ours.store({ access: "use" });
      expect(await board.counts()).toMatchObject({ completed: 2 });
    });
  });
});
