/** Rules as they are typed, and which tools, texts, paths and commands they are about. */
import { describe, expect, it } from "vitest";
import { readPlain } from "../../../test/fixtures/plain.ts";
import type { Word } from "../shell/plain.ts";
import { readTree } from "../shell/tree.ts";
import {
  concerns,
  couldMeetCommand,
  coversCommand,
  fitsPath,
  fitsText,
  meetsCommand,
  parseRule,
} from "./rule.ts";

describe("the tool of a rule", () => {
  it.each(["bsh", "bsh(ls)", "read_files", "zz*", "bash__x"])("%s is unknown", (text) => {
    expect(() => parseRule("deny", text)).toThrow(/names an unknown tool/);
  });
  it("is shown with the name that was probably meant, and all others", () => {
    expect(() => parseRule("deny", "bsh(ls)")).toThrow(
      /^the permission rule "bsh\(ls\)" names an unknown tool\. Did you mean "?bash"?\? The tools: .*bash, .*edit_file, .*mcp__SERVER__TOOL, and network for hosts\.$/,
    );
  });
  it.each(["mcp__files", "mcp__files__read", "mcp*", "*", "*file", "read_*"])("%s is known", (text) => {
    expect(parseRule("deny", text)).toEqual({ effect: "deny", tool: text });
  });
  it.each([
    ["bash", "bash", true],
    ["bash", "read_file", false],
    ["read_*", "read_file", true],
    ["*", "bash", true],
    ["mcp__files", "mcp__files__read", true],
    ["mcp__files", "mcp__files", true],
    ["mcp__files", "mcp__filesystem__read", false],
    ["mcp__files__read", "mcp__files__read__all", false],
    ["mcp__files__*", "mcp__files__read", true],
    ["read_file", "read_file__x", false],
  ])("%s concerns %s: %s", (tool, called, expected) => {
    expect(concerns({ effect: "allow", tool }, called)).toBe(expected);
  });
});

describe("the pattern of a rule", () => {
  it.each([
    [undefined, "anything", true],
    ["abc", "abc", true],
    ["abc", "abcd", false],
    ["a*", "abc", true],
    ["a*", "bc", false],
    ["a:*", "a", true],
    ["a:*", "a b", true],
    ["a:*", "a:*", true],
  ])("%s over the text %s: %s", (match, text, expected) => {
    expect(fitsText({ effect: "allow", tool: "x", ...(match !== undefined && { match }) }, text)).toBe(
      expected,
    );
  });
  it.each([
    [undefined, "/etc/passwd", true],
    ["src", "src", true],
    ["src/", "src", true],
    ["src/{a,b}", "src/b", true],
    ["src/{a,b}", "src/{a,b}", true],
    ["./src/a", "src/a", true],
    ["~/x", "/home/me/x", true],
    ["~/x", "~/x", false],
    ["/etc/**", "/etc/passwd", true],
    ["/src", "src", false],
    ["src/**", "../src/a", false],
  ])("%s over the path %s: %s", (match, path, expected) => {
    const rule = { effect: "allow", tool: "read_file", ...(match !== undefined && { match }) } as const;
    expect(fitsPath(rule, path, "/w", "/home/me")).toBe(expected);
  });
});

/** `covers`: an allow rule lets it run; `meets`: a rule that refuses or asks is about it; `could`: it is in doubt whether it is. */
function relation(match: string, line: string): string {
  const words: readonly Word[] = (readPlain(line) ?? readTree(line).commands)[0]?.words ?? [];
  const rule = parseRule("deny", `bash(${match})`);
  const found = [
    coversCommand(rule, words) ? ["covers"] : [],
    meetsCommand(rule, words) ? ["meets"] : [],
    couldMeetCommand(rule, words) ? ["could"] : [],
  ];
  return found.flat().join(" ") || "nothing";
}

