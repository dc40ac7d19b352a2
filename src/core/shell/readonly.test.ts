/** Which lines only read, by the table of programs and by what the disk holds. */
import { describe, expect, it } from "vitest";
import type { Disk } from "./places.ts";
import { readPlain } from "./plain.ts";
import { changesNothing, inputsOf, onlyReads, writesOf } from "./readonly.ts";
import { readTree } from "./tree.ts";

const ENTRIES: Readonly<Record<string, readonly string[]>> = {
  "/w": ["a", "b", "src", "lib", "sub", "out", ".git"],
  "/w/src": ["a", "b"],
  "/w/lib": ["a.ts", "odd name"],
  "/w/sub": [".git"],
  "/etc": ["passwd"],
};
const LINKS: Readonly<Record<string, string>> = { "/w/out": "/etc" };
/** `src` has only plain names; of `lib` that is true for the names with a `.ts`. */
const disk: Disk = {
  real: (path) => LINKS[path] ?? path,
  entries: (folder) => ENTRIES[folder] ?? null,
  isTame: (folder, name) =>
    folder === "/w/src" || (folder === "/w/lib" && name?.test("a.ts") === true && !name.test("odd name")),
};

/** `free` without a question, `free in a sandbox`, or `asked` about in both. */
function judged(line: string): string {
  const commands = readPlain(line) ?? readTree(line).commands;
  const [open, confined] = [false, true].map((confined) =>
    onlyReads(commands, { workspace: "/w", home: "/home/me", disk, confined }),
  );
  return open ? "free" : confined ? "free in a sandbox" : "asked";
}

describe("builtins", () => {
  it("need no question", () => {
    const lines = [
      "IFS= read x",
      "IFS=, read -r a",
      "LANG=C ls",
      "echo a*",
      "echo src/*",
      "echo $X",
      "printf '%s' a",
      "printf '%s' a*",
      "printf '%dn' 1",
      "printf a '%n'",
      "[[ -f a ]]",
      "test -f a",
      "[ -f a ]",
      "set -e",
      "set +e",
      "set -euo pipefail",
      "read -r a",
      "read",
      "exit",
      "exit 1",
      "command -v node",
      "timeout 5 ls",
      "timeout 5s ls a",
      "time ls",
      "printenv PATH",
      "printenv PATH HOME",
      "cd src",
      "/bin/ls",
      "/usr/bin/ls",
    ];
    expect(lines.filter((line) => judged(line) !== "free")).toEqual([]);
  });
  it("need no question in a sandbox", () => {
    const lines = ["env", "printenv", "man ls", "man ls cat"];
    expect(lines.filter((line) => judged(line) !== "free in a sandbox")).toEqual([]);
  });
  it("are asked about, also in a sandbox", () => {
    const lines = [
      "IFS= ls",
      "PATH=. read x",
      "PATH=. ls",
      "LANG=/x ls",
      "TZ=:x ls",
      "TZ=a/../b ls",
      "LANG=$X ls",
      "x=1",
      "echo /etc/*",
      "echo out/*",
      "printf '%s' /etc/*",
      "printf a*",
      "printf -v x y",
      "printf",
      "printf '%n' x",
      "printf '%5ln' x",
      "printf '%s' $X",
      "[[ -f $X ]]",
      "[[ 'a[0]' ]]",
      "test -f a*",
      "test -v a",
      "test -R a",
      'test -f "$X"',
      "[ -f a",
      "set",
      "set -- a",
      "set -f",
      "set -e a",
      "read A",
      "read a-b",
      "read -p x",
      'read "$x"',
      "exit 1 2",
      "exit 1234",
      "exit x",
      "command ls",
      "timeout 1.5m cat /etc/passwd",
      "timeout x ls",
      "timeout 5 rm a",
      "timeout 5",
      "timeout 5 l*",
      "time",
      "time l*",
      'time "$X"',
      "time rm a",
      "env A=1",
      "env rm",
      "printenv SECRET",
      "printenv PATH SECRET",
      "man -P x",
      "man l*",
      "man $X",
      "cd",
      "cd -",
      "cd src lib",
      "$X",
      "l? a",
      "/x/ls",
    ];
    expect(lines.filter((line) => judged(line) !== "asked")).toEqual([]);
  });
});

