/** These tests check what has come of a team, and comments on it: to the owner while the task continues, as a task for the owner afterwards. */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { asTaskId, type HostId, LEAD, name, PERSON, type TaskId } from "../../../src/core/ids.ts";
import { completeTask, failTask, retryTask, takeTask } from "../../../src/team/actions/tasks.ts";
import { faultsOfAccess } from "../../fixtures/axe.ts";
import { hasBrowser, visit } from "../../fixtures/browser.ts";
import { pageServer } from "../../fixtures/page-server.ts";
import { programTeam } from "../../fixtures/program-team.ts";
import { soon } from "../../fixtures/soon.ts";

function repository(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "ekiden-outcome-")));
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=T", "-c", "user.email=t@example.org", ...args], { cwd: folder });
  git("init", "-q");
  mkdirSync(join(folder, "src"));
  writeFileSync(join(folder, "src/paint.txt"), "one\ntwo\nthree\n");
  git("add", ".");
  git("commit", "-qm", "Begin");
  return folder;
}

describe.skipIf(!hasBrowser)("the outcome", () => {
  it("says what is not done, what completed tasks came to, and the cost of the last run alone", async () => {
    const { store, folder } = await programTeam({ says: {} });
    const [first, second, third] = [1, 2, 3].map(asTaskId) as [TaskId, TaskId, TaskId];
    await store.board.add({ subject: "Paint" }, PERSON);
    await store.board.add({ subject: "Dry" }, PERSON);
    await store.board.add({ subject: "Hang", blockedBy: [second] }, PERSON);
    const turn = {
      type: "turn.taken",
      who: LEAD,
      model: "m",
      text: "",
      inputTokens: 1,
      cachedTokens: 0,
    } as const;
    const cost = { ...turn, outputTokens: 1, usd: 0.25, ms: 1 };
    await takeTask(store, PERSON, first);
    await failTask(store, PERSON, first, "there is no paint", folder);
    await store.journal.note([cost, { type: "team.resumed", host: "h" as HostId }, cost]);
    await retryTask(store, PERSON, first);
    await takeTask(store, PERSON, first);
    await completeTask(store, PERSON, first, "Two coats are on.", folder);
    await takeTask(store, PERSON, second);
    await failTask(store, PERSON, second, "it rains", folder);
    const ended = { completed: 1, failed: 1, cancelled: 0, unfinished: 1, reason: "concluded" } as const;
    await store.journal.note([{ type: "team.finished", ...ended }]);
    const { address, origin } = await pageServer(store, folder);
    const { page } = await visit(address);
    await page.goto(`${origin}/default/outcome`);
    await page
      .getByRole("heading", { name: "Stopped: 1 of 3 done · 1 failed · 1 could not begin" })
      .waitFor();
    expect(third).toBe(3);
    const outcome = page.locator(".outcome");
    await outcome.getByText("Two coats are on.").waitFor();
    const failed = outcome.locator(".failed-tasks li");
    await failed.getByText("it rains").waitFor();
    await failed.getByText("#3 cannot begin before it").waitFor();
    expect(await outcome.getByText("there is no paint").count()).toBe(0);
    await page.locator(".totals", { hasText: "Cost$0.25" }).waitFor();
    await page.getByLabel("Of which runs").selectOption("all");
    await page.locator(".totals", { hasText: "Cost$0.50" }).waitFor();
    await failed.getByRole("button", { name: "Retry #2" }).click();
    await soon(async () => expect((await store.board.task(second))?.status).toBe("pending"));
  });

  it("is reviewed: files that were read, comments on a range and on removed lines, words that differ", async () => {
    const { store, folder } = await programTeam({ says: {}, folder: repository() });
    await store.journal.note([{ type: "team.resumed", host: "h" as HostId }]);
    writeFileSync(join(folder, "src/paint.txt"), "one\ntwo coats\nfour\n");
    writeFileSync(join(folder, "src/brush.ts"), "export const brush = 1; // flat\n");
    writeFileSync(join(folder, "long.txt"), "x\n".repeat(401));
    const { address, origin } = await pageServer(store, folder);
    const { page } = await visit(address);
    await page.goto(`${origin}/default/outcome`);
    const file = (path: string) => page.locator(".review-file", { hasText: path });
    // A file is open by itself unless it is long.
    await file("brush.ts").locator(".code-comment", { hasText: "// flat" }).waitFor();
    expect(await file("long.txt").locator(".line").count()).toBe(0);
    expect(await file("paint.txt").locator("mark").allTextContents()).toEqual([" coats"]);
    const tree = page.getByRole("navigation", { name: "Changed files" });
    expect(await tree.getByRole("button").allTextContents()).toEqual([
      "long.txt+401 −0",
      "brush.ts+1 −0",
      "paint.txt+2 −2",
    ]);
    await page.getByLabel("Viewed src/brush.ts").check();
    expect(await file("brush.ts").locator(".line").count()).toBe(0);
    await page.reload();
    await tree.getByRole("button", { name: "Viewed brush.ts" }).waitFor();
    const line = (name: string) => file("paint.txt").getByRole("button", { name, exact: true });
    await line("Comment on removed line 2").click();
    await line("Comment on removed line 3").click({ modifiers: ["Shift"] });
    await page.getByLabel("Comment on src/paint.txt, removed lines 2 to 3").fill("Keep them.");
    await page.getByRole("button", { name: "Add to the review" }).click();
    await line("Comment on line 2").focus();
    await page.keyboard.press("Enter");
    await line("Comment on line 3").focus();
    await page.keyboard.press("Shift+Enter");
    await page.getByLabel("Comment on src/paint.txt, lines 2 to 3").fill("Which coats?");
    await page.keyboard.press("Control+Enter");
    await page.getByText("1 of 3 files viewed").waitFor();
    expect(await faultsOfAccess(page)).toEqual([]);
    await page.getByRole("button", { name: "Finish review (2)" }).click();
    await soon(async () => {
      const description = (await store.board.task(asTaskId(1)))?.description;
      expect(description).toContain("src/paint.txt:2-3 (removed)\n> -two\n> -three\nKeep them.");
      expect(description).toContain("src/paint.txt:2-3\n> +two coats\n> +four\nWhich coats?");
    });
    // What changes after it was read is to be read again.
    writeFileSync(join(folder, "src/brush.ts"), "export const brush = 2;\n");
    await page.reload();
    await file("brush.ts").getByText("brush = ").waitFor();
    expect(await page.getByLabel("Viewed src/brush.ts").isChecked()).toBe(false);
  });

  it("shows the whole change by file and task; comments go out in one batch, to the owner or as a task", async () => {
    const team = await programTeam({
      folder: repository(),
      says: {
        lead: [{ times: "any", text: "All is painted. **Well done.**" }],
        alice: [
          {
            calls: [
              { tool: "read_file", input: { path: "src/paint.txt" } },
              {
                tool: "edit_file",
                input: {
                  path: "src/paint.txt",
                  old: "two",
                  new: "two <img src=x onerror=alert(1)> coats\u202e",
                },
              },
              { tool: "write_file", input: { path: "notes.md", content: "# Notes\n" } },
            ],
          },
          { calls: [{ tool: "bash", input: { command: "while ! test -f go; do sleep 0.05; done" } }] },
          { calls: [{ tool: "complete_task", input: { task: 1, result: "painted" } }] },
          { calls: [{ tool: "bash", input: { command: "while ! test -f end; do sleep 0.05; done" } }] },
          { times: "any", text: "I wait." },
        ],
      },
      settings: { permissionMode: "bypass" },
    });
    const { store } = team;
    await store.board.add({ subject: "Paint" }, PERSON);
    await store.board.add({ subject: "Varnish", blockedBy: [asTaskId(1)] }, PERSON);
    const { address, origin } = await pageServer(store, team.folder);
    await team.host.start({ goal: "Paint it" });
    const { page } = await visit(address);
    await soon(async () =>
      expect(
        (await store.transcript.all(name("alice"), 0, 50)).filter(({ entry }) => entry.kind === "result"),
      ).toHaveLength(3),
    );
    // The panel of the task: what runs, what was said, what has changed, and where the time went.
    await page.goto(`${origin}/default/board?task=1`);
    const panel = page.getByRole("complementary", { name: "Task 1" });
    await panel.locator(".activity .doing", { hasText: "bash while ! test -f go" }).waitFor();
    await panel.locator(".meter", { hasText: /^alice · 2 turns$/ }).waitFor();
    await panel.locator(".task-time .time-bar").waitFor();
    await panel.getByRole("tab", { name: "Words" }).click();
    await panel.locator(".call", { hasText: "write_file" }).waitFor();
    await panel.getByRole("tab", { name: "Words" }).press("ArrowRight");
    await panel
      .getByRole("region", { name: "notes.md" })
      .locator(".line.plus", { hasText: "# Notes" })
      .waitFor();
    expect(await faultsOfAccess(page)).toEqual([]);
    await panel.getByRole("tab", { name: "History" }).click();
    await panel.getByText("claimed #1 Paint").waitFor();
    await page.goto(`${origin}/default/outcome`);
    await page.getByRole("heading", { name: "Still at work" }).waitFor();
    const file = (path: string) => page.locator(".review-file", { hasText: path });
    await file("src/paint.txt").getByRole("link", { name: "#1" }).waitFor();
    await file("src/paint.txt").getByText("two <img src=x onerror=alert(1)> coats\\u{202e}").waitFor();
    await file("src/paint.txt").getByRole("button", { name: "Comment on line 2" }).click();
    await page.getByLabel("Comment on src/paint.txt, line 2").fill("Three coats.");
    await page.getByRole("button", { name: "Add to the review" }).click();
    await file("notes.md").getByRole("button", { name: "Comment on line 1" }).click();
    await page.getByLabel("Comment on notes.md, line 1").fill("Say what for.");
    await page.getByRole("button", { name: "Add to the review" }).click();
    await page.reload(); // what is written is not lost
    await page.getByRole("button", { name: "Finish review (2)" }).click();
    await page.getByText("2 comments sent to alice.").waitFor();
    const [letter] = (await store.mail.box(name("alice"), 5)).filter(({ from }) => from === PERSON);
    expect(letter?.body).toMatchObject({ kind: "note" });
    expect(JSON.stringify(letter?.body)).toMatch(
      /src\/paint\.txt:2.*Three coats\..*notes\.md:1.*Say what for\./,
    );

    writeFileSync(join(team.folder, "go"), "");
    await team.until("task.completed");
    await page.locator(".last-words", { hasText: "Well done." }).waitFor();
    await page.locator(".ended").getByRole("link", { name: "#1 Paint" }).waitFor();
    await file("notes.md").getByRole("button", { name: "Comment on line 1" }).click();
    await page.getByLabel("Comment on notes.md, line 1").fill("Still not said.");
    await page.getByRole("button", { name: "Add to the review" }).click();
    expect(await faultsOfAccess(page)).toEqual([]);
    await page.getByRole("button", { name: "Finish review (1)" }).click();
    await page.getByText("1 comment became #3 for alice.").waitFor();
    const task = await store.board.task(asTaskId(3));
    expect(task).toMatchObject({ subject: "Review of #1: Paint", assignee: "alice", touches: ["notes.md"] });
    expect(task?.description).toContain("notes.md:1\n> # Notes\nStill not said.");
    writeFileSync(join(team.folder, "end"), "");
  });
});
