/** The graph of a board: elements that can be read, clicked and gone through by keys, at every size; the time that is left while somebody works. */
import { describe, expect, it } from "vitest";
import { asTaskId, PERSON } from "../../../src/core/ids.ts";
import { completeTask } from "../../../src/team/actions/tasks.ts";
import { faultsOfAccess } from "../../fixtures/axe.ts";
import { hasBrowser, visit } from "../../fixtures/browser.ts";
import { sampled } from "../../fixtures/fuzz.ts";
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

  it("opens a task by a click and by keys, and scrolls to it", async () => {
    const { store, folder } = await programTeam({ says: {} });
    for (let nth = 1; nth <= 120; nth += 1)
      await store.board.add(
        { subject: `Subject ${nth}`, blockedBy: nth > 4 ? [asTaskId(nth - 4)] : [] },
        PERSON,
      );
    const { address } = await pageServer(store, folder);
    const { page } = await visit(address);
    const card = (id: number) => page.locator(`.card[data-task="${id}"]`);
    const panel = (id: number) => page.getByRole("heading", { name: `Subject ${id}`, exact: true }).waitFor();
    await card(1).click();
    await panel(1);
    await page.keyboard.press("ArrowRight");
    await panel(5);
    await page.locator('.card[data-task="5"]:focus').waitFor();
    await page.keyboard.press("ArrowDown");
    const [, below] = /task=(\d+)/.exec(page.url()) ?? [];
    expect(["6", "7", "8"]).toContain(below);
    // By tab and enter.
    await card(9).focus();
    await page.keyboard.press("Enter");
    await panel(9);
    expect(await faultsOfAccess(page)).toEqual([]);
    // An address leads to a card that was out of sight.
    await page.goto(page.url().replace("task=9", "task=117"));
    await panel(117);
    await expect.poll(async () => (await card(117).boundingBox())?.x ?? 0).toBeLessThan(1_000);
    // Zooming keeps what is in the middle, also near the end of the board.
    const isInSight = async (id: number): Promise<boolean> => {
      const [at, box] = [await card(id).boundingBox(), await page.locator(".graph-box").boundingBox()];
      if (!at || !box) return false;
      return at.x >= box.x && at.x + at.width <= box.x + box.width && at.y >= box.y;
    };
    for (const id of [117, 110]) {
      await card(id).focus();
      await page.evaluate(
        `document.querySelector('.card[data-task="${id}"]').scrollIntoView({ block: "center", inline: "center" })`,
      );
      for (const key of id === 117 ? ["-", "-"] : ["+", "+", "-", "0"]) {
        await page.keyboard.press(key);
        await expect.poll(() => isInSight(id), { message: `${id} ${key}` }).toBe(true);
      }
    }
  });

  it.each(sampled([false, true], 2, 1))(
    "shows of 3,000 tasks 200 cards, counts the rest and leads to the columns (dark: %s)",
    async (dark) => {
      const { store, folder } = await programTeam({ says: {} });
      for (let first = 0; first < 3_000; first += 60)
        await store.board.addAll(
          Array.from({ length: 60 }, (_, i) => ({
            subject: `Subject ${first + i + 1}`,
            blockedBy: first === 0 ? [] : [asTaskId(first + i + 1 - 60)],
          })),
          PERSON,
        );
      const { address } = await pageServer(store, folder);
      const { page } = await visit(address, { dark });
      await page.getByText("200 of 3,000 tasks: the open ones around the critical path.").waitFor();
      await page.getByText(/Not shown: \+2,8\d\d waiting/).waitFor();
      expect(await page.locator(".card").count()).toBe(200);
      expect(await faultsOfAccess(page)).toEqual([]);
      // A task that is not in it comes with its neighbours.
      expect(await page.locator('.card[data-task="2910"]').count()).toBe(0);
      await page.goto(page.url().replace(/\/board.*/, "/board?task=2910"));
      await page.getByText("around the critical path and #2910").waitFor();
      for (const id of [2850, 2910, 2970]) await page.locator(`.card[data-task="${id}"]`).waitFor();
      expect(await page.locator(".card").count()).toBe(200);
      // One in sight moves nothing.
      const before = await page.locator('.card[data-task="2910"]').boundingBox();
      await page.locator('.card[data-task="2850"]').click();
      await page.getByText("around the critical path and #2850").waitFor();
      expect(await page.locator('.card[data-task="2970"]').count()).toBe(1);
      expect((await page.locator('.card[data-task="2910"]').boundingBox())?.y).toBe(before?.y);
      await page.getByRole("link", { name: "The columns show everything." }).click();
      await page.getByRole("list", { name: "Waiting" }).waitFor();
    },
  );

  it("folds layers in which all is done, and shows them again", async () => {
    const { store, folder } = await programTeam({ says: {} });
    for (let nth = 1; nth <= 12; nth += 1) await store.board.add({ subject: `Subject ${nth}` }, PERSON);
    for (let nth = 13; nth <= 30; nth += 1)
      await store.board.add({ subject: `Subject ${nth}`, blockedBy: [asTaskId(nth - 12)] }, PERSON);
    for (let nth = 1; nth <= 12; nth += 1)
      await completeTask(store, PERSON, asTaskId(nth), "by hand", folder);
    const { address } = await pageServer(store, folder);
    const { page } = await visit(address);
    await page.getByText("+12 done").waitFor();
    expect(await page.locator(".card").count()).toBe(18);
    await page.getByRole("button", { name: "Show them" }).click();
    await page.locator('.card[data-task="1"]').waitFor();
    expect(await page.locator(".card").count()).toBe(30);
    await page.getByRole("button", { name: "Fold what is done" }).click();
    await page.getByText("+12 done").waitFor();
  });

  it.each(sampled([390, 360], 2))(
    "shows a whole card that can be read, and the next one begins, on %i pixels",
    async (width) => {
      const { store, folder } = await programTeam({ says: {} });
      await store.board.add({ subject: "The first" }, PERSON);
      await store.board.add({ subject: "The second", blockedBy: [asTaskId(1)] }, PERSON);
      await store.board.add({ subject: "The third", blockedBy: [asTaskId(2)] }, PERSON);
      const { address } = await pageServer(store, folder);
      const { page } = await visit(address, { width });
      const [first, second] = await Promise.all(
        [1, 2].map((id) => page.locator(`.card[data-task="${id}"]`).boundingBox()),
      );
      expect(first?.x).toBeGreaterThanOrEqual(0);
      expect(first?.width).toBeGreaterThan(0.84 * 232);
      expect(second?.x).toBeLessThan(width - 60);
    },
  );
});
