/** The lanes: elements of the members and hours in sight, which a click and keys select, and which lead to their tasks. */
import { describe, expect, it } from "vitest";
import type { Fact } from "../../../src/core/event.ts";
import { asTaskId, LEAD, name, PERSON } from "../../../src/core/ids.ts";
import { faultsOfAccess } from "../../fixtures/axe.ts";
import { hasBrowser, visit } from "../../fixtures/browser.ts";
import { sampled } from "../../fixtures/fuzz.ts";
import { pageServer } from "../../fixtures/page-server.ts";
import { programTeam } from "../../fixtures/program-team.ts";

const TURN = {
  model: "m",
  text: "",
  inputTokens: 1,
  cachedTokens: 0,
  outputTokens: 1,
  usd: 0,
  ms: 1,
} as const;

describe.skipIf(!hasBrowser)("the lanes", () => {
  const schemes = sampled([false, true], 2);
  it.each(schemes)("show who worked on what, by click and by keys (dark: %s)", async (dark) => {
    const { store, folder } = await programTeam({ says: {} });
    for (let nth = 1; nth <= 60; nth += 1) await store.board.add({ subject: `Subject ${nth}` }, PERSON);
    const done = (nth: number): Fact[] => {
      const task = { task: asTaskId(nth), subject: `Subject ${nth}`, by: name(`member-${nth}`), attempt: 1 };
      return [
        { type: "teammate.spawned", who: task.by, kind: "teammate", role: "", model: "m", by: LEAD } as Fact,
        { type: "task.claimed", ...task } as Fact,
        { type: "turn.taken", ...TURN, who: task.by } as Fact,
        { type: "gate.started", ...task, command: "make" } as Fact,
      ];
    };
    await store.journal.note(Array.from({ length: 60 }, (_, i) => done(i + 1)).flat());
    await store.journal.note(
      Array.from({ length: 60 }, (_, i): Fact => {
        const by = name(`member-${i + 1}`);
        return {
          ...{
            type: "task.completed",
            task: asTaskId(i + 1),
            subject: `Subject ${i + 1}`,
            by,
            attempt: 1,
            result: "",
          },
        } as Fact;
      }),
    );
    const { address } = await pageServer(store, folder);
    const { page } = await visit(address.replace("/#", "/default/lanes#"), { dark });
    const bar = (nth: number) =>
      page.getByRole("button", { name: new RegExp(`^member-${nth} works on #${nth} Subject ${nth}, `) });
    await bar(1).waitFor();
    expect(await faultsOfAccess(page)).toEqual([]);
    // Below the work of each member its turns and tools; the pointer reads a span.
    await page.locator(".lane .of-model[d^=M]").first().waitFor();
    await bar(1).hover();
    await page
      .locator(".hover-card", { hasText: /member-1 completed.*model 0s ·\s+tools .*1 turn/ })
      .waitFor();
    // Only lanes in sight have elements.
    const count = await page.locator(".lane").count();
    expect(count).toBeLessThan(40);
    expect(await bar(60).count()).toBe(0);
    await bar(2).click();
    await page.getByText("member-2 works on #2 Subject 2").waitFor();
    await page.getByRole("group", { name: /60 lanes, 60 spans of work/ }).focus();
    for (let i = 0; i < 58; i += 1) await page.keyboard.press("ArrowRight");
    await page.getByText("member-60 works on #60 Subject 60").waitFor();
    await bar(60).waitFor();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Subject 60", exact: true }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "member-60 gate runs on #60" }).click();
    await page.getByRole("status").getByText("gate runs").waitFor();
    for (let i = 0; i < 3; i += 1) await page.getByRole("button", { name: "Zoom in" }).click();
    await page.getByRole("button", { name: "Fit" }).click();
    await bar(60).waitFor();
  });
});
