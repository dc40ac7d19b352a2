import { describe, expect, it } from "vitest";
import { recruits } from "../board/recruit.ts";
import type { Name } from "../ids.ts";
import { didYouMean, nearest } from "../text/nearest.ts";
import { aboutSetting, SETTING_KEYS, settingsLayer } from "./fields.ts";
import { mergeSettings } from "./merge.ts";
import { DEFAULT_SETTINGS, mayMail } from "./settings.ts";

describe("settings", () => {
  it("describe every key in one line", () => {
    for (const key of SETTING_KEYS) expect(aboutSetting(key)).toMatch(/^\S[^\n]+\.?$/);
  });

  it("have defaults that are themselves valid", () => {
    expect(settingsLayer().parse({ ...DEFAULT_SETTINGS })).toEqual(DEFAULT_SETTINGS);
  });

  it("switch on nothing but the check at the exit, and run one gate at a time by default", () => {
    expect(
      SETTING_KEYS.filter((key) => DEFAULT_SETTINGS[key as keyof typeof DEFAULT_SETTINGS] === true),
    ).toEqual(["exitCheck"]);
    expect(DEFAULT_SETTINGS.gateParallel).toBe(1);
  });

  it.each([
    [true, true],
    [false, false],
    [["blue"], true],
    [["green"], false],
    [[], false],
  ])("mail across teams %j: mail to the team blue %j", (mailAcrossTeams, expected) => {
    expect(mayMail({ mailAcrossTeams: mailAcrossTeams as boolean | Name[] }, "blue" as Name)).toBe(expected);
  });

  it("take the least value of a field", () => {
    const least = { teammates: 0, turnsPerStint: 1, model: "m" };
    expect(settingsLayer().parse(least)).toEqual({ ...least, teammates: [] });
  });

  it("read teammates as a number or as names with roles", () => {
    expect(settingsLayer().parse({ teammates: 2 }).teammates).toEqual([
      { name: "alice", role: "" },
      { name: "bob", role: "" },
    ]);
    expect(settingsLayer().parse({ teammates: ["Zoë: tester"] }).teammates).toEqual([
      { name: "zoe", role: "tester" },
    ]);
    expect(new Set(recruits(60).map((r) => r.name)).size).toBe(60);
  });

  it.each([
    [{ teammates: ["lead"] }, "reserved"],
    [{ teammates: ["A/B"] }, "not a usable name"],
    [{ team: "../x" }, "not a usable name"],
    [{ idleTimeoutMs: "soon" }, "never"],
    [{ turnsPerStint: 0 }, "1 or more"],
    [{ permissionMode: "yolo" }, "accept-edits"],
    [{ budgetUsd: -1 }, "above 0"],
    [{ baseUrl: "localhost" }, "URL"],
    [{ colour: "red" }, "colour"],
  ])("refuse %j", (input, expected) => {
    const parsed = settingsLayer().safeParse(input);
    expect(JSON.stringify(parsed.error?.issues)).toContain(expected);
  });

  it("let the strongest source win, but add up the rules", () => {
    const merged = mergeSettings([
      { idleTimeoutMs: 5, deny: ["bash(rm *)"] },
      { idleTimeoutMs: 6, turnsPerStint: 7, deny: ["web", "bash(rm *)"] },
    ]);
    expect(merged).toMatchObject({
      idleTimeoutMs: 5,
      turnsPerStint: 7,
      deny: ["bash(rm *)", "web"],
      leaseMs: 15_000,
    });
    expect(settingsLayer().parse({ idleTimeoutMs: "never" }).idleTimeoutMs).toBe(Number.POSITIVE_INFINITY);
  });
});

describe("nearest", () => {
  it.each([
    ["taks", "tasks"],
    ["idletimeoutms", "idleTimeoutMs"],
    ["modle", "model"],
    ["xyzzy", null],
    ["", null],
  ])("%s is nearest to %s", (word, expected) => {
    expect(nearest(word, ["tasks", "team", "model", "idleTimeoutMs"])).toBe(expected);
  });

  it("says nothing when nothing is near", () => {
    expect(didYouMean("qqq", ["tasks"])).toBe("");
    expect(didYouMean("task", ["tasks"])).toBe(' Did you mean "tasks"?');
  });
});

it("runs the hooks of all sources, the user's before the project's", () => {
  const project = settingsLayer().parse({ hooks: { Stop: [{ command: "project" }], PreToolUse: [] } });
  const user = settingsLayer().parse({ hooks: { Stop: [{ command: "user" }] } });
  const { hooks } = mergeSettings([project, user]);
  expect(hooks).toEqual({
    Stop: [
      { matcher: "", command: "user", timeoutMs: 60_000 },
      { matcher: "", command: "project", timeoutMs: 60_000 },
    ],
  });
  expect(mergeSettings([]).hooks).toEqual({});
  expect(settingsLayer().safeParse({ hooks: { OnTuesdays: [] } }).success).toBe(false);
});
