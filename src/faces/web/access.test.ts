import { describe, expect, it } from "vitest";
import { publicAddress } from "../kit/address.ts";
import { type Access, checkAddress, refusal, showsToken, type Visit } from "./access.ts";

const TOKEN = "0123456789abcdef";
const local: Access = { token: TOKEN, host: "127.0.0.1", port: 80, machine: "box" };
const open: Access = { ...local, host: "0.0.0.0", port: 8080 };
const visit = (more: Partial<Visit>): Visit => ({
  method: "GET",
  host: "127.0.0.1",
  origin: undefined,
  ...more,
});

describe("an address to listen on", () => {
  it.each([
    ["127.0.0.1", undefined],
    ["localhost", undefined],
    ["127.9.9.9", undefined],
    ["::1", undefined],
    ["0.0.0.0", TOKEN],
  ])("%s with the token %s is taken", (host, token) => {
    expect(() => checkAddress(host, token)).not.toThrow();
  });

  it.each([
    ["0.0.0.0", undefined, "needs your own --token"],
    ["::", undefined, "needs your own --token"],
    ["192.168.1.4", undefined, "needs your own --token"],
    ["127.0.0.1.example.org", undefined, "needs your own --token"],
    ["0.0.0.0", "short", "is easy to guess"],
    ["127.0.0.1", "a token & more than 16", "letters, digits"],
  ])("%s with the token %s is refused", (host, token, why) => {
    expect(() => checkAddress(host, token)).toThrow(why);
  });
});

describe("the name that a page was asked for by", () => {
  it.each(["127.0.0.1", "localhost", "[::1]", "127.0.0.1:80", "LOCALHOST", "localhost:9000"])(
    "%s is ours on loopback, through a tunnel too",
    (host) => {
      expect(refusal(local, visit({ host }))).toBeNull();
    },
  );

  it.each(["evil.example", "localhost.evil.example", "192.168.1.4", "box", "box:9000", "[::1", "a:b:c", ""])(
    "%s is not ours on loopback",
    (host) => {
      expect(refusal(local, visit({ host }))).toMatchObject({ status: 403 });
    },
  );

  it.each(["192.168.1.4:8080", "[fd00::1]:8080", "box:8080", "box.lan:8080", "localhost:8080"])(
    "%s is ours on a public address",
    (host) => {
      expect(refusal(open, visit({ host }))).toBeNull();
    },
  );

  it.each(["evil.example:8080", "boxer.example:8080", "192.168.1.4"])(
    "%s is not ours on a public address",
    (host) => {
      expect(refusal(open, visit({ host }))).toMatchObject({ status: 403 });
    },
  );

  it("is needed", () => {
    expect(refusal(local, visit({ host: undefined }))).toMatchObject({ status: 403 });
  });
});

describe("an address behind a proxy", () => {
  it.each([
    ["https://team.example.org", { origin: "https://team.example.org", host: "team.example.org", base: "" }],
    [
      "https://Team.example.org:8443/ekiden/",
      { origin: "https://team.example.org:8443", host: "team.example.org:8443", base: "/ekiden" },
    ],
  ])("%s is read", (text, expected) => {
    expect(publicAddress(text)).toEqual(expected);
  });

  it.each([
    "team.example.org",
    "ftp://a.example",
    "https://a.example/?x",
    "https://u:p@a.example",
    "https://a.example/%22",
  ])("%s is refused", (text) => {
    expect(() => publicAddress(text)).toThrow("--origin");
  });

  const behind = { ...local, behind: publicAddress("https://team.example.org/ekiden") };
  it.each([
    ["team.example.org", "https://team.example.org"],
    ["127.0.0.1", "https://team.example.org"],
    ["team.example.org", undefined],
    ["localhost:9000", "http://localhost:9000"],
  ])("lets in Host %s with Origin %s", (host, origin) => {
    expect(refusal(behind, visit({ host, origin }))).toBeNull();
  });
  it.each([
    ["team.example.org", "http://team.example.org"],
    ["team.example.org", "https://evil.example"],
    ["evil.example", "https://team.example.org"],
    ["localhost:9000", "http://localhost:9001"],
    ["team.example.org:81", undefined],
  ])("refuses Host %s with Origin %s", (host, origin) => {
    expect(refusal(behind, visit({ host, origin }))).toMatchObject({ status: 403 });
  });
});

describe("the token", () => {
  it.each([undefined, "", TOKEN, "Bearer ", `Bearer ${TOKEN}x`, `bearer ${TOKEN}`, `Basic ${TOKEN}`])(
    "%s is none",
    (authorization) => {
      expect(showsToken(local, authorization)).toBe(false);
    },
  );

  it("is shown in a header", () => {
    expect(showsToken(local, `Bearer ${TOKEN}`)).toBe(true);
  });
});

describe("an act", () => {
  it.each(["null", "http://127.0.0.1:81", "http://localhost", "https://127.0.0.1", "http://evil.example"])(
    "does not come from the page %s",
    (origin) => {
      for (const method of ["GET", "POST"])
        expect(refusal(local, visit({ method, origin }))).toMatchObject({ status: 403 });
    },
  );

  it("comes from the page, or from a program", () => {
    expect(refusal(local, visit({ method: "POST", origin: "http://127.0.0.1" }))).toBeNull();
    expect(refusal(local, visit({ method: "POST" }))).toBeNull();
  });
});
