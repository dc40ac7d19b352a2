/** `npm run demo -- --web` in a clone, as a person plays it: watched to its end, replayed from the start, exported, opened offline. */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { hasBrowser, visit } from "../../fixtures/browser.ts";
import { cloneInto } from "../../fixtures/clone.ts";
import { ownHome } from "../../fixtures/own-home.ts";
import { soon } from "../../fixtures/soon.ts";
import { takeAway } from "../../fixtures/take-away.ts";
import { addressIn, exitOf, replayOffline } from "../../fixtures/web-program.ts";

const LAST = "Write the report";

describe.skipIf(!hasBrowser)("the demo with a page", () => {
  it("is watched to its end, replayed from the start, exported, and opened offline", async () => {
    const folder = mkdtempSync(join(tmpdir(), "ekiden-demo-"));
    onTestFinished(() => takeAway(folder));
    cloneInto(folder);
    // Then the compiler ends at once. That the runbook checks the types is tested in examples.test.ts, and takes half of the time.
    rmSync(join(folder, "tsconfig.json"));
    const start = (file: string, ...args: string[]) => {
      const child = spawn(file, args, {
        cwd: folder,
        env: { PATH: process.env.PATH, HOME: ownHome(), EKIDEN_TRUST: "1" },
        stdio: ["ignore", "pipe", "pipe"],
        detached: true, // npm starts further processes
      });
      onTestFinished(() => {
        if (child.exitCode === null && child.signalCode === null && child.pid)
          process.kill(-child.pid, "SIGKILL");
      });
      return child;
    };

    const demo = start("npm", "run", "demo", "--", "--web");
    let said = "";
    const { page } = await visit(await addressIn(demo.stderr));
    demo.stderr.on("data", (part: string) => {
      said += part;
    });
    page.setDefaultTimeout(200_000);
    const card = (subject: string) => page.locator(".card", { hasText: subject });
    await card("List the files").locator('[aria-label="Completed"]').waitFor();
    await page.locator('.card [aria-label="In progress"]').first().waitFor();
    await page.keyboard.press("3");
    await page.locator(".member .activity .busy").first().waitFor();
    await page.keyboard.press("1");
    await card(LAST).locator('[aria-label="Completed"]').waitFor();
    await page.getByText("9 of 9 done").waitFor();
    await page.locator(".live", { hasText: "Finished" }).waitFor();
    await soon(() => expect(said).toContain("The page stays until its last tab is closed."));
    process.kill(-(demo.pid ?? 0), "SIGINT");
    await exitOf(demo); // npm tells a signal, and not the code of what it has started

    const web = start(process.execPath, "dist/main.js", "web", "--port", "0");
    await page.goto(await addressIn(web.stdout));
    await card(LAST).locator('[aria-label="Completed"]').waitFor();
    await page.getByRole("button", { name: "Replay" }).click();
    await page.getByLabel("Moment of the run").fill("0");
    await page.getByText("No tasks yet").waitFor();
    await page.getByRole("button", { name: "100×" }).click();
    await page.getByRole("button", { name: "Play", exact: true }).click();
    await page.getByText("9 of 9 done").waitFor();
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("link", { name: "Export" }).click(),
    ]);
    const file = join(folder, "run.html");
    await download.saveAs(file);
    await replayOffline(file, { first: "List the files", last: LAST });
  }, 400_000);
});
