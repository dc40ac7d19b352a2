/** The client at real servers on loopback. */
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { ManualClock } from "../clock.ts";
import { GithubHttp } from "./github-http.ts";

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close().closeAllConnections());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const client = (api: string, clock = new ManualClock()): GithubHttp =>
  new GithubHttp({ api, graphql: `${api}/graphql`, token: "t0k3n", clock });

it("asks whether its copy is current, and counts only what was new", async () => {
  const api = await serve((request, response) => {
    response.setHeader("etag", '"one"');
    if (request.headers["if-none-match"] === '"one"') response.writeHead(304).end();
    else response.end(JSON.stringify([request.headers.authorization]));
  });
  const http = client(api);
  expect(await http.list("/x")).toEqual(["Bearer t0k3n"]);
  expect(await http.list("/x")).toEqual(["Bearer t0k3n"]);
  expect(http.calls).toBe(1);
});

it.each([
  [429, { "retry-after": "7" }, 7_000],
  [
    403,
    { "x-ratelimit-remaining": "0", "x-ratelimit-reset": String(Date.UTC(2026, 0, 1) / 1000 + 9) },
    9_000,
  ],
  [403, {}, 60_000],
])("waits as long as a limit says: %s %o", async (status, headers, ms) => {
  const api = await serve((_, response) =>
    response.writeHead(status, headers).end('{"message":"secondary rate limit"}'),
  );
  const http = client(api);
  await expect(http.get("/x")).rejects.toMatchObject({ code: "forge_away", details: { retryAfterMs: ms } });
  if (ms === 60_000)
    await expect(http.get("/x")).rejects.toMatchObject({ details: { retryAfterMs: 120_000 } });
});

it("tells a refusal from an absence, and never shows the token", async () => {
  const api = await serve((request, response) => {
    if (request.url === "/denied") response.writeHead(403).end('{"message":"Resource not accessible"}');
    else if (request.url === "/cut") request.socket.destroy();
    else response.writeHead(request.url === "/bad" ? 401 : 502).end();
  });
  const http = client(api);
  await expect(http.get("/denied")).rejects.toMatchObject({ code: "forge_refused" });
  await expect(http.get("/bad")).rejects.toMatchObject({ code: "forge_refused" });
  await expect(http.get("/broken")).rejects.toMatchObject({ code: "forge_away" });
  const cut = await http.write("POST", "/cut", {}).catch((error: Error) => error);
  expect(cut).toMatchObject({ code: "forge_away" });
  expect(String(cut)).not.toContain("t0k3n");
});

it("sends the token to no other host, writes one after the other, and a second apart", async () => {
  const seen: (string | undefined)[] = [];
  const other = await serve((request, response) => {
    seen.push(request.headers.authorization);
    response.end("the log");
  });
  const elsewhere = other.replace("127.0.0.1", "localhost");
  let open = 0;
  const api = await serve((request, response) => {
    if (request.method === "GET") return void response.writeHead(302, { location: `${elsewhere}/log` }).end();
    open += 1;
    setImmediate(() => response.end(JSON.stringify({ open: open-- })));
  });
  const clock = new ManualClock();
  const http = client(api, clock);
  expect([await http.text("/log"), seen]).toEqual(["the log", [undefined]]);
  expect((await http.get("/log")).status).toBe(302);
  expect(seen).toHaveLength(1);
  await http.write("POST", "/a", {});
  const second = http.write("POST", "/b", {});
  while (clock.sleeping === 0) await new Promise(setImmediate);
  await clock.advance(1_000);
  expect((await second).data).toEqual({ open: 1 });
});

it("writes nothing when its time is over: another process may have written it meanwhile", async () => {
  let asked = 0;
  const api = await serve((_, response) => {
    asked += 1;
    response.end("{}");
  });
  const clock = new ManualClock();
  const http = client(api, clock);
  http.writesUntil = clock.now() + 500;
  await http.write("POST", "/a", {});
  const late = http.write("POST", "/b", {});
  while (clock.sleeping === 0) await new Promise(setImmediate);
  await clock.advance(1_000);
  await expect(late).rejects.toMatchObject({ code: "forge_away" });
  expect(asked).toBe(1);
});
