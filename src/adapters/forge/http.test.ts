/** The client at real servers on loopback. */
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { ManualClock } from "../clock.ts";
import { ForgeHttp } from "./http.ts";

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close().closeAllConnections());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const client = (api: string, clock = new ManualClock()): ForgeHttp =>
  new ForgeHttp({ api, graphql: `${api}/graphql`, token: "t0k3n", clock });

it("asks whether its copy is current, and counts only what was new", async () => {
  const api = await serve((request, response) => {
    response.setHeader("etag", '"one"');
    if (request.headers["if-none-match"] === '"one"') response.writeHead(304).end();
    else response.end(JSON.stringify([request.headers.authorization]));
  });
  const http = client(api);
  expect(await http.list("/x", (data) => data as string[])).toEqual(["Bearer t0k3n"]);
  expect(await http.list("/x", (data) => data as string[])).toEqual(["Bearer t0k3n"]);
  expect(http.calls).toBe(1);
});

it.each([
  [429, { "retry-after": "7" }, 7_000],
  [403, { "retry-after": "7" }, 7_000],
  [403, {}, 60_000],
])("waits as long as a limit says, and asks nothing meanwhile: %s %o", async (status, headers, ms) => {
  let asked = 0;
  const api = await serve((_, response) => {
    asked += 1;
    response.writeHead(status, headers).end('{"message":"secondary rate limit"}');
  });
  const clock = new ManualClock();
  const http = client(api, clock);
  await expect(http.get("/x")).rejects.toMatchObject({ code: "forge_away", details: { retryAfterMs: ms } });
  await clock.advance(ms - 1);
  await expect(http.get("/y")).rejects.toMatchObject({ details: { retryAfterMs: 1 } });
  expect(asked).toBe(1);
  await clock.advance(1);
  await expect(http.get("/x")).rejects.toMatchObject({
    details: { retryAfterMs: ms === 60_000 ? 120_000 : 7_000 },
  });
});

const LIMITS: [string, number, object, string, number][] = [
  ["a date", 429, { "retry-after": new Date(Date.UTC(2026, 0, 1) + 5_000).toUTCString() }, "", 5_000],
  [
    "a reset",
    403,
    { "x-ratelimit-remaining": "0", "x-ratelimit-reset": `${Date.UTC(2026, 0, 1) / 1_000 + 9}` },
    "",
    9_000,
  ],
  [
    "words about a comment",
    422,
    {},
    '{"message":"Validation Failed","errors":[{"message":"was submitted too quickly"}]}',
    60_000,
  ],
  [
    "a fault of GraphQL",
    200,
    {},
    '{"data":null,"errors":[{"type":"RATE_LIMITED","message":"API rate limit exceeded"}]}',
    60_000,
  ],
];
it.each(LIMITS)("knows a limit by %s", async (_, status, headers, body, ms) => {
  const api = await serve((_, response) =>
    response.writeHead(status, headers as Record<string, string>).end(body),
  );
  const clock = new ManualClock(Date.UTC(2026, 0, 1));
  // The address may be written in another way than the one that is asked.
  const asked = client(api.replace("127.0.0.1", "LOCALHOST"), clock).graphql("{ viewer { login } }", {});
  await expect(asked).rejects.toMatchObject({
    code: "forge_away",
    details: { retryAfterMs: ms, isUndone: true },
  });
});

it("asks nothing after the last call of an hour", async () => {
  const reset = Date.UTC(2026, 0, 1) / 1_000 + 30;
  const api = await serve((_, response) =>
    response.writeHead(200, { "x-ratelimit-remaining": "0", "x-ratelimit-reset": `${reset}` }).end("[]"),
  );
  const http = client(api, new ManualClock(Date.UTC(2026, 0, 1)));
  expect((await http.get("/x")).status).toBe(200);
  await expect(http.get("/x")).rejects.toMatchObject({ details: { retryAfterMs: 30_000 } });
});

it("follows pages and a repository that has moved, with the token for its own address alone", async () => {
  const seen: string[] = [];
  const other = await serve((request, response) => {
    seen.push(`elsewhere ${request.headers.authorization}`);
    response.end('["no"]');
  });
  const api = await serve((request, response) => {
    const { url = "" } = request;
    seen.push(url);
    if (url.startsWith("/old/")) response.writeHead(301, { location: url.replace("/old/", "/new/") }).end();
    else if (url.startsWith("/away/")) response.writeHead(307, { location: `${other}${url}` }).end();
    // Fewer on a page than were asked for, by an address that the forge has at another place.
    else if (url.includes("cursor=b")) response.end('{"items":[3]}');
    else {
      const link = `<${other}/first?cursor=a>; rel="prev", <${other}/x?per_page=1&cursor=b>; rel="next"`;
      response.writeHead(200, { link }).end('{"items":[1,2]}');
    }
  });
  const http = client(api);
  const items = (data: unknown) => (data as { items?: number[] }).items ?? null;
  expect(await http.list("/old/list", items)).toEqual([1, 2, 3]);
  expect(seen).toEqual(["/old/list?per_page=100", "/new/list?per_page=100", "/new/list?per_page=1&cursor=b"]);
  await expect(http.list("/away/list", items)).rejects.toMatchObject({ code: "forge_away" });
  expect(seen.filter((one) => one.startsWith("elsewhere"))).toEqual([]);
});

it("continues with the answers of an earlier process, and asks as seldom as the forge wants", async () => {
  let asked = 0;
  const api = await serve((request, response) => {
    asked += 1;
    response.setHeader("etag", 'W/"one"');
    if (request.url === "/slow") response.setHeader("x-poll-interval", "60");
    if (request.headers["if-none-match"] === 'W/"one"') response.writeHead(304).end();
    else response.end('{"name":"a","more":"b"}');
  });
  const first = client(api);
  const pick = (data: unknown) => (data as { name: string }).name;
  expect((await first.get("/x", pick)).data).toBe("a");
  const pages = first.fresh();
  expect([pages, first.fresh()]).toEqual([
    [{ path: "2:/x", etag: 'W/"one"', data: '{"data":"a","next":""}' }],
    [],
  ]);
  const second = client(api);
  // A page of another version may have been picked in another way.
  second.restore([...pages, ...pages.map((page) => ({ ...page, path: "/old" }))]);
  expect((await second.get("/old", pick)).data).toBe("a");
  expect([second.calls, second.fresh().length]).toEqual([1, 1]);
  expect([(await second.get("/x", pick)).data, second.calls, second.fresh()]).toEqual(["a", 1, []]);
  const clock = new ManualClock();
  const third = client(api, clock);
  await third.get("/slow");
  await third.get("/slow");
  expect(asked).toBe(4);
  await clock.advance(60_000);
  await third.get("/slow");
  expect(asked).toBe(5);
});

it("takes no page of another server for an answer, and knows what was never sent", async () => {
  const api = await serve((_, response) => response.end("<html>Log in</html>"));
  await expect(client(api).get("/x")).rejects.toMatchObject({ code: "forge_away" });
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const gone = client(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  await new Promise((done) => server.close(done));
  await expect(gone.get("/x")).rejects.toMatchObject({ code: "forge_away", details: { isUndone: true } });
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
