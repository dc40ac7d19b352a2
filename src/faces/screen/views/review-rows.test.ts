import { expect, it } from "vitest";
import { reviewRows } from "./review-rows.ts";

const DIFF = `diff --git a/a.ts b/a.ts
index 1..2 100644
--- a/a.ts
+++ b/a.ts
@@ -10,3 +10,3 @@ function f() {
 same
--- an old comment of SQL
+++ x;
 end
\\ No newline at end of file
diff --git a/lib/b.bin b/lib/b.bin
new file mode 100644
Binary files /dev/null and b/lib/b.bin differ
`;

it("numbers lines as the new file does, and groups files by the task that made them", () => {
  const rows = reviewRows(DIFF, "", (path) => (path === "a.ts" ? "#3 Fix" : ""));
  expect(rows.map((row) => `${row.kind} ${row.kind === "line" ? row.line : ""} ${row.text}`)).toEqual([
    "task  #3 Fix",
    "file  a.ts",
    "note  @@ -10,3 +10,3 @@ function f() {",
    "line 10  same",
    "line 11 --- an old comment of SQL",
    "line 11 +++ x;",
    "line 12  end",
    "note  \\ No newline at end of file",
    "task  by no task",
    "file  lib/b.bin",
    "note  new file mode 100644",
    "note  Binary files /dev/null and b/lib/b.bin differ",
  ]);
  expect(reviewRows(DIFF, "lib/", () => "").filter(({ kind }) => kind === "file")).toHaveLength(1);
  expect(reviewRows("", "", () => "")).toEqual([]);
  const written = reviewRows(
    DIFF,
    "",
    () => "",
    (_, line) => line,
  );
  expect(written.map((row) => (row.kind === "line" ? row.task : null)).filter(Boolean)).toEqual([11]);
});
