/** A network whose only way out is a proxy: models and pages of the web are reached by it. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { expect, it, onTestFinished } from "vitest";
import { webReader } from "../../../src/adapters/web/index.ts";
import { says, startModelServer } from "../../fixtures/model-server/index.ts";
import { tunnel } from "../../fixtures/tunnel.ts";
import { Project } from "../cli-program.ts";

const VARIABLES = ["HTTP_PROXY", "http_proxy", "NO_PROXY", "no_proxy"] as const;

it.each(["anthropic/claude-haiku-4-5", "openai/gpt-5.1", "google/gemini-3-pro"])(
  "reaches %s, with a password, and does not without",
  async (model) => {
    const project = new Project();
    onTestFinished(() => project.end());
    const server = await startModelServer({ any: () => says("ok") });
    onTestFinished(() => server.close());
    const proxy = await tunnel("me:pass");
    const env: Record<string, string> = Object.fromEntries(
      Object.entries(server.env).map(([name, value]) => [name, value.replace("127.0.0.1", "model.test")]),
    );
    env.GOOGLE_GENERATIVE_AI_API_KEY = "key";
    const address = `${server.url.replace("127.0.0.1", "model.test")}${model.startsWith("google") ? "/v1beta" : ""}`;
    const ask = (more: Record<string, string>) =>
      project.run(["doctor", "--json", "--model", model, "--base-url", address], {
        env: { ...env, ...more },
      });
    const found = await ask({ HTTP_PROXY: proxy.url });
    expect(found.stdout).toContain(`${model} answers in`);
    expect(new Set(proxy.asked)).toEqual(new Set([new URL(address).host]));
    const refused = await ask({ HTTP_PROXY: proxy.url.replace("pass", "wrong") });
    expect(refused.stdout).toContain("cannot be reached");
    expect(refused.stdout).not.toContain("me:wrong");
  },
);

it("fetches a page by the proxy, judges what it can know, and leaves this machine out", async () => {
  const kept = VARIABLES.map((name) => [name, process.env[name]] as const);
  onTestFinished(() => {
    for (const [name, value] of kept) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  });
  for (const name of VARIABLES) delete process.env[name];
  const proxy = await tunnel();
  process.env.HTTP_PROXY = proxy.url;
  const server = createServer((request, response) => {
    if (request.url === "/away") response.writeHead(302, { location: "http://other.test/" }).end();
    else
      response
        .writeHead(200, { "content-type": "text/plain", "content-encoding": "gzip" })
        .end(gzipSync(`for ${request.headers.host}`));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const { signal } = new AbortController();
  const judged: string[] = [];
  const read = (url: string, mayBePrivate = false) =>
    webReader(() => 0)(
      url,
      async ({ host }) => {
        judged.push(host);
        if (host === "other.test") throw new Error("not this one");
        return { mayBePrivate };
      },
      signal,
    );
  expect((await read(`http://page.test:${port}/a`)).text).toBe(`for page.test:${port}`);
  expect(proxy.asked).toEqual([`page.test:${port}`]);
  await expect(read(`http://page.test:${port}/away`)).rejects.toThrow("not this one");
  expect(judged.at(-1)).toBe("other.test");
  for (const own of ["localhost", "127.0.0.1"]) {
    await expect(read(`http://${own}:${port}/`), own).rejects.toThrow("private network");
    expect((await read(`http://${own}:${port}/`, true)).text).toBe(`for ${own}:${port}`);
  }
  await expect(read("http://10.0.0.1/")).rejects.toThrow("private network");
  expect(new Set(proxy.asked)).toEqual(new Set([`page.test:${port}`]));
});
