/** A page that is left open: it slept while its server was started again, was sent elsewhere while there was no server, and lost its database. */
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { describe, expect, it, onTestFinished } from "vitest";
import { systemClock } from "../../../src/adapters/clock.ts";
import { openStore } from "../../../src/adapters/store/index.ts";
import { DEFAULT_TEAM, PERSON } from "../../../src/core/ids.ts";
import { hasBrowser, visit } from "../../fixtures/browser.ts";
import { pageServer } from "../../fixtures/page-server.ts";
import { programTeam } from "../../fixtures/program-team.ts";
import { soon } from "../../fixtures/soon.ts";
import { name } from "../../fixtures/stage.ts";
import { takeAway } from "../../fixtures/take-away.ts";
import { startPostgres } from "../../postgres.ts";

/** As a browser does it with a tab, and a machine with all of them. */
async function sleep(page: Page, state: "frozen" | "active"): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send("Page.setWebLifecycleState", { state });
  await session.detach();
}

describe.skipIf(!hasBrowser)("a page that is left open", () => {
  it("is live again after a sleep and other servers, and where its load had failed, without a reload", async () => {
    const team = await programTeam({ says: { lead: [{ times: "any", text: "fine" }] } });
    const { store, folder } = team;
    await store.board.add({ subject: "Before the night" }, PERSON);
    const other = await store.forTeam(name("other"));
    await other.board.add({ subject: "Of the other team" }, PERSON);
    const first = await pageServer(store, folder);
    const { page } = await visit(first.address);
    const card = (subject: string) => page.locator(".card", { hasText: subject });
    await card("Before the night").waitFor();
    await page.evaluate("window.isSame = true");

    await sleep(page, "frozen");
    await first.close();
    await store.board.add({ subject: "In the night" }, PERSON);
    const second = await pageServer(store, folder, { ports: [first.port] });
    await sleep(page, "active");
    await card("In the night").waitFor();

    await second.close();
    await page.getByText("Connecting").waitFor();
    await page.getByLabel("Team").selectOption("other");
    await page.getByText("cannot be reached").first().waitFor();
    await pageServer(store, folder, { ports: [first.port] });
    await card("Of the other team").waitFor();
    await store.board.add({ subject: "Unseen" }, PERSON);
    await other.board.add({ subject: "In the morning" }, PERSON);
    await card("In the morning").waitFor();
    expect(await page.evaluate("window.isSame")).toBe(true);
    await other.close();
  });

  it("says that its database is away, and in all tabs is live again when it is back, however it ended", async () => {
    const folder = mkdtempSync(join(tmpdir(), "ekiden-night-"));
    onTestFinished(() => takeAway(folder));
    const database = await startPostgres();
    onTestFinished(() => database.stop());
    const store = await openStore({ url: database.url, team: DEFAULT_TEAM, clock: systemClock });
    onTestFinished(() => store.close());
    await store.board.add({ subject: "Before the night" }, PERSON);
    const { address, origin } = await pageServer(store, folder);
    const { page } = await visit(address);
    const other = await page.context().newPage();
    await other.goto(`${origin}/default/board/columns`);
    const tabs = [page, other];
    for (const tab of tabs) {
      await tab.getByText("Before the night").first().waitFor();
      await tab.evaluate("window.isSame = true");
    }
    for (const how of ["stopped", "killed"] as const) {
      await database.down(how);
      for (const tab of tabs) await tab.locator(".live", { hasText: "Store down" }).waitFor();
      await page.getByRole("button", { name: "New task" }).click();
      await page.getByLabel("Subject").fill(`Not kept, ${how}`);
      await page.getByRole("button", { name: "Add task" }).click();
      await page.getByRole("alert").waitFor();
      await page.keyboard.press("Escape");
      await database.up();
      await soon(() => store.board.add({ subject: `After it was ${how}` }, PERSON));
      for (const tab of tabs) {
        await tab.getByText(`After it was ${how}`).first().waitFor();
        await tab.locator(".live", { hasText: "Stopped" }).waitFor();
        expect(await tab.getByText("Not kept").count()).toBe(0);
        expect(await tab.evaluate("window.isSame")).toBe(true);
      }
    }
  });
});
