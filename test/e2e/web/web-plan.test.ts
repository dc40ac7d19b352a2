/** A held board on the page: it is a list, which is edited and then begun. */
import { describe, expect, it } from "vitest";
import type { Step } from "../../../src/adapters/models/scripted.ts";
import { PERSON, type TaskId } from "../../../src/core/ids.ts";
import { editTask } from "../../../src/team/actions/tasks.ts";
import { faultsOfAccess } from "../../fixtures/axe.ts";
import { hasBrowser, visit } from "../../fixtures/browser.ts";
import { pageServer } from "../../fixtures/page-server.ts";
import { programTeam } from "../../fixtures/program-team.ts";

const quietly: Step = { times: "any", text: "fine" };
const plans: Step = {
  calls: [1, 2, 3].map((nth) => ({
    tool: "create_task",
    input: { subject: `Part ${nth}`, description: "Check: `true`", ...(nth === 3 && { blocked_by: [1] }) },
  })),
};
const done: Step = { when: "auto-claimed", calls: [{ tool: "complete_task", input: { result: "done" } }] };

describe.skipIf(!hasBrowser)("a planned board on the page", () => {
  it("is edited in one list, without words that were not seen being lost, and begun", async () => {
    const team = await programTeam({
      says: { lead: [plans, quietly], alice: [done, { text: "One." }, done, quietly] },
      settings: { worktrees: false },
      host: { planFirst: true },
    });
    const { store } = team;
    const { address } = await pageServer(store, team.folder);
    const { page } = await visit(address);
    page.setDefaultTimeout(15_000);
    await team.host.start({ goal: "Paint the house" });
    await team.until("board.shown");
    const list = page.getByRole("list", { name: "Tasks in the order in which they begin" });
    await expect
      .poll(() => list.locator("> li").allInnerTexts())
      .toEqual([
        expect.stringMatching(/#1\s+Part 1/),
        expect.stringMatching(/#2\s+Part 2/),
        expect.stringMatching(/#3\s+Part 3[\s\S]*after #1/),
      ]);
    expect(await faultsOfAccess(page)).toEqual([]);
    // Nothing was edited.
    expect(await page.getByRole("button", { name: "Undo the last edit" }).count()).toBe(0);
    await list.getByRole("button", { name: "Move #2 sooner" }).click();
    await expect.poll(() => list.locator("> li").first().innerText()).toContain("Part 2");
    await list.getByRole("button", { name: "Edit #3" }).click();
    await page.getByLabel("Waits for").fill("");
    await page.getByLabel("Check", { exact: true }).fill("npm test");
    await page.getByLabel("Subject").fill("Mine");
    await editTask(store, PERSON, 3 as TaskId, { subject: "Theirs" });
    await list.getByText("Theirs").waitFor();
    await page.getByRole("button", { name: "Save" }).click();
    await page
      .getByText("Changed meanwhile: Subject is now “Theirs”. Save again to overwrite that.")
      .waitFor();
    await page.getByRole("button", { name: "Save" }).click();
    await list.getByText("Mine").waitFor();
    expect(await store.board.task(3 as TaskId)).toMatchObject({ subject: "Mine", blockedBy: [] });
    // A refused field leaves all that was typed, and nothing is saved; another row may be open meanwhile.
    await list.getByRole("button", { name: "Edit #3" }).click();
    await page.getByLabel("Subject").fill("Half");
    await page.getByLabel("Size").fill("many");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("“many” is not a size.").or(page.getByText('"many" is not a size.')).waitFor();
    await list.getByRole("button", { name: "Edit #1" }).click();
    expect(
      await page.getByLabel("Subject").evaluateAll((all) => all.map((one) => "value" in one && one.value)),
    ).toContain("Half");
    expect((await store.board.task(3 as TaskId))?.subject).toBe("Mine");
    await list.getByRole("button", { name: "Leave #3 as it is" }).click();
    await list.getByRole("button", { name: "Leave #1 as it is" }).click();
    await page.getByRole("button", { name: "Undo the last edit" }).click();
    await expect
      .poll(() => store.board.task(3 as TaskId))
      .toMatchObject({ subject: "Theirs", blockedBy: [1] });
    await list.getByRole("button", { name: "Remove #3" }).click();
    await list.getByRole("button", { name: "Remove #3, really" }).click();
    await expect.poll(() => list.locator("> li").count()).toBe(2);
    await page.getByRole("button", { name: "Begin" }).click();
    expect(await team.host.done).toMatchObject({ completed: 2 });
  });
});
