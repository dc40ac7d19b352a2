/** The lock across processes on a disk that fails. Only root can mount one; elsewhere these tests are skipped and say so. */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { soon } from "../../../../test/fixtures/soon.ts";
import { takeAway } from "../../../../test/fixtures/take-away.ts";
import { inTurn } from "./queue.ts";

const isRoot = process.getuid?.() === 0 && process.platform === "linux";
const never = new AbortController().signal;

function disk(options: string): string {
  const dir = mkdtempSync(join(tmpdir(), "ekiden-queue-"));
  execFileSync("mount", ["-t", "tmpfs", "-o", options, "tmpfs", dir]);
  onTestFinished(() => {
    execFileSync("umount", ["--lazy", dir]);
    takeAway(dir);
  });
  return dir;
}

describe.skipIf(!isRoot)("the queue (needs root, to mount a disk)", () => {
  it("leaves no ticket where the disk is full: others would wait for it", async () => {
    const dir = disk("nr_inodes=3"); // its root, the folder of the queue, one file
    await expect(inTurn(join(dir, "queue"), never, async () => {})).rejects.toThrow("ENOSPC");
    expect(readdirSync(join(dir, "queue"))).toEqual([]);
  });

  it("gives its ticket up once a disk that became read-only can be written", async () => {
    const dir = disk("size=1m");
    const remount = (how: string) => execFileSync("mount", ["-o", `remount,${how}`, dir]);
    mkdirSync(join(dir, "queue"));
    await inTurn(join(dir, "queue"), never, async () => remount("ro"));
    remount("rw");
    await soon(() => expect(readdirSync(join(dir, "queue"))).toEqual([]));
    writeFileSync(join(dir, "x"), "");
    expect(await inTurn(join(dir, "queue"), never, async () => "done")).toBe("done");
  });
});
