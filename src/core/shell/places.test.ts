/** These tests check where words lead, which repository a folder is in, and in which folders a line may be. */
import { describe, expect, it } from "vitest";
import { readPlain } from "../../../test/fixtures/plain.ts";
import { foldersOf } from "./folders.ts";
import { type Disk, isForeignRepository, type Place, pathsOf, physical, wordIsReadable } from "./places.ts";
import type { Word } from "./plain.ts";

const ENTRIES: Readonly<Record<string, readonly string[]>> = {
  "/": ["w", "etc"],
  "/w": ["a", "ab", ".env", "-x", "src", "out"],
  "/w/src": ["a", "b"],
  "/w/git": [".git"],
  "/w/bare1": ["HEAD", "objects"],
  "/w/bare2": ["HEAD", "refs"],
  "/w/bare3": ["HEAD", "commondir"],
  "/w/head": ["HEAD"],
  "/w/objects": ["objects"],
  "/bare": ["HEAD", "refs"],
  "/normal": ["HEAD", "refs", ".git"],
};
const LINKS: Readonly<Record<string, string>> = { "/w/out": "/etc", "/link": "/w" };
const disk: Disk = {
  real: (path) => LINKS[path] ?? path,
  entries: (folder) => ENTRIES[folder] ?? null,
};
const place: Place = { workspace: "/w", home: "/home/me", disk };
const wordOf = (text: string): Word => readPlain(`ls ${text}`)?.[0]?.words[1] ?? { text, exact: false };

describe("the paths of a word", () => {
  it.each([
    ["a", ["a"]],
    ["~/x", ["/home/me/x"]],
    ["~", ["/home/me"]],
    ["$X", null],
    ["a*", ["a", "ab"]],
    ["*", ["a", "ab", "-x", "src", "out"]],
    [".e*", [".env"]],
    [".*", [".env", ".", ".."]],
    ["src/*", ["src/a", "src/b"]],
    ["*/a", ["a/a", "ab/a", "-x/a", "src/a", "out/a"]],
    ["/w/s*", ["/w/src"]],
    ["/*", ["/w", "/etc"]],
    ["z*", ["z*"]],
    ["src/z*", ["src/z*"]],
    ["~/*", null],
  ])("%s: %j", (text, paths) => expect(pathsOf(wordOf(text), "/w", place)).toEqual(paths));

  it("are not known for a pattern without a disk, for brackets, and without a home", () => {
    expect(pathsOf(wordOf("a*"), "/w", { workspace: "/w" })).toBeNull();
    expect(pathsOf({ text: "[a]*", exact: true, glob: "[a]*" }, "/w", place)).toBeNull();
    expect(pathsOf(wordOf("~/x"), "/w", { workspace: "/w" })).toBeNull();
  });
  it("are not known for more than 2,000 matches", () => {
    const many = (count: number): Place => ({
      ...place,
      disk: { ...disk, entries: () => Array.from({ length: count }, (_, i) => `n${i}`) },
    });
    expect(pathsOf(wordOf("n*"), "/w", many(2_000))).toHaveLength(2_000);
    expect(pathsOf(wordOf("n*"), "/w", many(2_001))).toBeNull();
  });
  it.each([
    ["a", true],
    ["a*", true],
    ["-x", true],
    ["*", false],
    ["-*", false],
    ["$X", false],
    ["/etc/passwd", false],
    ["out/passwd", false],
    ["out/../a", false],
    ["/dev/null", true],
  ])("%s may be read: %s", (text, expected) => {
    expect(wordIsReadable(wordOf(text), "/w", place)).toBe(expected);
  });
  it("lead through links where there is a disk", () => {
    expect(physical("out/../a", "/w", disk)).toBe("/a");
    expect(physical("out/../a", "/w", undefined)).toBe("/w/a");
    expect(physical("a", "/link", disk)).toBe("/w/a");
  });
});

describe("another repository", () => {
  it.each([
    ["/w", false],
    ["/w/src", false],
    ["/w/src/deep", false],
    ["/w/git", true],
    ["/w/git/deep", true],
    ["/w/bare1", true],
    ["/w/bare2", true],
    ["/w/bare3", true],
    ["/w/head", false],
    ["/w/objects", false],
    ["/etc", true],
    ["/", true],
  ])("is at %s: %s", (folder, expected) => expect(isForeignRepository(folder, place)).toBe(expected));

  it("is a workspace that looks like a bare one and has none of its own", () => {
    expect(isForeignRepository("/bare", { workspace: "/bare", disk })).toBe(true);
    expect(isForeignRepository("/normal", { workspace: "/normal", disk })).toBe(false);
  });
  it("may be anywhere but in the workspace itself, where there is no disk", () => {
    expect(isForeignRepository("/w", { workspace: "/w" })).toBe(false);
    expect(isForeignRepository("/w/src", { workspace: "/w" })).toBe(true);
  });
});

describe("the folders that a line may be in", () => {
  const reached = (...lines: readonly string[]): readonly string[] | null => {
    const commands = lines.map((line) => readPlain(line)?.[0] ?? { words: [{ text: line, exact: false }] });
    const { all, sure } = foldersOf(commands, place);
    return sure ? all : null;
  };
  it.each([
    [["ls src"], ["/w"]],
    [["cd src"], ["/w", "/w/src"]],
    [["cd -P src"], ["/w", "/w/src"]],
    [["cd out"], ["/w", "/etc", "/w/out"]],
    [["cd"], null],
    [["cd -"], null],
    [["cd s*"], null],
    [["pushd src"], null],
    [["popd"], null],
    [["popd", "cd src"], null],
  ])("after %j: %j", (lines, expected) => expect(reached(...lines)).toEqual(expected));

  it("are not followed beyond sixteen", () => {
    const steps = (count: number) => reached(...Array.from({ length: count }, () => "cd a"));
    expect(steps(3)).toEqual(["/w", "/w/a", "/w/a/a", "/w/a/a/a"]);
    expect(steps(15)).toHaveLength(16);
    expect(steps(16)).toBeNull();
  });
});
