/** Who takes which task, by the logins of those that wait. */
import { expect, it } from "vitest";
import { name as asName, instant } from "../ids.ts";
import { areAlike, chosen, type Ready, type Standing, standingOf, type Taker } from "./choice.ts";
import type { Notice } from "./window.ts";

const [NOW, HOUR] = [instant(1_000_000_000_000), 3_600_000];
const window = (kind: Notice["kind"], usedPercent: number, hours: number): Notice => ({
  ...{ kind, usedPercent, source: "event" },
  resetsAt: instant(NOW + hours * HOUR),
});
const standing = (name: string, windows: readonly Notice[] = [], isStrong = false, login = name): Standing =>
  standingOf({ name: asName(name), login, isStrong }, windows, NOW);
const idle = (one: Standing, role = ""): Taker => ({ ...one, role, isIdle: true });
const busy = (one: Standing): Taker => ({ ...idle(one), isIdle: false });
type Task = Ready & { readonly id: number };
const task = (id: number, more: Partial<Ready> = {}): Task => ({
  ...{ id, chain: 1, estimate: 1, tries: 0, role: "" },
  ...more,
});
const takes = (tasks: readonly Task[], own: Taker, ...others: Taker[]): number | null =>
  chosen(tasks, own, others)?.id ?? null;

const soon = standing("ann", [window("5h", 40, 1)]);
const late = standing("bob", [window("5h", 10, 4)]);
const unknown = standing("cid");

it("gives a task to the login whose short window resets soonest, and the next one to the next", () => {
  const all = [idle(unknown), idle(late), idle(soon)] as const;
  const one = [task(1)];
  expect(takes(one, idle(soon), idle(late), idle(unknown))).toBe(1);
  expect(takes(one, idle(late), idle(soon), idle(unknown))).toBeNull();
  const two = [task(1), task(2)];
  expect(takes(two, idle(late), idle(soon), idle(unknown))).toBe(2);
  expect(takes(two, ...all)).toBeNull();
  expect(takes([task(1), task(2), task(3)], ...all)).toBe(3);
  // A member at work takes nothing now.
  expect(takes(one, idle(late), busy(soon))).toBe(1);
});

it("knows of a window only until it resets, and leaves nothing to its own login", () => {
  const over = standing("ann", [window("5h", 100, -1)]);
  expect(over.resetsAt).toBe(Number.POSITIVE_INFINITY);
  expect(areAlike([over, unknown])).toBe(true);
  expect(areAlike([soon, late])).toBe(false);
  const [ann, ben] = [soon, late].map((one) => ({ ...one, login: "shared" })) as [Standing, Standing];
  expect(takes([task(1)], idle(ben), idle(ann))).toBe(1);
});

it("leaves to others only what their roles allow", () => {
  expect(takes([task(1, { role: "cook" })], idle(late, "cook"), idle(soon))).toBe(1);
  expect(takes([task(1, { role: "@bob" })], idle(late), idle(soon))).toBe(1);
  expect(takes([task(1, { role: "@ann" }), task(2)], idle(late), idle(soon))).toBe(2);
});

it("keeps the last 15 % of a week for repairs, while anybody else can do the rest", () => {
  const kept = standing("ann", [window("5h", 40, 1), window("week", 85, 30)]);
  expect(kept.isKept).toBe(true);
  expect(standing("ann", [window("week", 84, 30)]).isKept).toBe(false);
  expect(standing("ann", [window("week", 95, 2)]).isKept).toBe(false);
  expect(takes([task(1)], idle(kept), busy(late))).toBeNull();
  expect(takes([task(1)], idle(late), idle(kept))).toBe(1);
  expect(takes([task(1), task(2, { tries: 1 })], idle(kept), busy(late))).toBe(2);
  // Nobody else can do it.
  expect(takes([task(1)], idle(kept))).toBe(1);
  expect(takes([task(1, { role: "@ann" })], idle(kept), idle(late))).toBe(1);
  const keptToo = standing("bob", [window("week", 90, 40)]);
  expect(takes([task(1)], idle(kept), idle(keptToo))).toBe(1);
});

it("gives the chain that decides the end to a strong member, and other tasks by their windows", () => {
  const strong = standing("dan", [], true);
  const chain = [task(1, { chain: 5 }), task(2, { chain: 1 })];
  expect(takes(chain, idle(soon), idle(strong))).toBe(2);
  expect(takes(chain, idle(strong), idle(soon))).toBe(1);
  expect(takes([task(1, { chain: 5 })], idle(soon), busy(strong))).toBe(1);
  // Nothing waits for it, so it is no chain.
  expect(takes([task(1, { chain: 5, estimate: 5 })], idle(soon), idle(strong))).toBe(1);
});