describe("a rule and a command", () => {
  it.each([
    ["git push*", "git push", "covers meets"],
    ["git push*", "git push a", "covers meets"],
    ["git push*", "git pushx", "covers meets"],
    ["git push*", "git pull", "nothing"],
    ["git push*", "git -C x push", "meets"],
    ["git push*", "git -C x -c y push a", "meets"],
    ["git push*", "git -C x y push", "nothing"],
    ["git push*", "git x push", "nothing"],
    ["git push*", "git", "nothing"],
    ["git push*", "GIT PUSH", "meets"],
    ["git push*", "git 'push a'", "covers meets"],
    ["git push*", "git $X", "could"],
    ["git push*", "git $X push", "could"],
    ["git push*", "git p*", "could"],
    ["git push*", "git x*", "nothing"],
    ["git push*", "git pull*", "nothing"],
    ["git push*", "git -C x $X", "could"],
    ["git push*", "git -C x p*", "could"],
    ["git push*", "git -C $X push", "meets could"],
    ["git push*", "git -C $X pull", "could"],
    ["git push*", "git log $X", "nothing"],
    ["git push*", "git -C x log $X", "nothing"],
    ["git push*", "$X push", "nothing"],
    ["git push*", "g* push", "nothing"],
    ["git push*", "git --no-pager $X", "could"],
    ["git push:*", "git push", "covers meets"],
    ["git push:*", "git push a", "covers meets"],
    ["git push:*", "git pushx", "nothing"],
    ["git push *", "git push", "covers meets"],
    ["git push *", "git push a", "covers meets"],
    ["git push *", "git pushx", "nothing"],
    ["git push *", "git  push   a", "covers meets"],
    ["git push", "git push a", "nothing"],
    ["git push", "git p*", "could"],
    ["git push", "git pu*h", "could"],
    ["git push", "git push*", "could"],
    ["git push", "git -- push", "meets"],
    ["git push --force*", "git push --force", "covers meets"],
    ["git push --force*", "git push origin --force", "meets"],
    ["git push --force*", "git push --force-with-lease a", "covers meets"],
    ["git push --force*", "git push -f", "nothing"],
    ["git push --force*", "git --force x", "nothing"],
    ["git push --force*", "git pull --force", "nothing"],
    ["git push --force*", "git p* --force", "could"],
    ["rm -rf *", "rm -rf a", "covers meets"],
    ["rm -rf *", "rm -r -f a", "meets"],
    ["rm -rf *", "rm -fr a", "meets"],
    ["rm -rf *", "rm a -rf", "meets"],
    ["rm -rf *", "rm -r a", "nothing"],
    ["rm -rf *", "rm a", "nothing"],
    ["rm -rf *", "rm -xrf a", "meets"],
    ["rm -rf *", "rm --recursive --force a", "nothing"],
    ["rm -rf *", "mv -rf a", "nothing"],
    ["rm -rf *", "rm", "nothing"],
    ["rm -f", "rm -f", "covers meets"],
    ["rm -f", "rm -rf", "meets"],
    ["rm -f", "rm a -f", "meets"],
    ["rm -f", "rm -x", "nothing"],
    ["rm -f", "rm f", "nothing"],
    ["rm --f*", "rm -f", "nothing"],
    ["rm --f*", "rm a --force", "meets"],
    ["npm run build", "npm run *", "could"],
    ["npm run build", "npm run b*", "could"],
    ["npm run build", "npm run t*", "nothing"],
    ["npm run build", "npm run $X", "could"],
    ["npm run build", "npm $X build", "could"],
    ["npm run build", "npm $X test", "could"],
    ["npm run build", "npm r* b*", "could"],
    ["npm run build", "npm r* t*", "could"],
    ["npm run build", "npm test $X", "nothing"],
    ["npm run*", "npm r* x", "could"],
    ["npm run*", "npm r* $X", "could"],
    ["npm run*", "npm run $X", "covers meets could"],
    ["npm * build", "npm run build", "covers meets"],
    ["npm * build", "npm test build a", "nothing"],
    ["*push", "git push", "covers meets"],
    ["*push", "git pull", "nothing"],
    ["git", "git", "covers meets"],
    ["git", "git a", "nothing"],
    ["git", "$X", "nothing"],
    ["git", "g?t", "nothing"],
    ["echo a b", "echo 'a b'", "meets"],
    ["echo a b", "echo a b", "covers meets"],
    ["echo a b", "echo $X b", "could"],
    ["echo a b", "echo a $X", "could"],
    ["a [b] c", "a '[b]' c", "covers meets"],
    ["a [b] c", "a b c", "nothing"],
    ["ls $X", "ls $X", "meets could"],
    ["ls $X", "ls a", "nothing"],
  ])("bash(%s) and %s: %s", (match, line, expected) => expect(relation(match, line)).toBe(expected));

  it("is in doubt about a command with more options than are looked through", () => {
    const line = (options: number): string => `git ${"-c ".repeat(options)}push`;
    expect([16, 63, 65].map((count) => relation("git push*", line(count)))).toEqual([
      "meets",
      "meets",
      "could",
    ]);
    expect(relation("rm *", line(65))).toBe("nothing");
  });
});

it("compares a rule with many stars soon: a project that nobody trusts yet may bring one", () => {
  const words = [{ text: "e ".repeat(2_000), exact: true }];
  expect(meetsCommand(parseRule("deny", `bash(${"*e".repeat(30)}#)`), words)).toBe(false);
  expect(
    meetsCommand(parseRule("deny", `bash(${"*e".repeat(30)})`), [{ text: "e".repeat(30), exact: true }]),
  ).toBe(true);
});

it("refuses a rule that is too long to be compared often, and reads the longest one", () => {
  const pattern = "x".repeat(994);
  expect(parseRule("deny", `bash(${pattern})`).match).toBe(pattern);
  expect(() => parseRule("deny", `bash(${pattern}x)`)).toThrow(/has 1001 characters; the limit is 1000/);
});
