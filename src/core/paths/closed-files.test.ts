/** These tests check where the sandbox looks for what a pattern closes, and what it covers there. */
import { expect, it } from "vitest";
import { closedSearch } from "./closed-files.ts";

const of = (match: string) => closedSearch(match, "/home/me/p", "/home/me");
const ALL = Number.POSITIVE_INFINITY;

it.each([
  [".env", ".env", 0, true],
  ["./.env", ".env", 0, true],
  ["config/.env", "config/.env", 0, true],
  ["secrets/", "secrets", 0, true],
  ["secrets/**", "secrets", 0, true],
  ["a/b/*.key", "a/b", 1, true],
  ["a/*/b/*.key", "a", 3, true],
  ["*/secrets/**", "", 2, true],
  ["**", "", 0, true],
  ["*.pem", "", 1, true],
  ["**/.env", "", ALL, false],
  ["**/secrets/**", "", ALL, false],
  ["src/**/.env", "src", ALL, true],
  ["{a,b/c}.key", "", ALL, true],
  ["~/keys/*", "/home/me/keys", 1, true],
  ["~/p/.env", ".env", 0, true],
  ["/home/me/p/x/**", "x", 0, true],
  ["/etc/*", "/etc", 1, true],
  ["/*", "/", 1, true],
] as const)("%s begins at %s, %s levels deep", (match, start, depth, isPlaced) => {
  expect(of(match)).toMatchObject({ start, depth, isPlaced });
});

it.each([
  [".env", ".env", "file folder"],
  [".env", "x/.env", ""],
  ["secrets", "secrets", "file folder"],
  ["secrets/**", "secrets", "folder"],
  ["secrets/**", "secrets/a", "file folder"],
  ["src/*", "src", ""],
  ["src/*", "src/a", "file"],
  ["**/*.pem", "a/b.pem", "file"],
  ["**/*.pem", "a", ""],
  ["**/.env", ".env", "file folder"],
  ["**/x/**", "a/x", "folder"],
  ["app/[id]/x.txt", "app/[id]/x.txt", "file folder"],
  ["app/[id]", "app/[id]", "file folder"],
  ["app/[id]", "app/i", "file"],
  ["app/\\[id\\]/**", "app/[id]", "folder"],
  ["**", "a", "file folder"],
  ["~/keys/**", "/home/me/keys/a", "file folder"],
] as const)("%s closes %s as: %s", (match, path, kinds) => {
  const { covers } = of(match);
  expect(["file", "folder"].filter((kind) => covers(path, kind === "folder")).join(" ")).toBe(kinds);
});
