import { expect, it } from "vitest";
import type { View } from "../../core/views/view.ts";
import { lines } from "./print.ts";
import { clean, columns, cut, type Terminal } from "./terminal.ts";

const out = (width: number): Terminal => ({
  isTTY: true,
  colour: false,
  width: () => width,
  write: () => {},
  paint: (_tone, text) => text,
});
const table: View = {
  kind: "table",
  columns: [
    { name: "id", align: "right" },
    { name: "subject", grow: true },
    { name: "empty" },
    { name: "owner" },
  ],
  rows: [
    [{ text: "1" }, { text: "Write the tests for the parser" }, { text: "" }, { text: "alice" }],
    [{ text: "10" }, { text: "発表の資料を書く" }, { text: "" }, { text: "bob" }],
  ],
  empty: "nothing",
};

it("aligns columns, leaves empty ones out and cuts to the width", () => {
  expect(lines(out(80), table)).toEqual([
    "id  subject                         owner",
    " 1  Write the tests for the parser  alice",
    "10  発表の資料を書く                bob",
  ]);
  expect(lines(out(30), table)).toEqual([
    "id  subject              owner",
    " 1  Write the tests fo…  alice",
    "10  発表の資料を書く     bob",
  ]);
  for (const width of [20, 10, 3])
    for (const line of lines(out(width), table)) expect(columns(line)).toBeLessThanOrEqual(width);
  expect(lines(out(80), { ...table, rows: [] })).toEqual(["nothing"]);
});

it("indents the further lines of figures and feeds", () => {
  expect(
    lines(out(80), {
      kind: "figures",
      figures: [
        { label: "a", text: "1" },
        { label: "long", text: "x\ny" },
        { label: "b", text: "", share: 0.5 },
      ],
    }),
  ).toEqual(["a     1", "long  x", "      y", "b     ██████████░░░░░░░░░░ "]);
  const feed = lines(out(80), {
    kind: "feed",
    lines: [{ at: null, who: "bob", text: "one\n\ntwo", tone: "plain" }],
    empty: "",
  });
  expect(feed).toEqual(["bob  one", "", "     two"]);
});

it("lets nothing through that could steer a terminal", () => {
  expect(clean("a\x1b[31mred\x1b[0m\x1b]0;title\x07b\x9b2J\rc\u202e\n\td")).toBe("aredb2J\nc\n\td");
  expect(
    lines(out(80), {
      kind: "feed",
      lines: [{ at: null, who: "x", text: "\x1b[2Jhi", tone: "plain" }],
      empty: "",
    }),
  ).toEqual(["x  hi"]);
});

it("counts columns as a terminal does", () => {
  expect([columns("abc"), columns("日本"), columns("e\u0301"), columns("✅")]).toEqual([3, 4, 1, 2]);
  expect([cut("日本語", 5), cut("abc", 3), cut("abcd", 3), cut("abcd", 0)]).toEqual([
    "日本…",
    "abc",
    "ab…",
    "",
  ]);
});
