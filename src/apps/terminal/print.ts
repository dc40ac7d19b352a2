/** Prints views as text: aligned columns cut to the width of the terminal, colours where they are wanted. */
import type { Cell, Column, FeedLine, Figure, View } from "../../core/views/view.ts";
import { clean, columns, cut, pad, type Terminal } from "./terminal.ts";

export function print(out: Terminal, views: readonly View[]): void {
  const parts = views.map((view) => lines(out, view).join("\n")).filter((part) => part !== "");
  if (parts.length > 0) out.write(`${parts.join("\n\n")}\n`);
}

export function lines(out: Terminal, view: View): string[] {
  switch (view.kind) {
    case "table":
      return view.rows.length === 0 ? [out.paint("dim", view.empty)] : table(out, view.columns, view.rows);
    case "figures":
      return figures(out, view.figures);
    case "feed":
      return view.lines.length === 0 ? [out.paint("dim", view.empty)] : feed(out, view.lines);
    case "graph":
      return view.nodes.map((node) => {
        const from = view.edges.filter((edge) => edge.to === node.id).map((edge) => `#${edge.from}`);
        return out.paint(
          node.tone,
          `#${node.id} ${clean(node.text)}${from.length > 0 ? ` ← ${from.join(" ")}` : ""}`,
        );
      });
    default:
      return view satisfies never;
  }
}

const GAP = 2;

function table(out: Terminal, heads: readonly Column[], rows: readonly (readonly Cell[])[]): string[] {
  const texts = rows.map((row) => row.map((cell) => clean(cell.text).replace(/\s+/g, " ")));
  // A column that has nothing to say in any row is left out.
  const shown = heads.map((_, i) => i).filter((i) => texts.some((row) => row[i] !== ""));
  const widths = heads.map((head, i) => widest([head.name, ...texts.map((row) => row[i] ?? "")]));
  shrink(heads, widths, shown, out.width());
  const line = (cell: (i: number) => string): string => shown.map(cell).join(" ".repeat(GAP)).trimEnd();
  const fitted = (i: number, text: string): string =>
    pad(cut(text, widths[i] ?? 0), widths[i] ?? 0, heads[i]?.align === "right");
  return [
    line((i) => out.paint("dim", fitted(i, heads[i]?.name ?? ""))),
    ...rows.map((row, r) => line((i) => out.paint(row[i]?.tone ?? "plain", fitted(i, texts[r]?.[i] ?? "")))),
  ];
}

/** A loop, because a board may have more rows than a call may have arguments. */
const widest = (texts: readonly string[]): number =>
  texts.reduce((width, text) => Math.max(width, columns(text)), 0);

/** Takes what is too much from the columns that may give way, then from the widest. */
function shrink(heads: readonly Column[], widths: number[], shown: number[], width: number): void {
  const total = (): number => shown.reduce((sum, i) => sum + (widths[i] ?? 0), GAP * (shown.length - 1));
  const take = (i: number, least: number): void => {
    const now = widths[i] ?? 0;
    widths[i] = Math.min(now, Math.max(least, now - Math.max(0, total() - width)));
  };
  for (const i of shown) if (heads[i]?.grow) take(i, 12);
  for (const i of [...shown].sort((a, b) => (widths[b] ?? 0) - (widths[a] ?? 0))) take(i, 4);
  while (total() > width && shown.length > 1) shown.pop();
}

function figures(out: Terminal, list: readonly Figure[]): string[] {
  const width = widest(list.map((figure) => clean(figure.label)));
  return list.flatMap((figure) => {
    const [first = "", ...more] = clean(figure.text).trimEnd().split("\n");
    const bar = figure.share === undefined ? "" : `${progressBar(out, figure.share, 20)} `;
    const head = `${out.paint("dim", pad(clean(figure.label), width))}  ${bar}${out.paint(figure.tone ?? "plain", first)}`;
    return [
      head,
      ...more.map((text) => `${" ".repeat(width + GAP)}${out.paint(figure.tone ?? "plain", text)}`),
    ];
  });
}

export function progressBar(out: Terminal, share: number, width: number): string {
  const full = Math.round(Math.min(1, Math.max(0, share)) * width);
  return out.paint("good", "█".repeat(full)) + out.paint("dim", "░".repeat(width - full));
}

/** Feed lines aligned among themselves; what has several lines is indented under its first. */
function feed(out: Terminal, list: readonly FeedLine[]): string[] {
  const width = Math.min(18, widest(list.map((line) => clean(line.who))));
  return list.flatMap((line) => feedLine(out, line, width));
}

/** One feed line; `width` is that of its who. Cut to the terminal unless it has several lines. */
export function feedLine(out: Terminal, line: FeedLine, width: number): string[] {
  const time = line.at === null ? "" : `${clock(line.at)}  `;
  const who = pad(cut(clean(line.who), width), width);
  const indent = columns(time) + width + GAP;
  const [first = "", ...more] = clean(line.text).trimEnd().split("\n");
  const paint = (text: string): string => out.paint(line.tone, text);
  return [
    `${out.paint("dim", time)}${out.paint(line.who === "" ? "plain" : "strong", who)}  ${paint(more.length > 0 ? first : cut(first, out.width() - indent))}`.trimEnd(),
    ...more.map((text) => (text === "" ? "" : `${" ".repeat(indent)}${paint(text)}`)),
  ];
}

/** The time of day, in the person's own zone. */
const clock = (at: number): string => new Date(at).toTimeString().slice(0, 8);
