/** The page at moments in which it misled: while the lead plans, while a call waits for a person, with costs that did not add up, by keys and in forced colours. */
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import type { Step } from "../../../src/adapters/models/scripted.ts";
import { recruits } from "../../../src/core/board/recruit.ts";
import { asTaskId, LEAD, name, PERSON } from "../../../src/core/ids.ts";
import { completeTask, takeTask } from "../../../src/team/actions/tasks.ts";
import { faultsOfAccess } from "../../fixtures/axe.ts";
import { hasBrowser, visit } from "../../fixtures/browser.ts";
import { pageServer } from "../../fixtures/page-server.ts";
import { programTeam } from "../../fixtures/program-team.ts";
import { soon } from "../../fixtures/soon.ts";

const bash = (command: string): Step => ({ calls: [{ tool: "bash", input: { command } }] });
const quietly: Step = { times: "any", text: "Well." };

const styleOf = (page: Page, selector: string, key: string): Promise<unknown> =>
  page.evaluate(`getComputedStyle(document.querySelector(${JSON.stringify(selector)})).${key}`);

describe.skipIf(!hasBrowser)("the page", () => {
  it("shows the goal and the lead at work while there are no tasks, and its question", async () => {
    const team = await programTeam({
      settings: { permissionsTo: "person", teammates: [] },
      says: { lead: [bash("touch plan"), quietly] },
    });
    const { address } = await pageServer(team.store, team.folder);
    await team.host.start({ goal: "Show prices in euros\nand test it" });
    const { page } = await visit(address);
    await page.getByRole("heading", { name: "Show prices in euros", exact: true }).waitFor();
    await page.locator(".planning").getByText("waits for you: a permission").waitFor();
    expect(await page.getByRole("button", { name: "Add the first task" }).count()).toBe(0);
    expect(await faultsOfAccess(page)).toEqual([]);
    await page.getByRole("button", { name: "Allow", exact: true }).click();
    await team.until("permission.answered");
  });

  it("tells a call that waits for a person from one that runs", async () => {
    const team = await programTeam({
      settings: { permissionsTo: "person", teammates: recruits(1) },
      says: {
        lead: [quietly],
        alice: [
          bash("touch one"),
          bash("touch two"),
          { calls: [{ tool: "complete_task", input: { result: "ok" } }] },
          quietly,
        ],
      },
    });
    await team.store.board.add({ subject: "Paint" }, PERSON);
    const { address, origin } = await pageServer(team.store, team.folder);
    await team.host.start({ goal: "Go" });
    const { page } = await visit(address);
    await page.locator(".card.asks .note", { hasText: /alice asks you$/ }).waitFor();
    await page.goto(`${origin}/default/conversation/alice`);
    const call = page.locator(".call", { hasText: "touch one" });
    await call.getByText("waits for you").waitFor();
    expect((await call.locator(".took").innerText()).trim()).toBe("");
    const [asked] = await team.events("permission.asked");
    // A person takes more than a second.
    await soon(() => expect(Date.now() - (asked?.at ?? 0)).toBeGreaterThan(1_500));
    await page.getByRole("button", { name: "Allow", exact: true }).click();
    await call.locator(".took", { hasText: /^ran \d\.\ds · waited \d+s$/ }).waitFor();
    await page.goto(`${origin}/default/lanes`);
    await page.locator(".lane-bar.mine").first().waitFor();
    expect(await styleOf(page, ".lane-bar.mine", "backgroundImage")).toContain("gradient");
  });

  it("opens a task by a key with the focus in its panel, and leaves the graph as it is", async () => {
    const { store, folder } = await programTeam({ says: {} });
    for (let i = 0; i < 5; i += 1)
      await store.board.add({ subject: `Step ${i}`, blockedBy: i === 0 ? [] : [asTaskId(i)] }, PERSON);
    const { address } = await pageServer(store, folder);
    const { page } = await visit(address);
    const card = page.locator('.card[data-task="2"]');
    const before = await card.boundingBox();
    await card.focus();
    await page.keyboard.press("Enter");
    await page.locator(".panel:focus").waitFor();
    expect((await card.boundingBox())?.width).toBe(before?.width);
    await page.keyboard.press("Tab");
    expect(await page.evaluate("document.activeElement.getAttribute('aria-label')")).toBe("Close");
    await page.keyboard.press("Enter");
    await page.locator('.card[data-task="2"]:focus').waitFor();
  });

  it("adds costs up, apart for the lead, and at the moment of a replay", async () => {
    const { store, folder } = await programTeam({ says: {} });
    const turn = {
      type: "turn.taken",
      model: "m",
      text: "",
      inputTokens: 1,
      cachedTokens: 0,
      outputTokens: 1,
      ms: 1,
    } as const;
    await store.board.add({ subject: "Paint" }, PERSON);
    await store.journal.note([{ ...turn, who: LEAD, usd: 0.1149 }]);
    await store.journal.note([{ ...turn, who: name("alice"), usd: 0.0151 }]);
    await takeTask(store, PERSON, asTaskId(1));
    await completeTask(store, PERSON, asTaskId(1), "done", folder);
    const { address, origin } = await pageServer(store, folder);
    const { page } = await visit(address);
    await page.goto(`${origin}/default/costs`);
    await page.locator(".totals", { hasText: "$0.1300" }).waitFor();
    const row = (words: string) => page.locator("tr", { hasText: words }).locator("td").last();
    expect(await row("the lead, without a task").innerText()).toBe("$0.1149");
    expect(await row("teammates, between tasks").innerText()).toBe("$0.0151");
    await page.getByRole("button", { name: "Replay" }).click();
    await page.getByText("Nothing spent yet").waitFor();
  });

  it("keeps the colours that mean something where the system forces its own", async () => {
    const { store, folder } = await programTeam({ says: {} });
    await store.board.add({ subject: "Paint" }, PERSON);
    await takeTask(store, PERSON, asTaskId(1));
    await completeTask(store, PERSON, asTaskId(1), "done", folder);
    const { address } = await pageServer(store, folder);
    const { page } = await visit(address);
    await page.emulateMedia({ forcedColors: "active" });
    await page.locator(".progress .done").waitFor();
    const colour = await styleOf(page, ".progress .done", "backgroundColor");
    expect(colour).toMatch(/^rgb\((?:26, 122, 69|88, 192, 138)\)$/);
    expect(await styleOf(page, ".sidebar [aria-current]", "outlineStyle")).toBe("solid");
  });
});
