/** The page of a run that has ended stays for who reads it. */
import { expect, it } from "vitest";
import { hasBrowser, visit } from "../../fixtures/browser.ts";
import { pageServer } from "../../fixtures/page-server.ts";
import { programTeam } from "../../fixtures/program-team.ts";

it.skipIf(!hasBrowser)("is left only after its last tab was closed", async () => {
  const { store, folder } = await programTeam({ says: {} });
  const server = await pageServer(store, folder, { leftMs: 400 });
  await server.left(false); // nobody came
  const { page } = await visit(server.address);
  await page.locator(".header").waitFor();
  const nobody = "a tab is open";
  const early = await Promise.race([server.left(false), page.waitForTimeout(2_500).then(() => nobody)]);
  expect(early).toBe(nobody);
  await page.close();
  await server.left(false);
});
