/** Orders about tasks in progress by the buttons of the page: the owner's command ends at once, and the owner hears why. */
import { join } from "node:path";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { isAlive } from "../../../src/adapters/process-table.ts";
import { asTaskId, name, PERSON } from "../../../src/core/ids.ts";
import { hasBrowser, visit } from "../../fixtures/browser.ts";
import { pageServer } from "../../fixtures/page-server.ts";
import { pidsIn } from "../../fixtures/pids.ts";
import { programTeam } from "../../fixtures/program-team.ts";
import { soon } from "../../fixtures/soon.ts";

const alice = name("alice");
const WORKS = "echo $$ >> pids; while :; do sleep 0.05; done";

type Order = {
  readonly give: (page: Page) => Promise<void>;
  /** The text that alice gets before her next call. */
  readonly heard: RegExp;
  readonly after: { readonly type: "task.released" | "task.changed" } | { readonly status: string };
};
const ORDERS: Readonly<Record<string, Order>> = {
  release: {
    give: (page) => page.getByRole("button", { name: "Release" }).click(),
    heard: /You no longer own it/,
    after: { type: "task.released" },
  },
  cancel: {
    give: async (page) => {
      await page.getByRole("button", { name: "Cancel task" }).click();
      await page.getByLabel("Reason").fill("not needed");
      await page.getByRole("button", { name: "Cancel #1" }).click();
    },
    heard: /not needed/,
    after: { status: "cancelled" },
  },
  edit: {
    give: async (page) => {
      await page.getByRole("button", { name: "Edit" }).click();
      await page.getByLabel("Description").fill("In green");
      await page.getByRole("button", { name: "Save" }).click();
    },
    heard: /In green/,
    after: { type: "task.changed" },
  },
};

describe.skipIf(!hasBrowser)("a person at the page", () => {
  it.each(Object.entries(ORDERS))("%s ends the running command of the owner", async (_, order) => {
    const run = { calls: [{ tool: "bash", input: { command: WORKS } }] };
    const team = await programTeam({
      says: {
        lead: [{ times: "any", text: "fine" }],
        alice: [run, { times: "any", calls: [{ tool: "idle", input: { waiting_for: "messages" } }] }],
      },
      settings: { permissionMode: "bypass", sandbox: "off" },
      host: { interactive: true },
    });
    const { origin, address } = await pageServer(team.store, team.folder);
    await team.store.board.add({ subject: "Paint" }, PERSON);
    await team.host.start({ goal: "Go" });
    const file = join(team.folder, "pids");
    const [pid = 0] = await soon(() => {
      const found = pidsIn(file);
      expect(found).toHaveLength(1);
      return found;
    });
    const { page } = await visit(address);
    await page.goto(`${origin}/default/board?task=1`);
    await order.give(page);
    await soon(() => expect(isAlive(pid)).toBe(false));
    if ("type" in order.after) await team.until(order.after.type, { task: 1 });
    else await soon(async () => expect(await team.store.board.task(asTaskId(1))).toMatchObject(order.after));
    await soon(() =>
      expect(
        JSON.stringify(
          team
            .requests("alice")
            .slice(1)
            .map(({ messages }) => messages),
        ),
      ).toMatch(order.heard),
    );
    expect((await team.events("task.failed")).length).toBe(0);
    expect(await team.store.roster.member(alice)).toBeTruthy();
  });
});
