/** A run with its page, as a person has it: `ekiden run --web` watched to the end, replayed, exported; killed and resumed while watched. */
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, inject, it } from "vitest";
import { hasBrowser, visit } from "../../fixtures/browser.ts";
import { sampled } from "../../fixtures/fuzz.ts";
import { soon } from "../../fixtures/soon.ts";
import { addressIn, exitOf, replayOffline } from "../../fixtures/web-program.ts";
import { Project } from "../cli-program.ts";

/** Two tasks at once, one that fails, and one at the end that waits for the file `go`. */
const RUNBOOK = `# Ship it
## Build
\`\`\`sh
echo built > built.txt
\`\`\`
## Check
After: Build
\`\`\`sh
cat built.txt
\`\`\`
## Lint
After: Build
\`\`\`sh
test -f lint-works
\`\`\`
## Pack
After: Check
\`\`\`sh
while ! test -f go; do sleep 0.05; done
echo packed
\`\`\`
`;

const projects: Project[] = [];
afterEach(async () => {
  await Promise.all(projects.splice(0).map((project) => project.end()));
});

function project(): Project {
  const made = new Project();
  projects.push(made);
  made.write({ "ship.md": RUNBOOK });
  return made;
}

const STORES = {
  SQLite: () => [] as string[],
  PostgreSQL: () => ["--store", inject("postgresUrl"), "--team", `web${Date.now() % 1e6}`],
};

describe.skipIf(!hasBrowser)("a run with a page", () => {
  it("is watched to its end, replayed from the start, exported, and opened offline", async () => {
    const ours = project();
    const run = ours.start(["run", "ship.md", "--web"]);
    let told = "";
    run.stderr?.setEncoding("utf8").on("data", (part: string) => {
      told += part;
    });
    const { page } = await visit(await addressIn(run.stderr));
    const card = (subject: string) => page.locator(".card", { hasText: subject });
    await card("Build").locator('[aria-label="Completed"]').waitFor();
    await card("Check").locator('[aria-label="Completed"]').waitFor();
    await card("Lint").locator('[aria-label="Failed"]').waitFor();
    await card("Pack").locator('[aria-label="In progress"]').waitFor();
    await card("Lint").click();
    await page.getByText("2 of 4 done").waitFor();
    await page.keyboard.press("3");
    await page.getByRole("link", { name: "alice", exact: true }).click();
    await page.locator(".entry.said .call", { hasText: "bash" }).first().waitFor();
    // A failed task is retried while the run continues, and succeeds.
    writeFileSync(join(ours.dir, "lint-works"), "");
    await page.getByRole("button", { name: "Retry" }).click();
    await page.getByText("3 of 4 done").waitFor();
    writeFileSync(join(ours.dir, "go"), "");
    await page.getByText("4 of 4 done").waitFor();
    // The page stays for who has watched, until Ctrl-C or a minute after its last tab.
    await soon(() => expect(told).toContain("The page stays until its last tab is closed."));
    await page.keyboard.press("5");
    await page.getByRole("heading", { name: "Done", exact: true }).waitFor();
    run.kill("SIGINT");
    expect(await exitOf(run)).toBe(0);

    const web = ours.start(["web", "--port", "0"]);
    const address = await addressIn(web.stdout);
    await page.goto(address);
    await card("Pack").locator('[aria-label="Completed"]').waitFor();
    await page.getByRole("button", { name: "Replay" }).click();
    const slider = page.getByLabel("Moment of the run");
    await slider.waitFor();
    await page.getByText("No tasks yet").waitFor();
    expect(await page.locator('.card [aria-label="Completed"]').count()).toBe(0);
    for (let steps = 0; !(await card("Lint").locator('[aria-label="Failed"]').count()); steps += 1) {
      expect(steps).toBeLessThan(40);
      await page.keyboard.press(".");
      await page.evaluate(
        "new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))",
      );
    }
    await page.getByRole("button", { name: "100×" }).click();
    await page.getByRole("button", { name: "Play", exact: true }).click();
    await page.getByText("4 of 4 done").waitFor();
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("link", { name: "Export" }).click(),
    ]);
    const file = join(ours.dir, "run.html");
    await download.saveAs(file);
    const byCommand = await ours.json<{ file: string; bytes: number }>(["web", "--export", "again.html"]);
    expect(existsSync(byCommand.file)).toBe(true);
    expect(byCommand.bytes).toBeLessThan(2_000_000);
    web.kill("SIGTERM");
    expect(await exitOf(web)).toBe(130);

    await replayOffline(file, { first: "Build", last: "Pack" });
  });

  it.each(sampled(Object.entries(STORES), 2))(
    "is killed and resumed while a page of another process watches (%s)",
    async (_name, store) => {
      const ours = project();
      const options = store();
      const first = ours.start(["run", "ship.md", ...options]);
      await soon(async () => {
        const { counts } = await ours.json<{ counts: { inProgress: number } }>(["tasks", ...options]);
        expect(counts.inProgress).toBeGreaterThan(0);
      });
      const web = ours.start(["web", "--port", "0", ...options]);
      const address = await addressIn(web.stdout);
      const { page } = await visit(address);
      await page.locator(".card", { hasText: "Pack" }).locator('[aria-label="In progress"]').waitFor();
      first.kill("SIGKILL");
      await page.keyboard.press("3");
      await page.getByText("is not running").first().waitFor();
      writeFileSync(join(ours.dir, "go"), "");
      writeFileSync(join(ours.dir, "lint-works"), "");
      const second = ours.start(["resume", ...options]);
      await page.locator(".member", { hasText: "stopped when asked" }).first().waitFor();
      await page.keyboard.press("1");
      await page.locator(".card", { hasText: "Pack" }).locator('[aria-label="Completed"]').waitFor();
      await exitOf(second);

      // The page's own server goes and comes back at the same address: the page reads on by itself.
      const { port, hash } = new URL(address);
      const dot = (): Promise<string> =>
        page.evaluate('getComputedStyle(document.querySelector(".live"), "::before").backgroundColor');
      const whileLive = await dot();
      web.kill("SIGKILL");
      await page.getByText("Connecting").waitFor({ state: "attached" });
      expect(await dot()).not.toBe(whileLive);
      await ours.json(["add", "One more", ...options]);
      const again = ours.start(["web", "--port", port, "--token", hash.replace("#token=", ""), ...options]);
      await addressIn(again.stdout);
      await page.locator(".card", { hasText: "One more" }).waitFor();
    },
    240_000,
  );
});
