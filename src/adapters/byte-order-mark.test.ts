import { expect, it } from "vitest";
import { UnmarkedLines } from "./byte-order-mark.ts";

const M = "\uFEFF";

it.each([
  [`${M}{"a":1}\n`, '{"a":1}\n'],
  [`${M}1\n${M}2\n3${M}\n`, `1\n2\n3${M}\n`],
  [`"in ${M} a text"\n`, `"in ${M} a text"\n`],
  [`\n\n${M}1`, "\n\n1"],
  ["ï\n", "ï\n"],
  [M, ""],
])("takes marks away at the beginning of lines of %j, however it is cut", (text, expected) => {
  for (const size of [1, 2, 3, 5, 100]) {
    const lines = new UnmarkedLines();
    const bytes = Buffer.from(text);
    const got: Buffer[] = [];
    for (let at = 0; at < bytes.length; at += size) got.push(lines.take(bytes.subarray(at, at + size)));
    expect(Buffer.concat(got).toString()).toBe(expected);
  }
});
