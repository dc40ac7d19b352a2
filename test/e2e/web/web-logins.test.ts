/** These tests check the bars of logins on the page: how much is used, the reset, and the tasks that wait for it. */
import { afterEach, describe, expect, it } from "vitest";
import { systemClock } from "../../../src/adapters/clock.ts";
import { later } from "../../../src/core/ids.ts";
import { hasBrowser, visit } from "../../fixtures/browser.ts";
import { host, name, profile } from "../../fixtures/stage.ts";
import { addressIn } from "../../fixtures/web-program.ts";
import { Project } from "../cli-program.ts";

let ours: Project;
afterEach(() => ours.end());

describe.skipIf(!hasBrowser)("logins on the page", () => {
  it.each([false, true])("have bars, resets and the tasks that wait; dark: %s", async (dark) => {
    ours = new Project();
    await ours.add({ subject: "Repair the mill" });
    const store = await ours.store();
    await store.roster.open(host("here"), "this machine", process.pid);
    const ann = await store.roster.join(
      profile("ann", { model: "agent:claude" }),
      host("here"),
      name("person"),
    );
    expect(await store.board.claimNext(ann)).toMatchObject({ id: 1 });
    await store.roster.setActivity(ann, { phase: "idle", reason: "at_limit", note: "limit" });
    const resetsAt = later(systemClock.now(), 2 * 3_600_000 + 30_000);
    const claude = { program: "claude", login: "", machine: "here", source: "event", resetsAt } as const;
    await store.logins.note({ ...claude, kind: "5h", usedPercent: 100 });
    await store.logins.note({ ...claude, kind: "week", usedPercent: 87 });
    const openai = { program: "openai", login: "OPENAI_API_KEY 1f2e3d", machine: "here", source: "event" };
    await store.logins.note({ ...openai, kind: "week", usedPercent: 40, resetsAt });

    const web = ours.start(["web", "--port", "0"]);
    const address = await addressIn(web.stdout);
    const { page } = await visit(address, { dark });
    await page.goto(`${new URL(address).origin}/default/team`);
    const full = page.getByRole("meter", { name: "claude: 5 hours" });
    await full.waitFor();
    expect(await full.getAttribute("aria-valuetext")).toBe("100 % used");
    const lines = await page
      .getByRole("list", { name: "Limits of logins" })
      .getByRole("listitem")
      .allInnerTexts();
    expect(lines.map((line) => line.split(/\s+/).join(" "))).toEqual([
      "claude 5 hours 100 % resets in 2h00m waits: #1 Repair the mill",
      "claude week 87 % resets in 2h00m",
      "openai (OPENAI_API_KEY 1f2e3d) week 40 % resets in 2h00m",
    ]);
    const share = await full.evaluate((bar) => (bar.firstElementChild?.clientWidth ?? 0) / bar.clientWidth);
    expect(share).toBe(1);
  });
});
