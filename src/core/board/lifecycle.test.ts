/** The phases, and what follows from the reason of an idle member. */
import { expect, it } from "vitest";
import { instant } from "../ids.ts";
import { BUSY_REASONS, begin, IDLE, type IdleReason, next } from "./lifecycle.ts";

const LIMITS = { turnsPerStint: 2, idleTimeoutMs: 1_000 };
const after = (reason: IdleReason, ms: number) =>
  next({ at: "idle", since: instant(0), reason }, { kind: "waited", now: instant(ms) }, LIMITS);

it("ends a stint after its turns, and begins a new one when something is found", () => {
  const acted = { kind: "acted", now: instant(5) } as const;
  const second = next(begin(LIMITS), acted, LIMITS);
  expect(second).toEqual({ at: "work", turnsLeft: 1 });
  const idle = next(second, acted, LIMITS);
  expect(idle).toEqual({ at: "idle", since: 5, reason: "turn_limit" });
  expect(next(idle, { kind: "found" }, LIMITS)).toEqual(begin(LIMITS));
});

it("ends an idle member after the timeout, unless it waits for an answer, a word or its provider", () => {
  const stays = (Object.keys(IDLE) as IdleReason[]).filter((reason) => after(reason, 1_000).at === "idle");
  expect(stays).toEqual([
    ...[
      "awaiting_plan",
      "awaiting_permission",
      "awaiting_answer",
      "awaiting_base",
      "interrupted",
      "rate_limited",
    ],
    ...["cannot_work", "at_limit"],
  ]);
  expect(after("no_tool_use", 999).at).toBe("idle");
  const later = { at: "idle", since: instant(600), reason: "no_tool_use" } as const;
  expect(next(later, { kind: "waited", now: instant(1_599) }, LIMITS)).toBe(later);
  expect(next(later, { kind: "waited", now: instant(1_600) }, LIMITS).at).toBe("shutdown");
});

it("wakes each idle member by a change on the board, unless it waits for mail, for permission or for a word", () => {
  const asleep = (Object.keys(IDLE) as IdleReason[]).filter((reason) => !IDLE[reason].wantsBoard);
  expect(asleep).toEqual([
    "awaiting_messages",
    "awaiting_permission",
    "interrupted",
    "cannot_work",
    "at_limit",
  ]);
});

it("neither reminds nor gives a task to a member that waits for an answer or a word", () => {
  const waiting = (Object.keys(IDLE) as IdleReason[]).filter((reason) => !IDLE[reason].reminded);
  expect(waiting).toEqual([
    ...[
      "awaiting_messages",
      "awaiting_plan",
      "awaiting_permission",
      "awaiting_answer",
      "awaiting_base",
      "interrupted",
    ],
    ...["cannot_work", "at_limit"],
  ]);
  expect(BUSY_REASONS).toEqual(["awaiting_permission", "awaiting_answer", "awaiting_base", "interrupted"]);
});
