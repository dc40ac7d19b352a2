import { expect, it } from "vitest";
import { cpuMs } from "../../../test/fixtures/cpu.ts";
import { secretIn } from "./secret.ts";

// Put together here, so that no file of ours looks like it holds a key.
const run = (n: number): string => "a1B2c3D4e5".repeat(10).slice(0, n);

it.each([
  `-----BEGIN ${"RSA PRIVATE"} KEY-----\nMII`,
  `AKIA${"A1".repeat(8)}`,
  `the token ghp_${run(36)} works`,
  `github_pat_${run(40)}`,
  `glpat-${run(20)}`,
  `sk-ant-api03-${run(40)}`,
  `sk-proj-${run(40)}`,
  `sk_live_${run(24)}`,
  `AIza${run(35)}`,
  `xoxb-123456789012-${run(12)}`,
  `npm_${run(36)}`,
  `eyJ${run(20)}.eyJ${run(20)}.${run(20)}`,
  `postgres://app:${"hunter2"}@db.example/app`,
  `Authorization: Bearer ${run(20)}`,
  `password: ${"hunter22"}`,
  `DB_PASSWORD=${"s3cr3t!"}`,
  `"api_key": "${run(16)}"`,
  `the admin password is ${"Tr0ub4dor&3"}`,
])("finds the secret in %j", (text) => {
  expect(secretIn(text)).not.toBeNull();
});

it.each([
  "Tests run with npm test; 41 of them need PostgreSQL.",
  "commit a0e9310f2c4b1d6e8f9a0b1c2d3e4f5a6b7c8d9e fixed it",
  "The token is read from GITHUB_TOKEN by src/auth.ts",
  "password: $DB_PASSWORD",
  "secret = process.env.SECRET1",
  "api_key: <your-key-1>",
  "Each token is counted once, secrets are in 1Password",
  "Passwords are hashed with argon2id (see auth/hash.ts:12)",
  "http://localhost:8080/a@b",
  "The budget is 50000 tokens: compact before",
  "task #12 is about sk-learn and pk-fields",
  "sha256 e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
])("lets %j pass", (text) => {
  expect(secretIn(text)).toBeNull();
});

it("is quick on long text", () => {
  const text = "password is: http://a:b ".repeat(20_000);
  expect(cpuMs(() => secretIn(text))).toBeLessThan(500);
});

it("names the kind of a secret", () => {
  expect(secretIn(`AKIA${"A1".repeat(8)}`)).toBe("an AWS key");
  expect(secretIn(`npm_${run(36)}`)).toBe("an npm token");
});
