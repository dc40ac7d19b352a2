/** The files of a change that its task does not name. */
import { expect, it } from "vitest";
import { outside } from "./drift.ts";

const change = (...paths: readonly string[]): string =>
  paths
    .map((path) => `diff --git a/${path} b/${path}\n--- a/${path}\n+++ b/${path}\n@@ -1 +1 @@\n-a\n+b\n`)
    .join("");

it.each<[files: string[], touches: string[], outside: string[]]>([
  [["src/a/x.ts", "src/b.ts", "README.md"], ["src/a/**", "README.md"], ["src/b.ts"]],
  [["src/a.ts"], [], []],
  [["Makefile", "src/Makefile"], ["Makefile"], ["src/Makefile"]],
  [["docs/a b.md"], ["docs/"], []],
  // Names with signs of patterns: those of Next.js.
  [["app/[id]/page.tsx", "app/[slug].tsx"], ["app/[id]/page.tsx"], ["app/[slug].tsx"]],
  [["app/[id].tsx"], ["app/about.tsx"], ["app/[id].tsx"]],
])("%j of a task that names %j", (files, touches, expected) => {
  expect(outside(change(...files), touches)).toEqual(expected);
});

it("also names where a file was moved from", () => {
  const moved =
    "diff --git a/old/x.ts b/src/x.ts\nsimilarity index 100%\nrename from old/x.ts\nrename to src/x.ts\n";
  expect(outside(moved, ["src/**"])).toEqual(["old/x.ts"]);
});
