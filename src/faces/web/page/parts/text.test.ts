import { lexer } from "marked";
import { expect, it } from "vitest";
import { Follow } from "../live/follow.ts";
import { changed } from "../pure/changed.ts";
import { blocks, ends, patchLines } from "./text.tsx";

/** The words of elements. */
function wordsOf(node: unknown): string {
  if (Array.isArray(node)) return node.map(wordsOf).join("");
  if (typeof node !== "object" || node === null) return typeof node === "string" ? node : "";
  const { type, props } = node as { type: unknown; props: { children?: unknown } };
  return wordsOf(typeof type === "function" ? type(props) : props.children);
}

it("follows the end of a conversation that grows, until one scrolls up, and again from the end on", () => {
  const follow = new Follow();
  const box = { scrollTop: 0, scrollHeight: 1_000, clientHeight: 300 };
  follow.toEnd(box);
  box.scrollTop = 700; // as a browser limits it
  follow.scrolled(box);
  box.scrollHeight = 5_000; // entries were measured
  follow.scrolled(box);
  expect(follow.isOn).toBe(true);
  box.scrollTop = 4_700;
  follow.scrolled(box);
  box.scrollTop = 4_000;
  follow.scrolled(box);
  expect(follow.isOn).toBe(false);
  follow.toEnd(box);
  expect(box.scrollTop).toBe(4_000);
  box.scrollTop = 4_690;
  follow.scrolled(box);
  expect(follow.isOn).toBe(true);
});

it("shows one box for each task of a list", () => {
  expect(wordsOf(blocks(lexer("- [x] done\n- [ ] open", { gfm: true })))).toBe("☑ done☐ open");
  expect(wordsOf(blocks(lexer("- [x] done\n\n- [ ] open", { gfm: true })))).toBe("☑ done☐ open");
});

it("shows the beginning and more of the end of a long output", () => {
  const lines = Array.from({ length: 30 }, (_, i) => String(i));
  expect(ends(lines, 4, 10)).toEqual({ head: lines.slice(0, 4), hidden: 16, tail: lines.slice(20) });
  expect(ends(lines.slice(0, 17), 4, 10)).toBeNull();
  expect(ends(lines, 10, 0)).toEqual({ head: lines.slice(0, 10), hidden: 20, tail: [] });
});

it("never shows a line as changed that stays, however much changes around it", () => {
  const before = Array.from({ length: 5_000 }, (_, i) => (i % 2 ? `stays ${i}` : `old ${i}`));
  const after = before.map((line) => line.replace("old", "new"));
  const lines = changed(before.join("\n"), `${after.join("\n")}\n`);
  const of = (sign: string): string[] => lines.filter((line) => line.sign === sign).map(({ text }) => text);
  expect(of("-")).toEqual(before.filter((_, i) => i % 2 === 0));
  expect(of("+")).toEqual(after.filter((_, i) => i % 2 === 0));
  expect(of(" ")).toEqual(before.filter((_, i) => i % 2 === 1));
  expect(changed("a\nb", "a\nb\nc\n").map(({ sign, text }) => sign + text)).toEqual([" a", " b", "+c"]);
});

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
