/** The small grammar: the words of a line, or null for a line outside it. */
import { describe, expect, it } from "vitest";
import { readPlain } from "../../../test/fixtures/plain.ts";

/** Each command with what it assigns and where it is redirected, and the operator after it; null outside the grammar. */
const read = (line: string): string[] | null =>
  readPlain(line)?.map(({ words, assigns, redirects, operator }) =>
    [
      ...assigns.map(({ name, value }) => `${name}:=${value.text}${value.exact ? "" : "?"}`),
      ...words.map(({ text, glob }) => (glob === undefined ? text : `${text} as ${glob}`)),
      ...redirects.map(({ op, to }) => `${op}${to.text}`),
      operator === ";" ? "" : operator,
    ].join("|"),
  ) ?? null;

describe("a line in the small grammar", () => {
  it.each([
    ["", []],
    ["\n\n", []],
    ["# a", []],
    ["ls", ["ls|"]],
    ["ls;", ["ls|"]],
    ["ls\n\n\ncat", ["ls|", "cat|"]],
    ["ls &&\n\n cat", ["ls|&&", "cat|"]],
    ["ls && cat || pwd; w | x", ["ls|&&", "cat|||", "pwd|", "w||", "x|"]],
    ["a > b", ["a|>b|"]],
    ["a >b 2>> c < d", ["a|>b|>>c|<d|"]],
    ["a >\tb", ["a|>b|"]],
    ["> b", [">b|"]],
    ["x=1", ["x:=1|"]],
    ["x= y=2 ls", ["x:=|y:=2|ls|"]],
    ["x=", ["x:=|"]],
    ["! ls", ["ls|"]],
    ["ls !", ["ls|!|"]],
    ["'!' ls", ["!|ls|"]],
    ["ls ~/a ~", ["ls|~/a|~|"]],
    ["ls a~ HEAD~1", ["ls|a~|HEAD~1|"]],
    ["ls 'a b'c\\ d\"e f\"", ["ls|a bc de f|"]],
    ['ls "a\\"b\\$c"', ['ls|a"b$c|']],
    ["ls a* b?", ["ls|a* as a*|b? as b?|"]],
    ["ls 'a*'b*", ["ls|a*b* as a\\*b*|"]],
    ["ls {} a{b}", ["ls|{}|a{b}|"]],
    ["ls a#b 5 5>c", ["ls|a#b|5|>c|"]],
  ])("%j: %j", (line, expected) => expect(read(line)).toEqual(expected));

  it.each([
    "&& ls",
    "ls &&",
    "ls |",
    "; ls",
    "ls ;; cat",
    "ls & cat",
    "!",
    "! ; ls",
    "! ! ls",
    "ls; !",
    "if",
    "l* a",
    "x+=1",
    "x=~/a",
    "ls '~/a'",
    "ls $x",
    "ls `a`",
    "ls >",
    "ls > ;",
    "ls 'a",
    "ls {a,b}",
    "ls ~me",
    "ls a\u0007",
    "ls a\u00a0b",
    "x=(a b)",
    "ls 12>a",
  ])("%j is not", (line) => expect(read(line)).toBeNull());

  it("has at most 10,000 characters", () => {
    expect(read("a".repeat(10_000))).toHaveLength(1);
    expect(read("a".repeat(10_001))).toBeNull();
  });
  it("knows what is piped into a command, nearest first", () => {
    const commands = readPlain("a | b | c; d | e") ?? [];
    expect(commands.map(({ piped }) => piped.map(({ words }) => words[0]?.text))).toEqual([
      [],
      ["a"],
      ["b", "a"],
      [],
      ["d"],
    ]);
  });
});
