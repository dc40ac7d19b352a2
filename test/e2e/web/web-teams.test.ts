/** The teams of all projects on one page: a question of another project is answered there, and its next run is started there. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { faultsOfAccess } from "../../fixtures/axe.ts";
import { hasBrowser, visit } from "../../fixtures/browser.ts";
import { addressIn } from "../../fixtures/web-program.ts";
import { Project } from "../cli-program.ts";

function project(): Project {
  const made = new Project();
  onTestFinished(() => made.end());
  return made;
}

/** Two projects of one person; the second is at work and asks. */
function twoProjects(): { here: Project; there: Project } {
  const [here, there] = [project(), project()];
  there.write({
    "one.md": "# One\n## Wait\n```sh\ntouch began\nwhile ! test -f go; do sleep 0.05; done\n```\n",
    "two.md": "# Two\n## Again\n```sh\ntouch again\n```\n",
  });
  there.start(["run", "one.md", "--ask", "bash(*)"], {
    EKIDEN_PERMISSIONS_TO: "person",
    XDG_CONFIG_HOME: join(here.home, ".config"),
  });
  return { here, there };
}

describe.skipIf(!hasBrowser)("the teams of all projects", () => {
  it("are on one page: what needs an answer, what works, and what is done", async () => {
    const { here, there } = twoProjects();
    const web = here.start(["web", "--port", "0"]);
    const { page } = await visit(await addressIn(web.stdout));
    await page.getByRole("link", { name: "Teams", exact: true }).click();
    const card = page.locator(".team-card", { hasText: there.dir });
    await card.getByText("Needs you").waitFor();
    expect(await faultsOfAccess(page)).toEqual([]);
    await card.locator(".asks").getByRole("link").click();
    await page.getByRole("button", { name: "Allow", exact: true }).click();
    await page.locator(".live", { hasText: "Working" }).waitFor();
    expect(existsSync(join(there.dir, "go"))).toBe(false);
    await page.getByRole("link", { name: "Teams", exact: true }).click();
    await card.getByText("Working").waitFor();
    await card.getByRole("link", { name: "#1 Wait" }).waitFor();
    await card.locator(".goal", { hasText: "One" }).waitFor();
    await card.locator(".at-work code", { hasText: "touch began" }).waitFor();
    there.write({ go: "" });
    await card.getByText("Done", { exact: true }).waitFor();
    await page.reload(); // the address says it all
    await card.getByRole("link", { name: "Start" }).click();
    await page.getByLabel("File", { exact: true }).selectOption("two.md");
    await page.getByRole("button", { name: "Start", exact: true }).click();
    // It begins as the team worked last: the rule that asks stands.
    await page.getByRole("link", { name: "Answer 1" }).click();
    await page.getByRole("button", { name: "Allow", exact: true }).click();
    await page.goto(page.url().replace(/\/questions.*/, "/board"));
    await page.locator(".card", { hasText: "Again" }).locator('[aria-label="Completed"]').waitFor();
    expect([existsSync(join(there.dir, "again")), existsSync(join(here.dir, "again"))]).toEqual([
      true,
      false,
    ]);
  });

  it("are not shown by a read-only page", async () => {
    const { here, there } = twoProjects();
    const acting = here.start(["web", "--port", "0"]);
    type All = { readonly teams: readonly { readonly cwd: string; readonly key: string }[] };
    const ask = async (address: string, path: string): Promise<Response> => {
      const { origin, hash } = new URL(address);
      return await fetch(`${origin}/api/${path}`, {
        headers: { Authorization: `Bearer ${hash.replace("#token=", "")}` },
      });
    };
    const address = await addressIn(acting.stdout);
    let key = "";
    await expect
      .poll(
        async () => {
          const { teams } = (await (await ask(address, "all-teams")).json()) as All;
          key = teams.find(({ cwd }) => cwd === there.dir)?.key ?? "";
          return key;
        },
        { timeout: 30_000 },
      )
      .toMatch(/^~[0-9a-f]{16}$/);
    expect((await ask(address, `${key}/state`)).status).toBe(200);
    expect((await ask(address, "~0123456789abcdef/state")).status).toBe(404);
    expect((await ask(address, "~..%2F..%2Fetc/state")).status).toBe(404);
    const looking = here.start(["web", "--port", "0", "--read-only"]);
    const other = await addressIn(looking.stdout);
    expect(await (await ask(other, "all-teams")).text()).not.toContain(there.dir);
    expect((await ask(other, `${key}/state`)).status).toBe(403);
  });
});
