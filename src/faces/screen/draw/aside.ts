/** On a wide terminal the team and the board have a column of their own, right of the story. Rows without room are counted by state. */
import { countsOf, listed } from "../../../core/picture/looks.ts";
import type { Picture } from "../../../core/picture/picture.ts";
import { look as lookOf, progressText } from "../../../core/views/board.ts";
import { nobodyTakes, taskRow, waitingFirst } from "../panels/board.ts";
import { type StripLine, type StripLook, stripLines } from "../story/strip.ts";
import type { TeamModel } from "../story/team.ts";
import { type Style, shortened } from "./style.ts";

/** Columns from which on there is one, and its share of them. */
const WIDE = 160;
const SHARE = 0.38;
const AGAIN_MS = 1_000;

export type Aside = { readonly width: number; readonly lines: readonly StripLine[] };

/** `height`: the rows that it may have. Null on a narrower terminal, and for a lead alone without tasks. */
export function asideOf(team: TeamModel | null, style: Style, look: StripLook, height: number): Aside | null {
  if (!team || look.width < WIDE) return null;
  const width = Math.floor(look.width * SHARE);
  const members = stripLines(team, style, { ...look, width }, Math.floor(height / 2));
  const room = height - members.length - (members.length > 0 ? 1 : 0);
  const tasks = boardLines(team.picture, style, width, room, look.now);
  if (members.length + tasks.length === 0) return null;
  const gap = members.length > 0 && tasks.length > 0 ? [{ line: "", name: null }] : [];
  return { width, lines: [...members, ...gap, ...tasks.map((line) => ({ line, name: null }))] };
}

/** A frame draws a board of hundreds of tasks no more often than once a second. */
const drawn = new WeakMap<Picture, { readonly key: string; readonly lines: readonly string[] }>();

function boardLines(
  picture: Picture,
  style: Style,
  width: number,
  rows: number,
  now: number,
): readonly string[] {
  const key = `${width} ${rows} ${Math.floor(now / AGAIN_MS)}`;
  const known = drawn.get(picture);
  if (known?.key === key) return known.lines;
  const tasks = waitingFirst(listed(picture, now), picture);
  const room = tasks.length > rows - 1 ? rows - 2 : rows - 1;
  const rest = new Map<string, number>();
  for (const task of tasks.slice(Math.max(0, room))) {
    const { word } = lookOf(task.task);
    rest.set(word, (rest.get(word) ?? 0) + 1);
  }
  const folded = [...rest].map(([word, count]) => `${count} ${word}`).join(" · ");
  const lines =
    tasks.length === 0 || rows < 3
      ? []
      : [
          style.paint("strong", shortened(progressText(countsOf(picture)), width)),
          ...tasks
            .slice(0, room)
            .flatMap(({ task, asks }) =>
              taskRow(task, false, style, nobodyTakes(task, picture), asks).lines(width),
            ),
          ...(folded === "" ? [] : [style.paint("dim", shortened(`  and ${folded}`, width))]),
        ];
  drawn.set(picture, { key, lines });
  return lines;
}
