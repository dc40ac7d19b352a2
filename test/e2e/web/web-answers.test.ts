/** Answers where the question is seen, by keys, and many at once; and how a person hears of them who does not look. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import type { Step } from "../../../src/adapters/models/scripted.ts";
import { recruits } from "../../../src/core/board/recruit.ts";
import { PERSON } from "../../../src/core/ids.ts";
import { answer } from "../../../src/team/actions/answer.ts";
import { requests } from "../../../src/team/queries/requests.ts";
import { faultsOfAccess } from "../../fixtures/axe.ts";
import { hasBrowser, visit } from "../../fixtures/browser.ts";
import { pageServer } from "../../fixtures/page-server.ts";
import { programTeam } from "../../fixtures/program-team.ts";
import { soon } from "../../fixtures/soon.ts";

const bash = (command: string): Step => ({ calls: [{ tool: "bash", input: { command } }] });
const done: Step = { calls: [{ tool: "complete_task", input: { result: "ok" } }] };
const quietly: Step = { times: "any", text: "Well." };

async function asking(commands: readonly string[]) {
  const team = await programTeam({
    settings: { permissionsTo: "person", teammates: recruits(2) },
    says: {
      lead: [quietly],
      alice: [...commands.map((command) => bash(command)), done, quietly],
      bob: [...commands.map((command) => bash(`${command}-b`)), done, quietly],
    },
  });
  await team.store.board.add({ subject: "Paint" }, PERSON);
  await team.store.board.add({ subject: "Dry" }, PERSON);
  const server = await pageServer(team.store, team.folder);
  await team.host.start({ goal: "Go" });
  return { team, ...server, has: (file: string) => existsSync(join(team.folder, file)) };
}

describe.skipIf(!hasBrowser)("answers", () => {
  it("are given on the member's card, with y and x, and to all at once", async () => {
    const { address, origin, has, team } = await asking(["touch one", "touch two", "touch three"]);
    const { page } = await visit(address);
    await page.goto(`${origin}/default/team`);
    const card = page.locator(".member", { has: page.getByRole("link", { name: "alice", exact: true }) });
    await card.locator(".asked", { hasText: "touch one" }).waitFor();
    await page.locator(".live", { hasText: "Needs you" }).waitFor();
    expect(await faultsOfAccess(page)).toEqual([]);
    await card.getByRole("button", { name: "Allow", exact: true }).click();
    await soon(() => expect(has("one")).toBe(true));

    await page.goto(`${origin}/default/questions`);
    const asked = (text: string) => page.locator(".question", { hasText: text });
    await asked("touch two").waitFor();
    await asked("touch one-b").waitFor();
    // Only the command: the age of a question changes by itself.
    const marked = async (): Promise<string | undefined> =>
      /touch [\w-]+/.exec(await page.locator(".question.chosen").innerText())?.[0];
    // Chosen by hand: one that came up by itself takes no key in its first moment.
    const order = await page.locator(".question").allInnerTexts();
    const [up, down] =
      order.findIndex((text) => text.includes("touch one-b")) === 0 ? ["j", "k"] : ["k", "j"];
    const steps = (await marked()) === "touch one-b" ? [up, down] : [down];
    for (const key of steps) {
      const before = await marked();
      await page.keyboard.press(key);
      await soon(async () => expect(await marked()).not.toBe(before));
    }
    expect(await marked()).toBe("touch one-b");
    await page.keyboard.press("x");
    await asked("touch one-b").waitFor({ state: "detached" });
    await asked("touch two-b").waitFor();
    expect(await faultsOfAccess(page)).toEqual([]);
    await page.getByRole("button", { name: "Allow all" }).click();
    await page.getByRole("button", { name: "Allow 2", exact: true }).click();
    await page.getByText("Allowed 2 of 2.").waitFor();
    await soon(() => expect([has("two"), has("two-b"), has("one-b")]).toEqual([true, true, false]));
    expect(await page.getByRole("heading", { name: "New task" }).count()).toBe(0);
    for (const name of ["three", "three-b"]) {
      const question = page.locator(".question", { hasText: new RegExp(`touch ${name}(?!-b)`) });
      // A click on a card that has just moved does nothing, on purpose: a person clicks again.
      await soon(async () => {
        const allow = question.getByRole("button", { name: "Allow", exact: true });
        if (!has(name)) await allow.click({ timeout: 2_000 });
        expect(has(name)).toBe(true);
      });
    }
    await team.until("team.finished");
  });

  it("allow a wider rule for this session, and refuse one that is narrower than the call", async () => {
    const { address, origin, has, team } = await asking(["touch one", "touch two", "touch three"]);
    const { page } = await visit(address);
    await page.goto(`${origin}/default/questions`);
    const card = page.locator(".question", { hasText: /touch one(?!-b)/ });
    await card.getByText("Allow more than this once").click();
    const rule = card.getByLabel("Rule");
    await rule.fill("bash(touch other)");
    await card.getByRole("button", { name: "Allow for this session" }).click();
    await page.getByText("does not cover what is asked about").waitFor();
    await card.getByRole("button", { name: "bash(touch *)" }).click();
    expect(await rule.inputValue()).toBe("bash(touch *)");
    expect(await faultsOfAccess(page)).toEqual([]);
    await card.getByRole("button", { name: "Allow for this session" }).click();
    // The others of both members need no answer.
    await soon(() => expect([has("one"), has("two"), has("three")]).toEqual([true, true, true]));
    const answered = (await team.store.journal.read("" as never, { limit: 1_000 })).events.filter(
      ({ type }) => type === "permission.answered",
    );
    expect(answered.length).toBeLessThan(3);
  });
});

/** The browser's own notifications, written down; and a page that nobody sees. */
const UNSEEN = `
  window.said = [];
  const Own = Notification;
  window.Notification = class extends Own {
    constructor(title, options) { super(title, options); said.push(title + ": " + options.body); }
  };
  Object.defineProperty(document, "hidden", { get: () => true });`;