describe("programs with files", () => {
  it("need no question", () => {
    const lines = [
      "cat a",
      "cat a b",
      "cat a* b",
      "cat < a",
      "ls > /dev/null",
      "cd src && cat a",
      "node --version",
      "node -v",
      "diff a b",
      "diff src src",
      "diff a /dev/stdin",
      "diff -r src src",
    ];
    expect(lines.filter((line) => judged(line) !== "free")).toEqual([]);
  });
  it("need no question in a sandbox", () => {
    const lines = ["rustc --version", "npm ls", "npm ls src", "npm ls --all"];
    expect(lines.filter((line) => judged(line) !== "free in a sandbox")).toEqual([]);
  });
  it("are asked about, also in a sandbox", () => {
    const lines = [
      "cat /etc/passwd",
      "cat a /etc/passwd",
      "cat out/passwd",
      "cat out/*",
      "cat < /etc/passwd",
      "cat < b < /etc/passwd",
      "cat $X",
      "ls > b",
      "> b",
      "ls; rm a",
      "ls && cat /etc/passwd",
      "cd src && cat ../a",
      "cd src && cat ../../a",
      "cd .. && cat a",
      "cd out && cat passwd",
      "cd src; cd lib; cat ../../a",
      "cd sr* && ls",
      "node --version x",
      "node -p 1",
      "npm ls out",
      "npm install",
      "diff lib src",
      "diff src lib",
      "diff a out",
      "unknown a",
    ];
    expect(lines.filter((line) => judged(line) !== "asked")).toEqual([]);
  });
});

describe("git", () => {
  it("need no question", () => {
    const lines = [
      "git log",
      "git log a",
      "git -C src log",
      "git -C src log -- a",
      "cd src && git log",
      "git show HEAD:a",
      "git show HEAD:/a",
      "git show HEAD:../a",
    ];
    expect(lines.filter((line) => judged(line) !== "free")).toEqual([]);
  });
  it("are asked about, also in a sandbox", () => {
    const lines = [
      "git log -- /etc/passwd",
      "git log -- ../x",
      "git -C src log -- ../../x",
      "git -C /etc log",
      "git -C out log",
      "git -C sub log",
      "cd sub && git log",
      "git show /etc/passwd",
      "git push",
      "git $X",
    ];
    expect(lines.filter((line) => judged(line) !== "asked")).toEqual([]);
  });
});

describe("find", () => {
  it("need no question", () => {
    const lines = [
      "find",
      "find .",
      "find . -name '*.ts'",
      "find a* -name x",
      "find src lib",
      "find a -newer b",
      "find -newercm a",
      "find '(' -name a -o -name b ')'",
      "find ! -name x",
      "find '!' -name x -print",
      "find . -type f -exec grep x {} ';'",
      "find . -type f -exec grep x {} +",
      "find . -type f -exec grep x {} + -name y",
      "find . -type f -exec cat + ';'",
      "find . -type f -exec cat + a ';'",
      "find . -type f -exec head -1 {} ';' -exec cat {} ';'",
      "find src -exec cat {} ';'",
      "find src src -exec cat {} ';'",
      "find lib -name '*.ts' -exec cat {} ';'",
    ];
    expect(lines.filter((line) => judged(line) !== "free")).toEqual([]);
  });
  it("are asked about, also in a sandbox", () => {
    const lines = [
      "find /etc",
      "find . /etc",
      "find out",
      "find $X",
      "find -name",
      "find -name *",
      "find -name x*",
      "find -newer",
      "find -newer /etc/passwd",
      "find -newer a -delete",
      "find -newermt a",
      "find . -delete",
      "find . -name a -delete",
      "find . *",
      "find . -type f *",
      "find . -exec grep x {} ';'",
      "find -exec grep x {} ';'",
      "find . -type f -exec grep x {} ';' -delete",
      "find . -type d -exec grep x {} ';'",
      "find . -exec grep x {} ';' -type f",
      "find . -type f -o -name a -exec grep x {} ';'",
      "find . '!' -type f -exec grep x {} ';'",
      "find . -name f -exec grep x {} ';'",
      "find . -type f -exec rm {} ';'",
      "find . -type f -exec cat {}x ';'",
      "find . -type f -exec cat x{} {} ';'",
      "find . -type f -exec cat {} x",
      "find . -type f -exec ';'",
      "find . -type f -exec",
      "find . -type f -exec cat {} + a ';'",
      "find . -type f -exec find {} ';'",
      "find . -type f -exec git log {} ';'",
      "find . -type f -exec xargs cat {} ';'",
      "find . -type f -exec cat /etc/passwd {} ';'",
      "find . -type f -exec head -1 {} ';' -exec rm {} ';'",
      "find . -type f -exec comm {} ';'",
      "find src lib -exec cat {} ';'",
      "find lib -exec cat {} ';'",
      "find sr* -exec cat {} ';'",
      "find lib -name '*.?s' -exec cat {} ';'",
      "find lib -name '*' -exec cat {} ';'",
      "find lib -name '*.*.*.ts' -exec cat {} ';'",
      "find lib -exec cat {} ';' -name '*.ts'",
      "find lib -name '*.ts' -o -name x -exec cat {} ';'",
      "find lib -not -name '*.ts' -exec cat {} ';'",
      "find lib -path '*.ts' -exec cat {} ';'",
    ];
    expect(lines.filter((line) => judged(line) !== "asked")).toEqual([]);
  });
});

