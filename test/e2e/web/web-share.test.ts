/** The link for other people, in two browsers: it shows the team, offers nothing that changes it, and its end is felt at once. */
import { describe, expect, it } from "vitest";
import { PERSON } from "../../../src/core/ids.ts";
import { Links } from "../../../src/faces/web/links.ts";
import { faultsOfAccess } from "../../fixtures/axe.ts";
import { hasBrowser, visit } from "../../fixtures/browser.ts";
import { pageServer } from "../../fixtures/page-server.ts";
import { programTeam } from "../../fixtures/program-team.ts";

describe.skipIf(!hasBrowser)("a person with the link", () => {
  it("looks at the team, changes nothing, and is let out when the link is ended", async () => {
    const team = await programTeam({
      settings: { permissionsTo: "person", ask: ["write_file"] },
      says: {
        lead: [{ times: "any", text: "fine" }],
        alice: [{ calls: [{ tool: "write_file", input: { path: "new.txt", content: "fresh" } }] }],
      },
    });
    await team.store.board.add({ subject: "Write" }, PERSON);
    const { address } = await pageServer(team.store, team.folder, { links: new Links(team.folder) });
    const { page: owner } = await visit(address);
    await owner.getByRole("button", { name: "Share" }).click();
    await owner.getByLabel("Ends").selectOption("in a week");
    await owner.getByRole("button", { name: "Make a link" }).click();
    const link = await owner.getByLabel("The link (it is shown only once)").inputValue();
    await owner.getByText(/A link works until/).waitFor();
    expect(await faultsOfAccess(owner)).toEqual([]);
    const { page } = await visit(link);
    await page.getByText("· read-only").waitFor();
    expect(page.url()).not.toContain("token");
    for (const action of ["New task", "Share", "Start"])
      expect([action, await page.getByRole("button", { name: action }).count()]).toEqual([action, 0]);
    await team.host.start({ goal: "Go" });
    await page.getByRole("link", { name: /Questions 1/ }).click();
    const card = page.locator(".question");
    await card.getByText("new.txt").first().waitFor();
    expect(await card.getByRole("button").count()).toBe(0);
    await owner.getByRole("button", { name: "End the link" }).click();
    await page.locator(".live", { hasText: "Not let in" }).waitFor();
    await page.getByText("the link has ended").first().waitFor();
    await owner.getByText(/A link works until/).waitFor({ state: "detached" });
  });
});
