/** A long conversation on the page: its end is read first, and earlier entries when one scrolls up. */
import { describe, expect, it } from "vitest";
import type { Entry } from "../../../src/core/conversation/chat.ts";
import { heard } from "../../../src/core/conversation/chat.ts";
import { name, subagentName } from "../../../src/core/ids.ts";
import { hasBrowser, visit } from "../../fixtures/browser.ts";
import { pageServer } from "../../fixtures/page-server.ts";
import { programTeam } from "../../fixtures/program-team.ts";
import { host, profile } from "../../fixtures/stage.ts";

const ENTRIES = 20_000;
const CALLS_AT = [100, 9_000, 19_950];

/** A subagent's call stands at three places; everything else is a line of text. */
const entry = (i: number): Entry =>
  CALLS_AT.includes(i)
    ? {
        kind: "said",
        message: {
          role: "assistant",
          content: [
            { type: "call", id: `c${i}`, tool: "task", input: { description: `look ${i}`, prompt: "x" } },
          ],
        },
      }
    : heard(`entry number ${i}`);

describe.skipIf(!hasBrowser)("a conversation of 20,000 entries", () => {
  it("opens at its end by one request, keeps what one looks at when earlier entries come, and follows the end", async () => {
    const team = await programTeam({ says: { lead: [{ times: "any", text: "fine" }] } });
    const { store } = team;
    await store.roster.open(host("far"), "build-7", 1);
    const zoe = await store.roster.join(profile("zoe"), host("far"), name("person"));
    for (let at = 0; at < ENTRIES; at += 1_000)
      await store.transcript.record(
        zoe,
        Array.from({ length: 1_000 }, (_, i) => entry(at + i)),
      );
    for (const [n] of CALLS_AT.entries())
      await store.transcript.record(zoe, [heard("do it")], { subagent: subagentName(zoe.name, n + 1) });
    const { origin, address } = await pageServer(store, team.folder);
    const { page } = await visit(address);
    let [requests, bytes] = [0, 0];
    page.on("response", async (response) => {
      if (!response.url().includes("/api/default/conversation/zoe")) return;
      requests += 1;
      bytes += (await response.body()).length;
    });

    await page.goto(`${origin}/default/conversation/zoe`);
    await page.getByText(`entry number ${ENTRIES - 1}`, { exact: true }).waitFor();
    const box = page.locator(".entries");
    const fromEnd = (): Promise<number> =>
      box.evaluate((at) => at.scrollHeight - at.scrollTop - at.clientHeight);
    await expect.poll(fromEnd).toBeLessThan(2);
    expect(requests).toBe(1);
    expect(bytes).toBeLessThan(100_000);
    expect(await page.getByRole("link", { name: "its conversation" }).getAttribute("href")).toContain(
      "zoe/3",
    );

    // One scrolls up until earlier entries come: the visible entry stays where it is.
    const first = page.getByText(`entry number ${ENTRIES - 200}`, { exact: true });
    await box.evaluate((at) => at.scrollTo({ top: 0 }));
    await page.getByText(`entry number ${ENTRIES - 201}`, { exact: true }).waitFor({ state: "attached" });
    expect(await first.isVisible()).toBe(true);
    const place = await first.boundingBox();
    expect(place?.y).toBeGreaterThan(0);
    expect(place?.y).toBeLessThan(page.viewportSize()?.height ?? 0);

    // News does not move what one looks at; at the end again, it is followed.
    await store.transcript.record(zoe, [heard("the newest entry")], { facts: [] });
    await box.evaluate((at) => at.scrollTo({ top: at.scrollHeight }));
    await store.transcript.record(zoe, [heard("one more")]);
    await store.mail.send(name("lead"), { to: zoe.name, body: { kind: "note", text: "hello" } });
    await page.getByText("one more", { exact: true }).waitFor();
    await expect.poll(fromEnd).toBeLessThan(2);
  });
});
