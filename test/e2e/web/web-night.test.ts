/** A page that is left open: it slept while its server was started again, and it was sent elsewhere while there was no server. */
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { PERSON } from "../../../src/core/ids.ts";
import { hasBrowser, visit } from "../../fixtures/browser.ts";
import { pageServer } from "../../fixtures/page-server.ts";
import { programTeam } from "../../fixtures/program-team.ts";
import { name } from "../../fixtures/stage.ts";

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
});
