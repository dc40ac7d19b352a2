import { expect, it } from "vitest";
import { patchLines } from "./text.tsx";

it("a patch shows each file under its name, and takes lines that look like a head as content", () => {
  const patch = `diff --git a/src/a.sql b/src/a.sql
new file mode 100644
index 0000000..36fd184
--- /dev/null
+++ b/src/a.sql
@@ -1,2 +1,2 @@
 select 1;
--- an old comment
+++ a new one
diff --git a/b.png b/b.png
Binary files a/b.png and b/b.png differ
`;
  expect(patchLines(patch).map(({ sign, text }) => `${sign} ${text}`)).toEqual([
    "@ src/a.sql",
    "@ new file mode 100644",
    "@ @@ -1,2 +1,2 @@",
    "  select 1;",
    "- -- an old comment",
    "+ ++ a new one",
    "@ b.png",
    "@ Binary files a/b.png and b/b.png differ",
  ]);
});
