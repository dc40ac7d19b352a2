import { expect, it } from "vitest";
import { codePoint, escapes, jsonLine, spellHidden } from "./hidden.ts";

const [ZWNJ, ZWJ] = ["\u200c", "\u200d"];

it.each([
  ["a joiner between letters that it joins", `ن${ZWNJ}م`],
  ["a joiner between letters of an Indian script", `क${ZWJ}ष`],
  ["an emoji of several", `👩${ZWJ}👧`],
  ["a heart with its variation", "❤\ufe0f"],
  ["a variation and a joiner between pictures", `❤\ufe0f${ZWJ}🔥`],
  ["a variation of a sign", "+\ufe0e"],
  ["a key with a digit", "1\ufe0f"],
  ["a variation of a Chinese character", "葛\u{e0100}"],
  ["another variation of it", "葛\ufe00"],
])("leaves %s alone", (_, text) => {
  expect(spellHidden(text)).toBe(text);
});

it.each([
  [`a${ZWNJ}b`, "a\\u{200c}b"],
  [`ن${ZWNJ}b`, "ن\\u{200c}b"],
  [`a${ZWNJ}م`, "a\\u{200c}م"],
  [`ن${ZWJ}b`, "ن\\u{200d}b"],
  [`a${ZWJ}م`, "a\\u{200d}م"],
  [`👩${ZWJ}b`, "👩\\u{200d}b"],
  [`a${ZWJ}👧`, "a\\u{200d}👧"],
  [`❤\ufe0f${ZWJ}b`, "❤\\u{fe0f}\\u{200d}b"],
  [`❤\ufe0f${ZWJ}${ZWJ}🔥`, "❤\\u{fe0f}\\u{200d}\\u{200d}🔥"],
  [`❤\ufe0f${ZWNJ}🔥`, "❤\\u{fe0f}\\u{200c}🔥"],
  ["a\ufe0f", "a\\u{fe0f}"],
  ["a\u{e0100}", "a\\u{e0100}"],
  ["葛\u202e", "葛\\u{202e}"],
  ["葛\u{e0100}\u{e0101}", "葛\\u{e0100}\\u{e0101}"],
  ["pay\u{e0041}\u{e0042}", "pay\\u{e0041}\\u{e0042}"],
  ["\u2066a\u2069", "\\u{2066}a\\u{2069}"],
])("spells out what is hidden in %j", (text, expected) => {
  expect(spellHidden(text)).toBe(expected);
});

it("spells out what a terminal acts on, and leaves line ends and tabs", () => {
  expect(escapes("a\tb\nc\r\u001b[31m\u0007\u007f\u009b\0\u200b")).toBe(
    "a\tb\nc\\x0d\\x1b[31m\\x07\\x7f\\x9b\\x00\\u{200b}",
  );
  expect([codePoint("a"), codePoint("\u{1f600}")]).toEqual(["0061", "1F600"]);
});

it("a line of JSON holds nothing that acts on a terminal, and the same value", () => {
  const value = { text: "a\u009b31m\u202eb\u2028c\u{e0041}\u007f\u001b" };
  const line = jsonLine(value);
  expect(line).toMatch(/^[\x20-\x7e]+\n$/);
  expect(JSON.parse(line)).toEqual(value);
});
