/** Links for other people: each role does what it may, the journal names them, and a link that has ended is felt at once. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Step } from "../../../src/adapters/models/scripted.ts";
import { name, PERSON } from "../../../src/core/ids.ts";
import { Links } from "../../../src/faces/web/links.ts";
import { faultsOfAccess } from "../../fixtures/axe.ts";
import { hasBrowser, visit } from "../../fixtures/browser.ts";
import { pageServer, TOKEN } from "../../fixtures/page-server.ts";
import { programTeam } from "../../fixtures/program-team.ts";

const alice = name("alice");
const call = (tool: string, input: Record<string, unknown> = {}) => ({ calls: [{ tool, input }] });
const quietly: Step = { times: "any", text: "fine" };

const bearing = (token: string) => ({
  headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
});

describe("a link", () => {
  it("lets each role do what it may, in its team alone", async () => {
    const { store, folder } = await programTeam({ says: {} });
    await (await store.forTeam("other" as never)).board.add({ subject: "Hidden" }, PERSON);
    const links = new Links(folder);
    const { origin } = await pageServer(store, folder, { links });
    const ask = async (token: string, path: string, body?: object) =>
      await fetch(`${origin}/api/${path}`, {
        ...bearing(token),
        ...(body && { method: "POST", body: JSON.stringify(body) }),
      });
    const made = (role: string) => links.add({ name: `Ann ${role}`, role, team: store.team, hours: 1 });
    const [viewer, answerer, operator] = [made("viewer"), made("answerer"), made("operator")];
    const task = { subject: "New", description: "", blockedBy: [], priority: 0, estimate: 1, role: "" };
    const add = { do: "add", task: { ...task, touches: [], needsPlan: false } };
    for (const token of [viewer, answerer, operator]) {
      expect((await ask(token, `${store.team}/state`)).status).toBe(200);
      for (const path of ["other/state", "other/stream", "other/recording", `${store.team}/links`])
        expect([path, (await ask(token, path)).status]).toEqual([path, 403]);
      expect(
        (await ask(token, `${store.team}/links`, { name: "Eve", role: "operator", hours: 1 })).status,
      ).toBe(403);
      expect(await (await ask(token, "teams")).json()).toMatchObject({ first: store.team, mayShare: false });
      expect(await (await ask(token, "teams")).text()).not.toContain("other");
      expect(await (await ask(token, "all-teams")).text()).not.toContain("other");
      expect(await (await ask(token, `${store.team}/recording`)).text()).not.toContain('"other"');
    }
    expect((await ask(viewer, `${store.team}/act`, add)).status).toBe(403);
    expect((await ask(answerer, `${store.team}/act`, add)).status).toBe(403);
    for (const answer of ["always", "a", "A", "session", "s", "all"]) {
      const more = { do: "answer", request: "r1", answer, text: "" };
      expect(await (await ask(answerer, `${store.team}/act`, more)).text()).toContain("makes no rules");
    }
    expect((await ask(operator, `${store.team}/act`, add)).status).toBe(200);
    expect((await ask(TOKEN, `${store.team}/act`, add)).status).toBe(200);
    const { events } = (await (await ask(TOKEN, `${store.team}/journal?kind=`)).json()) as {
      events: { type: string; name?: string }[];
    };
    expect(events.filter(({ type }) => type === "person.acted").map((one) => one.name)).toEqual([
      "Ann operator",
      "owner",
    ]);
  });

  it("that has ended opens nothing, and its tokens are in no file", async () => {
    const { store, folder } = await programTeam({ says: {} });
    const links = new Links(folder);
    const { origin } = await pageServer(store, folder, { links });
    const short = links.add({ name: "Ann", role: "viewer", team: store.team, hours: 1e-9 });
    expect((await fetch(`${origin}/api/teams`, bearing(short))).status).toBe(401);
    for (const bad of [0, -1, Number.NaN, 1e9])
      expect(() => links.add({ name: "Ann", role: "viewer", team: store.team, hours: bad })).toThrow("ends");
    for (const bad of ["", "\u001b[31m", "a".repeat(41), "<b>"])
      expect(() => links.add({ name: bad, role: "viewer", team: store.team, hours: 1 })).toThrow("no name");
    for (const taken of ["owner", "Person"])
      expect(() => links.add({ name: taken, role: "viewer", team: store.team, hours: 1 })).toThrow(
        "another name",
      );
    const token = links.add({ name: "Ann", role: "viewer", team: store.team, hours: 1 });
    expect(JSON.stringify(new Links(folder).list(store.team))).not.toContain(token);
    expect((await fetch(`${origin}/api/teams`, bearing(token))).status).toBe(200);
  });
});

describe.skipIf(!hasBrowser)("a person with a link", () => {
  it("answers a question under her own name, and is let out when the link is ended", async () => {
    const team = await programTeam({
      settings: { permissionsTo: "person", ask: ["write_file"] },
      says: {
        lead: [quietly],
        alice: [
          call("write_file", { path: "new.txt", content: "fresh" }),
          call("complete_task", { result: "ok" }),
          quietly,
        ],
      },
    });
    await team.store.board.add({ subject: "Write" }, PERSON);
    const { address } = await pageServer(team.store, team.folder, { links: new Links(team.folder) });
    const { page: owner } = await visit(address);
    await owner.getByRole("button", { name: "Share" }).click();
    await owner.getByLabel("Name").fill("Ann");
    await owner.getByLabel("May").selectOption("answerer");
    await owner.getByRole("button", { name: "Make a link" }).click();
    const link = await owner.getByLabel(/The link of Ann/).inputValue();
    expect(await faultsOfAccess(owner)).toEqual([]);
    const { page } = await visit(link);
    await page.getByText("· Ann").waitFor();
    expect(page.url()).not.toContain("token");
    expect(await page.getByRole("button", { name: "New task" }).count()).toBe(0);
    await team.host.start({ goal: "Go" });
    await page.getByRole("link", { name: /Questions 1/ }).click();
    const card = page.locator(".question");
    await card.getByRole("button", { name: "Allow", exact: true }).waitFor();
    expect(await card.getByRole("button", { name: /Always/ }).count()).toBe(0);
    await card.getByRole("button", { name: "Allow", exact: true }).click();
    await team.until("task.completed", { by: alice });
    expect(existsSync(join(team.folder, "new.txt"))).toBe(true);
    await owner.getByRole("button", { name: "End the link of Ann" }).click();
    await page.locator(".live", { hasText: "Not let in" }).waitFor();
    await page.getByText("the link has ended").first().waitFor();
    await owner.keyboard.press("Escape");
    await owner.keyboard.press("/");
    await owner
      .getByText(/at the page: /)
      .first()
      .waitFor();
  });
});
