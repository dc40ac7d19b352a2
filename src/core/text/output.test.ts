/** These tests check what is kept and shown of the output of commands. */
import { describe, expect, it } from "vitest";
import { OutputQuota, RUN_OUTPUT_MAX } from "../sandbox/output-quota.ts";
import { KEPT, lastPrinted } from "./live-output.ts";
import { oneLine } from "./one-line.ts";
import { plainText } from "./plain-text.ts";

const SHOWN = 2_000;
const same = (text: string): string => text;

describe("the last lines of a running command", () => {
  it("are all of a short output, also its first line", () => {
    expect(lastPrinted("one\ntwo\n", false, same)).toBe("one\ntwo");
    const full = `${"x".repeat(SHOWN - 2)}\ny`;
    expect(lastPrinted(full, false, same)).toBe(full);
  });

  it("begin with a whole line where there is one", () => {
    const lines = Array.from({ length: 500 }, (_, n) => `line ${1_000 + n}`);
    const shown = lastPrinted(lines.join("\n"), false, same).split("\n");
    expect(shown).toEqual(lines.slice(-shown.length));
    expect(shown.length).toBe(SHOWN / 10);
  });

  it("are the end of a line that is longer than what is shown", () => {
    const shown = lastPrinted(`a\n${"x".repeat(SHOWN)}${"y".repeat(SHOWN - 1)}z`, false, same);
    expect(shown).toBe(`${"y".repeat(SHOWN - 1)}z`);
  });

  it("hold nothing of the beginning of a cut output, where the rest of a secret may be", () => {
    const text = `${"s".repeat(KEPT - SHOWN - 1)}!end`;
    expect(lastPrinted(text, true, same)).toBe("end");
    expect(lastPrinted(text, false, same)).toBe(text.slice(-SHOWN));
  });

  it("count that beginning after the secrets were taken out", () => {
    const redact = (text: string): string => text.replace(/s+/, "[secret]");
    const text = `${"s".repeat(KEPT - SHOWN)}end`;
    expect(lastPrinted(text, true, redact)).toBe("end");
  });

  it("are without colours, and spell out other control characters, within the same length", () => {
    expect(lastPrinted("\u001b[31mred\u001b[0m \u0007", false, same)).toBe("red \\x07");
    expect(lastPrinted("\u0007".repeat(SHOWN), false, same)).toHaveLength(SHOWN);
  });
});

it.each([
  ["plain  \n", "plain"],
  ["\u001b[1;31mred\u001b[0m", "red"],
  ["\u001b]0;title\u0007text", "text"],
  ["10 %\r50 %\r100 %", "100 %"],
  ["one\r\ntwo\r\n", "one\ntwo"],
  ["50 %\r\u001b[K100 %\r", "100 %"],
  ["\u001b(Bplain\u001b[m\u001b)0", "plain"],
  ["\u001b7saved\u001b8\u001b=\u001b>\u001bc", "saved"],
  ["\u009b1;31mred\u009b0m", "red"],
  ["\u009d0;title\u009ctext \u0090data\u001b\\end", "text end"],
  ["\u001bPdata\u001b\\text\u001b_more\u001b\\.", "text."],
  ["a\u0084b\u0090c", "abc"],
  ["lone \u001b", "lone"],
  ["a\u00a0é—b", "a\u00a0é—b"],
])("shows the output %j as %j", (output, expected) => {
  expect(plainText(output)).toBe(expected);
});

it.each(["\r", " ", "x\r", "\u009d", "\u001b]", "\u001b"])("reads much output of %j soon", (piece) => {
  const before = process.cpuUsage().user;
  plainText(`${piece.repeat(200_000)}x`);
  expect(process.cpuUsage().user - before).toBeLessThan(2_000_000);
});

it.each([
  ["a\n  b\t", undefined, "a b"],
  ["abcde", 5, "abcde"],
  ["abcdef", 5, "abcd…"],
  ["ab  cde", 5, "ab c…"],
])("makes of %j one line of at most %j characters", (text, max, expected) => {
  expect(oneLine(text, max)).toBe(expected);
});

it("grants output until the quota is used up", () => {
  const quota = new OutputQuota(10);
  expect([quota.take(4), quota.take(5), quota.take(5), quota.take(1)]).toEqual([4, 5, 1, 0]);
  expect(new OutputQuota().take(RUN_OUTPUT_MAX + 1)).toBe(RUN_OUTPUT_MAX);
});
