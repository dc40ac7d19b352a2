/** Reports of the mouse: button, column, row, pressed or released. */

// biome-ignore lint/suspicious/noControlCharactersInRegex: a report begins with one
const REPORT = /^\x1b\[<(\d+);(\d+);(\d+)([Mm])$/;
const LEFT = 0;
const WHEEL_LINES = 3;
/** Lines by which the wheel scrolls. */
const WHEEL: Readonly<Record<number, number>> = { 64: -WHEEL_LINES, 65: WHEEL_LINES };

/** `row` and `column`: from 0, where the left button was pressed. */
export type Mouse = { readonly scroll: number; readonly row: number | null; readonly column: number };

/** Null: the input is no report. */
export function mouseOf(data: string): Mouse | null {
  const [, button, column, row, kind] = REPORT.exec(data) ?? [];
  if (row === undefined) return null;
  const pressed = kind === "M" ? Number(button) : null;
  return {
    scroll: pressed === null ? 0 : (WHEEL[pressed] ?? 0),
    row: pressed === LEFT ? Number(row) - 1 : null,
    column: Number(column) - 1,
  };
}
