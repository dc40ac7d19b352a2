/** Against real servers on loopback: what `fetch` does for model calls, this one does too. */
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { expect, it, onTestFinished } from "vitest";
import { ask, httpFetch } from "./http.ts";

async function serving(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(async () => {
    server.close();
    server.closeAllConnections();
    await once(server, "close");
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

it("sends method, headers and body, and streams the answer in pieces", async () => {
  const url = await serving(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    response.writeHead(201, "Made", { "x-said": `${request.method} ${request.headers["x-key"]} ${body}` });
    response.write("one ");
    setImmediate(() => response.end("two"));
  });
  let pieces = 0;
  const response = await httpFetch(
    url,
    { method: "POST", headers: { "X-Key": "k" }, body: "hällo" },
    () => (pieces += 1),
  );
  expect([response.status, response.statusText, response.ok]).toEqual([201, "Made", true]);
  expect(response.headers.get("x-said")).toBe("POST k hällo");
  expect(await response.text()).toBe("one two");
  expect(pieces).toBeGreaterThan(1);
});

it("reads an answer that a proxy compressed", async () => {
  const url = await serving((_, response) => {
    response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync("packed"));
  });
  expect(await (await httpFetch(url)).text()).toBe("packed");
});

it("takes no web page for an answer, and names the address", async () => {
  const url = await serving((request, response) => {
    const type = request.url === "/other" ? "text/plain" : "text/html; charset=utf-8";
    response.writeHead(request.url === "/missing" ? 404 : 200, { "content-type": type }).end("<html>");
  });
  const message = `${url}/v1 answers with a web page. Check the address of the provider, and whether the network wants a sign-in`;
  await expect(httpFetch(`${url}/v1?key=secret`)).rejects.toThrow(message);
  const signal = new AbortController().signal;
  const posted = ask(new URL(`${url}/v1`), { headers: {}, body: "{}", signal, onBytes: () => {} });
  await expect(posted).rejects.toThrow(message);
  expect((await httpFetch(`${url}/missing`)).status).toBe(404);
  expect(await (await httpFetch(`${url}/other`)).text()).toBe("<html>");
});

it("follows a redirect", async () => {
  const url = await serving((request, response) => {
    if (request.url === "/") response.writeHead(307, { location: "/there" }).end();
    else response.end(`${request.method} there`);
  });
  expect(await (await httpFetch(url, { method: "POST", body: "x" })).text()).toBe("POST there");
});

it("fails for a connection that cannot be made, with its cause", async () => {
  const failed = httpFetch("http://127.0.0.1:1");
  await expect(failed).rejects.toThrow(new TypeError("fetch failed"));
  await expect(failed).rejects.toMatchObject({ cause: { code: "ECONNREFUSED" } });
});

it("fails an answer that is cut off in the middle", async () => {
  const url = await serving((_, response) => {
    response.writeHead(200, { "content-length": "100" });
    response.write("half", () => response.destroy());
  });
  const response = await httpFetch(url);
  await expect(response.text()).rejects.toThrow();
});

it.each(["HEAD", "GET"])("lets go of an answer to %s that nobody reads", async (method) => {
  const url = await serving((_, response) => void response.end("whole"));
  for (let i = 0; i < 20; i += 1) await (await httpFetch(url, { method })).body?.cancel();
});

it("ends with the reason of its signal, before and while the answer comes", async () => {
  const closed: Promise<unknown>[] = [];
  const url = await serving((request, response) => {
    closed.push(once(request.socket, "close"));
    if (request.url === "/silent") return;
    response.writeHead(200).write("begun");
  });
  const silent = new AbortController();
  const pending = httpFetch(`${url}/silent`, { signal: silent.signal });
  setTimeout(() => silent.abort(new Error("enough")), 20);
  await expect(pending).rejects.toThrow("enough");

  const begun = new AbortController();
  const response = await httpFetch(url, { signal: begun.signal });
  begun.abort(new Error("enough"));
  await expect(response.text()).rejects.toThrow();
  await Promise.all(closed);
});
