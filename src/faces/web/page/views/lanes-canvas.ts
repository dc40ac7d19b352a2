/** Draws the lanes on a canvas: work as bars, and below each bar what held it up. */

import type { Lanes, Span, SpanKind } from "../../../../core/picture/spans.ts";
import { span as spanText } from "../../../../core/views/view.ts";
import { app } from "../app.ts";
import { clockTime } from "../parts.tsx";

/** A lane grows with the room that there is. */
const [ROW_LEAST, ROW_MOST] = [36, 64];
export const rowHeight = (lanes: number, room: number): number =>
  Math.floor(Math.max(ROW_LEAST, Math.min(ROW_MOST, (room - AXIS) / Math.max(1, lanes))));
export const AXIS = 28;
const STEPS = [
  1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 14_400, 28_800, 86_400, 604_800,
];

/** From here on a lane says how long its tasks took. */
const TWO_LINES = 56;

export type Range = { readonly from: number; readonly to: number };

const COLORS: Readonly<Record<SpanKind, string>> = {
  task: "lane-task",
  gate: "lane-gate",
  queue: "lane-queue",
  permission: "lane-wait",
  plan: "lane-wait",
  question: "lane-wait",
  provider: "lane-wait",
};
const ENDS: Readonly<Record<Span["end"], string>> = {
  completed: "lane-good",
  failed: "lane-bad",
  released: "lane-off",
  cancelled: "lane-off",
  "": "lane-task",
};

export function drawLanes(
  canvas: HTMLCanvasElement,
  scroll: number,
  all: Lanes,
  rows: ReadonlyMap<string, number>,
  row: number,
  range: Range,
  last: number,
  selected: Span | null,
): void {
  const context = canvas.getContext("2d");
  if (!context) return;
  const style = getComputedStyle(canvas);
  const cache = new Map<string, string>();
  const color = (name: string): string => {
    const known = cache.get(name) ?? style.getPropertyValue(`--${name}`).trim();
    cache.set(name, known);
    return known;
  };
  const [width, height] = [canvas.clientWidth, canvas.clientHeight];
  const ratio = canvas.width / Math.max(1, width);
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  const xOf = (at: number): number => ((at - range.from) / (range.to - range.from)) * width;
  drawAxis(context, range, width, height, color);
  context.save();
  context.beginPath();
  context.rect(0, AXIS, width, height - AXIS);
  context.clip();
  context.strokeStyle = color("border");
  context.lineWidth = 1;
  for (
    let y = AXIS + row - (scroll % row) - 0.5;
    y < Math.min(height, AXIS + rows.size * row - scroll);
    y += row
  ) {
    context.beginPath();
    context.moveTo(0, y);
    context.lineTo(width, y);
    context.stroke();
  }
  for (const one of all.spans) {
    const y = (rows.get(one.who) ?? 0) * row + AXIS - scroll;
    const [x, right] = [xOf(one.from), xOf(one.to ?? last)];
    if (y > height || y + row < AXIS || right < 0 || x > width) continue;
    const isTask = one.kind === "task";
    const [top, tall] = isTask ? [y + 4, row - 14] : [y + row - 9, 4];
    const wide = Math.max(2, right - x);
    context.fillStyle = color(isTask ? ENDS[one.end] : COLORS[one.kind]);
    context.fillRect(x, top, Math.max(1.5, wide - 1), tall);
    if (selected && selected.from === one.from && selected.who === one.who && selected.kind === one.kind) {
      context.strokeStyle = color("text");
      context.lineWidth = 2;
      context.strokeRect(x, top, wide, tall);
    }
    if (!isTask || wide < 34) continue;
    const subject = app.model.tasks.get(one.task ?? 0)?.subject ?? "";
    context.fillStyle = color("lane-text");
    context.font = "12px system-ui, sans-serif";
    context.textBaseline = "middle";
    const room = right - Math.max(0, x) - 10;
    // Isolated: in a right-to-left subject, numbers and brackets keep their places.
    const text = `#${one.task} \u2068${subject}`;
    const left = Math.max(0, x) + 6;
    const hasTwoLines = row >= TWO_LINES;
    context.fillText(fitting(context, text, room), left, y + (hasTwoLines ? 15.5 : 4 + tall / 2), room);
    if (!hasTwoLines) continue;
    const more = [spanText((one.to ?? last) - one.from), one.end].filter((part) => part !== "").join(" · ");
    context.fillText(fitting(context, more, room), left, y + 33.5, room);
  }
  for (const mark of all.marks) {
    const y = (rows.get(mark.who) ?? 0) * row + AXIS - scroll;
    const x = xOf(mark.at);
    if (y > height || y + row < AXIS || x < 0 || x > width) continue;
    context.fillStyle = color(
      mark.kind === "landed" ? "lane-good" : mark.kind === "refused" ? "lane-bad" : "lane-wait",
    );
    context.fillRect(x - 1, y + 3, 2.5, row - 7);
  }
  context.restore();
}

function drawAxis(
  context: CanvasRenderingContext2D,
  range: Range,
  width: number,
  height: number,
  color: (name: string) => string,
): void {
  const wanted = ((range.to - range.from) / 1000) * (90 / Math.max(90, width));
  const step = (STEPS.find((one) => one >= wanted) ?? STEPS.at(-1) ?? 1) * 1000;
  context.font = "12px system-ui, sans-serif";
  context.textBaseline = "middle";
  context.textAlign = "left";
  for (let at = Math.ceil(range.from / step) * step; at < range.to; at += step) {
    const x = Math.round(((at - range.from) / (range.to - range.from)) * width) + 0.5;
    context.strokeStyle = color("border");
    context.lineWidth = 1;
    context.beginPath();
    context.moveTo(x, AXIS - 6);
    context.lineTo(x, height);
    context.stroke();
    context.fillStyle = color("dim");
    context.fillText(clockTime(at).slice(0, step < 60_000 ? undefined : -3), x + 4, AXIS / 2);
  }
}

/** Cut at its end in reading order: a clip would take the beginning of a text that is written from right to left. */
function fitting(context: CanvasRenderingContext2D, text: string, room: number): string {
  const { width } = context.measureText(text);
  if (width <= room) return text;
  const characters = [...text];
  // By the mean width of a character: a text that is still too wide is drawn narrower.
  return `${characters.slice(0, Math.floor((characters.length * room) / width) - 1).join("")}…`;
}
