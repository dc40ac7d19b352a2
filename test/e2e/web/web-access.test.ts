/** These tests check who may use the page, and what an agent's words can do to it: nothing. Requests by hand over loopback, and a real browser. */
import { writeFileSync } from "node:fs";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Step } from "../../../src/adapters/models/scripted.ts";
import { asTaskId, LEAD, name, PERSON } from "../../../src/core/ids.ts";
import { DEFAULT_SETTINGS } from "../../../src/core/settings/settings.ts";
import { readPage } from "../../../src/faces/web/page-files.ts";
import { recordingPage } from "../../../src/faces/web/read/recording.ts";
import { Teams } from "../../../src/faces/web/teams.ts";
import { hasBrowser, visit } from "../../fixtures/browser.ts";
import { type PageServer, pageServer, TOKEN } from "../../fixtures/page-server.ts";
import { programTeam } from "../../fixtures/program-team.ts";
import { soon } from "../../fixtures/soon.ts";

type Answer = { readonly status: number; readonly headers: Record<string, unknown>; readonly body: string };
type Asked = { path?: string; method?: string; headers?: Record<string, string>; body?: string };

function ask(
  { port }: PageServer,
  { path = "/api/teams", method = "GET", headers = {}, body = "" }: Asked,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: "127.0.0.1", port, path, method, headers, agent: false }, (answer) => {
      let text = "";
      answer.setEncoding("utf8").on("data", (part: string) => {
        text += part;
      });
      answer.on("end", () =>
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: text }),
      );
    });
    sent.on("error", reject).end(body);
  });
}

const OWN = { Authorization: `Bearer ${TOKEN}` };
const JSON_BODY = { "Content-Type": "application/json" };
const CANCEL = JSON.stringify({ do: "cancel", id: 1, reason: "" });

async function opened() {
  const team = await programTeam({ says: {} });
  await team.store.board.add({ subject: "Paint" }, PERSON);
  return { team, server: await pageServer(team.store, team.folder) };
}

