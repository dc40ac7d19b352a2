/** A list that one goes through: its cursor, its filter, its window. */
import { expect, it } from "vitest";
import { List, type Row } from "./list.ts";

const row = (id: string, ...lines: string[]): Row => ({
  id,
  text: `${id} ${lines.join(" ")}`,
  actions: [],
  lines: () => (lines.length > 0 ? lines : [id]),
});
const rows = (...ids: string[]): Row[] => ids.map((id) => row(id));
const seen = (list: List, height: number): string[] =>
  list.window(height, (one, isSelected) => one.lines(80).map((line) => (isSelected ? `>${line}` : line)));

function listOf(all: readonly Row[], moved = 0): List {
  const list = new List();
  list.set(all);
  list.move(moved);
  return list;
}

it("keeps the cursor on its row when rows come, go and change their order", () => {
  const list = listOf(rows("a", "b", "c"), 1);
  list.set(rows("x", "c", "b", "a"));
  expect(list.selected?.id).toBe("b");
  expect(list.position).toBe("3/4");
});

it("stays in its place when its row has gone, also at the end", () => {
  const list = listOf(rows("a", "b", "c"), 1);
  list.set(rows("a", "c"));
  expect(list.selected?.id).toBe("c");
  list.set(rows("a"));
  expect(list.selected?.id).toBe("a");
  list.set([]);
  expect([list.selected, list.position, seen(list, 3)]).toEqual([undefined, "0/0", []]);
  list.set(rows("n"));
  expect(list.selected?.id).toBe("n");
});

it("does not move beyond an end", () => {
  const list = listOf(rows("a", "b"), Number.POSITIVE_INFINITY);
  expect(list.selected?.id).toBe("b");
  list.move(Number.NEGATIVE_INFINITY);
  list.move(-1);
  expect(list.selected?.id).toBe("a");
});

it("filters by words in any order and case, and finds its row again", () => {
  const list = listOf([row("1", "Paint the door"), row("2", "paint window"), row("3", "Board up")], 2);
  list.find("WINDOW pai");
  expect(list.shown.map(({ id }) => id)).toEqual(["2"]);
  expect(list.selected?.id).toBe("2");
  list.find("nothing has this");
  expect([list.shown, list.selected]).toEqual([[], undefined]);
  list.find("");
  expect(list.shown).toHaveLength(3);
});

it("shows a window around the cursor, and scrolls no further than it must", () => {
  const list = listOf(rows("a", "b", "c", "d", "e", "f"));
  expect(seen(list, 3)).toEqual([">a", "b", "c"]);
  list.move(2);
  expect(seen(list, 3)).toEqual(["a", "b", ">c"]);
  list.move(1);
  expect(seen(list, 3)).toEqual(["b", "c", ">d"]);
  list.move(-1);
  expect(seen(list, 3)).toEqual(["b", ">c", "d"]);
  list.move(-2);
  expect(seen(list, 3)).toEqual([">a", "b", "c"]);
});

it("shows the row of the cursor whole where rows have several lines", () => {
  const list = listOf([row("a", "a1", "a2"), row("b", "b1", "b2"), row("c", "c1", "c2")], 2);
  expect(seen(list, 4)).toEqual(["b1", "b2", ">c1", ">c2"]);
  expect(seen(list, 3)).toEqual([">c1", ">c2"]);
  expect(seen(list, 1)).toEqual([">c1"]);
  expect(seen(list, 0)).toEqual([]);
});
