import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { checkTemporary, useTemporary } from "./own-folders.ts";

it("forgets a folder for temporary files that is gone, a file, or relative", () => {
  const env = { TMPDIR: join(tmpdir(), "gone"), TMP: import.meta.filename, TEMP: "relative", PATH: "/bin" };
  useTemporary(env);
  expect(env).toEqual({ PATH: "/bin" });
  const kept = { TMPDIR: tmpdir() };
  useTemporary(kept);
  expect(kept).toEqual({ TMPDIR: tmpdir() });
});

it("refuses a sandbox that has no place for its files", () => {
  expect(() => checkTemporary(join(tmpdir(), "gone"))).toThrow(/gone cannot be written.*Set TMPDIR/);
  expect(() => checkTemporary()).not.toThrow();
});
