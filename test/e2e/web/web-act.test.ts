/** The page steers a team as the command line does: each act by a person in a real browser, on a team with scripted models. */
import { existsSync, readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Step } from "../../../src/adapters/models/scripted.ts";
import { asTaskId, LEAD, name, PERSON } from "../../../src/core/ids.ts";
import { faultsOfAccess, OF_COLOURS } from "../../fixtures/axe.ts";
import { hasBrowser, visit } from "../../fixtures/browser.ts";
import { sampled } from "../../fixtures/fuzz.ts";
import { pageServer } from "../../fixtures/page-server.ts";
import { programTeam } from "../../fixtures/program-team.ts";
import { soon } from "../../fixtures/soon.ts";
import { host, profile } from "../../fixtures/stage.ts";

const alice = name("alice");
const call = (tool: string, input: Record<string, unknown> = {}) => ({ calls: [{ tool, input }] });
const quietly: Step = { times: "any", text: "fine" };
const done = call("complete_task", { result: "ok" });

describe.skipIf(!hasBrowser)("a person at the page", () => {
  it("sees a permission as a diff, allows it, and the file is changed", async () => {
    const edit = { path: "greeting.txt", old: "good morning", new: "good evening" };
    const team = await programTeam({
      settings: { permissionsTo: "person", ask: ["edit_file"] },
      says: {
        lead: [quietly],
        alice: [call("read_file", { path: "greeting.txt" }), call("edit_file", edit), done, quietly],
      },
    });
    await writeFile(join(team.folder, "greeting.txt"), "good morning\nworld\n");
    await team.store.board.add({ subject: "Greet later" }, PERSON);
    const { address } = await pageServer(team.store, team.folder);
    const { page } = await visit(address);
    await team.host.start({ goal: "Go" });
    await page.getByRole("link", { name: /Questions 1/ }).click();
    const card = page.locator(".question");
    await card.locator(".line.minus", { hasText: "good morning" }).waitFor();
    await card.locator(".line.plus", { hasText: "good evening" }).waitFor();
    await card.getByText("Asked because the rule ask edit_file says so.").waitFor();
    expect(existsSync(join(team.folder, "greeting.txt"))).toBe(true);
    expect(readFileSync(join(team.folder, "greeting.txt"), "utf8")).toContain("good morning");
    await card.getByRole("button", { name: "Allow", exact: true }).click();
    await page.getByText("No question waits for an answer").waitFor();
    await team.until("task.completed", { by: alice });
    expect(readFileSync(join(team.folder, "greeting.txt"), "utf8")).toBe("good evening\nworld\n");
  });

  it("sees a file that would be overwritten as a diff against the file, in the question and in the conversation", async () => {
    const write = (path: string, content: string) => call("write_file", { path, content });
    const team = await programTeam({
      settings: { permissionsTo: "person", ask: ["write_file"] },
      says: {
        lead: [quietly],
        alice: [
          call("read_file", { path: "list.txt" }),
          write("list.txt", "one\n2\nthree\n"),
          write("new.txt", "fresh\n"),
          done,
          quietly,
        ],
      },
    });
    await writeFile(join(team.folder, "list.txt"), "one\ntwo\nthree\n");
    await team.store.board.add({ subject: "List" }, PERSON);
    const { origin, address } = await pageServer(team.store, team.folder);
    const { page } = await visit(address);
    await team.host.start({ goal: "Go" });
    await page.goto(`${origin}/default/questions`);
    const card = page.locator(".question");
    await card.locator(".line.minus", { hasText: "two" }).waitFor();
    expect(await card.locator(".line.plus").allInnerTexts()).toEqual([expect.stringContaining("2")]);
    await card.getByRole("link", { name: "#1 List" }).waitFor();
    await card.getByRole("button", { name: "Allow", exact: true }).click();
    await card.getByText("A new file").waitFor();
    await card.getByRole("button", { name: "Allow", exact: true }).click();
    await team.until("task.completed", { by: alice });
    await page.goto(`${origin}/default/conversation/alice`);
    await page.locator(".call .line.minus", { hasText: "two" }).waitFor();
    expect(readFileSync(join(team.folder, "list.txt"), "utf8")).toBe("one\n2\nthree\n");
  });

  it("reads a plan, rejects it with a reason, approves the next one", async () => {
    const plan = (text: string) => call("submit_plan", { plan: text });
    const team = await programTeam({
      says: {
        lead: [quietly],
        alice: [
          plan("1. **Paint** it *red*"),
          { when: "not red", calls: plan("Paint it blue").calls },
          done,
          quietly,
        ],
      },
    });
    await team.store.board.add({ subject: "Paint", needsPlan: true }, PERSON);
    const { origin, address } = await pageServer(team.store, team.folder);
    const { page } = await visit(address);
    await team.host.start({ goal: "Go" });
    await page.goto(`${origin}/default/board?task=1`);
    await page.getByRole("link", { name: "Answer 1" }).click();
    await page.locator(".question strong", { hasText: "Paint" }).waitFor();
    await page.getByLabel("To alice").fill("not red");
    await page.getByRole("button", { name: "Reject" }).click();
    await page.locator(".question", { hasText: "Paint it blue" }).waitFor();
    await page.getByRole("button", { name: "Approve" }).click();
    await team.until("task.completed", { by: alice });
  });

  it("adds a task, edits it, cancels it and retries it; refusals are the store's own sentences", async () => {
    const team = await programTeam({ says: {} });
    const { store } = team;
    const { address } = await pageServer(store, team.folder);
    const { page } = await visit(address);
    await page.getByRole("button", { name: "Add the first task" }).click();
    await page.getByLabel("Subject").fill("Write the notes");
    await page.getByLabel("Description").fill("One line per change");
    await page.getByLabel("After").fill("#7");
    await page.getByRole("button", { name: "Add task" }).click();
    await page.getByRole("alert").getByText("#7").waitFor();
    await page.getByLabel("After").fill("");
    await page.getByLabel("Priority").fill("3");
    await page.getByRole("button", { name: "Add task" }).click();
    await page.locator(".card", { hasText: "Write the notes" }).click();
    expect(await store.board.task(asTaskId(1))).toMatchObject({
      ...{ subject: "Write the notes", description: "One line per change", priority: 3, createdBy: PERSON },
    });
    await page.getByRole("button", { name: "Edit" }).click();
    await page.getByLabel("Subject").fill("Write the release notes");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("heading", { name: "Write the release notes" }).waitFor();
    expect(await store.board.task(asTaskId(1))).toMatchObject({
      description: "One line per change",
      priority: 3,
    });
    await page.getByRole("button", { name: "Cancel task" }).click();
    await page.getByLabel("Reason").fill("not now");
    await page.getByRole("button", { name: "Cancel #1" }).click();
    await page.locator(".panel-status", { hasText: "Cancelled" }).waitFor();
    await page.getByRole("button", { name: "Retry" }).click();
    await page.locator(".panel-status", { hasText: "Ready" }).waitFor();
    expect(await store.board.task(asTaskId(1))).toMatchObject({ status: "pending" });
  });

  it("retries a task that failed, writes to a member, and stops it", async () => {
    const team = await programTeam({
      says: {
        lead: [quietly],
        alice: [
          call("fail_task", { reason: "no brush" }),
          { when: "find a brush", text: "Thanks." },
          { when: "auto-claimed", calls: done.calls },
          quietly,
        ],
      },
      host: { interactive: true },
    });
    await team.store.board.add({ subject: "Paint" }, PERSON);
    const { origin, address } = await pageServer(team.store, team.folder, {
      settings: { shutdownDeadlineMs: 500 },
    });
    const { page } = await visit(address);
    await team.host.start({ resume: true });
    await page.goto(`${origin}/default/board?task=1`);
    await page.locator(".why.bad", { hasText: "no brush" }).waitFor();
    await page.goto(`${origin}/default/conversation/alice?task=1`);
    await page.getByLabel("Write to alice").fill("find a brush");
    await page.getByRole("button", { name: "Send" }).click();
    await page.locator(".entry.heard", { hasText: "find a brush" }).waitFor();
    await page.locator(".entry.said", { hasText: "Thanks." }).waitFor();
    await page.getByRole("button", { name: "Retry" }).click();
    await team.until("task.completed", { by: alice });
    await page.goto(`${origin}/default/team`);
    await page.getByRole("button", { name: "Stop alice" }).click();
    await page.getByRole("button", { name: "Now" }).click();
    await page.getByText("1 stopped member").click();
    await page.locator(".member.shutdown", { hasText: "alice" }).waitFor();
    await soon(async () => expect((await team.store.roster.member(alice))?.activity.phase).toBe("shutdown"));
  });

  it("takes back mail that nobody has read yet, in every tab, and not what was read", async () => {
    const team = await programTeam({ says: { lead: [quietly] } });
    const { store } = team;
    await team.host.start({ goal: "Go" });
    await store.roster.open(host("far"), "build-7", 600_000);
    await store.roster.join(profile("zoe"), host("far"), PERSON);
    const { address, origin } = await pageServer(store, team.folder);
    const { page } = await visit(address);
    const other = await page.context().newPage();
    for (const tab of [page, other]) await tab.goto(`${origin}/default/mail`);
    const letter = (tab: typeof page, text: string) => tab.locator(".letter", { hasText: text });
    const write = async (to: string, text: string): Promise<void> => {
      await page.getByLabel("To", { exact: true }).selectOption(to);
      await page.getByLabel("Text").fill(text);
      await page.getByRole("button", { name: "Send" }).click();
      for (const tab of [page, other]) await letter(tab, text).waitFor();
    };
    await write("zoe", "Paint it red");
    await write("zoe", "Paint it blue");
    await write("lead", "Hurry");
    await letter(page, "Hurry").locator(".tag", { hasText: "queued" }).waitFor({ state: "detached" });
    expect(await letter(page, "Hurry").getByRole("button", { name: "Take back" }).count()).toBe(0);
    await letter(page, "Paint it red").getByRole("button", { name: "Take back" }).click();
    for (const tab of [page, other]) await letter(tab, "Paint it red").waitFor({ state: "detached" });
    expect(await letter(other, "Paint it blue").count()).toBe(1);
    expect((await store.mail.box(name("zoe"), 9)).map(({ body }) => body)).toEqual([
      { kind: "note", text: "Paint it blue" },
    ]);
  });

  it("only looks where the page is read-only", async () => {
    const team = await programTeam({ says: {} });
    await team.store.board.add({ subject: "Paint" }, PERSON);
    const { address, origin } = await pageServer(team.store, team.folder, { readOnly: true });
    const { page } = await visit(address, { mayComplain: true });
    await page.locator(".card", { hasText: "Paint" }).click();
    await page.getByRole("heading", { name: "Paint" }).waitFor();
    expect(await page.getByRole("button", { name: /New task|Edit|Cancel/ }).count()).toBe(0);
    const token = await page.evaluate<string>("sessionStorage.getItem('ekiden-token')");
    const act = { url: `${origin}/api/default/act`, Authorization: `Bearer ${token}` };
    const refused = await page.evaluate(async ({ url, Authorization }) => {
      const answer = await fetch(url, {
        method: "POST",
        headers: { "Content-Type": "application/json", Authorization },
        body: JSON.stringify({ do: "cancel", id: 1, reason: "" }),
      });
      return { status: answer.status, text: await answer.text() };
    }, act);
    expect(refused).toMatchObject({ status: 403, text: expect.stringContaining("--read-only") });
    expect(await team.store.board.task(asTaskId(1))).toMatchObject({ status: "pending" });
  });

  it("has no serious fault of accessibility in any view, light and dark, wide and narrow", async () => {
    const team = await programTeam({
      settings: { permissionsTo: "person" },
      says: {
        lead: [quietly],
        alice: [
          { text: "I paint.", calls: [{ tool: "bash", input: { command: "touch x" } }] },
          done,
          quietly,
        ],
      },
    });
    const { store } = team;
    await store.board.add(
      { subject: "Paint", description: "# All\n\n- red\n- blue\n\n| a | b |\n|---|---|\n| 1 | 2 |" },
      PERSON,
    );
    await store.board.add({ subject: "Dry", blockedBy: [asTaskId(1)] }, PERSON);
    await store.mail.send(PERSON, { to: LEAD, body: { kind: "note", text: "Hurry\nup" } });
    const { origin, address } = await pageServer(store, team.folder);
    await team.host.start({ goal: "Go" });
    await team.until("permission.asked");
    for (const [light, dark] of [
      [1280, 1920],
      [390, 390],
    ] as const) {
      const { page } = await visit(address, { width: light });
      const show = async (theme: "light" | "dark", width: number): Promise<void> => {
        await page.setViewportSize({ width, height: 800 });
        // No colour between two colours.
        await page.emulateMedia({ colorScheme: theme, reducedMotion: "reduce" });
        await page.locator(`html[data-theme="${theme}"]`).waitFor();
      };
      // In the other theme the page is the same but for its colours.
      const faults = async (): Promise<readonly string[]> => {
        await show("light", light);
        const found = await faultsOfAccess(page);
        await show("dark", dark);
        return [...found, ...(await faultsOfAccess(page, OF_COLOURS))];
      };
      const views = [
        "board?task=1",
        "board/columns",
        "lanes",
        "team",
        "conversation/alice",
        "mail",
        "questions",
        "landing",
        "costs",
        "journal",
        "outcome",
        "run",
        "teams",
      ];
      // Each view in one of the two widths, the next day in the other one.
      for (const view of sampled(views, 2, light === 390 ? 1 : 0)) {
        await page.goto(`${origin}/default/${view}`);
        await page.locator("main#view").waitFor();
        await page.getByText("Loading", { exact: true }).waitFor({ state: "detached" });
        expect(await faults(), view).toEqual([]);
      }
      await page.keyboard.press("r");
      await page.getByLabel("Moment of the run").waitFor();
      await page.keyboard.press("?");
      await page.getByRole("heading", { name: "Keys" }).waitFor();
      expect(await faults(), "replay and keys").toEqual([]);
      await page.keyboard.press("Escape");
      if (light > 400) continue;
      await page.getByRole("button", { name: "More" }).click();
      await page.getByRole("button", { name: "Theme" }).waitFor();
      expect(await faults(), "more").toEqual([]);
    }
  });
});
