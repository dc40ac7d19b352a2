import { expect, it } from "vitest";
import { RedactedStream, redacted } from "./redacted.ts";
import { Secrets } from "./secrets.ts";

const KNOWN = "correct horse battery";
const TOKEN = `ghp_${"a1B2c3D4e5".repeat(4)}`;
const secrets = new Secrets([{ name: "PASSPHRASE", value: KNOWN }]);

it("cleans texts at any depth, and what functions return; the rest stays the same", () => {
  const clean = { a: ["short", { b: "no secret in this one" }], n: 1, none: null, date: new Date(0) };
  expect(redacted(clean, secrets.redact)).toBe(clean);
  const made = redacted({ list: [{ text: KNOWN }], make: () => [`my ${TOKEN}`] }, secrets.redact);
  expect(made.list).toEqual([{ text: "[secret PASSPHRASE]" }]);
  expect(made.make()).toEqual(["my [secret GitHub token]"]);
});

it.each([1, 3, 7, 1000])("takes secrets out of words that come in pieces of %i", (size) => {
  const pem = `-----BEGIN PRIVATE KEY-----\n${"abcd".repeat(20)}\n-----END PRIVATE KEY-----`;
  const text = `It is ${KNOWN}, or ${TOKEN}.\nA correct horse, sk-ip, task-list.\n${pem}\nThe end: correct ho`;
  let shown = "";
  const stream = new RedactedStream(secrets, (part) => {
    shown += part;
  });
  for (let at = 0; at < text.length; at += size) stream.push(text.slice(at, at + size));
  stream.end();
  expect(shown).toBe(secrets.redact(text));
  expect(shown).toBe(
    "It is [secret PASSPHRASE], or [secret GitHub token].\nA correct horse, sk-ip, task-list.\n[secret private key]\nThe end: correct ho",
  );
});

it("holds back nothing of usual words, and little of one that never ends", () => {
  const parts: string[] = [];
  const stream = new RedactedStream(secrets, (part) => void parts.push(part));
  for (const word of ["The ", "quick ", "box. "]) stream.push(word);
  expect(parts).toEqual(["The ", "quick ", "box. "]);
  for (let i = 0; i < 20; i += 1) stream.push(`sk-${"x".repeat(997)}`);
  expect(parts.length).toBeGreaterThan(10);
});
