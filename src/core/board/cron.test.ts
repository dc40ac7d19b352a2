/** These tests check what cron means here: what is refused, which days fit, and what becomes of times the clocks skip or show twice. */
import { describe, expect, it } from "vitest";
import { instant } from "../ids.ts";
import { cronText } from "../text/zone.ts";
import { nextRun, parseCron } from "./cron.ts";

const at = (iso: string) => instant(Date.parse(iso));

/** The next `count` runs, as UTC to the minute. */
function runs(expression: string, from: string, count: number, zone = "UTC"): string[] {
  const cron = parseCron(expression);
  const found: string[] = [];
  let last = at(from);
  for (let i = 0; i < count; i += 1) {
    const next = nextRun(cron, last, zone);
    if (next === null) break;
    found.push(new Date(next).toISOString().slice(0, 16));
    last = next;
  }
  return found;
}

describe("an expression", () => {
  it.each([
    ["60 * * * *", "minute", "0-59"],
    ["* 24 * * *", "hour", "0-23"],
    ["* * 0 * *", "day of month", "1-31"],
    ["* * 32 * *", "day of month", "1-31"],
    ["* * * 13 *", "month", "1-12 or jan-dec"],
    ["* * * 0 *", "month", "1-12"],
    ["* * * * 8", "day of week", "0-7 or sun-sat"],
    ["5-1 * * * *", "minute", "ascending range"],
    ["*/0 * * * *", "minute", "step"],
    ["*/60 * * * *", "minute", "1 to 59"],
    ["* * */31 * *", "day of month", "1 to 30"],
    ["* * * */12 *", "month", "1 to 11"],
    ["* */2,1-9/24 * * *", "hour", "1 to 23"],
    ["1,,2 * * * *", "minute", "0-59"],
    ["1, * * * *", "minute", "0-59"],
    ["² * * * *", "minute", "0-59"],
    ["٣ * * * *", "minute", "0-59"],
    ["-5 * * * *", "minute", "0-59"],
    ["+5 * * * *", "minute", "0-59"],
    ["1.5 * * * *", "minute", "0-59"],
    ["1e1 * * * *", "minute", "0-59"],
    ["0x5 * * * *", "minute", "0-59"],
    ["1-2-3 * * * *", "minute", "0-59"],
    ["*/2/3 * * * *", "minute", "0-59"],
    ["5/10 * * * *", "minute", "0-59/2"],
    ["* * 15W * *", "day of month", "1-31"],
    ["* * * * friL", "day of week", "sun-sat"],
    ["* * * * 5L", "day of week", "sun-sat"],
    ["* * * january *", "month", "jan-dec"],
    ["* * L * *", "day of month", "1-31"],
    ["* * ? * *", "day of month", "1-31"],
    ["* * * foo *", "month", "jan-dec"],
    ["* * * * mon#2", "day of week", "sun-sat"],
    ["mon * * * *", "minute", "0-59"],
    ["* * * fri *", "month", "jan-dec"],
    ["99999999999 * * * *", "minute", "0-59"],
  ])("%s is refused, naming %s and %s", (expression, field, hint) => {
    expect(() => parseCron(expression)).toThrow(field);
    expect(() => parseCron(expression)).toThrow(hint);
    expect(() => parseCron(expression)).toThrow(expect.objectContaining({ code: "bad_input" }));
  });

  it.each(["", "   ", "* * * *", "* * * * * *", "@daily"])("%j has not five fields", (expression) => {
    expect(() => parseCron(expression)).toThrow(/fields; it must have 5/);
  });

  it.each(["0 0 31 2 *", "0 0 30 feb *", "0 0 31 4,6,9,11 *"])("%s never comes", (expression) => {
    expect(() => parseCron(expression)).toThrow("never comes");
  });

  it("takes names in any case, lists, ranges and steps", () => {
    const text = " 0-10/5,30  9  1,15 JAN-mar,Dec Mon-Fri ";
    expect(parseCron(text)).toBe("0-10/5,30 9 1,15 JAN-mar,Dec Mon-Fri");
    expect(runs("0-10/5,30 9 * JAN-mar,Dec Mon-Fri", "2026-03-31T09:05Z", 3)).toEqual([
      "2026-03-31T09:10",
      "2026-03-31T09:30",
      "2026-12-01T09:00",
    ]);
  });

  it.each(["*/59 * * * *", "* */23 * * *", "* * 1-31/30 * *", "* * * */11 *"])(
    "takes the widest step of %s",
    (text) => {
      expect(parseCron(text)).toBe(text);
    },
  );

  it("knows Sunday as 0, 7 and sun, at either end of a range", () => {
    const days = (field: string) =>
      runs(`0 0 * * ${field}`, "2026-05-02T12:00Z", 4).map((day) => new Date(`${day}Z`).getUTCDay());
    for (const day of ["0", "7", "sun"]) expect(days(day)).toEqual([0, 0, 0, 0]);
    expect(days("fri-sun")).toEqual([0, 5, 6, 0]);
    expect(days("sun-tue")).toEqual([0, 1, 2, 0]);
    expect(days("5-7")).toEqual([0, 5, 6, 0]);
  });
});

