import { expect, it } from "vitest";
import { Pace } from "./pace.ts";

const ANSWER = "\x1b[0n";
const FRAME = "x".repeat(600);

/** A terminal that has shown that it answers. */
function known(): Pace {
  const pace = new Pace();
  pace.frame(FRAME, 0);
  expect(pace.frame(FRAME, 600)).toBe(`${FRAME}\x1b[5n`);
  expect(pace.takes(ANSWER)).toBe(true);
  return pace;
}

it("asks nothing in the first moments: the answer would reach the shell of a program that has ended", () => {
  const pace = new Pace();
  for (const at of [0, 50, 300]) expect(pace.frame(FRAME, at)).toBe(FRAME);
  expect(pace.waits).toBe(false);
});

it("holds frames while a terminal is behind, those of keys for longer", () => {
  const pace = known();
  expect(pace.allows(false, 700)).toBe(true);
  pace.frame(FRAME, 700);
  expect(pace.allows(false, 710)).toBe(true);
  pace.frame(FRAME, 710);
  expect(pace.allows(false, 720)).toBe(false);
  expect(pace.allows(true, 720)).toBe(true);
  pace.frame(FRAME, 720);
  pace.frame(FRAME, 730);
  expect(pace.allows(true, 740)).toBe(false);
  for (let i = 0; i < 4; i += 1) pace.takes(ANSWER);
  expect(pace.allows(false, 750)).toBe(true);
  expect(pace.waits).toBe(false);
});

it("waits for no terminal that never answers, and not for ever for one that stopped to", () => {
  const silent = new Pace();
  for (let at = 0; at < 20_000; at += 50) {
    silent.frame(FRAME, at);
    expect(silent.allows(false, at)).toBe(true);
  }
  const pace = known();
  for (const at of [700, 710, 720]) pace.frame(FRAME, at);
  expect(pace.allows(false, 5_000)).toBe(false);
  expect(pace.allows(false, 6_000)).toBe(true);
});

it("takes no key for an answer", () => {
  for (const key of ["0", "\x1b", "\x1b[0", "\x1b[1n", "\x1b[0nx"]) expect(new Pace().takes(key)).toBe(false);
});