describe("requests", () => {
  it("need the token in a header: neither a cookie nor an address shows it, in any spelling", async () => {
    const { server } = await opened();
    for (const path of [
      "/api/teams",
      "/api/default/stream",
      "/api/default/recording",
      `/api/teams?token=${TOKEN}`,
      "/%61pi/teams",
      "/api/./teams",
      `${server.origin}/api/teams`,
      "/api",
    ])
      for (const headers of [
        {},
        { Cookie: `ekiden-${server.port}=${TOKEN}` },
        { Authorization: "Bearer wrong" },
        { Authorization: TOKEN },
      ])
        expect(await ask(server, { path, headers: headers as Record<string, string> }), path).toMatchObject({
          status: 401,
        });
    const page = await ask(server, { path: `/default/board?token=${TOKEN}` });
    expect(page.status).toBe(200);
    expect(page.headers["set-cookie"]).toBeUndefined();
    expect(page.body).not.toContain(TOKEN);
    expect((await ask(server, { headers: OWN })).status).toBe(200);
  });

  it("with another Host or Origin are refused, whatever token they bring", async () => {
    const { server } = await opened();
    const cookie = OWN;
    for (const host of [
      "evil.example",
      `evil.example:${server.port}`,
      "[::1",
      `127.0.0.1.evil.example:${server.port}`,
    ])
      expect(await ask(server, { headers: { ...cookie, Host: host } }), host).toMatchObject({ status: 403 });
    for (const host of [
      "127.0.0.1:1",
      `localhost:${server.port}`,
      `[::1]:${server.port}`,
      `127.0.0.1:${server.port}`,
    ])
      expect(await ask(server, { headers: { ...cookie, Host: host } }), host).toMatchObject({ status: 200 });
    for (const origin of [
      "http://evil.example",
      "null",
      `http://localhost:${server.port}`,
      `https://127.0.0.1:${server.port}`,
      "http://127.0.0.1:1",
    ])
      expect(await ask(server, { headers: { ...cookie, Origin: origin } }), origin).toMatchObject({
        status: 403,
      });
  });

  it("that act come from the page itself: no form, no foreign page, no other method or type", async () => {
    const { team, server } = await opened();
    const act = (headers: Record<string, string>, more: Asked = {}) =>
      ask(server, {
        path: "/api/default/act",
        method: "POST",
        body: CANCEL,
        headers: { ...OWN, ...headers },
        ...more,
      });
    expect(await act({ ...JSON_BODY, Authorization: "" })).toMatchObject({ status: 401 });
    expect(await act({ ...JSON_BODY, Origin: "http://evil.example" })).toMatchObject({ status: 403 });
    expect(await act({ "Content-Type": "text/plain", Origin: server.origin })).toMatchObject({ status: 400 });
    for (const method of ["PUT", "DELETE", "OPTIONS", "TRACE"])
      expect(await act(JSON_BODY, { method, body: "" }), method).toMatchObject({ status: 405 });
    expect(await ask(server, { path: "/api/default/act", headers: OWN })).toMatchObject({
      status: 404,
    });
    const own = { ...JSON_BODY, Origin: server.origin };
    for (const body of [
      "{",
      "[]",
      "null",
      '{"do":"rm"}',
      '{"do":"cancel"}',
      '{"do":"cancel","id":"1","reason":""}',
      '{"do":"retry","id":1,"more":1}',
    ])
      expect(await act(own, { body }), body).toMatchObject({ status: 400 });
    expect(await act(own, { body: `"${"x".repeat(1_100_000)}"` })).toMatchObject({ status: 400 });
    expect(await team.store.board.task(asTaskId(1))).toMatchObject({ status: "pending" });
    expect(await act(own)).toMatchObject({ status: 200 });
    expect(await team.store.board.task(asTaskId(1))).toMatchObject({ status: "cancelled" });
  });

  it("cannot leave the page's files, nor make or guess a team", async () => {
    const { team, server } = await opened();
    const headers = OWN;
    const tricks = [
      "/assets/../../../package.json",
      "/assets/..%2f..%2fpackage.json",
      "/assets/%2e%2e/%2e%2e/package.json",
      "/assets//etc/passwd",
      "/assets/\\..\\..\\package.json",
      "//etc/passwd",
      "/assets/%00",
      "/..;/package.json",
      "/.git/config",
    ];
    for (const path of tricks) {
      const { body } = await ask(server, { path, headers });
      expect(body, path).not.toMatch(/devDependencies|root:|\[core\]/);
    }
    for (const path of [
      "/api/nobody/state",
      "/api/..%2fdefault/state",
      "/api/A%20B/state",
      "/api/default/conversation/..%2f..%2fetc",
      "/api/default/commit/--output=x",
      "/api/default/task/1%20or%201",
      "/api/default/journal?before=x",
      "/api/nothing",
    ]) {
      const { status } = await ask(server, { path, headers });
      expect([400, 404], path).toContain(status);
    }
    expect(await team.store.teams()).toEqual(["default"]);
  });

  it("are answered with headers that let nothing be run, framed, kept or read by others", async () => {
    const { server } = await opened();
    for (const path of ["/default/board", "/api/teams", "/api/nothing"]) {
      const { headers } = await ask(server, { path, headers: OWN });
      expect(headers["content-security-policy"]).toMatch(
        /default-src 'none'; script-src 'self';.*frame-ancestors 'none'/,
      );
      expect(headers["content-security-policy"]).not.toContain("unsafe");
      expect(headers).toMatchObject({
        "x-content-type-options": "nosniff",
        "referrer-policy": "no-referrer",
        "cache-control": "no-store",
      });
      expect(headers["access-control-allow-origin"]).toBeUndefined();
    }
  });
});

describe.skipIf(!hasBrowser)("another server on this machine", () => {
  it("gets nothing from the browser that lets it act or read, while reloads and further tabs continue working", async () => {
    const { team, server } = await opened();
    const received: string[] = [];
    const other = createServer((incoming, outgoing) => {
      received.push(JSON.stringify([incoming.url, incoming.headers]));
      const script = `fetch("${server.origin}/api/teams", { credentials: "include" }).catch(() => {});
        const asked = new BroadcastChannel("ekiden-token");
        asked.onmessage = ({ data }) => { window.leaked = data; };
        asked.postMessage(null);`;
      outgoing.setHeader("Content-Type", "text/html").end(`<script>${script}</script>`);
    });
    await new Promise<void>((done) => other.listen(0, "127.0.0.1", done));
    onTestFinished(() => void other.close());
    const { page } = await visit(server.address, { mayComplain: true });
    await page.getByText("Paint").first().waitFor();
    expect(page.url()).not.toContain(TOKEN);
    const foreign = await page.context().newPage();
    await foreign.goto(`http://127.0.0.1:${(other.address() as AddressInfo).port}/`);
    await soon(async () => expect(received.length).toBeGreaterThan(0));
    const cookies = (await page.context().cookies()).map(({ name, value }) => `${name}=${value}`).join("; ");
    const replayed = { ...JSON_BODY, Cookie: cookies, Origin: server.origin };
    const acted = { path: "/api/default/act", method: "POST", body: CANCEL };
    expect(await ask(server, { ...acted, headers: replayed })).toMatchObject({ status: 401 });
    expect(await ask(server, { headers: { Cookie: cookies } })).toMatchObject({ status: 401 });
    expect(received.join()).not.toContain(TOKEN);
    await page.reload();
    await page.getByText("Paint").first().waitFor();
    const second = await page.context().newPage();
    await second.goto(`${server.origin}/default/board`);
    await second.getByText("Paint").first().waitFor();
    expect(await foreign.evaluate("window.leaked")).toBeUndefined();
    await team.store.board.cancel(asTaskId(1), PERSON, "");
    for (const tab of [page, second]) await tab.locator('[aria-label="Cancelled"]').first().waitFor();
    await foreign.close();
    await page.close();
    await second.reload(); // on its own
    await second.getByText("Paint").first().waitFor();
    const stranger = await visit(`${server.origin}/default/board`);
    await stranger.page.getByText("The token is missing or wrong").waitFor();
  });
});

