/** Which program texts are harmless, and which lines only ask a tool of the project. */
import { describe, expect, it } from "vitest";
import { readPlain } from "./plain.ts";
import { asksProjectTool } from "./project-tools.ts";
import { isHarmlessSed } from "./scripts.ts";
import { readTree } from "./tree.ts";

describe("a program of sed", () => {
  it("is harmless if it only addresses, prints, deletes, moves and replaces", () => {
    const scripts = [
      "",
      "p",
      "1p",
      "1,5p",
      "1,+5p",
      "1~2p",
      "$p",
      "/a/p",
      "/a/Ip",
      "/a/,/b/p",
      "/a\\/b/p",
      "1!p",
      "1 ! p",
      "{p}",
      "/a/{p;d}",
      "p;p",
      "p p",
      "p\np",
      "s/a/b/",
      "s/a/b/g",
      "s/a/b/gI2p",
      "s|a|b|",
      "s/\\//b/",
      "s/a\\/b/c/g",
      "s/a/b/;p",
      "s/a/b/ ; p",
      "s/a/b/}",
      "{s/a/b/}",
      "y/a/b/",
      "y/a/b/g",
      "q5",
      "$!N",
      "n;d",
      "1,3{p}",
      "1,$p",
      "s,a,b,",
      "s/a//",
      "s//b/",
    ];
    expect(scripts.filter((script) => !isHarmlessSed(script))).toEqual([]);
  });
  it("is not if it writes, runs or reads further files, or is not complete", () => {
    const scripts = [
      "/a/,p",
      "1,p",
      "pd",
      "s/a/b/e",
      "s/a/b/w x",
      "s/a/b",
      "s/a",
      "s",
      "s a b ",
      "s\\a\\b\\",
      "sxaxbx",
      "y/a/b",
      "w x",
      "r x",
      "e",
      "1e",
      "s/a/b/\\",
      "s/a/b\\/",
      "s/a/b/gw x",
    ];
    expect(scripts.filter((script) => isHarmlessSed(script))).toEqual([]);
  });
});

describe("a line for a tool of the project", () => {
  const asks = (line: string): boolean => {
    const [program, ...args] = (readPlain(line) ?? readTree(line).commands)[0]?.words ?? [];
    return asksProjectTool(program?.text ?? "", args);
  };
  it("is a question", () => {
    const lines = [
      "npm ls",
      "npm ls a",
      "npm ls a b",
      "npm ls ./...",
      "npm ls --all",
      "npm run",
      "npm explain x y",
      "yarn why a",
      "go list ./...",
      "go list a/...",
      "go env",
      "python3 -m json.tool a",
      "python3 -m json.tool",
      "python3 -m pip list",
      "python3 -m pip list -v",
      "cargo tree",
      "cargo tree a b c",
      "cargo --version",
      "vitest --version",
    ];
    expect(lines.filter((line) => !asks(line))).toEqual([]);
  });
  it("is more than a question", () => {
    const lines = [
      "npm ls a*",
      "npm ls /etc",
      "npm ls a/../b",
      "npm ls --registry=x",
      "npm run x",
      "npm x",
      "pnpm run x",
      "npm install",
      "go list a..b",
      "go list -toolexec=x",
      "go env -w",
      "go env A=1",
      "python3 -m json.tool a b",
      "python3 -m x",
      "cargo build",
      "cargo --version a",
      'npm ls "$X"',
    ];
    expect(lines.filter(asks)).toEqual([]);
  });
});
