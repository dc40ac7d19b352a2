/**
 * These tests check what a walk keeps of a folder never hides what is closed now: after each change it finds what a walk finds that knows nothing.
 */
import { mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { soon } from "../../../../test/fixtures/soon.ts";
import { ClosedFiles } from "./closed.ts";

/** Each keeps the number of folders in the folder that changes, which alone would tell of a change. */
const CHANGES: Record<string, (at: (path: string) => string) => void> = {
  "a file made": (at) => writeFileSync(at("a/b/.env"), "x"),
  "a file moved into a folder": (at) => renameSync(at("spare"), at("a/b/.env")),
  "a file moved out of a folder": (at) => renameSync(at("a/c/.env"), at("a/c/free")),
  "a folder under another name": (at) => renameSync(at("a/c"), at("a/d")),
  "a folder exchanged for another": (at) => {
    renameSync(at("a/b"), at("a/old"));
    renameSync(at("a/c"), at("a/b"));
    renameSync(at("a/old"), at("a/c"));
  },
  "a folder made again": (at) => {
    rmSync(at("a/b"), { recursive: true });
    mkdirSync(at("a/b"));
    writeFileSync(at("a/b/.env"), "x");
  },
  "a folder exchanged for a file": (at) => {
    renameSync(at("a/c"), at("a/e"));
    writeFileSync(at("a/c"), "x");
  },
};

describe("what a walk for closed files keeps", () => {
  let top = "";
  const at = (path: string): string => join(top, path);
  const closed = () => new ClosedFiles({ read: ["**/.env"], write: ["**/free"] }, top, "/nowhere");

  beforeEach(() => {
    top = realpathSync(mkdtempSync(join(tmpdir(), "ekiden-closed-")));
    for (const folder of ["a/b", "a/c"]) mkdirSync(at(folder), { recursive: true });
    for (const file of ["spare", "a/b/x", "a/c/.env"]) writeFileSync(at(file), "x");
  });
  afterEach(() => rmSync(top, { recursive: true, force: true }));

  it.each(Object.entries(CHANGES))("is not taken for what is there after %s", async (_, change) => {
    // A folder that has just changed is not kept.
    await soon(() => {
      for (const folder of [top, at("a"), at("a/b"), at("a/c")])
        expect(Date.now() - statSync(folder).ctimeMs).toBeGreaterThan(100);
    });
    const keeps = closed();
    await keeps.find();
    change(at);
    const now = await closed().find();
    expect(await keeps.find()).toEqual(now);
    expect(await keeps.find()).toEqual(now);
  });
});
