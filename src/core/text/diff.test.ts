import { expect, it } from "vitest";
import { filesIn } from "./diff.ts";

const DIFF = `diff --git a/src/a b.ts b/src/a b.ts
index 1..2 100644
--- a/src/a b.ts\t
+++ b/src/a b.ts\t
@@ -3,3 +3,4 @@ export function one() {
 kept
--- a line that was there
+++ a line that is new
+another
 kept too
\\ No newline at end of file
diff --git a/new.txt b/new.txt
new file mode 100644
index 0..1
--- /dev/null
+++ b/new.txt
@@ -0,0 +1 @@
+hello
diff --git a/gone.txt b/gone.txt
deleted file mode 100644
--- a/gone.txt
+++ /dev/null
@@ -1 +0,0 @@
-bye
diff --git a/logo.png b/logo.png
index 1..2 100644
Binary files a/logo.png and b/logo.png differ
`;

it("takes a diff apart by file, with the numbers of lines", () => {
  const files = filesIn(DIFF);
  expect(files.map(({ path, kind, added, removed }) => ({ path, kind, added, removed }))).toEqual([
    { path: "src/a b.ts", kind: "", added: 2, removed: 1 },
    { path: "new.txt", kind: "new", added: 1, removed: 0 },
    { path: "gone.txt", kind: "deleted", added: 0, removed: 1 },
    { path: "logo.png", kind: "binary", added: 0, removed: 0 },
  ]);
  expect(files[0]?.lines).toEqual([
    { sign: "@", text: "export function one() {", number: null },
    { sign: " ", text: "kept", number: 3 },
    { sign: "-", text: "-- a line that was there", number: 4 },
    { sign: "+", text: "++ a line that is new", number: 4 },
    { sign: "+", text: "another", number: 5 },
    { sign: " ", text: "kept too", number: 6 },
  ]);
  expect(filesIn("")).toEqual([]);
});

it("keeps a file whole that holds the head of a diff behind another separator of lines", () => {
  for (const separator of ["\r", "\u2028", "\u2029"]) {
    const hostile = `+hidden${separator}diff --git a/safe.md b/safe.md`;
    const files = filesIn(DIFF.replace("+hello", `${hostile}\n+rm -rf /`));
    expect(files.map(({ path }) => path)).toEqual(["src/a b.ts", "new.txt", "gone.txt", "logo.png"]);
    expect(files[1]?.lines.map(({ text }) => text)).toEqual(["", hostile.slice(1), "rm -rf /"]);
  }
});

it("reads names that git has put into quotes", () => {
  const name = String.raw`t\303\244g\t\"x\".ts`;
  const [file] = filesIn(
    `diff --git "a/${name}" "b/${name}"\n--- "a/${name}"\n+++ "b/${name}"\n@@ -1 +1 @@\n-a\n+b\n`,
  );
  expect(file?.path).toBe('täg\t"x".ts');
  expect(filesIn(`diff --git "a/${name}" "b/${name}"\nold mode 100644\nnew mode 100755\n`)[0]?.path).toBe(
    'täg\t"x".ts',
  );
});
