import { expect, it } from "vitest";
import { statOf } from "./task-changes.ts";

it("counts the lines of a diff, file by file", () => {
  const diff = `diff --git a/src/a.ts b/src/a.ts
index 1..2 100644
--- a/src/a.ts
+++ b/src/a.ts
@@ -1,2 +1,3 @@
-one
+two
+three
 same
diff --git a/logo.png b/logo.png
Binary files differ
`;
  expect(statOf(diff)).toBe("src/a.ts +2 -1\nlogo.png +0 -0");
  expect(statOf("")).toBe("");
});
