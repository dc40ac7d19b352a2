/** These tests check which address goes by which proxy. */
import { expect, it } from "vitest";
import { proxyFor } from "./proxied.ts";

const PROXY = "http://proxy:8080";

it.each([
  ["https://api.example.org/v1", { HTTPS_PROXY: PROXY }, PROXY],
  ["https://api.example.org/v1", { https_proxy: "proxy:8080", HTTPS_PROXY: "http://other" }, PROXY],
  ["https://api.example.org/v1", { HTTP_PROXY: PROXY }, null],
  ["http://api.example.org/v1", { HTTP_PROXY: PROXY }, PROXY],
  ["http://api.example.org/v1", { http_proxy: "", HTTP_PROXY: PROXY }, null],
  ["https://localhost:11434/", { HTTPS_PROXY: PROXY }, null],
  ["http://127.0.0.1:80/", { HTTP_PROXY: PROXY }, null],
  ["http://[::1]/", { HTTP_PROXY: PROXY }, null],
  ["https://api.example.org/", { HTTPS_PROXY: PROXY, NO_PROXY: "*" }, null],
  ["https://api.example.org/", { HTTPS_PROXY: PROXY, NO_PROXY: "a.test, .example.org" }, null],
  ["https://api.example.org/", { HTTPS_PROXY: PROXY, NO_PROXY: "*.Example.org" }, null],
  ["https://api.example.org/", { HTTPS_PROXY: PROXY, NO_PROXY: "example.org:443" }, null],
  ["https://api.example.org/", { HTTPS_PROXY: PROXY, NO_PROXY: "example.org:8443" }, PROXY],
  ["https://badexample.org/", { HTTPS_PROXY: PROXY, NO_PROXY: "example.org" }, PROXY],
  ["https://10.0.0.5/", { HTTPS_PROXY: PROXY, NO_PROXY: "10.0.0.5" }, null],
  ["https://10.0.0.5/", { HTTPS_PROXY: PROXY, NO_PROXY: "0.0.5," }, PROXY],
])("%s with %j", (url, env, proxy) => {
  expect(proxyFor(new URL(url), env)).toBe(proxy);
});
