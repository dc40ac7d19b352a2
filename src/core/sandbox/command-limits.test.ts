import { expect, it } from "vitest";
import { brokenLimit, DEFAULT_COMMAND_LIMITS, fileLimitNote } from "./command-limits.ts";

const MB = 1024 * 1024;
const GB = 1024 * MB;
const USE = { processes: 10, threads: 10, memory: GB, disks: [] };
const disk = (atStart: number, free: number) => ({
  disks: [
    { path: "/x", atStart: GB, free: GB },
    { path: "/y", atStart, free },
  ],
});

it.each([
  ["an ordinary command", {}, {}, null],
  ["too many processes", { processes: 2_001 }, {}, "commandProcesses"],
  ["more than three quarters of the machine", { memory: 6.1 * GB }, {}, "commandMemoryMb"],
  ["more than the setting", { memory: 101 * MB }, { commandMemoryMb: 100 }, "commandMemoryMb"],
  ["a disk that it filled", disk(GB, 200 * MB), {}, "freeDiskMb"],
  ["a disk that was full before", disk(200 * MB, 100 * MB), {}, null],
  ["a full disk without a limit", disk(GB, 0), { freeDiskMb: 0 }, null],
])("%s", (_, use, limits, setting) => {
  const note = brokenLimit({ ...USE, ...use }, { ...DEFAULT_COMMAND_LIMITS, ...limits }, 8 * GB);
  if (setting === null) expect(note).toBeNull();
  else expect(note).toContain(`the setting ${setting}]`);
});

it.each([
  [153, "", true],
  [1, "dd: error writing 'x': File too large", true],
  [1, "Error: EFBIG: file too large, write", true],
  [0, "File too large", false],
  [1, "no such file", false],
])("a file that became too large: exit code %s, %s", (code, output, expected) => {
  expect(fileLimitNote(code, output, DEFAULT_COMMAND_LIMITS) !== null).toBe(expected);
});
