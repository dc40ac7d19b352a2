import { expect, it } from "vitest";
import { checkDeadline, deadlineMs } from "./deadline.ts";

const NOON = new Date(2026, 10, 23, 12, 0, 0);

it.each([
  ["90m", 5_400_000],
  ["2h30m", 9_000_000],
  ["1d", 86_400_000],
  ["1.5h", 5_400_000],
  [" 45S ", 45_000],
  ["12:30", 1_800_000],
  ["11:59", 86_340_000], // tomorrow
])("reads %j", (text, ms) => expect(deadlineMs(text, NOON)).toBe(ms));

it.each(["", "soon", "0m", "25:00", "12:60", "30d", "90", "-5m", "2h 30m", "9".repeat(50)])(
  "refuses %j",
  (text) => expect(() => checkDeadline(text)).toThrow("is not a deadline"),
);
