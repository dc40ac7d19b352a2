/** These tests check the limit on open files below which no team begins, and the words about a full disk. */
import { expect, it } from "vitest";
import { checkOpenFiles, fullDiskNote } from "./shortages.ts";

const limits = (most: string): string =>
  `Limit                     Soft Limit           Hard Limit           Units\nMax open files            ${most}                 1048576              files\n`;

it("that is too low is refused with what raises it; without one, or where none is told, nothing is", () => {
  expect(() => checkOpenFiles(limits("63"))).toThrow(/may open 63 files .*ulimit -n 1024/);
  for (const fine of [limits("64"), limits("unlimited"), ""])
    expect(() => checkOpenFiles(fine)).not.toThrow();
});

it("the disk of a command that failed for want of room is described", () => {
  const said = "echo: write error: No space left on device\n";
  expect(fullDiskNote(1, said, import.meta.dirname)).toMatch(
    /^\[disk: \/.* has \d+ MB left.*; df and df -i /,
  );
  expect(fullDiskNote(0, said, import.meta.dirname)).toBeNull();
  expect(fullDiskNote(1, "no such file", import.meta.dirname)).toBeNull();
  expect(fullDiskNote(1, said, "/nowhere")).toBeNull();
});
