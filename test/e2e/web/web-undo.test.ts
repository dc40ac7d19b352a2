/** The page takes back what a task changed in files, and puts it back, in a real browser on a team with scripted models. */
import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { name, PERSON } from "../../../src/core/ids.ts";
import { hasBrowser, visit } from "../../fixtures/browser.ts";
import { pageServer } from "../../fixtures/page-server.ts";
import { programTeam } from "../../fixtures/program-team.ts";

const call = (tool: string, input: Record<string, unknown> = {}) => ({ calls: [{ tool, input }] });

describe.skipIf(!hasBrowser)("the history of a task", () => {
  it("shows its changes as a diff, undoes them beside those of the person, and puts them back", async () => {
    const team = await programTeam({
      settings: { permissionMode: "bypass" },
      says: {
        lead: [{ times: "any", text: "fine" }],
        alice: [
          call("write_file", { path: "new.txt", content: "new\n" }),
          call("bash", { command: "sed -i s/two/TWO/ list.txt" }),
          call("complete_task", { result: "ok" }),
          { times: "any", text: "fine" },
        ],
      },
    });
    const list = join(team.folder, "list.txt");
    await writeFile(list, "one\ntwo\nthree\nfour\nfive\nsix\n");
    await team.store.board.add({ subject: "List" }, PERSON);
    const { origin, address } = await pageServer(team.store, team.folder);
    const { page } = await visit(address);
    await team.host.start({ goal: "Go" });
    await team.until("task.completed", { by: name("alice") });
    await writeFile(list, "one\nTWO\nthree\nfour\nfive\nSIX\n");
    await page.goto(`${origin}/default/board?task=1`);
    await page.getByRole("tab", { name: "History" }).click();
    await page.getByRole("button", { name: "Undo its changes…" }).click();
    await page.locator(".panel .line.minus", { hasText: "TWO" }).waitFor();
    await page.locator(".panel .line.minus", { hasText: "new" }).waitFor();
    await shot(page, "undo");
    expect(await page.getByRole("button", { name: "Put back" }).count()).toBe(0);
    await page.getByRole("button", { name: "Undo #1" }).click();
    await team.until("work.undone", { again: false });
    expect(readFileSync(list, "utf8")).toBe("one\ntwo\nthree\nfour\nfive\nSIX\n");
    await page.getByRole("button", { name: "Put back" }).click();
    await team.until("work.undone", { again: true });
    expect(readFileSync(list, "utf8")).toBe("one\nTWO\nthree\nfour\nfive\nSIX\n");
    await shot(page, "undone");
  });

  it("forks the team at a line of the journal, says what continues with it, and shows both side by side", async () => {
    const team = await programTeam({
      settings: { permissionMode: "bypass" },
      says: {
        lead: [{ times: "any", text: "fine" }],
        alice: [
          call("write_file", { path: "new.txt", content: "new\n" }),
          call("complete_task", { result: "ok" }),
          { times: "any", text: "fine" },
        ],
      },
    });
    await writeFile(join(team.folder, "list.txt"), "one\n");
    await team.store.board.add({ subject: "List" }, PERSON);
    const { origin, address } = await pageServer(team.store, team.folder);
    const { page } = await visit(address);
    await team.host.start({ goal: "Go" });
    await team.until("task.completed", { by: name("alice") });
    await page.goto(`${origin}/default/journal`);
    await page.locator(".fact-row", { hasText: "claimed #1" }).click();
    await page.getByRole("button", { name: "Fork here…" }).click();
    await page.getByLabel("Name").fill("Not a name!");
    await page.getByRole("button", { name: "Make the fork" }).click();
    await page.locator("dialog .bad").waitFor();
    await page.getByLabel("Name").fill("second");
    await page.getByRole("button", { name: "Make the fork" }).click();
    await page.locator("dialog code", { hasText: "ekiden --team second resume" }).waitFor();
    await shot(page, "forked");
    await page.getByRole("link", { name: "Compare" }).click();
    await page.locator(".sides td", { hasText: "spent on what is not completed" }).first().waitFor();
    await page.locator(".compare .line.minus", { hasText: "new" }).waitFor();
    await shot(page, "compared");
    await page.setViewportSize({ width: 390, height: 844 });
    await shot(page, "compared-narrow");
    await page.goto(`${origin}/second/board?task=1`);
    await page.locator(".panel h2", { hasText: "List" }).waitFor();
    expect(await (await team.store.forTeam(name("second"))).board.counts()).toMatchObject({ inProgress: 1 });
    expect(await team.store.board.counts()).toMatchObject({ completed: 1 });
  });
});

async function shot(page: Page, of: string): Promise<void> {
  if (process.env.EKIDEN_SHOTS) await page.screenshot({ path: join(process.env.EKIDEN_SHOTS, `${of}.png`) });
}
