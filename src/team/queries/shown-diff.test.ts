import { expect, it } from "vitest";
import { diffShower } from "./shown-diff.ts";

const part = (before: string, after: string, text: string): string =>
  `diff --git a/${before} b/${after}\n--- a/${before}\n+++ b/${after}\n@@ -1 +1 @@\n+${text}\n`;
const rules = { allow: [], ask: [], deny: ["read_file(.env)", "read_file(keys/**)", "read_file(**/*.pem)"] };
const redact = (text: string): string => text.replaceAll("hunter2", "[secret PASSWORD]");
const show = diffShower(rules, "/p/app", redact);

it("leaves the name of a file that a rule closes, also in a project below the top of its repository", () => {
  const open = part("app/a.txt", "app/a.txt", "open");
  const closed = [
    part("app/.env", "app/.env", "KEY=1"),
    part("app/keys/x/y", "app/keys/x/y", "KEY=1"),
    part("app/deep/b.pem", "app/deep/b.pem", "KEY=1"),
    part("app/.env", "app/new.txt", "KEY=1"),
  ];
  const shown = show([...closed, open].join(""), "app/");
  expect(shown).not.toContain("KEY");
  expect(shown).toContain(open);
  expect(shown.match(/^diff --git .*$/gm)).toHaveLength(5);
  // The same name elsewhere is another file.
  expect(show(part(".env", ".env", "KEY=1"), "app/")).toContain("KEY");
  expect(show(part(".env", ".env", "KEY=1"), "")).not.toContain("KEY");
});

it("takes known secrets out", () => {
  expect(show(part("a.txt", "a.txt", "hunter2"), "")).toContain("+[secret PASSWORD]");
});
