/** These tests watch real processes that use more than they may. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { takeAway } from "../../../test/fixtures/take-away.ts";
import { DEFAULT_COMMAND_LIMITS } from "../../core/sandbox/command-limits.ts";
import { LimitWatch } from "./limits.ts";

it.runIf(process.platform === "linux")("threads count, where the kernel counts them for nobody", async () => {
  const program =
    "import threading, time\nfor i in range(40): threading.Thread(target=time.sleep, args=(60,)).start()";
  const supervisor = spawn("sh", ["-c", `python3 -c "${program}"; true`], { stdio: "ignore" });
  onTestFinished(() => void supervisor.kill("SIGKILL"));
  const exit = once(supervisor, "exit");
  const limits = { ...DEFAULT_COMMAND_LIMITS, commandProcesses: 4 };
  const note = await new Promise<string>((onOver) => {
    new LimitWatch().add({ supervisor: supervisor.pid ?? 0, limits, cwd: "/", onOver });
  });
  expect(note).toMatch(/more than 32 threads.*setting commandProcesses\]/);
  await exit;
});

/** Null where this user may make none. */
function smallDisk(): string | null {
  const folder = mkdtempSync(join(tmpdir(), "ekiden-disk-"));
  const { status } = spawnSync("mount", ["-t", "tmpfs", "-o", "size=8m", "none", folder]);
  onTestFinished(() => {
    if (status === 0) spawnSync("umount", ["-l", folder]);
    takeAway(folder);
  });
  return status === 0 ? folder : null;
}

it.runIf(process.getuid?.() === 0)(
  "a disk that is nearly full ends a command: of the workspace, or of temporary files",
  async ({ skip }) => {
    const disk = smallDisk();
    if (disk === null) return skip("no file system can be mounted here");
    for (const of of ["workspace", "temporary files"]) {
      const supervisor = spawn("sh", [
        "-c",
        // Only what it takes from the beginning of the watch on counts. One child, because the watch may see it while it writes.
        `while [ ! -e ${disk}/go ]; do sleep 0.01; done; sh -c 'head -c 6000000 /dev/zero > ${disk}/x; sleep 60; true'; rm ${disk}/*`,
      ]);
      const exit = once(supervisor, "exit");
      const limits = { ...DEFAULT_COMMAND_LIMITS, freeDiskMb: 4 };
      const note = await new Promise<string>((onOver) => {
        new LimitWatch(of === "workspace" ? tmpdir() : disk).add({
          supervisor: supervisor.pid ?? 0,
          limits,
          cwd: of === "workspace" ? disk : "/",
          onOver,
        });
        writeFileSync(join(disk, "go"), "");
      });
      expect(note).toContain(`less than 4 MB were left on the disk of ${disk}`);
      await exit;
    }
  },
);

it.runIf(process.getuid?.() === 0)(
  "what lies over a file system in memory is not taken for it",
  async ({ skip }) => {
    const folder = mkdtempSync(join(tmpdir(), "ekiden-cover-"));
    onTestFinished(() => takeAway(folder));
    const cover = `mount -t tmpfs none ${folder} && mount --bind / ${folder} || exit 3; sh -c 'echo; sleep 1'`;
    const supervisor = spawn("unshare", ["-m", "sh", "-c", cover], { stdio: ["ignore", "pipe", "ignore"] });
    const notes: string[] = [];
    supervisor.stdout.once("data", () => {
      const limits = { ...DEFAULT_COMMAND_LIMITS, commandMemoryMb: 100 };
      const onOver = (note: string): void => void notes.push(note);
      new LimitWatch().add({ supervisor: supervisor.pid ?? 0, limits, cwd: "/", onOver });
    });
    const code = await new Promise((resolve) => supervisor.once("exit", resolve));
    if (code === 3 || code === 1) return skip("no file system can be mounted here");
    expect([code, notes]).toEqual([0, []]);
  },
);
