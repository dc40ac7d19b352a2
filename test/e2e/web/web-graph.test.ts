/** The graph of a board: its texts stay readable, and the time that is left is said while somebody works. */
import { describe, expect, it } from "vitest";
import { asTaskId, PERSON } from "../../../src/core/ids.ts";
import { faultsOfAccess } from "../../fixtures/axe.ts";
import { hasBrowser, visit } from "../../fixtures/browser.ts";
import { pageServer } from "../../fixtures/page-server.ts";
import { programTeam } from "../../fixtures/program-team.ts";

const call = (tool: string, input: Record<string, unknown>) => ({ calls: [{ tool, input }] });

describe.skipIf(!hasBrowser)("the graph", () => {
  it("shows no text below 9.75 pixels at any zoom, and says how long the open tasks will take", async () => {
    const team = await programTeam({
      settings: { permissionMode: "bypass" },
      says: {
        lead: [{ times: "any", text: "fine" }],
        alice: [
          { when: "The first", ...call("complete_task", { result: "ok" }) },
          { when: "The long one", ...call("bash", { command: "sleep 600" }) },
          { times: "any", text: "fine" },
        ],
      },
    });
    const { store } = team;
    await store.board.add({ subject: "The first", priority: 2 }, PERSON);
    await store.board.add({ subject: "The long one", blockedBy: [asTaskId(1)], priority: 1 }, PERSON);
    for (let nth = 3; nth <= 40; nth += 1)
      await store.board.add(
        { subject: `A rather long subject number ${nth}`, blockedBy: [asTaskId(Math.max(2, nth - 6))] },
        PERSON,
      );
    await team.host.start({ goal: "Go" });
    await team.until("task.completed");
    await team.until("task.claimed", { task: 2 });
    const { address } = await pageServer(store, team.folder);
    const { page } = await visit(address);
    await page.locator(".header .figures", { hasText: / left$/ }).waitFor();
    await page.getByRole("button", { name: /^Critical path: / }).waitFor();
    const sizes = (): Promise<number[]> =>
      page.evaluate(`[...document.querySelectorAll(".card .subject, .card .note, .card .id")].map((at) =>
        Number.parseFloat(getComputedStyle(at).fontSize) * (at.getBoundingClientRect().width / at.offsetWidth || 1))`);
    for (let i = 0; i < 4; i += 1) {
      await expect.poll(async () => Math.min(...(await sizes()), 100)).toBeGreaterThan(9.5);
      expect(await faultsOfAccess(page)).toEqual([]);
      await page.getByRole("button", { name: "Zoom out" }).click();
    }
  });

  it.each([390, 360])("shows two whole cards beside each other on a screen of %i pixels", async (width) => {
    const { store, folder } = await programTeam({ says: {} });
    await store.board.add({ subject: "The first" }, PERSON);
    await store.board.add({ subject: "The second", blockedBy: [asTaskId(1)] }, PERSON);
    await store.board.add({ subject: "The third", blockedBy: [asTaskId(2)] }, PERSON);
    const { address } = await pageServer(store, folder);
    const { page } = await visit(address, { width });
    const box = await page.locator('.card[data-task="2"]').boundingBox();
    expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThan(width - 16);
    expect(box?.width).toBeGreaterThan(width / 3);
  });
});
