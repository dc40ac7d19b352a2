/** A page that is opened while tasks are in their gate, in line or before a question shows them as that, not as work. */
import { describe, expect, it } from "vitest";
import { recruits } from "../../../src/core/board/recruit.ts";
import { PERSON } from "../../../src/core/ids.ts";
import { faultsOfAccess } from "../../fixtures/axe.ts";
import { hasBrowser, visit } from "../../fixtures/browser.ts";
import { pageServer } from "../../fixtures/page-server.ts";
import { programTeam } from "../../fixtures/program-team.ts";
import { repository } from "../../fixtures/repository.ts";

const call = (tool: string, input: Record<string, unknown>) => ({ calls: [{ tool, input }] });
/** Any of them may claim any task. */
const steps = [
  {
    when: "Ask for a colour",
    ...call("ask_person", { question: "Which colour?", options: ["Red", "Green"] }),
  },
  { when: "Write one", ...call("write_file", { path: "1.txt", content: "x\n" }) },
  { when: "Write two", ...call("write_file", { path: "2.txt", content: "x\n" }) },
  { when: ".txt", ...call("complete_task", { result: "ok" }) },
  { times: "any" as const, text: "fine" },
];

describe.skipIf(!hasBrowser)("a page that is opened later", () => {
  it("knows which gate runs, who waits to land and who waits for a person", async () => {
    const repo = repository({ "a.txt": "a\n" });
    const team = await programTeam({
      folder: repo.dir,
      settings: {
        teammates: recruits(3),
        permissionMode: "bypass",
        permissionsTo: "person",
        worktrees: true,
        gate: "sleep 600",
      },
      says: {
        lead: [{ times: "any", text: "fine" }],
        alice: steps,
        bob: steps,
        carol: steps,
      },
    });
    const { store } = team;
    for (const subject of ["Write one", "Write two", "Ask for a colour"])
      await store.board.add({ subject }, PERSON);
    await team.host.start({ goal: "Go" });
    await team.until("gate.started");
    await team.until("question.asked");
    await team.until("task.queued");
    const { address, origin } = await pageServer(store, team.folder);
    const { page } = await visit(address);
    await page.locator(".card.asks", { hasText: "asks you" }).waitFor();
    await page.locator(".card.gate", { hasText: "gate runs" }).waitFor();
    await page.locator(".card.queued", { hasText: "waits to land" }).waitFor();
    await page.goto(`${origin}/default/team`);
    await page.locator(".member", { hasText: "its gate runs" }).waitFor();
    await page.locator(".member", { hasText: "waits to land" }).waitFor();
    await page.locator(".member .warn", { hasText: "waits for you: an answer" }).waitFor();
    expect(await faultsOfAccess(page)).toEqual([]);
  });
});