describe("names through xargs", () => {
  it("need no question", () => {
    const lines = [
      "find . -type f -print0 | xargs -0 cat",
      "find . -type f -print0 | xargs -r0 grep x",
      "find src -type f | xargs cat",
      "find src | xargs cat",
      "find src | xargs -n1 -P2 cat",
      "find src | xargs -t cat",
      "find src | xargs cat a",
      "find lib -name '*.ts' | xargs cat",
      "find lib -name '*.ts' -print | xargs cat",
      "find src | sort | uniq | head -5 | tail -n 3 | xargs cat",
      "find src | sort -rn | xargs cat",
      "find src | grep x | xargs cat",
      "find src | grep -v x | xargs cat",
      "find src | fgrep x | xargs cat",
      "git ls-files src | xargs cat",
      "git ls-files -z src | xargs -0 cat",
      "git ls-files -o --exclude-standard src | xargs cat",
      "rg -l x src | xargs cat",
      "rg --files src | xargs cat",
      "rg --files-with-matches x src | xargs cat",
      "grep -rl x src | xargs cat",
      "grep -rl --include='*.ts' x src | xargs cat",
    ];
    expect(lines.filter((line) => judged(line) !== "free")).toEqual([]);
  });
  it("are asked about, also in a sandbox", () => {
    const lines = [
      "find . -type f -print0 | xargs cat",
      "find . -type f -print | xargs -0 cat",
      "find . -type f | xargs cat",
      "find . -print0 | xargs -0 cat",
      "find . -print0 -type f | xargs -0 cat",
      "find . -type f -print0 | sort -z | xargs -0 cat",
      "find . -type f -print0 | sort | xargs -0 cat",
      "find src | xargs",
      "find src | xargs -n 1 cat",
      "find src | xargs -I{} cat {}",
      "find src | xargs rm",
      "find src | xargs find",
      "find src | xargs git log",
      "find src | xargs xargs cat",
      "find src | xargs cat /etc/passwd",
      "find src | xargs comm",
      "find src -printf x | xargs cat",
      "find src -ls | xargs cat",
      "find src -exec cat {} + | xargs cat",
      "find src -delete | xargs cat",
      "find src lib | xargs cat",
      "find lib src | xargs cat",
      "find sr* | xargs cat",
      "find 'src x' | xargs cat",
      "find | xargs cat",
      "find /etc | xargs cat",
      "find lib | xargs cat",
      "find lib -print -name '*.ts' | xargs cat",
      "find lib -print -name '*.ts' -type f | xargs cat",
      "find src | sort -o x | xargs cat",
      "find src | sort a | xargs cat",
      "find src | sort a* | xargs cat",
      "find src | sort $X | xargs cat",
      "find src | LANG=C sort | xargs cat",
      "find src | grep | xargs cat",
      "find src | grep x y | xargs cat",
      "find src | grep -f | xargs cat",
      "find src | cat | xargs cat",
      "find src | sed s/a/b/ | xargs cat",
      "git ls-files | xargs cat",
      "git ls-files -s src | xargs cat",
      "git log src | xargs cat",
      "rg x src | xargs cat",
      "rg -l x | xargs cat",
      "rg -l x lib | xargs cat",
      "rg -l --json x src | xargs cat",
      "rg -0l x src | xargs -0 cat",
      "grep -r x src | xargs cat",
      "grep -rl x . | xargs cat",
      "grep -rl -h x src | xargs cat",
      "ls src | xargs cat",
      "cat a | xargs cat",
      "xargs cat",
      "xargs",
      "find src | xargs -n1 | xargs cat",
    ];
    expect(lines.filter((line) => judged(line) !== "asked")).toEqual([]);
  });
});

describe("redirections", () => {
  it.each([
    ["ls > a", ["a"], []],
    ["ls >> a 2> b", ["a", "b"], []],
    ["ls > /dev/null 2> /dev/stderr", [], []],
    ["ls > /dev/sda", ["/dev/sda"], []],
    ["cat < a", [], ["a"]],
    ["cat <> a $x", ["a"], ["a"]],
    ["cat <<< a", [], []],
  ])("%s writes %j and reads %j", (line, writes, reads) => {
    const [command] = readPlain(line) ?? readTree(line).commands;
    const texts = (words: readonly { readonly text: string }[]): string[] => words.map(({ text }) => text);
    expect(command && [texts(writesOf(command)), texts(inputsOf(command))]).toEqual([writes, reads]);
  });
});

describe("what may run beside other calls", () => {
  it.each([
    ["cat /etc/passwd", true],
    ["cat /etc/passwd | head", true],
    ["cat ~/x", true],
    ["cd src", false],
    ["cd src && ls", false],
    ["ls; cd src", false],
    ["rm a", false],
    ["ls $x", false],
  ])("%s: %s", (line, expected) => expect(changesNothing(line)).toBe(expected));
});
