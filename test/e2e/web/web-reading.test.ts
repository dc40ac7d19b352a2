/** The views that a person reads a team by: cards of members that hold what they show, a graph that can be read, and a process that stands still. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { recruits } from "../../../src/core/board/recruit.ts";
import { asTaskId, name, PERSON } from "../../../src/core/ids.ts";
import { stop } from "../../../src/team/actions/stop.ts";
import { completeTask, takeTask } from "../../../src/team/actions/tasks.ts";
import { faultsOfAccess } from "../../fixtures/axe.ts";
import { hasBrowser, visit } from "../../fixtures/browser.ts";
import { pageServer } from "../../fixtures/page-server.ts";
import { programTeam } from "../../fixtures/program-team.ts";
import { addressIn } from "../../fixtures/web-program.ts";
import { Project } from "../cli-program.ts";

const COUNTS = [
  { calls: [{ tool: "bash", input: { command: "seq 1 20; while ! test -f end; do sleep 0.05; done" } }] },
  { times: "any" as const, text: "fine" },
];

let ours: Project | null = null;
afterEach(async () => {
  await ours?.end();
  ours = null;
});

const colourOf = "(of) => getComputedStyle(document.documentElement).getPropertyValue(of)";

describe.skipIf(!hasBrowser)("a team that is read", () => {
  it("has wells with the call first, folds who has stopped, and a graph with live lines and pills", async () => {
    const team = await programTeam({
      settings: { teammates: recruits(2), permissionMode: "bypass", model: "anthropic/claude-haiku-4-5" },
      price: () => 0.01,
      says: {
        lead: [{ times: "any", text: "fine" }],
        alice: COUNTS,
        bob: COUNTS,
      },
    });
    const { store } = team;
    for (const subject of ["One", "Two", "Three"]) await store.board.add({ subject }, PERSON);
    for (const id of [1, 2, 3]) await takeTask(store, PERSON, asTaskId(id));
    await completeTask(store, PERSON, asTaskId(1), "", team.folder);
    await store.board.add({ subject: "Count" }, PERSON);
    await team.host.start({ goal: "Go" });
    const { address, origin } = await pageServer(store, team.folder);
    const { page } = await visit(address);
    const card = (subject: string) => page.locator(".card", { hasText: subject });
    await card("Count").locator(".live-line", { hasText: /^20$/ }).waitFor();
    const owner = (await store.roster.members()).find(({ task }) => task === 4)?.name ?? name("nobody");
    const other = owner === "alice" ? name("bob") : name("alice");
    expect(await page.locator(".card.pill").count()).toBe(0);
    await completeTask(store, PERSON, asTaskId(2), "", team.folder);
    await card("Two").and(page.locator(".pill.swept")).waitFor();
    expect((await card("Two").boundingBox())?.height).toBeLessThan(40);
    // It is never drawn so small that it cannot be read.
    for (let i = 0; i < 5; i += 1) await page.getByRole("button", { name: "Zoom out" }).click();
    expect(await page.locator(".cards").getAttribute("style")).toContain("scale(0.85)");
    expect(await page.evaluate(`(${colourOf})("--critical") === (${colourOf})("--warn")`)).toBe(false);

    await page.goto(`${origin}/default/team`);
    const member = (who: string) =>
      page.locator(".member", { has: page.getByRole("link", { name: who, exact: true }) });
    await member(owner)
      .locator(".activity", { hasText: /^bash seq 1 20.*11\n.*20$/s })
      .waitFor();
    await member(owner)
      .locator("footer", { hasText: /1 turn · \$0\.01/ })
      .waitFor();
    await stop(store, PERSON, other, { now: true, deadlineMs: 1_000, tell: () => {} });
    await page.getByText("1 stopped member").click();
    await member(other).getByText("stopped when asked").waitFor();
    expect(await faultsOfAccess(page)).toEqual([]);
    writeFileSync(join(team.folder, "end"), "");
  });

  it("says which process stands still, and how it continues", async () => {
    ours = new Project();
    ours.write({ "plan.md": "# Go\n## Wait\n```sh\nwhile ! test -f go; do sleep 0.05; done\n```\n" });
    const run = ours.start(["run", "plan.md", "--teammates", "1"], { EKIDEN_LEASE_MS: "3000" });
    const web = ours.start(["web", "--port", "0"]);
    const { page } = await visit(await addressIn(web.stdout));
    await page.locator(".card", { hasText: "Wait" }).locator('[aria-label="In progress"]').waitFor();
    run.kill("SIGSTOP");
    await page.locator(".card", { hasText: "alice stands still" }).waitFor();
    await page
      .getByText(`Nobody works: process ${run.pid} stands still. It continues with kill -CONT ${run.pid}`)
      .waitFor();
    await page.locator(".live", { hasText: "Stands still" }).waitFor();
    await page.keyboard.press("3");
    await page
      .locator(".member .warn", { hasText: `process ${run.pid} stands still` })
      .first()
      .waitFor();
    run.kill("SIGCONT");
    await page.locator(".live", { hasText: "Working" }).waitFor();
    ours.write({ go: "" });
  });
});
