/** The connections of tabs, and what the page says when it hears nothing or the server stands still. */
import { createServer, request, type Server } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { PERSON } from "../../../src/core/ids.ts";
import { hasBrowser, visit } from "../../fixtures/browser.ts";
import { pageServer, TOKEN } from "../../fixtures/page-server.ts";
import { programTeam } from "../../fixtures/program-team.ts";
import { soon } from "../../fixtures/soon.ts";

/** Passes requests on, and counts them; it can swallow what comes back, with every connection left open. */
async function proxy(to: number) {
  const asked: string[] = [];
  const state = { swallows: false };
  const server: Server = createServer((incoming, outgoing) => {
    const { method, url, headers } = incoming;
    asked.push(`${method} ${url}`);
    const sent = request({ host: "127.0.0.1", port: to, path: url, method, headers }, (answer) => {
      if (!state.swallows) outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.on("data", (part: Buffer) => void (!state.swallows && outgoing.write(part)));
      answer.on("end", () => void (!state.swallows && outgoing.end()));
    });
    sent.on("error", () => outgoing.destroy());
    outgoing.on("close", () => sent.destroy());
    incoming.pipe(sent);
  });
  const sockets = new Set<Socket>();
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return {
    asked,
    state,
    address: `http://127.0.0.1:${port}/#token=${TOKEN}`,
    origin: `http://127.0.0.1:${port}`,
  };
}

describe.skipIf(!hasBrowser)("tabs of one server", () => {
  it("leave connections for what they ask: eight of them load, follow and act", async () => {
    const team = await programTeam({ says: {} });
    const { store } = team;
    await store.board.add({ subject: "Paint" }, PERSON);
    const { port } = await pageServer(store, team.folder);
    const { address, origin, asked } = await proxy(port);
    const { page } = await visit(address);
    await page.getByText("Paint").first().waitFor();
    const tabs = [page];
    for (let i = 1; i < 8; i += 1) {
      const tab = await page.context().newPage();
      await tab.goto(`${origin}/default/board`);
      await tab.getByText("Paint").first().waitFor();
      tabs.push(tab);
    }
    await store.board.add({ subject: "Varnish" }, PERSON);
    for (const tab of tabs) await tab.getByText("Varnish").first().waitFor();
    for (const [i, tab] of tabs.entries()) {
      await tab.bringToFront();
      await tab.getByRole("button", { name: "New task" }).click();
      await tab.getByLabel("Subject").fill(`Sand ${i}`);
      await tab.getByRole("button", { name: "Add task" }).click();
      await tab.locator(".notice", { hasText: `#${i + 3}` }).waitFor();
    }
    for (const tab of tabs) await tab.getByText("Sand 7").first().waitFor();
    const stays = (): number =>
      asked.filter((one) => one.includes("/default/stream") && !one.includes("once=1")).length;
    expect(stays()).toBe(3);
    // One that asked now and then takes the place of one that is closed.
    await tabs[2]?.close();
    tabs.splice(2, 1);
    await soon(() => expect(stays()).toBe(4));
    // A tab that loads again, and those that are left, hear what comes.
    await tabs[0]?.close();
    await tabs[1]?.reload();
    await store.board.add({ subject: "Polish" }, PERSON);
    for (const tab of tabs.slice(1)) await tab.getByText("Polish").first().waitFor();
  });

  it("that are hidden give their connection up, and take one again when they are seen", async () => {
    const team = await programTeam({ says: {} });
    await team.store.board.add({ subject: "Paint" }, PERSON);
    const { port } = await pageServer(team.store, team.folder);
    const { address, asked } = await proxy(port);
    const { page } = await visit(address);
    await page.getByText("Paint").first().waitFor();
    const hide = (isHidden: boolean): Promise<void> =>
      page.evaluate(`Object.defineProperty(document, "hidden", { value: ${isHidden}, configurable: true });
        document.dispatchEvent(new Event("visibilitychange"));`);
    const once = (): number => asked.filter((one) => one.includes("once=1")).length;
    expect(once()).toBe(0);
    await hide(true);
    await soon(() => expect(once()).toBeGreaterThan(0));
    const streams = asked.length;
    await hide(false);
    await soon(() =>
      expect(asked.slice(streams).some((one) => !one.includes("once=1") && one.includes("/stream"))).toBe(
        true,
      ),
    );
    await team.store.board.add({ subject: "Varnish" }, PERSON);
    await page.getByText("Varnish").first().waitFor();
    await page.locator(".live", { hasText: "Stopped" }).waitFor();
  });

  it("of several teams leave connections for what they ask", async () => {
    const team = await programTeam({ says: {} });
    const { store } = team;
    const names = ["default", "one", "two", "three", "four", "five", "six", "seven"];
    for (const name of names)
      await (await store.forTeam(name as never)).board.add({ subject: `Of ${name}` }, PERSON);
    const { address, origin } = await pageServer(store, team.folder);
    const { page } = await visit(address);
    await page.getByText("Of default").first().waitFor();
    const tabs = [page];
    for (const name of names.slice(1)) {
      const tab = await page.context().newPage();
      await tab.goto(`${origin}/${name}/board`);
      await tab.getByText(`Of ${name}`).first().waitFor();
      tabs.push(tab);
    }
    for (const name of names)
      await (await store.forTeam(name as never)).board.add({ subject: `New in ${name}` }, PERSON);
    for (const [i, tab] of tabs.entries()) await tab.getByText(`New in ${names[i]}`).first().waitFor();
  });
});

describe.skipIf(!hasBrowser)("a connection", () => {
  it("that brings nothing any more is given up, and taken again when it works", async () => {
    const team = await programTeam({ says: {} });
    await team.store.board.add({ subject: "Paint" }, PERSON);
    const { port } = await pageServer(team.store, team.folder);
    const { address, state } = await proxy(port);
    const { page } = await visit(address);
    await page.getByText("Paint").first().waitFor();
    await page.locator(".live", { hasText: "Stopped" }).waitFor();
    state.swallows = true;
    await page.locator(".live", { hasText: "Connecting" }).waitFor();
    state.swallows = false;
    await team.store.board.add({ subject: "Varnish" }, PERSON);
    await page.getByText("Varnish").first().waitFor();
    await page.locator(".live", { hasText: "Stopped" }).waitFor();
  });

  it("that stands still says that it sends, then that nothing came", async () => {
    const team = await programTeam({ says: {} });
    await team.store.board.add({ subject: "Paint" }, PERSON);
    const { port } = await pageServer(team.store, team.folder);
    const { address, state } = await proxy(port);
    const { page } = await visit(address);
    await page.getByText("Paint").first().waitFor();
    await page.getByRole("button", { name: "New task" }).click();
    await page.getByLabel("Subject").fill("Sand");
    state.swallows = true;
    await page.getByRole("button", { name: "Add task" }).click();
    await page.getByRole("button", { name: "Sending…" }).waitFor();
    await page.getByRole("alert").getByText("has not answered for 20 seconds").waitFor();
  });

  it("asks for nothing while nothing happens", async () => {
    const team = await programTeam({ says: {} });
    await team.store.board.add({ subject: "Paint" }, PERSON);
    const { port } = await pageServer(team.store, team.folder);
    const { address, asked } = await proxy(port);
    const { page } = await visit(address);
    await page.locator(".live", { hasText: "Stopped" }).waitFor();
    await soon(() => expect(asked.some((one) => one.includes("/stream"))).toBe(true));
    await page.waitForTimeout(1_000);
    const after = asked.length;
    await page.waitForTimeout(6_000); // longer than the polls that there were
    expect(asked.slice(after)).toEqual([]);
  });
});
