/** Nothing moves under a hand: a click or a key answers what was read, or nothing, wherever a question is shown. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import type { Step } from "../../../src/adapters/models/scripted.ts";
import { recruits } from "../../../src/core/board/recruit.ts";
import { PERSON } from "../../../src/core/ids.ts";
import { answer } from "../../../src/team/actions/answer.ts";
import { requests } from "../../../src/team/queries/requests.ts";
import { hasBrowser, visit } from "../../fixtures/browser.ts";
import { pageServer } from "../../fixtures/page-server.ts";
import { programTeam } from "../../fixtures/program-team.ts";
import { soon } from "../../fixtures/soon.ts";

const call = (tool: string, input: Readonly<Record<string, unknown>>): Step => ({ calls: [{ tool, input }] });
const bash = (command: string): Step => call("bash", { command });
const done: Step = call("complete_task", { result: "ok" });
const quietly: Step = { times: "any", text: "Well." };

async function team(says: Readonly<Record<string, readonly Step[]>>) {
  const made = await programTeam({
    settings: { permissionsTo: "person", teammates: recruits(2) },
    says: { lead: [quietly], ...says },
  });
  await made.store.board.add({ subject: "Paint" }, PERSON);
  await made.store.board.add({ subject: "Dry" }, PERSON);
  const server = await pageServer(made.store, made.folder);
  await made.host.start({ goal: "Go" });
  return { ...made, ...server, has: (file: string) => existsSync(join(made.folder, file)) };
}

/** Clicks a button of the second question in the frame in which its place has changed, as fast as no person can. */
const CLICK_WHEN_MOVED = `new Promise((clicked) => {
  const card = [...document.querySelectorAll(".question")].at(-1);
  const top = card.getBoundingClientRect().top;
  const look = () => {
    if (card.getBoundingClientRect().top === top) return requestAnimationFrame(look);
    card.querySelector("button.primary").dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true, detail: 1 }));
    clicked();
  };
  look();
})`;

describe.skipIf(!hasBrowser)("a question", () => {
  it("that somebody else answers stays under the pointer, and a click allows no other", async () => {
    const { store, origin, address, has, until } = await team({
      alice: [bash("touch one"), done, quietly],
      bob: [bash("touch two"), done, quietly],
    });
    await soon(async () => expect((await requests(store)).requests).toHaveLength(2));
    const { page } = await visit(address);
    await page.goto(`${origin}/default/questions`);
    const cards = page.locator(".question");
    await soon(async () => expect(await cards.count()).toBe(2));
    const first = cards.first().getByRole("button", { name: "Allow", exact: true });
    await first.click({ trial: true }); // the pointer is on it, and it has been still for long enough
    const place = await first.boundingBox();
    const [of] = (await requests(store)).requests.filter(({ text }) => text.includes("touch one"));
    const isFirst = (await cards.first().innerText()).includes("touch one");
    const [kept, other] = isFirst ? ["one", "two"] : ["two", "one"];
    const id = isFirst ? of?.id : (await requests(store)).requests.find((one) => one.id !== of?.id)?.id;
    const moved = page.evaluate(CLICK_WHEN_MOVED);
    await answer(store, id ?? "", "no");
    await cards.first().getByText("Refused by another person").waitFor();
    await page.mouse.click((place?.x ?? 0) + 8, (place?.y ?? 0) + 8);
    expect((await requests(store)).requests).toHaveLength(1);
    // The list moves up when the pointer has left it, and its buttons are dead at first.
    await page.mouse.move(4, 4);
    await moved;
    await soon(async () => expect(await cards.count()).toBe(1));
    expect((await requests(store)).requests).toHaveLength(1);
    expect([has(kept), has(other)]).toEqual([false, false]);
    await page.getByRole("button", { name: "Allow", exact: true }).click();
    await soon(() => expect([has(kept), has(other)]).toEqual([false, true]));
    await until("team.finished");
  });

  it("is refused with x, which can be taken back, and c makes a task", async () => {
    const { store, origin, address, has } = await team({ alice: [bash("touch one"), done, quietly] });
    const { page } = await visit(address);
    await page.goto(`${origin}/default/questions`);
    const allow = page.getByRole("button", { name: "Allow", exact: true });
    await allow.click({ trial: true });
    await page.keyboard.press("n");
    await page.keyboard.press("x");
    await page.getByText("Refused by you").waitFor();
    await page.getByRole("button", { name: "Take back" }).click();
    await allow.waitFor();
    expect((await requests(store)).requests).toHaveLength(1);
    await allow.click();
    await soon(() => expect(has("one")).toBe(true));
    await page.keyboard.press("c");
    await page.getByRole("heading", { name: "New task" }).waitFor();
  });

  it("about an edit lets all edits of the run happen", async () => {
    const write = (path: string): Step => call("write_file", { path, content: "fresh\n" });
    const { store, origin, address, has } = await team({
      alice: [write("one.txt"), write("two.txt"), done, quietly],
      bob: [write("three.txt"), done, quietly],
    });
    await soon(async () => expect((await requests(store)).requests).toHaveLength(2));
    const { page } = await visit(address);
    await page.goto(`${origin}/default/questions`);
    await page.getByRole("button", { name: "Allow all edits of this run" }).first().click();
    await soon(() => expect(["one.txt", "two.txt", "three.txt"].filter(has)).toHaveLength(3));
  });

  it("of every kind is answered on the member's card, in its conversation and beside its task", async () => {
    const options = [{ label: "Red" }, { label: "Blue" }];
    const { origin, address, folder, until } = await team({
      alice: [
        call("ask_user", { question: "Which colour?", options }),
        call("submit_plan", { plan: "Paint it **blue**" }),
        call("write_file", { path: "new.txt", content: "fresh\n" }),
        done,
        quietly,
      ],
      bob: [call("wait_for", {}), quietly],
    });
    const { page } = await visit(address);
    const at = (view: string): Promise<unknown> => page.goto(`${origin}/default/${view}`);
    const alice: (page: Page) => ReturnType<Page["locator"]> = (page) =>
      page.locator(".member", { has: page.getByRole("link", { name: "alice", exact: true }) });
    await at("team");
    await alice(page).getByRole("button", { name: "Blue" }).click();
    await until("question.answered");
    await at("conversation/alice");
    await page.locator(".question strong", { hasText: "blue" }).waitFor();
    await page.getByRole("button", { name: "Approve" }).click();
    await until("plan.answered");
    const claimed = await until("task.claimed", { by: "alice" });
    const task = claimed.type === "task.claimed" ? claimed.task : 0;
    await at(`board?task=${task}`);
    await page.locator(".panel .line.plus", { hasText: "fresh" }).waitFor();
    await page.locator(".panel").getByRole("button", { name: "Allow", exact: true }).click();
    await soon(() => expect(existsSync(join(folder, "new.txt"))).toBe(true));
  });
});
