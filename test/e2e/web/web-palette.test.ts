/** Ctrl-K: to a task, a member, a view, and into a search, without the mouse. */
import { describe, expect, it } from "vitest";
import { PERSON } from "../../../src/core/ids.ts";
import { faultsOfAccess } from "../../fixtures/axe.ts";
import { hasBrowser, visit } from "../../fixtures/browser.ts";
import { pageServer } from "../../fixtures/page-server.ts";
import { programTeam } from "../../fixtures/program-team.ts";

describe.skipIf(!hasBrowser)("the palette", () => {
  it("leads to what is named, by keys alone", async () => {
    const team = await programTeam({ says: {} });
    for (const subject of ["Paint the door", "Board up the window"])
      await team.store.board.add({ subject }, PERSON);
    const { address } = await pageServer(team.store, team.folder);
    const { page } = await visit(address);
    await page.getByText("Paint the door").first().waitFor();
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: "Task, member" }).waitFor();
    expect(await faultsOfAccess(page)).toEqual([]);
    await page.keyboard.type("door");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Paint the door" }).waitFor();
    expect(page.url()).toContain("task=1");
    // The field has the keys before the next frame: nothing typed at once is lost on a slow machine.
    const focused = await page.evaluate(`(async () => {
      dispatchEvent(new KeyboardEvent("keydown", { key: "k", ctrlKey: true }));
      await Promise.resolve();
      await Promise.resolve();
      return document.activeElement?.getAttribute("role");
    })()`);
    expect(focused).toBe("combobox");
    await page.keyboard.type("costs");
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/default\/costs$/);
    await page.keyboard.press("Control+k");
    await page.keyboard.type("window");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/default\/journal$/);
    await page.locator(".fact-row", { hasText: "Board up the window" }).waitFor();
    expect(await page.locator(".fact-row", { hasText: "Paint" }).count()).toBe(0);
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: "Task, member" }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("combobox", { name: "Task, member" }).waitFor({ state: "detached" });
  });
});
