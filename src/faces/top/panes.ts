/** The panes of `ekiden top`: how the rows of the screen are shared out, and which part of each pane is in view. Pure. */
export const PANES = ["team", "board", "feed"] as const;
export type Pane = (typeof PANES)[number];

export const nextPane = (pane: Pane, by = 1): Pane =>
  PANES[(PANES.indexOf(pane) + by + PANES.length) % PANES.length] ?? "team";

export type Heights = Readonly<Record<Pane, number>>;

/** Rows that each pane keeps, as long as the screen has them. */
const LEAST = 2;

/**
 * Shares `rows` out. No pane gets more than it `wants`, the feed takes the rest. The pane in focus may take half of the rows,
 * the others less than a third each.
 */
export function share(rows: number, wants: Heights, focus: Pane): Heights {
  const part = (pane: Pane): number =>
    Math.min(wants[pane], Math.max(LEAST, Math.floor(rows * (pane === focus ? 0.5 : 0.3))));
  const team = Math.min(part("team"), rows);
  const board = Math.min(part("board"), rows - team);
  return { team, board, feed: Math.max(0, rows - team - board) };
}

/** Where a pane's window begins; `back` counts from the end in the feed, which stays at its newest line, and from the top elsewhere. */
export function firstShown(pane: Pane, back: number, lines: number, height: number): number {
  const most = Math.max(0, lines - height);
  const offset = Math.min(Math.max(0, back), most);
  return pane === "feed" ? most - offset : offset;
}

/** How far a pane is scrolled after a movement towards its end (`by` > 0) or its beginning. */
export function scrolled(pane: Pane, back: number, by: number, lines: number, height: number): number {
  const most = Math.max(0, lines - height);
  const now = Math.min(Math.max(0, back), most);
  return Math.min(most, Math.max(0, pane === "feed" ? now - by : now + by));
}
