import { describe, expect, it } from "vitest";
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
    ["0.0.0.0", undefined, "needs a --token"],
    ["::", undefined, "needs a --token"],
    ["192.168.1.4", undefined, "needs a --token"],
    ["127.0.0.1.example.org", undefined, "needs a --token"],
    ["0.0.0.0", "short", "could be guessed"],
    ["127.0.0.1", "a token & more than 16", "letters, digits"],
  ])("%s with the token %s is refused", (host, token, why) => {
    expect(() => checkAddress(host, token)).toThrow(why);
  });
});

describe("the name that a page was asked for by", () => {
  it.each(["127.0.0.1", "localhost", "[::1]", "127.0.0.1:80", "LOCALHOST"])(
    "%s is ours on loopback",
    (host) => {
      expect(refusal(local, visit({ host }))).toBeNull();
    },
  );

  it.each([
    "evil.example",
    "localhost.evil.example",
    "192.168.1.4",
    "box",
    "127.0.0.1:81",
    "[::1",
    "a:b:c",
    "",
  ])("%s is not ours on loopback", (host) => {
    expect(refusal(local, visit({ host }))).toMatchObject({ status: 403 });
  });

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
