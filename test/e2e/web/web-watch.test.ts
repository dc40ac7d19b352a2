/** These tests check what the page shows of work that continues: landings with their diffs, running commands, reasons to wait, other machines. */
import { describe, expect, it } from "vitest";
import { asTaskId, name, PERSON } from "../../../src/core/ids.ts";
import { hasBrowser, visit } from "../../fixtures/browser.ts";
import { pageServer } from "../../fixtures/page-server.ts";
import { programTeam } from "../../fixtures/program-team.ts";
import { repository } from "../../fixtures/repository.ts";
import { host, profile } from "../../fixtures/stage.ts";

const alice = name("alice");
const call = (tool: string, input: Record<string, unknown>) => ({ calls: [{ tool, input }] });

describe.skipIf(!hasBrowser)("a person who watches", () => {
  it("sees what has landed with its diff, what runs, why a task waits, and who works elsewhere", async () => {
    const repo = repository({ "greeting.txt": "good morning\nworld\n" });
    const team = await programTeam({
      folder: repo.dir,
      // The lease of the other machine, which nobody renews, outlasts a slow one.
      settings: { permissionMode: "bypass", worktrees: true, exitCheck: false, leaseMs: 600_000 },
      says: {
        lead: [{ times: "any", text: "fine" }],
        alice: [
          { when: "Greet", ...call("edit_file", { path: "greeting.txt", old: "morning", new: "evening" }) },
          { when: "greeting.txt", ...call("complete_task", { result: "ok" }) },
          { when: "Wait", text: "Now I wait.", ...call("bash", { command: "sleep 300" }) },
          { times: "any", text: "fine" },
        ],
      },
    });
    const { store } = team;
    await store.board.add({ subject: "Greet later" }, PERSON);
    await store.board.add({ subject: "Wait long", blockedBy: [asTaskId(1)] }, PERSON);
    await store.board.add({ subject: "Rest", blockedBy: [asTaskId(2)] }, PERSON);
    await store.forge.take("o/r", 7, { subject: "From an issue", blockedBy: [asTaskId(1)] });
    const { origin, address } = await pageServer(store, team.folder);
    const { page } = await visit(address);
    await team.host.start({ goal: "Go" });
    await store.roster.open(host("far"), "build-7", 1);
    const zoe = await store.roster.join(profile("zoe"), host("far"), PERSON);
    const compiles = { type: "call", id: "c1", tool: "bash", input: { command: "make all" } } as const;
    await store.transcript.record(zoe, [
      { kind: "said", message: { role: "assistant", content: [compiles] } },
    ]);
    await team.until("task.completed", { by: alice });

    await page.goto(`${origin}/default/landing`);
    await page.getByRole("heading", { name: "Pull requests" }).waitFor();
    await page.getByText("From an issue: waits for its owner").waitFor();
    await page.getByRole("button", { name: /Show the diff/ }).click();
    await page.locator(".line.minus", { hasText: "good morning" }).waitFor();
    await page.locator(".line.plus", { hasText: "good evening" }).waitFor();
    expect(await page.locator(".diff .line.at").first().innerText()).toContain("greeting.txt");

    await page.goto(`${origin}/default/team`);
    const card = (who: string) =>
      page.locator(".member", { has: page.getByRole("link", { name: who, exact: true }) });
    await card("alice").locator(".activity .busy", { hasText: "bash sleep 300" }).waitFor();
    await card("alice").getByText("Now I wait.").waitFor();
    await card("zoe").getByTitle("Another machine runs it").getByText("build-7").waitFor();
    await card("zoe").getByText("runs on build-7: its output is there").waitFor();
    expect(await card("alice").getByTitle("Another machine runs it").count()).toBe(0);

    await page.goto(`${origin}/default/board?task=3`);
    await page.getByText("Waits for #2; alice works on #2.").waitFor();
  });
});