describe("the next run", () => {
  it("is after `from`, not at it", () => {
    expect(runs("0 12 * * *", "2026-05-01T12:00Z", 1)).toEqual(["2026-05-02T12:00"]);
    expect(runs("0 12 * * *", "2026-05-01T11:59:59.999Z", 1)).toEqual(["2026-05-01T12:00"]);
    expect(runs("* * * * *", "2026-05-01T12:00:30Z", 2)).toEqual(["2026-05-01T12:01", "2026-05-01T12:02"]);
  });

  it("fits either the day of the month or the day of the week when both are restricted", () => {
    // 2026-05: the 1st is a Friday
    expect(runs("0 0 13 * fri", "2026-05-01T12:00Z", 4)).toEqual([
      "2026-05-08T00:00",
      "2026-05-13T00:00",
      "2026-05-15T00:00",
      "2026-05-22T00:00",
    ]);
    expect(runs("0 0 13 * *", "2026-05-01T12:00Z", 2)).toEqual(["2026-05-13T00:00", "2026-06-13T00:00"]);
    expect(runs("0 0 * * fri", "2026-05-01T12:00Z", 2)).toEqual(["2026-05-08T00:00", "2026-05-15T00:00"]);
    expect(runs("0 0 31 2 fri", "2026-02-01T00:00Z", 2)).toEqual(["2026-02-06T00:00", "2026-02-13T00:00"]);
  });

  it("waits for 29 February, also over a century that has none", () => {
    expect(runs("0 6 29 2 *", "2026-01-01T00:00Z", 2)).toEqual(["2028-02-29T06:00", "2032-02-29T06:00"]);
    expect(runs("0 6 29 2 *", "2096-03-01T00:00Z", 1)).toEqual(["2104-02-29T06:00"]);
  });

  it("skips months that are too short", () => {
    expect(runs("0 0 31 * *", "2026-02-01T00:00Z", 3)).toEqual([
      "2026-03-31T00:00",
      "2026-05-31T00:00",
      "2026-07-31T00:00",
    ]);
  });

  it("of a time that the clocks skip is the first moment after the gap, once", () => {
    // Berlin, 2026-03-29: 02:00 becomes 03:00 (01:00Z)
    expect(runs("30 2 * * *", "2026-03-28T00:00Z", 3, "Europe/Berlin")).toEqual([
      "2026-03-28T01:30",
      "2026-03-29T01:00",
      "2026-03-30T00:30",
    ]);
    // several skipped times, and one that falls on the moment itself
    expect(runs("0,20,40 2-3 * * *", "2026-03-29T00:30Z", 4, "Europe/Berlin")).toEqual([
      "2026-03-29T01:00",
      "2026-03-29T01:20",
      "2026-03-29T01:40",
      "2026-03-30T00:00",
    ]);
    // half an hour is skipped: Lord Howe, 2026-10-04, 02:00 becomes 02:30 (15:30Z the day before)
    expect(runs("15 2 * * *", "2026-10-03T00:00Z", 2, "Australia/Lord_Howe")).toEqual([
      "2026-10-03T15:30",
      "2026-10-04T15:15",
    ]);
    // midnight is skipped: Cairo, 2026-04-24, 00:00 becomes 01:00 (22:00Z the day before)
    expect(runs("0 0 * * fri", "2026-04-23T00:00Z", 2, "Africa/Cairo")).toEqual([
      "2026-04-23T22:00",
      "2026-04-30T21:00",
    ]);
  });

  it("of a time that the clocks show twice is the first of the two, once", () => {
    // New York, 2026-11-01: 02:00 becomes 01:00 (06:00Z)
    expect(runs("30 1 * * *", "2026-11-01T00:00Z", 2, "America/New_York")).toEqual([
      "2026-11-01T05:30",
      "2026-11-02T06:30",
    ]);
    // asked in the second of the two hours: it is over
    expect(runs("30 1 * * *", "2026-11-01T06:10Z", 1, "America/New_York")).toEqual(["2026-11-02T06:30"]);
  });

  it("goes by elapsed time when it is due in every hour", () => {
    expect(runs("*/30 * * * *", "2026-11-01T05:15Z", 4, "America/New_York")).toEqual([
      "2026-11-01T05:30",
      "2026-11-01T06:00",
      "2026-11-01T06:30",
      "2026-11-01T07:00",
    ]);
    expect(runs("45 * * * *", "2026-03-29T00:00Z", 3, "Europe/Berlin")).toEqual([
      "2026-03-29T00:45",
      "2026-03-29T01:45",
      "2026-03-29T02:45",
    ]);
  });

  it("refuses a time zone that does not exist", () => {
    expect(() => nextRun(parseCron("* * * * *"), at("2026-01-01T00:00Z"), "Mars/Base")).toThrow(
      '"Mars/Base" is not a time zone',
    );
  });
});

it("says in the text of a late cron when it was due", () => {
  expect(cronText("Look", null)).toBe("Look");
  expect(cronText("Look", { dueAt: at("2026-05-04T07:30Z"), zone: "Europe/Berlin" })).toBe(
    "[late: it was due at 2026-05-04 09:30 (Europe/Berlin), when no process ran]\nLook",
  );
});
