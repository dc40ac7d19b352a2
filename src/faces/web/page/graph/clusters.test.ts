import { expect, it } from "vitest";
import type { Look } from "../board.ts";
import { aboutOf, clustersOf } from "./clusters.ts";
import { CARD, layout } from "./layout.ts";

it.each([0.01, 0.03, 0.05, 0.1])(
  "counts each task of a large board once, and ends where the board ends (%f)",
  (zoom) => {
    const ids = Array.from({ length: 3_000 }, (_, i) => i + 1);
    const nodes = ids.map((id) => ({ id, blockedBy: id > 540 && id % 4 !== 0 ? [id - 540] : [] }));
    const board = layout(nodes, ids);
    const looks = new Map(ids.map((id): [number, Look] => [id, id % 7 === 0 ? "failed" : "ready"]));
    const clusters = clustersOf({ layout: board, looks }, zoom);
    const counted = (look: Look): number =>
      clusters.reduce((sum, { counts }) => sum + (counts.get(look) ?? 0), 0);
    expect([counted("failed"), counted("ready")]).toEqual([428, 2_572]);
    const [width, height] = [Math.max(board.width, CARD.width), board.height].map((one) => one + 0.001);
    for (const { box, total } of clusters) {
      expect(total).toBeGreaterThan(0);
      expect(box.right).toBeLessThanOrEqual(width as number);
      expect(box.bottom).toBeLessThanOrEqual(height as number);
      // In pixels of the screen: there is room for the words.
      expect((box.right - box.left) * zoom).toBeGreaterThan(Math.min(90, board.width * zoom - 1));
    }
  },
);

it("names a part of a large board by what most of its tasks are about, and puts such tasks together", () => {
  const ids = Array.from({ length: 2_000 }, (_, i) => i + 1);
  const nodes = ids.map((id) => ({ id, blockedBy: [], group: ["cart", "pay"][id % 2] as string }));
  const board = layout(nodes, ids);
  const looks = new Map(ids.map((id): [number, Look] => [id, "ready"]));
  const names = clustersOf({ layout: board, looks }, 0.05).map(aboutOf);
  expect(new Set(names)).toContain("cart");
  expect(new Set(names)).toContain("pay");
  expect(names.filter((one) => one.includes(",")).length).toBeLessThan(names.length / 3);
  const about = (groups: [string, number][], total: number, to = 1) =>
    aboutOf({ groups: new Map(groups), total, from: 1, to });
  expect(
    about(
      [
        ["a", 9],
        ["b", 1],
      ],
      10,
    ),
  ).toBe("a");
  expect(
    about(
      [
        ["a", 3],
        ["b", 4],
      ],
      7,
    ),
  ).toBe("b, a");
  expect(
    about(
      [
        ["a", 3],
        ["b", 4],
        ["c", 1],
      ],
      8,
    ),
  ).toBe("b +2");
  expect(about([["", 5]], 5)).toBe("");
  const mixed = ["a", "b", "c"].map((group): [string, number] => [group, 2]);
  expect(about(mixed, 6, 4)).toBe("Steps 1–4");
});
