import { expect, it } from "vitest";
import { instant } from "../ids.ts";
import type { LoginWindow } from "../limits/window.ts";
import { bar, loginsView, openWindows, waitingFor, windowLine } from "./logins.ts";

const now = 1_000_000;
const window = (more: Partial<LoginWindow>): LoginWindow => ({
  ...{ program: "claude", login: "", machine: "box", kind: "5h", source: "words" },
  ...{ usedPercent: 100, resetsAt: instant(now + 7_200_000) },
  ...more,
});

it("shows a bar, the reset and the tasks that wait for it", () => {
  expect([0, 4, 50, 100, 250].map(bar)).toEqual([
    "▱▱▱▱▱▱▱▱▱▱",
    "▱▱▱▱▱▱▱▱▱▱",
    "▰▰▰▰▰▱▱▱▱▱",
    "▰▰▰▰▰▰▰▰▰▰",
    "▰▰▰▰▰▰▰▰▰▰",
  ]);
  expect(windowLine(window({ login: "ANTHROPIC_API_KEY" }), now)).toBe(
    "claude (ANTHROPIC_API_KEY) ▰▰▰▰▰▰▰▰▰▰ 5 hours, resets in 2h00m",
  );
  const members = [
    { model: "agent:claude", isAtLimit: true, task: 7 },
    { model: "agent:claude", isAtLimit: false, task: 8 },
    { model: "agent:codex", isAtLimit: true, task: 9 },
    { model: "openai/gpt-5", isAtLimit: true, task: 10 },
  ];
  const view = loginsView([window({}), window({ kind: "week", usedPercent: 86 })], members, now);
  if (view.kind !== "table") throw new Error(view.kind);
  expect(
    ["openai", "openai/gpt-5", "openai/gpt"].map((program) => waitingFor(window({ program }), members)),
  ).toEqual([[10], [10], []]);
  expect(view.rows.map((row) => row.map(({ text }) => text))).toEqual([
    ["claude", "5 hours", "▰▰▰▰▰▰▰▰▰▰ 100 %", "resets in 2h00m", "#7"],
    ["claude", "week", "▰▰▰▰▰▰▰▰▰▱ 86 %", "resets in 2h00m", ""],
  ]);
});

it("leaves out windows that have ended, and those that can be used again", () => {
  const all = [window({}), window({ resetsAt: instant(now) }), window({ usedPercent: undefined })];
  expect(openWindows(all, now)).toEqual([all[0]]);
  expect(openWindows([window({ resetsAt: undefined })], now)).toHaveLength(1);
});
