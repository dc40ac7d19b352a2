import { expect, it } from "vitest";
import type { View } from "../../core/views/view.ts";
import { clock, feedLine, lines } from "./print.ts";
import { clean, columns, cut, type Terminal, wrap } from "./terminal.ts";

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
  expect(clean("a\x1b[31mred\x1b[0m\x1b]0;title\x07b\x9b2J\rc\u202e\n\td")).toBe("aredb2J\nc\\u{202e}\n\td");
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

it("breaks what is too long at blanks, and loses nothing", () => {
  expect(wrap("the quick brown fox", 10)).toEqual(["the quick", "brown fox"]);
  expect(wrap("  indented words here", 12)).toEqual(["  indented", "words here"]);
  expect(wrap("a averyveryverylongword b", 10)).toEqual(["a", "averyveryv", "erylongwor", "d b"]);
  expect(wrap("日本語のタスク", 6)).toEqual(["日本語", "のタス", "ク"]);
  expect(wrap("", 5)).toEqual([""]);
  const text = "word ".repeat(40).trim();
  const mail = { at: null, who: "bob", text, tone: "plain" } as const;
  const shown = lines(out(40), { kind: "feed", lines: [mail], empty: "" });
  expect(shown.every((line) => columns(line) <= 40)).toBe(true);
  expect(shown.map((line) => line.slice(5)).join(" ")).toBe(text);
  expect(feedLine(out(20), mail, 4, "is cut")).toEqual(["bob   word word wor…"]);
  expect(lines(out(30), { kind: "figures", figures: [{ label: "model", text }] })[1]).toBe(
    "       word word word word",
  );
  const long = { label: "/panel [BOARD|MAIL|TODOS]", text: "opens a panel, or closes the one that is open" };
  expect(lines(out(60), { kind: "figures", figures: [long] })).toEqual([
    long.label,
    "    opens a panel, or closes the one that is open",
  ]);
});

it("leaves minor columns out before it makes the others unreadable", () => {
  const wide: View = {
    kind: "table",
    columns: [
      { name: "name" },
      { name: "doing", grow: true },
      { name: "heartbeat", minor: true },
      { name: "cost" },
    ],
    rows: [["alice", "#1 Write the tests for the parser", "3s ago", "$1.20"].map((text) => ({ text }))],
    empty: "",
  };
  expect(lines(out(32), wide)).toEqual([
    "name   doing               cost",
    "alice  #1 Write the test…  $1.20",
  ]);
  expect(lines(out(25), wide)).toEqual(["name   doing", "alice  #1 Write the test…"]);
});

it("says the day of what is not of today", () => {
  const at = new Date(2026, 1, 3, 4, 5, 6).getTime();
  expect(clock(at, at + 1_000)).toBe("04:05:06");
  expect(clock(at, at + 86_400_000)).toBe("2026-02-03 04:05:06");
});