describe.skipIf(!hasBrowser)("a person who does not look", () => {
  it("is told of questions and of the end, once it is wanted, and sees how many wait", async () => {
    const { address, origin, team } = await asking(["touch one"]);
    const { page } = await visit(address, { whole: true });
    await page.context().grantPermissions(["notifications"], { origin });
    await page.goto(`${origin}/default/board`);
    await page.getByRole("button", { name: "Notify me" }).click();
    await page.getByRole("button", { name: "Notifies you" }).waitFor();
    const icon = (at: Page): Promise<string> =>
      at
        .locator('link[rel="icon"]')
        .evaluate((link) => decodeURIComponent((link as unknown as { href: string }).href));
    await soon(async () => expect(await icon(page)).toContain(">2</text>"));
    const unseen = await page.context().newPage();
    await unseen.addInitScript(UNSEEN);
    await unseen.goto(`${origin}/default/board`);
    await unseen.locator(".live", { hasText: "Needs you" }).waitFor();
    await page.goto(`${origin}/default/questions`);
    await page.getByRole("button", { name: "Allow all" }).click();
    await page.getByRole("button", { name: "Allow 2", exact: true }).click();
    await team.until("team.finished");
    await soon(async () =>
      expect(await unseen.evaluate("said.join()")).toContain("The team has ended · default: 2 completed"),
    );
    await soon(async () => expect(await icon(unseen)).not.toContain("<text"));
    expect(await unseen.title()).not.toContain("(");
  });

  it("are kept when an older list of the questions comes last", async () => {
    const { address, origin, team } = await asking(["touch one"]);
    const { page } = await visit(address);
    await page.goto(`${origin}/default/questions`);
    const asked = page.locator(".question", { hasText: "touch one-b" });
    await asked.waitFor();
    let [isFirst, isRead, letGo] = [true, (): void => {}, (): void => {}];
    const read = new Promise<void>((done) => {
      isRead = done;
    });
    const held = new Promise<void>((done) => {
      letGo = done;
    });
    await page.route("**/api/default/questions", async (route) => {
      if (!isFirst) return await route.continue();
      isFirst = false;
      const response = await route.fetch();
      isRead();
      await held;
      await route.fulfill({ response });
    });
    // After an answer the page asks again: that list holds the other question still.
    await page
      .locator(".question", { hasText: /touch one(?!-b)/ })
      .getByRole("button", { name: "Allow", exact: true })
      .click();
    await read;
    const { requests: open } = await requests(team.store);
    await answer(team.store, open.find(({ text }) => text.includes("one-b"))?.id ?? "", "no");
    await asked.waitFor({ state: "detached" });
    const late = page.waitForResponse("**/api/default/questions");
    letGo();
    await (await late).finished();
    await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
    expect(await asked.count()).toBe(0);
  });
});
