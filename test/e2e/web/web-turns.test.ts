/** A conversation as one reads it: turns in groups, calls as lines, code in colours, texts that can be copied, images. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { PERSON } from "../../../src/core/ids.ts";
import { faultsOfAccess } from "../../fixtures/axe.ts";
import { hasBrowser, visit } from "../../fixtures/browser.ts";
import { pageServer } from "../../fixtures/page-server.ts";
import { programTeam } from "../../fixtures/program-team.ts";
import { repository } from "../../fixtures/repository.ts";

const call = (tool: string, input: Record<string, unknown>) => ({ tool, input });
const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAoAAAAKCAYAAACNMs+9AAAAFUlEQVR42mNk+M9Qz0AEYBxVSF+FAAhKDveksOjmAAAAAElFTkSuQmCC",
  "base64",
);
const WORDS = `The plan is short.\n\n\`\`\`ts\nconst a = "one"; // why\n\`\`\`\n\n${"It is done in one go. ".repeat(8)}`;

describe.skipIf(!hasBrowser)("a conversation", () => {
  it("groups turns, shows a call as a line with its exit code and time, colours code, copies, and shows images", async () => {
    const repo = repository({ "a.txt": "a\n" });
    writeFileSync(join(repo.dir, "dot.png"), PNG);
    const team = await programTeam({
      folder: repo.dir,
      settings: { permissionMode: "bypass" },
      says: {
        lead: [{ times: "any", text: "fine" }],
        alice: [
          { text: WORDS, calls: [call("bash", { command: "sleep 0.3; echo out; exit 3" })] },
          { text: "I look at the dot.", calls: [call("read_file", { path: "dot.png" })] },
          { calls: [call("complete_task", { result: "ok" })] },
          { times: "any", text: "Then I rest." },
        ],
      },
    });
    const { store } = team;
    await store.board.add({ subject: "Look" }, PERSON);
    await team.host.start({ goal: "Look at the dot" });
    await team.until("task.completed");
    const { address, origin } = await pageServer(store, team.folder);
    const { page } = await visit(address);
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"], { origin });
    await page.goto(`${origin}/default/conversation/alice`);

    const failed = page.locator(".call", { hasText: "exit 3" });
    await failed.locator(".tag.bad", { hasText: "exit 3" }).waitFor();
    expect(await failed.locator(".took").innerText()).toMatch(/^\d+(\.\d)?s$/);
    await page.locator(".call", { hasText: "dot.png" }).waitFor();
    // The image comes as words to the model, so a new group begins after it.
    const image = page.locator("img.shown-image");
    await image.waitFor();
    expect(await image.evaluate((at) => (at as unknown as { naturalWidth: number }).naturalWidth)).toBe(10);
    const second = page.locator(".entry.said", { hasText: "I look at the dot." });
    expect(await second.locator(".entry-head").count()).toBe(0);
    expect(
      await page.locator(".entry.said", { hasText: "The plan is short." }).locator(".entry-head").count(),
    ).toBe(1);
    expect(await page.locator(".code-comment", { hasText: "// why" }).count()).toBe(1);

    const copied = (): Promise<string> => page.evaluate("navigator.clipboard.readText()");
    await page.locator(".markdown .output").hover();
    await page.locator(".markdown .output").getByRole("button", { name: "Copy the text" }).click();
    await expect.poll(copied).toBe('const a = "one"; // why');
    await page.getByRole("button", { name: "Copy these words" }).first().click();
    await expect.poll(copied).toBe(WORDS.trim());
    expect(await faultsOfAccess(page)).toEqual([]);
    // The theme that one chooses stays, whatever the system has.
    for (const theme of ["as the system", "light"])
      await page.getByRole("button", { name: `Theme: ${theme}` }).click();
    await page.reload();
    await page.getByRole("button", { name: "Theme: dark" }).waitFor();
    expect(await page.locator("body").evaluate("getComputedStyle(document.body).colorScheme")).toBe("dark");
    await image.waitFor();
    expect(await faultsOfAccess(page)).toEqual([]);
    const get = (path: string) =>
      page.evaluate(
        async ([url, token]) =>
          (await fetch(url as string, { headers: { Authorization: `Bearer ${token}` } })).status,
        [`${origin}/api/default/image/${path}`, new URL(address).hash.replace("#token=", "")],
      );
    expect(await get(`${"0".repeat(64)}?type=image/png&bytes=78`)).toBe(404);
    expect(await get("..%2F..%2Fteam.db?type=image/png&bytes=78")).toBe(404);
  });
});
