import { expect, it } from "vitest";
import { type Member, NOTHING_SPENT } from "../../core/board/member.ts";
import { instant, type Name } from "../../core/ids.ts";
import { limitLine, modeLine, openingLine } from "./opening.ts";

const member = (name: string, model: string, more: Partial<Member> = {}): Member => ({
  name: name as Name,
  kind: name === "lead" ? "lead" : "teammate",
  role: "",
  model,
  prompt: "",
  needsPlan: false,
  ...NOTHING_SPENT,
  activity: { phase: "work" },
  since: instant(0),
  host: null,
  heartbeat: null,
  task: null,
  unread: 0,
  joinedAt: instant(0),
  ...more,
});

it("says who works on which models, where, and what is asked about", () => {
  const gone = member("carol", "x/old", { activity: { phase: "shutdown", reason: "asked" } });
  const team = [member("lead", "x/large"), member("alice", "x/small"), member("bob", "x/small"), gone];
  expect(openingLine(team, "/home/me/project", "/home/me")).toBe("Team of 3 on x/large, x/small · ~/project");
  expect(openingLine([member("lead", "x/large")], "/home/mean", "/home/me")).toBe(
    "The lead alone on x/large · /home/mean",
  );
  expect(openingLine([member("lead", "runbook")], "/home/mean", "/home/me")).toBe(
    "No model: only runbooks are run · /home/mean",
  );
  expect(modeLine("default", true)).toBe(
    "You are asked before files are edited. Commands run in the sandbox without asking.",
  );
  expect(modeLine("default", false)).toBe(
    "You are asked before files are edited. You are asked before commands run.",
  );
  expect(modeLine("bypass", true)).toBe("Nothing is asked.");
});

it("says where a team stops whose models cost money", () => {
  const [priced, free] = [member("lead", "anthropic/claude-opus-4-5"), member("bob", "ollama/qwen3")];
  expect(limitLine([free, priced], { usd: 0, mostUsd: 20 }, "--budget-usd")).toBe(
    "Stops at $20.00; --budget-usd raises it.",
  );
  expect(limitLine([priced], { usd: 1.5, mostUsd: 21.5 }, "/budget")).toBe(
    "Stops at $21.50 ($1.50 are used); /budget raises it.",
  );
  expect(limitLine([free, member("carol", "")], { usd: 0, mostUsd: 20 }, "/budget")).toBeNull();
  expect(limitLine([priced], { usd: 0, mostUsd: Number.POSITIVE_INFINITY }, "/budget")).toBeNull();
});
