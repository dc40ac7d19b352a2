import { expect, it } from "vitest";
import { cpuMs } from "../../../test/fixtures/cpu.ts";
import { namedSecrets, Secrets } from "./secrets.ts";

// Put together here, so that no file of ours looks like it holds a key.
const run = (n: number): string => "a1B2c3D4e5".repeat(10).slice(0, n);
const PEM = `-----BEGIN ${"RSA PRIVATE"} KEY-----\nMIIEow\nabc+/=\n-----END ${"RSA PRIVATE"} KEY-----`;

it.each([
  ["private key", PEM],
  ["AWS key", `AKIA${"A1".repeat(8)}`],
  ["GitHub token", `ghp_${run(36)}`],
  ["GitHub token", `github_pat_${run(40)}`],
  ["GitLab token", `glpat-${run(20)}`],
  ["API key", `sk-ant-api03-${run(40)}`],
  ["API key", `sk-proj-${run(40)}`],
  ["Stripe key", `sk_live_${run(24)}`],
  ["Google key", `AIza${run(35)}`],
  ["Slack token", `xoxb-123456789012-${run(12)}`],
  ["npm token", `npm_${run(36)}`],
  ["signed token", `eyJ${run(20)}.eyJ${run(20)}.${run(20)}`],
])("takes out a %s, also in JSON", (name, value) => {
  const { redact } = new Secrets();
  expect(redact(`before ${value} after`)).toBe(`before [secret ${name}] after`);
  expect(JSON.parse(redact(JSON.stringify({ a: value, b: "x" })))).toEqual({ a: `[secret ${name}]`, b: "x" });
});

it("takes out what is left of a private key that was cut off", () => {
  expect(new Secrets().redact(PEM.slice(0, 45))).toBe("[secret private key]");
});

it.each([
  "commit a0e9310f2c4b1d6e8f9a0b1c2d3e4f5a6b7c8d9e fixed it",
  "const token = process.env.GITHUB_TOKEN;",
  "import sklearn; pip install sk-learn-contrib-something-with-a-long-name",
  "sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg==",
  "postgres://postgres:postgres@localhost/test",
  "password: hunter22",
])("keeps %j", (text) => expect(new Secrets().redact(text)).toBe(text));

it("takes out what variables, settings and headers hold, in each form", () => {
  const env = {
    MY_API_KEY: "sesame/open 1234",
    HOME: "/home/ann",
    DB_PASSWORD: "postgres",
    KEY_FILE: "/a/b/key",
  };
  const settings = {
    store: "postgres://app:p%40ssw0rd1@db/x",
    mcpServers: { one: { headers: { authorization: "Bearer abcdef123456" }, env: { TOKEN: "t0psecret!" } } },
  };
  const { redact } = new Secrets([...namedSecrets(env), ...namedSecrets(settings)]);
  expect(redact("sesame/open 1234 sesame%2Fopen%201234 c2VzYW1lL29wZW4gMTIzNA==")).not.toMatch(/sesame|c2Vz/);
  expect(redact("p@ssw0rd1 abcdef123456 t0psecret!")).toBe(
    "[secret store] [secret authorization] [secret TOKEN]",
  );
  for (const text of ["postgres /home/ann /a/b/key", "true"]) expect(redact(text)).toBe(text);
});

it("takes out the whole of a secret that JSON writes in another way", () => {
  const { redact } = new Secrets([{ name: "TOKEN", value: 'open "sesame" 1234' }]);
  expect(redact(JSON.stringify({ a: 'open "sesame" 1234' }))).toBe('{"a":"[secret TOKEN]"}');
});

it("gives back what a mark stands for, and does not guess", () => {
  const secrets = new Secrets([{ name: "TOKEN", value: "abcdef123456" }]);
  const file = "TOKEN=abcdef123456\nA=1\n";
  expect(secrets.restore("TOKEN=[secret TOKEN]\nA=2\n", file)).toEqual({
    kind: "text",
    text: "TOKEN=abcdef123456\nA=2\n",
  });
  expect(secrets.restore("[secret GitHub token]", file)).toEqual({
    kind: "text",
    text: "[secret GitHub token]",
  });
  const two = `ghp_${run(36)} ghp_${"9".repeat(36)}`;
  expect(secrets.restore("[secret GitHub token]", two)).toEqual({
    kind: "ambiguous",
    mark: "[secret GitHub token]",
  });
});

it("is quick on long text", () => {
  const secrets = new Secrets([{ name: "TOKEN", value: "abcdef123456" }]);
  const text = `eyJ${"a".repeat(300_000)} -----BEGIN PRIVATE KEY-----${"a".repeat(300_000)} ${"sk-".repeat(100_000)}`;
  expect(cpuMs(() => secrets.redact(text))).toBeLessThan(1_000);
});

it.each([
  ["of 8 characters with a digit", "abcdefg1", true],
  ["of 7 characters", "abcdef1", false],
  ["of 15 letters", "abcdefghijklmno", false],
  ["of 16 letters", "abcdefghijklmnop", true],
  ["of 10,000 characters", "ab1".padEnd(10_000, "z"), true],
  ["of 10,001 characters", "ab1".padEnd(10_001, "z"), false],
  ["that is a number", "1234567890123456", false],
  ["that is a path", "/abcdefghijklmnop1", false],
  ["that begins with a blank", " abcdefghijklmnop1", false],
])("takes out a value %s only if it can be nothing else", (_, value, expected) => {
  const { redact } = new Secrets([{ name: "TOKEN", value }]);
  expect(redact(`<${value}>`)).toBe(expected ? "<[secret TOKEN]>" : `<${value}>`);
});

it("takes out what is added later, and the longer of two secrets that begin alike", () => {
  const [short, long] = [
    { name: "A", value: "abcdefg1" },
    { name: "B", value: "abcdefg1-2345" },
  ];
  for (const [first, second] of [
    [short, long],
    [long, short],
  ] as const) {
    const secrets = new Secrets([first]);
    secrets.add([second]);
    expect(secrets.redact("abcdefg1-2345 abcdefg1-23")).toBe("[secret B] [secret A]-23");
  }
});

it("takes out all of a secret in base64 but the last character, which depends on what follows", () => {
  const { redact } = new Secrets([{ name: "TOKEN", value: "t0psecret" }]);
  expect(redact(btoa("t0psecret"))).toBe(`[secret TOKEN]${btoa("t0psecret").at(-1)}`);
  expect(redact(btoa("t0psecret and more"))).toMatch(/^\[secret TOKEN\]/);
});

it.each([
  [{ A_TOKEN: "one", EDITOR: "two" }, [{ name: "A_TOKEN", value: "one" }]],
  [{ authorization: "Basic abc" }, [{ name: "authorization", value: "abc" }]],
  [{ KEYS: { API_KEY: ["one", "two"] } }, ["one", "two"].map((value) => ({ name: "API_KEY", value }))],
  [{ A_TOKEN: null, B_TOKEN: 5, C_TOKEN: undefined }, []],
  [null, []],
  [
    "https://ann:pass@host",
    [
      { name: "password", value: "pass" },
      { name: "password", value: "pass" },
    ],
  ],
  // Only the password of an address is secret, also where the name says secret.
  [{ URL_TOKEN: "https://ann:p%zz@host" }, [{ name: "URL_TOKEN", value: "p%zz" }]],
])("finds the secrets of %j by their names", (values, expected) => {
  expect(namedSecrets(values)).toEqual(expected);
});
