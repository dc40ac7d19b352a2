/**
 * These tests check where the page may be served: below a path behind a proxy, through a tunnel with another port, again after its server's end.
 */
import { createServer, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it, onTestFinished } from "vitest";
import { PERSON } from "../../../src/core/ids.ts";
import { publicAddress } from "../../../src/faces/kit/address.ts";
import { hasBrowser, visit } from "../../fixtures/browser.ts";
import { pageServer, TOKEN } from "../../fixtures/page-server.ts";
import { programTeam } from "../../fixtures/program-team.ts";
import { addressIn, exitOf } from "../../fixtures/web-program.ts";
import { Project } from "../cli-program.ts";

type Way = { readonly strip: string; readonly host: "own" | "ours" };

/** Passes everything on, as nginx does, with the path or without it, by its own name or by the server's. */
async function proxy(to: () => number, { strip, host }: Way): Promise<number> {
  const server: Server = createServer((incoming, outgoing) => {
    const path = incoming.url?.startsWith(strip) ? incoming.url.slice(strip.length) : incoming.url;
    const headers = {
      ...incoming.headers,
      ...(host === "ours" && { host: `127.0.0.1:${to()}` }),
    };
    const { method } = incoming;
    const sent = request({ host: "127.0.0.1", port: to(), path, method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    sent.on("error", () => outgoing.destroy());
    outgoing.on("close", () => sent.destroy());
    incoming.pipe(sent);
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

describe.skipIf(!hasBrowser)("a page behind a proxy", () => {
  it.each<[string, Way]>([
    ["that passes the path and its own name on", { strip: "", host: "own" }],
    ["that takes the path away and asks by the server's name", { strip: "/tools/ekiden", host: "ours" }],
  ])("%s shows, follows and changes the board below its path", async (_name, way) => {
    const team = await programTeam({ says: {} });
    await team.store.board.add({ subject: "Paint" }, PERSON);
    let behind = 0;
    const port = await proxy(() => behind, way);
    const origin = `http://localhost:${port}`;
    const server = await pageServer(team.store, team.folder, {
      behind: publicAddress(`${origin}/tools/ekiden`),
    });
    behind = server.port;
    expect(server.address).toBe(`${origin}/tools/ekiden/#token=${TOKEN}`);
    const { page } = await visit(server.address);
    await page.getByText("Paint").first().waitFor();
    expect(page.url()).toBe(`${origin}/tools/ekiden/default/board`);
    await team.store.board.add({ subject: "Varnish" }, PERSON);
    await page.getByText("Varnish").first().waitFor();
    await page.getByRole("link", { name: "Journal", exact: true }).click();
    expect(page.url()).toBe(`${origin}/tools/ekiden/default/journal`);
    await page.reload();
    await page.locator(".fact-row").first().waitFor();
    await page.getByRole("button", { name: "New task" }).click();
    await page.getByLabel("Subject").fill("Sand");
    await page.getByRole("button", { name: "Add task" }).click();
    await page.getByText("#3").first().waitFor();
  });

  it("is reached through a tunnel with any port", async () => {
    const team = await programTeam({ says: {} });
    await team.store.board.add({ subject: "Paint" }, PERSON);
    const server = await pageServer(team.store, team.folder);
    const port = await proxy(() => server.port, { strip: "", host: "own" });
    const { page } = await visit(`http://localhost:${port}/#token=${TOKEN}`);
    await page.getByText("Paint").first().waitFor();
    await page.getByRole("button", { name: "New task" }).click();
    await page.getByLabel("Subject").fill("Sand");
    await page.getByRole("button", { name: "Add task" }).click();
    await page.getByText("Sand").first().waitFor();
  });
});

describe("what is sent", () => {
  it("is compressed: files by the build, answers by the server", async () => {
    const team = await programTeam({ says: {} });
    for (let i = 0; i < 50; i += 1) await team.store.board.add({ subject: `Part ${i}` }, PERSON);
    const { origin } = await pageServer(team.store, team.folder);
    const index = await (await fetch(`${origin}/default/board`)).text();
    const script = /src="([^"]+\.js)"/.exec(index)?.[1] ?? "";
    for (const accepted of ["br", "gzip"]) {
      const answer = await fetch(origin + script, { headers: { "Accept-Encoding": accepted } });
      expect(answer.headers.get("content-encoding")).toBe(accepted);
      expect(await answer.text()).toContain("ekiden");
    }
    const plain = await fetch(origin + script, { headers: { "Accept-Encoding": "identity" } });
    expect(plain.headers.get("content-encoding")).toBeNull();
    for (const [accepted, sent] of [
      ["gzip, deflate, br", "br"],
      ["gzip, deflate", "gzip"],
      ["identity", null],
    ] as const) {
      const ask = (path: string): Promise<Response> =>
        fetch(`${origin}/api/${path}`, {
          headers: { Authorization: `Bearer ${TOKEN}`, "Accept-Encoding": accepted },
        });
      const state = await ask("default/state");
      expect([accepted, state.headers.get("content-encoding")]).toEqual([accepted, sent]);
      expect(await state.json()).toMatchObject({ team: "default" });
      const refused = await ask("default/task/x"); // a short answer
      expect(refused.status).toBe(400);
      expect(await refused.json()).toMatchObject({ ok: false });
    }
  });
});

let ours: Project | undefined;
afterEach(() => ours?.end());

describe("a page that is started again", () => {
  it("has the address of before, and another one for those who may only look", async () => {
    ours = new Project();
    await ours.run(["add", "Paint"]);
    const addressOf = async (...options: string[]): Promise<string> => {
      const web = ours?.start(["web", ...options]);
      if (!web) throw new Error("no project");
      const address = await addressIn(web.stdout);
      web.kill("SIGTERM");
      await exitOf(web);
      return address;
    };
    const first = await addressOf();
    expect(await addressOf()).toBe(first);
    const tokenOf = (address: string): string => new URL(address).hash;
    expect(tokenOf(await addressOf("--port", "0"))).toBe(tokenOf(first));
    expect(tokenOf(await addressOf("--read-only"))).not.toBe(tokenOf(first));
  });
});