const HOSTILE = `<img src=x onerror="window.pwned=1"><script>window.pwned=1</script></script><script>window.pwned=1//`;
/** A path may hold neither angle brackets nor semicolons; this is the nearest it comes to markup. */
const TOUCHED = "a&lt img src=x onerror='window.pwned=1'&gt";
const MARKED = `${HOSTILE}\n\n[click](javascript:window.pwned=1) ![x](http://127.0.0.1:1/leak.png)\n\n<iframe srcdoc="<script>top.pwned=1</script>"></iframe>\n\n# ${HOSTILE}\n\n\`\`\`html\n${HOSTILE}\n\`\`\``;

describe.skipIf(!hasBrowser)("words of agents", () => {
  it("are never markup, in any field of any view, nor in an exported file", async () => {
    const quietly: Step = { times: "any", text: MARKED };
    const team = await programTeam({
      settings: { permissionsTo: "person" },
      says: {
        lead: [quietly],
        alice: [
          { text: MARKED, thinking: MARKED, calls: [{ tool: "read_file", input: { path: HOSTILE } }] },
          { text: MARKED, calls: [{ tool: "bash", input: { command: `echo '${HOSTILE}' > x` } }] },
          quietly,
        ],
      },
    });
    const { store } = team;
    await store.board.add({ subject: HOSTILE, description: MARKED, touches: [TOUCHED] }, PERSON);
    const second = await store.board.add({ subject: HOSTILE, blockedBy: [asTaskId(1)] }, PERSON);
    await store.board.cancel(second.id, PERSON, MARKED);
    await store.mail.send(PERSON, { to: LEAD, body: { kind: "note", text: MARKED } });
    await store.journal.note([{ type: "warning.raised", who: name("alice"), text: HOSTILE }]);
    const { origin, address } = await pageServer(store, team.folder);
    await team.host.start({ goal: MARKED });
    await team.until("permission.asked");
    const { page } = await visit(address);
    const isInert = async (where: string): Promise<void> => {
      expect(await page.evaluate("window.pwned"), where).toBeUndefined();
      const made =
        "document.querySelectorAll('#app img, #app script, #app iframe, #app a[href^=\"javascript\"]').length";
      expect(await page.evaluate(made), where).toBe(0);
    };
    for (const view of [
      "board?task=1",
      "board?task=2",
      "board/columns",
      "lanes",
      "team",
      "conversation/alice",
      "conversation/lead",
      "mail",
      "questions",
      "costs",
      "journal",
      "landing",
      "outcome",
      "run",
      "teams",
    ]) {
      await page.goto(`${origin}/default/${view}`);
      await page.locator("main#view").waitFor();
      // Some views may have none of these words.
      if (!["lanes", "landing", "outcome", "run", "teams"].includes(view))
        await page.getByText("onerror").first().waitFor({ state: "attached" });
      await isInert(view);
    }
    const redact = (text: string): string => text;
    const teams = new Teams(store, { settings: DEFAULT_SETTINGS, cwd: team.folder, version: "0", redact });
    const file = join(team.folder, "run.html");
    writeFileSync(
      file,
      await recordingPage(await teams.team("default"), await teams.overview(true), readPage()),
    );
    await teams.close();
    await page.goto(`file://${file}#/default/conversation/alice?task=1`);
    await page.locator(".entry", { hasText: "onerror" }).first().waitFor();
    await isInert("the exported file");
  });
});
