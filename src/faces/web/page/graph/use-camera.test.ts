import { expect, it } from "vitest";
import { layout } from "./layout.ts";
import { fitted } from "./use-camera.ts";

/** The buttons, 38 pixels high and 12 above the edge of the window. */
const BUTTONS = 50;

it.each([
  [1_440, 900],
  [1_024, 400],
  [1_920, 300],
  [390, 700],
])("shows a large board whole above the buttons, in a window of %i by %i", (width, height) => {
  const ids = Array.from({ length: 3_000 }, (_, i) => i + 1);
  const board = layout(
    ids.map((id) => ({ id, blockedBy: id > 540 && id % 4 !== 0 ? [id - 540] : [] })),
    ids,
  );
  const { x, y, k } = fitted(board, { width, height });
  expect(Math.min(x, y)).toBeGreaterThan(0);
  expect(x + board.width * k).toBeLessThan(width);
  expect(y + board.height * k).toBeLessThan(height - BUTTONS);
});
